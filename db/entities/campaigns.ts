import { defineEntity, p } from '@mikro-orm/core';
import { bigid, id, json, resourceColumns, tenantId, tenantTable, timestamp } from './base.ts';

export const CAMPAIGN_STATUSES = ['DRAFT', 'ACTIVE', 'PAUSED', 'STOPPED', 'ARCHIVED'] as const;
/** Campaigns that contacts can enter. While one is paused, contacts enter and wait at its first step. */
export const OPEN_STATUSES = ['ACTIVE', 'PAUSED'];
export const CAMPAIGN_TYPES = ['CUSTOM', 'WELCOME_SERIES', 'NURTURE', 'RE_ENGAGEMENT'] as const;
/** Why an execution is STOPPED by somebody or something else than its steps: what it has queued is not sent any more. */
export const STOP_REASONS = [
  'campaign_stopped',
  'stopped_by_user',
  'unsubscribed',
  'contact_deleted',
  'contact_erased',
  'merged',
  'restored',
] as const;
export type StopReason = (typeof STOP_REASONS)[number];
export const EXECUTION_STATUSES = ['RUNNING', 'STOPPED', 'COMPLETED', 'FAILED'] as const;

const CampaignSchema = defineEntity({
  name: 'Campaign',
  tableName: 'campaigns',
  ...tenantTable,
  uniques: [{ name: 'campaigns_tenant_id_id_key', properties: ['tenantId', 'id'] }],
  properties: {
    id: id(),
    tenantId: tenantId(),
    name: p.string().length(255),
    description: p.text().nullable(),
    status: p.enum(CAMPAIGN_STATUSES).default('DRAFT'),
    /** Why the service paused it; null if a user did. */
    pauseReason: p.text().nullable(),
    type: p.enum(CAMPAIGN_TYPES).default('CUSTOM'),
    /** The editable trigger, steps and entry; executions run a CampaignVersion. */
    trigger: json<unknown>(),
    steps: json<unknown[]>(),
    entry: json<unknown>(),
    publishedVersion: p.integer().nullable(),
    /** When it last became ACTIVE or got its current trigger: earlier events do not trigger it. */
    activatedAt: timestamp().nullable(),
    /** How many workflows the last stop had to close; null before it, and after the next start. */
    closingTotal: p.integer().nullable(),
    /** DATE trigger: enrolments have taken the moments up to here. */
    datedUntil: timestamp().nullable(),
    ...resourceColumns(),
  },
});
export class Campaign extends CampaignSchema.class {}
CampaignSchema.setClass(Campaign);

/** A published definition. Immutable: executions are pinned to one. */
const CampaignVersionSchema = defineEntity({
  name: 'CampaignVersion',
  tableName: 'campaign_versions',
  ...tenantTable,
  properties: {
    tenantId: tenantId().primary(),
    campaignId: bigid().primary(),
    version: p.integer().primary(),
    definition: json<unknown>(),
    /** The names, when it was published, of what the definition refers to; null in versions from before there were any. */
    names: json<unknown>().nullable(),
    publishedAt: timestamp().defaultRaw('now()'),
  },
});
export class CampaignVersion extends CampaignVersionSchema.class {}
CampaignVersionSchema.setClass(CampaignVersion);

