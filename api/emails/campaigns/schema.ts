import { Type, type TProperties } from 'typebox';
import { EMAIL_CAMPAIGN_STATUSES, SCHEDULE_TYPES, WINNER_METRICS } from '../../../db/entities/email-campaigns.ts';
import { EMAIL_STATUSES } from '../../../db/entities/emails.ts';
import { EmailCapSchema, SendWindowSchema } from '../../../domain/campaign-definitions/entry.ts';
import { Id, listQuery, nameOf, nullable, oneOf, strict, Timestamp, Version, writable } from '../../route/schemas.ts';

const optional = Type.Optional;
const Count = Type.Integer({ minimum: 0 });
const Rate = Type.Number({ minimum: 0, maximum: 1, description: 'As a fraction of `delivered`' });

const Variant = strict({
  name: nameOf(100, { examples: ['A'] }),
  templateId: Id,
  weight: Type.Integer({ minimum: 1, maximum: 1000, examples: [50] }),
});
const Winner = strict({
  metric: oneOf(WINNER_METRICS, {
    description:
      'Fraction of delivered emails whose recipient opened or clicked; `opens` is an alias of `openRate`, `clicks` of `clickRate`',
  }),
  afterMinutes: Type.Integer({
    minimum: 1,
    maximum: 43_200,
    description: 'Counted from when delivery of the test has ended',
  }),
  testPercent: Type.Integer({
    minimum: 1,
    maximum: 99,
    description: 'Percentage of the audience that gets the test; the others get the winning variant',
  }),
});
const fields = {
  templateId: nullable(
    Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'Alternatively, give `variants`' }),
  ),
  segmentId: nullable(
    Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'The segment or list of recipients' }),
  ),
  listId: nullable(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'Alias of `segmentId`' })),
  scheduleType: nullable(
    oneOf(SCHEDULE_TYPES, {
      description:
        '`recipient_local_time` sends at the local time of each recipient: the time of day of `scheduledAt` in `timezone`',
    }),
  ),
  scheduledAt: nullable(Timestamp),
  cron: nullable(
    Type.String({ maxLength: 200, examples: ['0 9 * * 1'], description: 'Five cron fields, for recurring campaigns' }),
  ),
  timezone: nullable(
    Type.String({
      maxLength: 64,
      examples: ['Europe/Berlin'],
      description: 'IANA timezone of `cron` and of the local time; default UTC',
    }),
  ),
  ratePerMinute: nullable(Type.Integer({ minimum: 1, maximum: 10_000_000 })),
  priority: Type.Integer({
    minimum: 1,
    maximum: 9,
    description:
      'Which emails and messages get the slots of a frequency cap: those with the higher priority; default 5',
  }),
  variants: nullable(
    Type.Array(Variant, {
      minItems: 2,
      maxItems: 10,
      description: 'The variants to compare, instead of `templateId`',
      examples: [
        [
          { name: 'A', templateId: 1, weight: 50 },
          { name: 'B', templateId: 2, weight: 50 },
        ],
      ],
    }),
  ),
  winner: nullable(Winner),
};
const name = nameOf(255, { examples: ['May newsletter'] });
const readOnly = [
  'id',
  'status',
  'error',
  'pauseReason',
  'winnerVariant',
  'nextRunAt',
  'startedAt',
  'finishedAt',
  'tenantId',
  'version',
  'createdAt',
  'updatedAt',
] as const;

const pauseReason = nullable(
  Type.String({ description: 'Why the service paused the campaign; null if a user did, or if it is not PAUSED' }),
);

export const EmailCampaign = strict(
  {
    id: Id,
    name,
    ...fields,
    winnerVariant: nullable(Type.String({ description: 'Name of the winning variant' })),
    status: oneOf(EMAIL_CAMPAIGN_STATUSES),
    error: nullable(Type.String({ description: 'Why the campaign FAILED' })),
    pauseReason,
    nextRunAt: nullable(Timestamp),
    startedAt: nullable(Timestamp),
    finishedAt: nullable(Timestamp),
    tenantId: Type.String(),
    version: Version,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { title: 'EmailCampaign' },
);

const partial = (properties: TProperties) => Type.Partial(Type.Object(properties)).properties;
export const EmailCampaignCreate = writable(
  { name, ...(partial(fields) as { [F in keyof typeof fields]: ReturnType<typeof optional<(typeof fields)[F]>> }) },
  readOnly,
  { examples: [{ name: 'May newsletter', templateId: 1, segmentId: 1 }] },
);
export const EmailCampaignUpdate = writable(
  {
    name: optional(name),
    ...(partial(fields) as { [F in keyof typeof fields]: ReturnType<typeof optional<(typeof fields)[F]>> }),
  },
  readOnly,
);
export const EmailCampaignQuery = listQuery(['id', 'name', 'createdAt', 'updatedAt'], {
  status: optional(oneOf(EMAIL_CAMPAIGN_STATUSES)),
});

/** What became of the emails of a campaign. */
export const emailCounts = {
  queued: Count,
  sent: Count,
  delivered: Count,
  failed: Count,
  suppressed: Count,
  bounced: Count,
  complained: Count,
  unknown: Count,
  opens: Count,
  uniqueOpens: Count,
  clicks: Count,
  uniqueClicks: Count,
  unsubscribes: Count,
};
const figures = {
  audience: Type.Integer({ minimum: 0, description: '= queued + sent + failed + suppressed + unknown' }),
  ...emailCounts,
  openRate: Rate,
  clickRate: Rate,
};
export const EmailCampaignStats = strict({
  campaignId: Id,
  status: oneOf(EMAIL_CAMPAIGN_STATUSES),
  pauseReason,
  ...figures,
  links: Type.Array(
    strict({
      url: Type.String({
        description:
          'As the template has it, with its Liquid, so that a link that is different for each recipient is one link. Contains no data of recipients',
      }),
      clicks: Count,
      uniqueClicks: Count,
    }),
  ),
  variants: Type.Array(
    strict({ name: Type.String(), templateId: Id, weight: Count, winner: Type.Boolean(), ...figures }),
  ),
});

export const Recipient = strict({
  emailId: Id,
  contactId: nullable(Id),
  email: nullable(
    Type.String({
      description: 'The address it was sent to, or else would be; null if the contact was deleted before it was sent',
    }),
  ),
  status: oneOf(EMAIL_STATUSES),
  reason: nullable(Type.String()),
  variant: nullable(Type.String()),
  templateId: Id,
  dueAt: nullable(Timestamp),
  sentAt: nullable(Timestamp),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export const RecipientQuery = listQuery(['id'], {
  status: optional(oneOf(EMAIL_STATUSES)),
  contactId: optional(Id),
  variant: optional(Type.String({ maxLength: 100 })),
});

const rules = {
  frequencyCap: nullable(EmailCapSchema),
  sendWindow: nullable(SendWindowSchema),
};
export const EmailSettings = strict({ ...rules, version: Version });
export const EmailSettingsUpdate = writable(Type.Partial(Type.Object(rules)).properties, ['version']);
