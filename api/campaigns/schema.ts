import { Type } from 'typebox';
import {
  CAMPAIGN_STATUSES,
  CAMPAIGN_TYPES,
  ENROLMENT_TRIGGERS,
  EXECUTION_STATUSES,
} from '../../db/entities/campaigns.ts';
import { EntrySchema, StepsSchema, TriggerSchema } from '../../domain/campaigns/definition/definition.ts';
import { normaliseEntry, type Entry } from '../../domain/campaigns/definition/entry.ts';
import type { Step } from '../../domain/campaigns/definition/step-kinds.ts';
import type { Trigger } from '../../domain/campaigns/definition/triggers.ts';
import { Id, listQuery, nullable, oneOf, strict, Timestamp, Version, writable } from '../route/schemas.ts';
import { emailCounts } from '../emails/campaigns/schema.ts';

const optional = Type.Optional;
const Count = Type.Integer({ minimum: 0 });
const StepId = Type.String({ examples: ['wait-1'] });

const name = Type.String({ minLength: 1, maxLength: 255, examples: ['Welcome'] });
const description = nullable(Type.String({ maxLength: 5000 }));
const templateIds = Type.Array(Id, {
  maxItems: 20,
  description: 'For the prebuilt types, instead of `steps`: their 3, 5 or 2 templates in order',
});
const definition = {
  trigger: optional(nullable(TriggerSchema)),
  steps: optional(nullable(StepsSchema)),
  entry: optional(nullable(EntrySchema)),
};
const readOnly = ['id', 'status', 'publishedVersion', 'version', 'createdAt', 'updatedAt'] as const;

/** Definitions are returned as stored. */
const stored = <T>(component: string, example: T) =>
  Type.Unsafe<T>({ type: 'object', 'x-component': component, examples: [example] });