const CampaignExecutionSchema = defineEntity({
  name: 'CampaignExecution',
  tableName: 'campaign_executions',
  ...tenantTable,
  uniques: [
    { name: 'campaign_executions_entry_no_key', properties: ['tenantId', 'campaignId', 'contactId', 'entryNo'] },
    { name: 'campaign_executions_entry_key', properties: ['tenantId', 'campaignId', 'contactId', 'entryKey'] },
    { name: 'campaign_executions_tenant_id_id_key', properties: ['tenantId', 'id'] },
  ],
  indexes: [
    { name: 'campaign_executions_list_idx', properties: ['tenantId', 'campaignId', 'id'] },
    { name: 'campaign_executions_status_idx', properties: ['tenantId', 'campaignId', 'status', 'id'] },
    { name: 'campaign_executions_sweep_idx', properties: ['tenantId', 'campaignId', 'id'], where: 'sweep' },
    { name: 'campaign_executions_parked_idx', properties: ['tenantId', 'campaignId', 'id'], where: 'parked' },
    { name: 'campaign_executions_contact_idx', properties: ['tenantId', 'contactId'] },
    { name: 'campaign_executions_running_idx', properties: ['id'], where: `status = 'RUNNING'` },
  ],
  properties: {
    id: id(),
    tenantId: tenantId(),
    campaignId: bigid(),
    campaignVersion: p.integer(),
    contactId: bigid(),
    entryNo: p.integer(),
    /** The cause of the entry: an event's id, or the enrolment. A redelivered cause makes no second entry. */
    entryKey: p.string().length(100),
    enrolmentId: bigid().nullable(),
    /** 1, or one more than that of the execution whose step caused the entry. */
    depth: p.integer().default(1),
    currentStep: p.integer().default(0),
    currentStepId: p.string().length(64).nullable(),
    /** The interpreter's state: visits per step, end of the current wait. */
    state: json<unknown>(),
    /** The number of committed step transitions; a repeated activity finds its number taken. */
    stepSeq: p.integer().default(0),
    /** The run of the workflow that may write; a retry increments it. */
    runSeq: p.integer().default(1),
    status: p.enum(EXECUTION_STATUSES).default('RUNNING'),
    exitReason: p.text().nullable(),
    /** Stopped in the database; its workflow still has to be closed. */
    sweep: p.boolean().default(false),
    /** Reached a step while the campaign was paused; its workflow waits to be woken. */
    parked: p.boolean().default(false),
    /** Null if the execution ended immediately, because its campaign has no steps. */
    workflowId: p.text().nullable(),
    runId: p.text().nullable(),
    startedAt: timestamp().defaultRaw('now()'),
    finishedAt: timestamp().nullable(),
    updatedAt: timestamp().defaultRaw('now()'),
  },
});
export class CampaignExecution extends CampaignExecutionSchema.class {}
CampaignExecutionSchema.setClass(CampaignExecution);

const CampaignStepExecutionSchema = defineEntity({
  name: 'CampaignStepExecution',
  tableName: 'campaign_step_executions',
  ...tenantTable,
  indexes: [{ name: 'campaign_step_executions_step_idx', properties: ['tenantId', 'campaignId', 'stepId', 'result'] }],
  properties: {
    tenantId: tenantId().primary(),
    executionId: bigid().primary(),
    seq: p.integer().primary(),
    campaignId: bigid(),
    stepId: p.string().length(64),
    visit: p.integer(),
    type: p.string().length(30),
    result: p.text(),
    reason: p.text().nullable(),
    executedAt: timestamp(),
    /** From entering the step to its completion: the duration of a wait. */
    durationMs: bigid(),
  },
});
export class CampaignStepExecution extends CampaignStepExecutionSchema.class {}
CampaignStepExecutionSchema.setClass(CampaignStepExecution);

/** An event that a running execution waits for, by its type: WAIT_FOR_EVENT, or a goal that it has not met. */
const AwaitedEventSchema = defineEntity({
  name: 'AwaitedEvent',
  tableName: 'awaited_events',
  ...tenantTable,
  indexes: [{ name: 'awaited_events_contact_idx', properties: ['tenantId', 'contactId'] }],
  properties: {
    tenantId: tenantId().primary(),
    executionId: bigid().primary(),
    eventType: p.string().length(50).primary(),
    contactId: bigid(),
    /** When such an event woke the execution; null again when the execution has looked. */
    wokenAt: timestamp().nullable(),
  },
});
export class AwaitedEvent extends AwaitedEventSchema.class {}
AwaitedEventSchema.setClass(AwaitedEvent);
export const ENROLMENT_TRIGGERS = ['MANUAL', 'SCHEDULE', 'DATE'] as const;

/**
 * A start request with contacts, or one firing of a schedule: pages through the contacts and starts an execution for
 * each.
 */
