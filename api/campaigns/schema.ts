import { Type } from 'typebox';
import {
  CAMPAIGN_STATUSES,
  CAMPAIGN_TYPES,
  ENROLMENT_TRIGGERS,
  EXECUTION_STATUSES,
} from '../../db/entities/campaigns.ts';
import { EntrySchema, StepsSchema, TriggerSchema } from '../../domain/campaign-definitions/definition.ts';
import { normaliseEntry, type Entry } from '../../domain/campaign-definitions/entry.ts';
import type { Step } from '../../domain/campaign-definitions/step-kinds.ts';
import type { Trigger } from '../../domain/campaign-definitions/triggers.ts';
import { MAX_STEPS } from '../../domain/campaign-definitions/schemas.ts';
import { Id, listQuery, nameOf, nullable, oneOf, strict, Timestamp, Version, writable } from '../route/schemas.ts';
import { emailCounts } from '../emails/campaigns/schema.ts';

const optional = Type.Optional;
const Count = Type.Integer({ minimum: 0 });
const StepId = Type.String({ examples: ['wait-1'] });

const name = nameOf(255, { examples: ['Welcome'] });
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
const readOnly = [
  'id',
  'status',
  'pauseReason',
  'warnings',
  'publishedVersion',
  'closing',
  'version',
  'createdAt',
  'updatedAt',
] as const;

/** Definitions are returned as stored. */
const stored = <T>(component: string, example: T) =>
  Type.Unsafe<T>({ type: 'object', 'x-component': component, examples: [example] });

const Warning = strict(
  {
    path: Type.String({ description: 'JSON Pointer into the campaign', examples: ['/steps/2'] }),
    code: oneOf(['unreachable_step', 'starts_itself', 'enters_once', 'before_confirmation'], {
      description:
        '`unreachable_step`: no path from the first step leads to it; `starts_itself`: what the campaign does can fire its trigger, and contacts may enter again; `enters_once`: the trigger recurs (SCHEDULE, DATE with `annual`), but `reentry` is never; `before_confirmation`: it begins with a form whose people have to confirm their address first, and get no marketing mail before that',
    }),
    message: Type.String(),
  },
  { title: 'Warning' },
);