export const Campaign = strict({
  id: Id,
  name,
  description,
  status: oneOf(CAMPAIGN_STATUSES),
  type: oneOf(CAMPAIGN_TYPES),
  trigger: stored<Trigger>('Trigger', { type: 'MANUAL' }),
  steps: Type.Array(stored<Step>('Step', { id: 'pause', type: 'WAIT', config: { waitMinutes: 1440 } })),
  entry: stored<Entry>('Entry', normaliseEntry()),
  publishedVersion: nullable(
    Type.Integer({ description: 'The version that new executions use; null before the first start' }),
  ),
  version: Version,
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export const CampaignCreate = writable(
  {
    name,
    description: optional(description),
    type: optional(oneOf(CAMPAIGN_TYPES, { description: 'Default CUSTOM' })),
    ...definition,
    templateIds: optional(templateIds),
  },
  readOnly,
);
export const CampaignUpdate = writable(
  { name: optional(name), description: optional(description), ...definition, templateIds: optional(templateIds) },
  [...readOnly, 'type'],
);
export const CampaignQuery = listQuery(['id', 'name', 'createdAt', 'updatedAt'], {
  status: optional(oneOf(CAMPAIGN_STATUSES)),
  type: optional(oneOf(CAMPAIGN_TYPES)),
});

export const PublishedVersion = strict(
  {
    campaignId: Id,
    version: Type.Integer({ minimum: 1 }),
    trigger: stored<Trigger>('Trigger', { type: 'MANUAL' }),
    steps: Type.Array(stored<Step>('Step', { id: 'pause', type: 'WAIT', config: { waitMinutes: 1440 } })),
    entry: stored<Entry>('Entry', normaliseEntry()),
    publishedAt: Timestamp,
    running: Type.Integer({ minimum: 0, description: 'Executions that run this version now' }),
  },
  { title: 'PublishedVersion' },
);
export const VersionQuery = listQuery(['version'], {}, '-version');
export const VersionParams = Type.Object({ id: Id, version: Id });

export const Audience = strict(
  {
    contactIds: optional(Type.Array(Id, { maxItems: 10_000, description: 'For more contacts, use a list' })),
    segmentId: optional(Id),
    listId: optional(Id),
  },
  { description: 'At most one of the three; if all are absent, no contact is enrolled' },
);
export const Started = strict({ campaign: Campaign, enrolmentId: nullable(Id) });

export const Enrolment = strict(
  {
    id: Id,
    campaignId: Id,
    campaignVersion: Type.Integer(),
    trigger: oneOf(ENROLMENT_TRIGGERS, { description: 'MANUAL: by `start`' }),
    scheduledAt: nullable(
      Type.String({ format: 'date-time', description: 'The time for which the schedule fired; null if MANUAL' }),
    ),
    status: oneOf(['PENDING', 'RUNNING', 'COMPLETED', 'CANCELLED']),
    segmentId: nullable(Id),
    enrolled: Count,
    skipped: Type.Integer({ minimum: 0, description: 'Contacts excluded by the entry rules' }),
    workflowId: Type.String(),
    createdAt: Timestamp,
    finishedAt: nullable(Timestamp),
  },
  { title: 'Enrolment' },
);

const execution = {
  id: Id,
  campaignId: Id,
  campaignVersion: Type.Integer(),
  contactId: Id,
  entryNo: Type.Integer({ minimum: 1 }),
  currentStep: Type.Integer({
    minimum: 0,
    description: 'Index into `steps`; if COMPLETED, the number of steps',
  }),
  currentStepId: nullable(StepId),
  status: oneOf(EXECUTION_STATUSES),
  startedAt: Timestamp,
  finishedAt: nullable(Timestamp),
  exitReason: nullable(Type.String({ examples: ['campaign_stopped'] })),
  workflowId: nullable(
    Type.String({
      examples: ['campaign-execution/default/7/42/1'],
      description: 'Null if the campaign has no steps: the execution completes immediately, without a workflow',
    }),
  ),
  runId: nullable(Type.String()),
};
export const Execution = strict(execution, { title: 'Execution' });
export const ExecutionWithSteps = strict(
  {
    ...execution,
    steps: Type.Array(
      strict({
        stepId: StepId,
        visit: Type.Integer({ minimum: 1 }),
        type: Type.String(),
        result: Type.String({
          description: '`success`, `suppressed`, `then`, `else`, `branch-1`…, `stop` or `failed`',
        }),
        reason: nullable(Type.String()),
        executedAt: Timestamp,
        durationMs: Type.Integer({
          minimum: 0,
          description: 'Time from reaching the step to completing it, including waiting',
        }),
      }),
    ),
  },
  { title: 'ExecutionWithSteps' },
);
export const ExecutionQuery = listQuery(['id'], {
  status: optional(oneOf(EXECUTION_STATUSES)),
  contactId: optional(Id),
});

export const Stats = strict({
  executions: strict({ running: Count, completed: Count, stopped: Count, failed: Count }),
  steps: Type.Array(
    strict({
      stepId: StepId,
      type: Type.String(),
      entered: Type.Integer({ minimum: 0, description: 'Arrivals: waiting + completed + stopped + failed' }),
      waiting: Count,
      completed: Count,
      suppressed: Type.Integer({ minimum: 0, description: 'Included in `completed`: emails suppressed by a gate' }),
      stopped: Count,
      failed: Count,
    }),
  ),
  emails: strict({
    ...emailCounts,
    openRate: Type.Number(),
    clickRate: Type.Number(),
  }),
  conversions: Type.Integer({ minimum: 0, description: 'Contacts who submitted a form after entering the campaign' }),
});

export const ContactParams = Type.Object({ id: Id, contactId: Id });
export const Explanation = strict({
  campaignId: Id,
  contactId: Id,
  inCampaign: Type.Boolean(),
  canEnter: Type.Boolean(),
  checks: Type.Array(
    strict({
      check: oneOf(['campaign', 'contact', 'reentry', 'interval']),
      passed: Type.Boolean(),
      reason: Type.String(),
    }),
  ),
  executions: Type.Array(Execution),
});