const CampaignEnrolmentSchema = defineEntity({
  name: 'CampaignEnrolment',
  tableName: 'campaign_enrolments',
  ...tenantTable,
  uniques: [
    { name: 'campaign_enrolments_tenant_id_id_key', properties: ['tenantId', 'id'] },
    { name: 'campaign_enrolments_scheduled_key', properties: ['tenantId', 'campaignId', 'scheduledAt'] },
  ],
  properties: {
    id: id(),
    tenantId: tenantId(),
    campaignId: bigid(),
    campaignVersion: p.integer(),
    trigger: p.enum(ENROLMENT_TRIGGERS).default('MANUAL'),
    /** The nominal time of the firing, which makes one enrolment; null for MANUAL. */
    scheduledAt: timestamp().nullable(),
    segmentId: bigid().nullable(),
    contactIds: json<number[]>().nullable(),
    /** DATE: the contacts whose moment is after `dueAfter` and not after `dueUntil`. */
    dueAfter: timestamp().nullable(),
    dueUntil: timestamp().nullable(),
    status: p.enum(['PENDING', 'RUNNING', 'COMPLETED', 'CANCELLED'] as const).default('PENDING'),
    /** The last processed contact id (keyset). */
    cursor: bigid().default(0),
    enrolled: p.integer().default(0),
    skipped: p.integer().default(0),
    workflowId: p.text(),
    requestId: p.text().nullable(),
    createdAt: timestamp().defaultRaw('now()'),
    finishedAt: timestamp().nullable(),
  },
});
export class CampaignEnrolment extends CampaignEnrolmentSchema.class {}
CampaignEnrolmentSchema.setClass(CampaignEnrolment);

/** A move of running executions from one published version of a campaign to another, page by page. */
const CampaignMigrationSchema = defineEntity({
  name: 'CampaignMigration',
  tableName: 'campaign_migrations',
  ...tenantTable,
  uniques: [
    { name: 'campaign_migrations_tenant_id_id_key', properties: ['tenantId', 'id'] },
    // One at a time.
    { name: 'campaign_migrations_running_key', properties: ['tenantId', 'campaignId'], where: `status = 'RUNNING'` },
  ],
  properties: {
    id: id(),
    tenantId: tenantId(),
    campaignId: bigid(),
    fromVersion: p.integer(),
    toVersion: p.integer(),
    /** Where to continue, by the ids of steps of `fromVersion`; other steps are the same by their id. */
    map: json<Record<string, string>>(),
    status: p.enum(['RUNNING', 'COMPLETED', 'CANCELLED'] as const).default('RUNNING'),
    /** The last processed execution id (keyset). */
    cursor: bigid().default(0),
    /** Executions of `fromVersion` when it began, and those among them that could be moved. */
    total: p.integer(),
    movable: p.integer(),
    moved: p.integer().default(0),
    /** The first 1000. */
    blocked: json<{ executionId: number; stepId: string; reason: string }[]>(),
    byStep: json<{ from: string; to: string; count: number }[]>(),
    workflowId: p.text(),
    createdAt: timestamp().defaultRaw('now()'),
    finishedAt: timestamp().nullable(),
  },
});
export class CampaignMigration extends CampaignMigrationSchema.class {}
CampaignMigrationSchema.setClass(CampaignMigration);

export const SIMULATION_STATUSES = ['PENDING', 'RUNNING', 'COMPLETED', 'FAILED'] as const;

/** A simulation of many contacts, which a workflow runs. */
const CampaignSimulationSchema = defineEntity({
  name: 'CampaignSimulation',
  tableName: 'campaign_simulations',
  ...tenantTable,
  uniques: [{ name: 'campaign_simulations_tenant_id_id_key', properties: ['tenantId', 'id'] }],
  indexes: [{ name: 'campaign_simulations_campaign_idx', properties: ['tenantId', 'campaignId'] }],
  properties: {
    id: id(),
    tenantId: tenantId(),
    campaignId: bigid(),
    /** What is simulated, the definition included: a later edit of the draft changes nothing. */
    request: json<unknown>(),
    status: p.enum(SIMULATION_STATUSES).default('PENDING'),
    /** How many contacts there were at the request, and how many are done. */
    contacts: p.integer(),
    processed: p.integer().default(0),
    result: json<unknown>().nullable(),
    error: p.text().nullable(),
    workflowId: p.text(),
    createdAt: timestamp().defaultRaw('now()'),
    startedAt: timestamp().nullable(),
    finishedAt: timestamp().nullable(),
  },
});
export class CampaignSimulation extends CampaignSimulationSchema.class {}
CampaignSimulationSchema.setClass(CampaignSimulation);

export const campaignEntities = [
  Campaign,
  CampaignVersion,
  CampaignExecution,
  CampaignStepExecution,
  CampaignEnrolment,
  AwaitedEvent,
  CampaignMigration,
  CampaignSimulation,
];
