import { ApplicationFailure, Context } from '@temporalio/activity';
import { isGrpcServiceError } from '@temporalio/client';
import type { Deps } from '../runtime/deps.ts';
import { rows, sql, tenantEm } from '../db/orm.ts';
import { eraseRecords } from '../domain/contacts/erasure/erase-records.ts';
import { addCounts, beginErasure, endErasure, isErased, loadErasure } from '../domain/contacts/erasure/erasures.ts';
import { AppError } from '../lib/checks/errors.ts';
import { untilForgotten } from '../domain/webhooks/deliveries/forget-erased.ts';
import { copiesOf, ensureCopies, insideOf, untilCaughtUp } from '../transport/copies.ts';
import { eraseFromBatches, eraseMessages, type EraseProgress } from '../transport/erase-messages.ts';
import { DEAD_LETTERS, EVENT_BATCHES, EVENTS } from '../transport/streams.ts';
import { removeFiles } from '../runtime/kept-files.ts';
import { tell } from './heartbeat.ts';
import { closeWorkflow } from './start-executions.ts';
import type { WorkflowInputs } from '../registry/workflows.ts';

const NOT_FOUND = 5;
const subjectOf = (tenantId: string): string => `events.${tenantId}.*`;
const STREAMS = [
  { stream: EVENTS, subject: subjectOf },
  { stream: DEAD_LETTERS, subject: () => 'dead.>' },
];

/** Erases data outside the database before the contact is deleted, because it is found by the contact's data. */
export function erasureActivities(deps: Deps) {
  const emOf = (tenantId: string) => tenantEm(deps.orm, tenantId);
  const final = (error: unknown): never => {
    throw error instanceof AppError && error.status < 500
      ? ApplicationFailure.nonRetryable(error.message, error.code)
      : error;
  };

  return {
    beginErasure: ({ tenantId, erasureId }: WorkflowInputs['contactErasure']): Promise<void> =>
      beginErasure(emOf(tenantId), tenantId, erasureId).catch(final),

    /** Erases the person's events from the streams and their copies; heartbeats carry the progress. */
    async eraseEvents({ tenantId, erasureId }: WorkflowInputs['contactErasure']): Promise<void> {
      const em = emOf(tenantId);
      if (await isErased(em, tenantId, erasureId)) return;
      const { person } = await em.transactional((tx) => loadErasure(tx, tenantId, erasureId)).catch(final);
      const ids = new Set(person.contactIds);
      const pattern = new RegExp(person.pattern);
      const isToGo = (text: string): boolean =>
        pattern.test(text.toLowerCase()) ||
        [...text.matchAll(/\\?"(?:contactId|recipientId)\\?":(\d+)/g)].some((found) => ids.has(Number(found[1])));
      const before = (Context.current().info.heartbeatDetails ?? {}) as Record<string, EraseProgress>;
      const done: Record<string, EraseProgress> = { ...before };
      for (const { stream, subject } of STREAMS) {
        done[stream] = await eraseMessages(
          deps.nats,
          stream,
          subject(tenantId),
          before[stream] ?? { seq: 0, erased: 0 },
          isToGo,
          (progress) => tell({ ...done, [stream]: progress }),
        );
      }
      done[EVENT_BATCHES] = await eraseFromBatches(
        deps.nats,
        tenantId,
        before[EVENT_BATCHES] ?? { seq: 0, erased: 0 },
        isToGo,
        (progress) => tell({ ...done, [EVENT_BATCHES]: progress }),
      );
      const copies = copiesOf(deps.env.NATS_LISTENERS).filter(
        (copy) => copy.tenantId === null || copy.tenantId === tenantId,
      );
      await ensureCopies(deps.nats, copies, deps.env.EVENTS_MAX_AGE);
      for (const copy of copies) {
        const key = `${EVENTS} in ${copy.account}`;
        await untilCaughtUp(deps.nats, copy, () => tell(done));
        done[key] = await eraseMessages(
          await insideOf(deps.nats, copy),
          EVENTS,
          subjectOf(tenantId),
          before[key] ?? { seq: 0, erased: 0 },
          isToGo,
          (progress) => tell({ ...done, [key]: progress }),
        );
      }
      await em.transactional((tx) =>
        addCounts(tx, tenantId, erasureId, {
          events: done[EVENTS]!.erased,
          deadLetterMessages: done[DEAD_LETTERS]!.erased,
        }),
      );
    },

    /** Closes and deletes the person's campaign executions in Temporal, with their histories. */
    async eraseHistories({ tenantId, erasureId }: WorkflowInputs['contactErasure']): Promise<void> {
      const em = emOf(tenantId);
      if (await isErased(em, tenantId, erasureId)) return;
      const { person } = await em.transactional((tx) => loadErasure(tx, tenantId, erasureId)).catch(final);
      const workflows = await em.transactional((tx) =>
        rows<{ workflow_id: string }>(
          tx,
          sql`
        select workflow_id from campaign_executions where tenant_id = ${tenantId} and contact_id = any(${person.contactIds}::bigint[]) and workflow_id is not null order by id`,
        ),
      );
      const { workflowService } = deps.temporal;
      let erased = 0;
      for (const { workflow_id: workflowId } of workflows) {
        await closeWorkflow(deps, workflowId, 'contact_erased');
        await workflowService
          .deleteWorkflowExecution({ namespace: deps.temporal.options.namespace, workflowExecution: { workflowId } })
          .then(
            () => (erased += 1),
            (error: unknown) => {
              if (!isGrpcServiceError(error) || Number(error.code) !== NOT_FOUND) throw error;
            },
          );
        tell(workflowId);
      }
      await em.transactional((tx) => addCounts(tx, tenantId, erasureId, { workflows: erased }));
    },

    /**
     * Before the erasure is complete, also waits until no webhook has the person's data in memory, and removes the
     * person's files and any others of the tenant that are due.
     */
    async eraseRecords({ tenantId, erasureId }: WorkflowInputs['contactErasure']): Promise<void> {
      await eraseRecords(emOf(tenantId), tenantId, erasureId).catch(final);
      await untilForgotten(emOf(tenantId), tenantId);
      await removeFiles(deps, tenantId);
    },

    endErasure: ({
      tenantId,
      erasureId,
      error,
    }: WorkflowInputs['contactErasure'] & { error: string | null }): Promise<void> =>
      endErasure(emOf(tenantId), tenantId, erasureId, error),
  };
}
