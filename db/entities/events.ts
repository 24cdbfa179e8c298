import { defineEntity, p } from '@mikro-orm/core';
import { bigid, id, json, tenantId, tenantTable, timestamp } from './base.ts';

/**
 * Events to publish, written in the transaction of the change. A row holds one event or, for bulk changes, many: the
 * service's own consumers get it as one batch, other programs get each event. The ids of the batch and its events are
 * generated here, so that publishing again produces the same messages.
 */
const OutboxEventSchema = defineEntity({
  name: 'OutboxEvent',
  tableName: 'outbox_events',
  ...tenantTable,
  properties: {
    /** First in the key, because the relay takes rows by tenant. */
    tenantId: tenantId().primary(),
    id: bigid().primary().autoincrement(),
    batchId: p.uuid().defaultRaw('gen_random_uuid()'),
    /** Not read. Processes of an earlier release write it, so it is dropped in a later one. */
    shard: p.smallint().default(0),
    type: p.string().length(50),
    occurredAt: timestamp(),
    requestId: p.text().nullable(),
    events: json<{ id: string; data: Record<string, unknown> }[]>(),
  },
});
export class OutboxEvent extends OutboxEventSchema.class {}
OutboxEventSchema.setClass(OutboxEvent);

/**
 * Send requests to publish on `email.send.requests`. They have their own table and loop, so that no email waits behind
 * an import.
 */
const OutboxSendRequestSchema = defineEntity({
  name: 'OutboxSendRequest',
  tableName: 'outbox_send_requests',
  ...tenantTable,
  properties: {
    id: id(),
    tenantId: tenantId(),
    requests: json<{ templateId: number; recipientId: number | null; emailId: number; campaignId: number | null }[]>(),
  },
});
export class OutboxSendRequest extends OutboxSendRequestSchema.class {}
OutboxSendRequestSchema.setClass(OutboxSendRequest);

/**
 * Workflows to start, written in the transaction that needs them, so that the relay starts those that the caller could
 * not. A job stays until its workflow has ended.
 */
const OutboxWorkflowSchema = defineEntity({
  name: 'OutboxWorkflow',
  tableName: 'outbox_workflows',
  ...tenantTable,
  indexes: [{ name: 'outbox_workflows_jobs_idx', properties: ['tenantId', 'workflowType', 'id'], where: 'is_job' }],
  properties: {
    id: id(),
    tenantId: tenantId(),
    workflowType: p.string().length(100),
    workflowId: p.text(),
    input: json<Record<string, unknown>>(),
    isJob: p.boolean().default(false),
    /** Of a job: since when it is at work; null while it waits for its turn. */
    startedAt: timestamp().nullable(),
    createdAt: timestamp().defaultRaw('now()'),
  },
});
export class OutboxWorkflow extends OutboxWorkflowSchema.class {}
OutboxWorkflowSchema.setClass(OutboxWorkflow);

/** A message that a consumer has given up on, with the last error. */
const DeadLetterSchema = defineEntity({
  name: 'DeadLetter',
  tableName: 'dead_letters',
  ...tenantTable,
  properties: {
    id: id(),
    tenantId: tenantId(),
    consumer: p.string().length(30),
    subject: p.text(),
    messageId: p.text().nullable(),
    body: p.text(),
    error: p.text(),
    deliveries: p.integer(),
    streamSeq: bigid(),
    at: timestamp().defaultRaw('now()'),
  },
});
export class DeadLetter extends DeadLetterSchema.class {}
DeadLetterSchema.setClass(DeadLetter);

export const eventEntities = [OutboxEvent, OutboxSendRequest, OutboxWorkflow, DeadLetter];
