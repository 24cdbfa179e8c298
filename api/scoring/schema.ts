import { SCORABLE_EVENTS } from '../../events/contracts.ts';
import { Type } from 'typebox';
import { FIELD_OPERATORS } from '../../domain/membership/filter/filter-fields.ts';
import { REPLAY_STATUSES } from '../../db/entities/scoring.ts';
import type { ThresholdAction } from '../../domain/scoring/thresholds/threshold-action.ts';
import type { FilterValue } from '../../domain/membership/filter/filter.ts';
import { VisitedPage } from './visit-schema.ts';
import {
  Id,
  listQuery,
  nameOf,
  nullable,
  oneOf,
  Page,
  strict,
  Timestamp,
  Version,
  writable,
} from '../route/schemas.ts';

const qualification = oneOf(['cold', 'warm', 'hot']);

const Condition = strict(
  {
    field: Type.String({ minLength: 1, maxLength: 100 }),
    operator: oneOf(FIELD_OPERATORS),
    value: Type.Optional(Type.Unsafe<FilterValue | null>({})),
  },
  { description: "As in the `where` of a segment's event leaf" },
);

const ruleFields = {
  name: nameOf(255, { examples: ['Email opened'] }),
  eventType: oneOf(SCORABLE_EVENTS, {
    description: 'The event that scores; cannot be changed',
    examples: ['EMAIL_OPENED'],
  }),
  points: Type.Integer({ minimum: -10_000, maximum: 10_000, examples: [5] }),
  category: nullable(Type.String({ maxLength: 100 })),
  weight: Type.Number({ minimum: 0, maximum: 1000, default: 1 }),
  conditions: Type.Array(Condition, { maxItems: 20 }),
  maxPerContact: nullable(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description:
        'The most points that the rule gives one contact in all, or takes away if `points` is negative, however old they are. For `target: company` it limits what the rule gives one company, whichever contacts the events are of. When two contacts are merged, the points of both stay, also beyond it',
    }),
  ),
  decay: nullable(
    strict(
      {
        halfLifeDays: Type.Number({
          minimum: 0.0001,
          maximum: 36_500,
          examples: [30],
          description: 'The days after which points of an event are worth half',
        }),
      },
      { description: 'How points lose worth; null if they keep it. Points keep the half-life they were awarded with' },
    ),
  ),
  target: oneOf(['contact', 'company'], {
    description:
      'Who gets the points: the contact of the event, or the company that it belongs to then. Cannot be changed',
  }),
  active: Type.Boolean(),
};
const readOnly = ['id', 'tenantId', 'version', 'createdAt', 'updatedAt'] as const;
const { name, eventType, points, target, ...changeable } = ruleFields;

