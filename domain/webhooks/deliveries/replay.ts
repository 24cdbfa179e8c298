import { LockMode } from '@mikro-orm/core';
import { WebhookReplay } from '../../../db/entities/webhooks.ts';
import { freshTransaction, rows, sql, type EntityManager } from '../../../db/orm.ts';
import { appendJob } from '../../../events/outbox.ts';
import { workflowId } from '../../../registry/workflows.ts';
import { appendAudit, type Author } from '../../audit/audit.ts';
import { AppError, assertValid, notFound, type Violation } from '../../../lib/checks/errors.ts';
import { parseDateTime } from '../../../lib/time/instants.ts';
import { lockEndpoint } from '../endpoints/endpoints.ts';
import { isBefore, isSince } from './list-deliveries.ts';
import { reopen } from './repeat-deliveries.ts';

export interface ReplayInput {
  from: string;
  to?: string;
  types?: string[];
  only?: WebhookReplay['only'];
}

const PAGE = 1_000;

/** The violations of a replay's period. */
export function replayViolations({ from, to }: { from?: string; to?: string }, now = new Date()): Violation[] {
  const [begin, end] = [from, to].map((text) => (text === undefined ? undefined : parseDateTime(text)));
  const message = 'must be a date-time between the years 1000 and 9000';
  const violations: Violation[] = [];
  if (begin === null) violations.push({ path: '/from', code: 'out_of_range', message });
  if (end === null) violations.push({ path: '/to', code: 'out_of_range', message });
  if (begin && begin >= (end ?? now))
    violations.push({
      path: '/from',
      code: 'out_of_range',
      message: end ? 'must be before to' : 'must be in the past',
    });
  return violations;
}

/**
 * Sends the deliveries of a period again that failed, are held, or all, under their `webhook-id`s. Runs as the workflow
 * `webhookReplay`. Throws 400, 404, and 409 `conflict` while another replay of the endpoint is running.
 */
export async function requestReplay(
  em: EntityManager,
  author: Author,
  endpointId: number,
  { from, to, types, only = 'failed' }: ReplayInput,
): Promise<WebhookReplay> {
  const { tenantId } = author;
  return em.transactional(async (tx) => {
    await lockEndpoint(tx, endpointId);
    const now = new Date();
    assertValid(replayViolations({ from, ...(to === undefined ? {} : { to }) }, now));
    const running = await tx.findOne(WebhookReplay, { endpointId, status: 'RUNNING' });
    if (running) throw new AppError('conflict', `Replay ${running.id} of the webhook is still running`);
    const [next] = await rows<{ id: number; last: number }>(
      tx,
      sql`
      select nextval('webhook_replays_id_seq') as id, last_sequence as last from webhook_lanes
      where tenant_id = ${tenantId} and endpoint_id = ${endpointId}`,
    );
    const workflow = { tenantId, replayId: next!.id };
    const replay = tx.create(WebhookReplay, {
      ...{ id: next!.id, tenantId, endpointId, only, types: types ?? null, upTo: next!.last, createdAt: now },
      fromAt: parseDateTime(from)!,
      toAt: to === undefined ? now : parseDateTime(to)!,
      workflowId: workflowId('webhookReplay', workflow),
    });
    await tx.flush();
    await appendAudit(tx, author, {
      action: 'webhook.replayed',
      resourceType: 'webhook',
      resourceId: endpointId,
      after: { replayId: replay.id, from: replay.fromAt, to: replay.toAt, types: replay.types ?? null, only },
    });
    await appendJob(tx, 'webhookReplay', workflow);
    return replay;
  });
}

/** Throws 404. */
export async function readReplay(em: EntityManager, id: number): Promise<WebhookReplay> {
  const replay = await em.findOne(WebhookReplay, { id });
  if (!replay) throw notFound('replay', id);
  return replay;
}

/**
 * Sends the next page of a replay's deliveries again, in one transaction. Returns whether it was the last one. Repeated
 * for a page that was committed, it goes on with the next one.
 */
export const replayPage = (em: EntityManager, replayId: number): Promise<{ done: boolean }> =>
  freshTransaction(em, async (tx) => {
    const replay = await tx.findOne(
      WebhookReplay,
      { id: replayId },
      { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
    );
    // The endpoint was deleted, or it is done.
    if (replay?.status !== 'RUNNING') return { done: true };
    const { tenantId, endpointId, cursor, upTo, fromAt, toAt, types, only } = replay;
    const isOfPeriod = sql`${isSince('d', sql`${fromAt}::timestamptz`)} and ${isBefore('d', sql`${toAt}::timestamptz`)}`;
    const [page] = await rows<{ n: number; last: number | null }>(
      tx,
      sql`
      select count(*) as n, max(sequence) as last from (
        select d.sequence from webhook_deliveries d
        where d.tenant_id = ${tenantId} and d.endpoint_id = ${endpointId} and d.sequence > ${cursor} and d.sequence <= ${upTo} and ${isOfPeriod}
        order by d.sequence limit ${PAGE}) p`,
    );
    const { n, last } = page!;
    if (last !== null) {
      const wanted = {
        failed: sql`d.status = 'FAILED'`,
        all: sql`d.status in ('DELIVERED', 'FAILED')`,
        held: sql`d.status in ('PENDING', 'SENDING') and exists (
          select 1 from webhook_lanes l where l.tenant_id = d.tenant_id and l.endpoint_id = d.endpoint_id and not l.active)`,
      }[only];
      const replayed = await reopen(
        tx,
        { tenantId, endpointId },
        sql`d.sequence > ${cursor} and d.sequence <= ${last} and ${isOfPeriod}
          and ${types ? sql`d.type = any(${types}::text[])` : sql`true`} and ${wanted}`,
      );
      tx.assign(replay, {
        cursor: last,
        examined: (replay.examined ?? 0) + n,
        replayed: (replay.replayed ?? 0) + replayed,
      });
    }
    const done = n < PAGE;
    if (done) tx.assign(replay, { status: 'COMPLETED', finishedAt: new Date() });
    await tx.flush();
    return { done };
  });