export const Campaign = strict({
  id: Id,
  name,
  description,
  status: oneOf(CAMPAIGN_STATUSES),
  pauseReason: nullable(
    Type.String({ description: 'Why the service paused the campaign; null if a user did, or if it is not PAUSED' }),
  ),
  type: oneOf(CAMPAIGN_TYPES),
  trigger: stored<Trigger>('Trigger', { type: 'MANUAL' }),
  steps: Type.Array(stored<Step>('Step', { id: 'pause', type: 'WAIT', config: { waitMinutes: 1440 } })),
  entry: stored<Entry>('Entry', normaliseEntry()),
  warnings: Type.Array(Warning, { description: 'What may not be meant in the latest edit, though it is valid' }),
  publishedVersion: nullable(
    Type.Integer({ description: 'The version that new executions use; null before the first start' }),
  ),
  closing: nullable(
    strict(
      { left: Type.Integer({ minimum: 1 }), total: Type.Integer({ minimum: 1 }) },
      {
        title: 'Closing',
        description:
          'The progress of a stop: its executions are STOPPED at once, and of their `total` workflows, `left` are still to be closed. Null if none is left. Nothing has to be closed by a pause: steps wait when they are due',
      },
    ),
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
  {
    examples: [
      {
        name: 'Welcome',
        trigger: { type: 'FORM_SUBMITTED', formId: 1 },
        steps: [
          { id: 'hello', type: 'EMAIL', config: { templateId: 1 } },
          { id: 'wait', type: 'WAIT', config: { waitMinutes: 1440 } },
          {
            id: 'opened',
            type: 'CONDITION',
            config: {
              if: {
                event: 'EMAIL_OPENED',
                operator: 'atLeast',
                count: 1,
                where: [{ field: 'stepId', operator: 'eq', value: 'hello' }],
              },
              then: 'more',
              else: null,
            },
          },
          { id: 'more', type: 'EMAIL', config: { templateId: 2 } },
        ],
      },
    ],
  },
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
    contactIds: optional(
      Type.Array(Id, { maxItems: 10_000, description: 'For more contacts, use a list', examples: [[1, 2]] }),
    ),
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

const PublishedNumber = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, examples: [1] });
export const MigrationRequest = strict({
  from: PublishedNumber,
  to: Type.Integer({ ...PublishedNumber, examples: [2] }),
  dryRun: optional(Type.Boolean({ default: false, description: 'Only answer what it would do' })),
  map: optional(
    Type.Record(Type.String(), Type.String(), {
      maxProperties: MAX_STEPS,
      description:
        'Step ids of `to` by step ids of `from`, for executions at steps that are gone or have another type. Other steps are the same by their id',
      examples: [{ 'wait-1': 'pause' }],
    }),
  ),
});
const figures = {
  from: PublishedNumber,
  to: PublishedNumber,
  total: Type.Integer({ minimum: 0, description: 'Running executions of `from` when it began' }),
  movable: Type.Integer({ minimum: 0, description: 'Those among them that could be moved' }),
  moved: Count,
  blocked: Type.Array(
    strict({
      executionId: Id,
      stepId: StepId,
      reason: oneOf(['step_gone', 'type_changed'], {
        description: '`step_gone`: `to` has no such step; `type_changed`: it has one of another type',
      }),
    }),
    { description: 'The executions that stay in `from`, the first 1000' },
  ),
  byStep: Type.Array(strict({ from: StepId, to: StepId, count: Count }), {
    description: 'Where the executions that were or would be moved continue',
  }),
};
export const MigrationPlan = strict(figures, { title: 'MigrationPlan' });
export const Migration = strict(
  {
    id: Id,
    campaignId: Id,
    status: oneOf(['RUNNING', 'COMPLETED', 'CANCELLED'], { description: 'CANCELLED: the campaign was stopped' }),
    ...figures,
    workflowId: Type.String(),
    createdAt: Timestamp,
    finishedAt: nullable(Timestamp),
  },
  { title: 'Migration' },
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
          description:
            '`success`, `suppressed`, `then`, `else`, `branch-1`…, `event`, `timeout`, `met`, `not_met`, `stop` or ' +
            '`failed`; `skipped`: left for a goal that was met',
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

const messageFigures = strict(
  {
    queued: Count,
    sent: Type.Integer({ minimum: 0, description: 'Accepted, including those that are delivered or undelivered' }),
    delivered: Count,
    undelivered: Count,
    failed: Count,
    suppressed: Count,
    unknown: Count,
    clicks: Count,
    uniqueClicks: Count,
    clickRate: Type.Number(),
  },
  { title: 'MessageFigures' },
);

export const Stats = strict({
  executions: strict({ running: Count, completed: Count, stopped: Count, failed: Count }),
  steps: Type.Array(
    strict({
      stepId: StepId,
      type: Type.String(),
      entered: Type.Integer({ minimum: 0, description: 'Arrivals: waiting + completed + skipped + stopped + failed' }),
      waiting: Count,
      completed: Count,
      skipped: Type.Integer({ minimum: 0, description: 'Left for a goal that was met' }),
      suppressed: Type.Integer({
        minimum: 0,
        description: 'Included in `completed`: emails and messages suppressed by a gate',
      }),
      stopped: Count,
      failed: Count,
    }),
  ),
  emails: strict({
    ...emailCounts,
    openRate: Type.Number(),
    clickRate: Type.Number(),
  }),
  messages: strict({ sms: messageFigures, push: messageFigures }),
  conversions: Type.Integer({
    minimum: 0,
    description: 'Contacts that met a goal, or submitted a form after entering the campaign',
  }),
  goals: Type.Array(
    strict({
      stepId: StepId,
      met: Type.Integer({ minimum: 0, description: 'Executions' }),
      contacts: Type.Integer({ minimum: 0, description: 'Different contacts' }),
    }),
    { description: 'The goals that were met' },
  ),
});

export const ContactParams = Type.Object({ id: Id, contactId: Id });
export const Explanation = strict({
  campaignId: Id,
  contactId: Id,
  inCampaign: Type.Boolean(),
  canEnter: Type.Boolean({
    description: 'Whether the campaign, the contact and the entry rules (reentry, interval) let it enter now',
  }),
  checks: Type.Array(
    strict({
      check: oneOf(['campaign', 'contact', 'reentry', 'interval', 'trigger', 'segment', 'enrolment']),
      passed: Type.Boolean(),
      reason: Type.String(),
      at: nullable(Timestamp),
    }),
  ),
  executions: Type.Array(Execution),
});