export const Rule = strict({
  id: Id,
  ...ruleFields,
  tenantId: Type.String(),
  version: Version,
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
const partial = <T extends Parameters<typeof Type.Object>[0]>(fields: T) =>
  Type.Partial(Type.Object(fields)).properties;
export const RuleCreate = writable(
  { name, eventType, points, ...partial(withoutDefaults({ target, ...changeable })) },
  readOnly,
);
// The points that a rule has awarded are those of one type of event, for contacts or for companies.
export const RuleUpdate = writable(partial(withoutDefaults({ name, points, ...changeable })), [
  ...readOnly,
  'eventType',
  'target',
]);
export const RuleQuery = listQuery(['id', 'name', 'createdAt'], {
  eventType: Type.Optional(Type.String()),
  active: Type.Optional(Type.Boolean()),
});

/** A PUT keeps absent fields, so validation must not fill in defaults. */
function withoutDefaults<T extends object>(fields: T): T {
  return Object.fromEntries(
    Object.entries(fields).map(([key, schema]) => {
      const { default: _default, ...rest } = schema as { default?: unknown };
      return [key, rest];
    }),
  ) as T;
}

/** The field that an action of a type needs; others may not have it. */
const ACTION_FIELDS: [ThresholdAction['type'], string][] = [
  ['ADD_TO_LIST', 'listId'],
  ['START_CAMPAIGN', 'campaignId'],
  ['NOTIFY', 'to'],
  ['WEBHOOK', 'url'],
];
const Action = Type.Unsafe<ThresholdAction>({
  examples: [{ type: 'ADD_TO_LIST', listId: 1 }],
  type: 'object',
  description:
    '`NOTIFY` emails an active user of the account. `WEBHOOK` sends a POST to the URL (https), signed as Standard ' +
    'Webhooks says with the secret of `GET /webhooks/default`: `{type: "SCORE_THRESHOLD_REACHED", timestamp, ' +
    'data: {thresholdId, name, score, contactId, totalScore, tenantId}}`. Every attempt has the same `webhook-id`; ' +
    'without an answer, and after 408, 425, 429 and 5xx, it is repeated for an hour',
  required: ['type'],
  properties: {
    type: { type: 'string', enum: ['NONE', ...ACTION_FIELDS.map(([type]) => type)] },
    listId: Id,
    campaignId: Id,
    to: { type: 'string', minLength: 1, maxLength: 100, description: 'The address of an active user' },
    url: { type: 'string', minLength: 1, maxLength: 2048 },
  },
  additionalProperties: false,
  allOf: ACTION_FIELDS.map(([type, field]) => ({
    if: { properties: { type: { const: type } } },
    then: { required: [field] },
    else: { properties: { [field]: false } },
  })),
});
const thresholdFields = {
  name: nameOf(255, { examples: ['Ready to buy'] }),
  score: Type.Integer({ minimum: -1_000_000, maximum: 1_000_000, examples: [50] }),
  action: Action,
};
const thresholdReadOnly = [
  'id',
  'tenantId',
  'version',
  'createdAt',
  'updatedAt',
  'triggered',
  'triggeredCount',
] as const;
export const Threshold = strict({
  id: Id,
  ...thresholdFields,
  triggered: Type.Boolean({ description: 'Whether it has fired for any contact' }),
  triggeredCount: Type.Integer({ description: 'The number of contacts for whom it has fired' }),
  tenantId: Type.String(),
  version: Version,
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export const ThresholdCreate = writable(
  { name: thresholdFields.name, score: thresholdFields.score, action: Type.Optional(Action) },
  thresholdReadOnly,
);
export const ThresholdUpdate = writable(partial(thresholdFields), thresholdReadOnly);
export const ThresholdQuery = listQuery(['id', 'name', 'score', 'createdAt'], {});

const ruleId = nullable(Type.Integer({ minimum: 1, description: 'Null if a campaign has given the points' }));
const History = Type.Array(
  strict({
    at: Timestamp,
    eventType: Type.String(),
    ruleId,
    points: Type.Integer(),
    worth: Type.Number({ description: 'What the points are worth now' }),
    total: Type.Integer({
      description:
        'The total when the change was made. What changes earlier points later, such as a replay, leaves it as it was told; points that a replay adds have the total after the replay',
    }),
    eventId: Type.String(),
  }),
  { description: 'A page of the changes, the latest first' },
);
const { limit, cursor } = listQuery([], {}).properties;
export const ScoreQuery = strict({ limit, cursor });
export const ContactScore = strict({
  contactId: Id,
  totalScore: Type.Integer(),
  qualification,
  rules: Type.Array(
    strict({
      ruleId,
      name: nullable(Type.String()),
      score: Type.Integer({ description: 'What the points of the rule are worth now' }),
      points: Type.Integer({ description: 'The points as they were awarded' }),
      events: Type.Integer({ description: 'The number of events that the points are of' }),
      deleted: Type.Boolean(),
    }),
    { description: 'Scores that add up to `totalScore`' },
  ),
  thresholds: Type.Array(strict({ thresholdId: Id, triggered: Type.Boolean(), at: nullable(Timestamp) })),
  history: History,
  page: Page,
});
export const CompanyScore = strict({
  companyId: Id,
  totalScore: Type.Integer({ description: 'From rules with the target `company`' }),
  contactsTotal: Type.Integer({ description: 'The sum of the scores of its contacts' }),
  qualification,
  history: History,
  page: Page,
});
export const LeaderboardQuery = strict({
  type: Type.Optional(oneOf(['contacts', 'companies'], { default: 'contacts' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
});
export const Leaderboard = strict({
  data: Type.Array(
    strict({
      rank: Type.Integer(),
      contactId: Type.Optional(Id),
      companyId: Type.Optional(Id),
      name: Type.String(),
      totalScore: Type.Integer(),
      qualification,
    }),
  ),
});
const level = Type.Integer({ minimum: -1_000_000, maximum: 1_000_000 });
export const Settings = strict({ warm: level, hot: level, version: Version });
export const SettingsUpdate = writable({ warm: Type.Optional(level), hot: Type.Optional(level) }, ['version'], {
  examples: [{ warm: 30, hot: 70 }],
});
export const ScoringEvent = strict({
  contactId: Id,
  type: oneOf(['WEBSITE_VISITED']),
  data: Type.Optional(VisitedPage),
});
export const EventAccepted = strict({ eventId: Type.String() });

export const ReplayRequest = strict({
  from: Type.String({
    format: 'date-time',
    examples: ['2026-01-31T09:30:00.000Z'],
    description: 'Events since this time get the points that the rule gives now',
  }),
  dryRun: Type.Optional(Type.Boolean({ default: false, description: 'Whether to only tell what would change' })),
});
const contactOrCompany = { contactId: Type.Optional(Id), companyId: Type.Optional(Id) };
export const Replay = strict({
  id: nullable(Id),
  ruleId: Id,
  dryRun: Type.Boolean(),
  from: Timestamp,
  until: Timestamp,
  status: oneOf(REPLAY_STATUSES, { description: 'CANCELLED: the rule was changed, deleted or made inactive' }),
  examined: Type.Integer({ description: 'The contacts or companies looked at so far' }),
  changed: Type.Integer({ description: 'The totals that change' }),
  totals: strict(
    { before: Type.Integer(), after: Type.Integer() },
    { description: 'The sums of the totals that change, before and after' },
  ),
  changes: Type.Array(strict({ ...contactOrCompany, before: Type.Integer(), after: Type.Integer() }), {
    description: 'The first 1000 totals that change',
  }),
  thresholds: Type.Array(
    strict({
      thresholdId: Id,
      name: Type.String(),
      score: Type.Integer(),
      fires: Type.Integer({
        description: 'Contacts who reach it, and for whom it fires (has fired, if this is no dry run)',
      }),
      firedBefore: Type.Integer({ description: 'Contacts who reach it again; it does not fire again' }),
    }),
  ),
  createdAt: Timestamp,
  finishedAt: nullable(Timestamp),
});
