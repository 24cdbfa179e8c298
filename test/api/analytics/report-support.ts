import assert from 'node:assert/strict';
import { ScheduleNotFoundError, type ScheduleDescription } from '@temporalio/client';
import { reportScheduleIdOf } from '../../../activities/keep-schedule.ts';
import { rows, sql, tenantEm, type RawBuilder } from '../../../db/orm.ts';
import { QUEUES, workflowId } from '../../../registry/workflows.ts';
import type { Answer, Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

export const TENANT = 'default';
export const MAY = { from: '2026-04-30T22:00:00.000Z', to: '2026-05-31T22:00:00.000Z', timezone: 'Europe/Warsaw' };

/** Requests about reports, as the Admin. */
export function reportsOf(service: Service) {
  const call = async (method: string, path: string, status: number, body?: object): Promise<Answer['body']> => {
    const answer = await service.api(method, `/analytics/reports${path}`, body);
    assert.equal(answer.status, status, JSON.stringify(answer.body));
    return answer.body;
  };
  const query = <T>(statement: RawBuilder<unknown>): Promise<T[]> =>
    tenantEm(service.deps.orm, TENANT).transactional((tx) => rows<T>(tx, statement));
  const scheduleOf = (reportId: number): Promise<ScheduleDescription | null> =>
    service.deps.temporal.schedule
      .getHandle(reportScheduleIdOf({ tenantId: TENANT, reportId }))
      .describe()
      .catch((error: unknown) => {
        if (error instanceof ScheduleNotFoundError) return null;
        throw error;
      });
  return {
    call,
    query,
    scheduleOf,
    create: (fields: object) => call('POST', '', 202, { name: 'Monthly', type: 'emails', format: 'csv', ...fields }),
    ended: (id: number): Promise<Answer['body']> =>
      until(`report ${id} has ended`, async () => {
        const report = await call('GET', `/${id}`, 200);
        return ['COMPLETED', 'FAILED'].includes(report.status) ? report : null;
      }),
    /** Fires a report's schedule at a nominal time, as Temporal does. */
    async fire(reportId: number, nominal: string): Promise<void> {
      const input = { tenantId: TENANT, reportId };
      await service.deps.temporal.workflow.execute('reportOccurrence', {
        workflowId: `${workflowId('reportOccurrence', input)}-${nominal}`,
        taskQueue: QUEUES.jobs,
        args: [input],
      });
    },
    filesToRemove: async () =>
      (await query<{ key: string }>(sql`select object_key as key from file_removals where removing`)).map(
        ({ key }) => key,
      ),
  };
}
