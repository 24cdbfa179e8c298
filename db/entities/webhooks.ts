import { defineEntity, p } from '@mikro-orm/core';
import { bigid, id, json, resourceColumns, tenantId, tenantTable, timestamp } from './base.ts';

export const WEBHOOK_FORMATS = ['standard', 'cloudevents'] as const;
export const WEBHOOK_SIGNATURES = ['v1', 'v1a'] as const;
export const WEBHOOK_ORDERINGS = ['none', 'contact'] as const;
export const DISABLED_REASONS = ['manual', 'gone', 'failing'] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];
/**
 * The states of a delivery as the API shows them. HELD is not stored: it is PENDING of an endpoint that is not active.
 */
export const DELIVERY_STATUSES = ['PENDING', 'SENDING', 'DELIVERED', 'FAILED', 'HELD'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

const WebhookEndpointSchema = defineEntity({
  name: 'WebhookEndpoint',
  tableName: 'webhook_endpoints',
  ...tenantTable,
  uniques: [{ name: 'webhook_endpoints_tenant_id_id_key', properties: ['tenantId', 'id'] }],
  properties: {
    id: id(),
    tenantId: tenantId(),
    name: p.string().length(255),
    url: p.text(),
    /** `*` = all. */
    types: p.array().$type<string[]>(),
    filter: json<{ field: string; operator: string; value?: unknown }[]>().nullable(),
    format: p.enum(WEBHOOK_FORMATS).default('standard'),
    signature: p.enum(WEBHOOK_SIGNATURES).default('v1'),
    ordering: p.enum(WEBHOOK_ORDERINGS).default('none'),
    include: p.array().$type<string[]>().defaultRaw(`'{}'`),
    /** Names in lower case, and values encrypted with LINK_SECRET. */
    headers: json<Record<string, string>>().defaultRaw(`'{}'`),
    maxInFlight: p.integer().default(5),
    timeoutMs: p.integer().default(15_000),
    active: p.boolean().default(true),
    disabledReason: p.enum(DISABLED_REASONS).nullable(),
    disabledAt: timestamp().nullable(),
    /** The secret (v1), or the private key in PKCS #8 (v1a), encrypted with LINK_SECRET. */
    key: p.text(),
    /** The one before, which signs too until `previousExpiresAt`. */
    previousKey: p.text().nullable(),
    previousExpiresAt: timestamp().nullable(),
    /** Only v1a; `whpk_…` */
    publicKey: p.text().nullable(),
    ...resourceColumns(),
  },
});
export class WebhookEndpoint extends WebhookEndpointSchema.class {}
WebhookEndpointSchema.setClass(WebhookEndpoint);

const WebhookTenantSchema = defineEntity({
  name: 'WebhookTenant',
  tableName: 'webhook_tenants',
  ...tenantTable,
  properties: {
    tenantId: tenantId().primary(),
    version: bigid().default(1),
  },
});
/** A tenant that has, or had, endpoints; `version` is another after each change of one. */
export class WebhookTenant extends WebhookTenantSchema.class {}
WebhookTenantSchema.setClass(WebhookTenant);

const WebhookLaneSchema = defineEntity({
  name: 'WebhookLane',
  tableName: 'webhook_lanes',
  ...tenantTable,
  indexes: [
    { name: 'webhook_lanes_due_idx', properties: ['tenantId', 'dueAt'], where: 'due_at is not null' },
    { name: 'webhook_lanes_deleted_idx', properties: ['endpointId'], where: 'deleted_at is not null' },
  ],
  properties: {
    tenantId: tenantId().primary(),
    endpointId: bigid().primary(),
    /** The number of the last delivery, and its time: later ones are not from before it, whatever the clock says. */
    lastSequence: bigid().default(0),
    lastAt: timestamp().nullable(),
    /** All deliveries up to here were tried, and the day of the last of them; there may be more. */
    cursor: bigid().default(0),
    cursorDay: p.date().nullable(),
    active: p.boolean().default(true),
    /** From then on a process may take the lane; while one holds it, when its lease expires. Null: nothing is due. */
    dueAt: timestamp().nullable(),
    holder: p.string().length(50).nullable(),
    /** Goes up when deliveries become due otherwise than by their numbers: the holder looks for them. */
    nudges: p.integer().default(0),
    /** Goes up after an erasure; and the last one of which the holder has nothing in memory any more. */
    erasures: p.integer().default(0),
    forgotten: p.integer().default(0),
    /**
     * When the endpoint was activated, until what was not tried since has been made due. 1970: only what was never tried,
     * because it waited for others, and its order does not matter any more.
     */
    hurriedAt: timestamp().nullable(),
    /** The endpoint was deleted; its deliveries are being deleted. */
    deletedAt: timestamp().nullable(),
  },
});
/**
 * The numbering of an endpoint's deliveries, and the lease on them: one process at a time delivers to an endpoint. Apart
 * from the endpoint, because it changes all the time.
 */
export class WebhookLane extends WebhookLaneSchema.class {}
WebhookLaneSchema.setClass(WebhookLane);

const WebhookHealthSchema = defineEntity({
  name: 'WebhookHealth',
  tableName: 'webhook_health',
  ...tenantTable,
  properties: {
    tenantId: tenantId().primary(),
    endpointId: bigid().primary(),
    lastSuccessAt: timestamp().nullable(),
    /** Since the last success. */
    failures: p.integer().default(0),
    failingSince: timestamp().nullable(),
    /** It took long to answer last time. */
    slow: p.boolean().default(false),
  },
});
/** How an endpoint has answered lately. */
export class WebhookHealth extends WebhookHealthSchema.class {}
WebhookHealthSchema.setClass(WebhookHealth);

export const REPLAYED = ['failed', 'held', 'all'] as const;

const WebhookReplaySchema = defineEntity({
  name: 'WebhookReplay',
  tableName: 'webhook_replays',
  ...tenantTable,
  uniques: [
    { name: 'webhook_replays_tenant_id_id_key', properties: ['tenantId', 'id'] },
    // One at a time.
    { name: 'webhook_replays_running_key', properties: ['tenantId', 'endpointId'], where: `status = 'RUNNING'` },
  ],
  properties: {
    id: id(),
    tenantId: tenantId(),
    endpointId: bigid(),
    fromAt: timestamp(),
    toAt: timestamp(),
    types: p.array().$type<string[]>().nullable(),
    only: p.enum(REPLAYED),
    status: p.enum(['RUNNING', 'COMPLETED'] as const).default('RUNNING'),
    /** The last delivery that was looked at, and the last one that will be. */
    cursor: bigid().default(0),
    upTo: bigid(),
    examined: p.integer().default(0),
    replayed: p.integer().default(0),
    workflowId: p.text(),
    createdAt: timestamp().defaultRaw('now()'),
    finishedAt: timestamp().nullable(),
  },
});
/** A replay of an endpoint's deliveries, page by page. */
export class WebhookReplay extends WebhookReplaySchema.class {}
WebhookReplaySchema.setClass(WebhookReplay);

export const webhookEntities = [WebhookEndpoint, WebhookTenant, WebhookLane, WebhookHealth, WebhookReplay];
