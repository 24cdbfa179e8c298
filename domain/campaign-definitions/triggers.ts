import { Type, type Static, type TObject, type TSchema } from 'typebox';
import { MESSAGE_CHANNELS } from '../../db/entities/channels.ts';
import type { Violation } from '../../lib/checks/errors.ts';
import { contactField } from '../membership/filter/filter-fields.ts';
import { TimeSchema, isTimezone } from '../../lib/time/local-time.ts';
import { IdSchema } from './schemas.ts';
import { CronSchema, scheduleProblem } from '../../lib/time/schedule-cron.ts';
import { type CheckContext, type Reference, type ReferenceKind, REFERENCE_KINDS } from './steps/kind.ts';

const UrlSchema = Type.String({
  minLength: 1,
  maxLength: 2000,
  pattern: '^https?://[!-~]+$',
  description: 'As clicks are told: without the parameter `contactToken`',
});
const ofEmail = { templateId: Type.Optional(IdSchema), campaignId: Type.Optional(IdSchema) };
const channel = Type.Optional(Type.Enum([...MESSAGE_CHANNELS], { description: 'Emails have events of their own' }));
const ofMessage = { ...ofEmail, channel };

/** The trigger types (what makes a contact enter a campaign), each with its settings. To add a type, add an entry. */
const triggerSettings = {
  MANUAL: {},
  CONTACT_CREATED: {},
  FORM_SUBMITTED: { formId: IdSchema },
  EMAIL_OPENED: ofEmail,
  EMAIL_CLICKED: { ...ofEmail, url: Type.Optional(UrlSchema) },
  MESSAGE_SENT: ofMessage,
  MESSAGE_DELIVERED: ofMessage,
  MESSAGE_CLICKED: { ...ofMessage, url: Type.Optional(UrlSchema) },
  MESSAGE_RECEIVED: { channel, optOut: Type.Optional(Type.Enum(['yes', 'no', 'maybe'])) },
  CHANNEL_SUBSCRIBED: { channel },
  CHANNEL_UNSUBSCRIBED: { channel },
  GOAL_MET: { campaignId: Type.Optional(IdSchema) },
  SEGMENT_ENTERED: { segmentId: IdSchema },
  SCORE_REACHED: { score: Type.Integer({ minimum: -1_000_000_000, maximum: 1_000_000_000 }) },
  SCHEDULE: { cron: CronSchema, timezone: Type.String({ description: 'An IANA timezone' }), segmentId: IdSchema },
  DATE: {
    field: Type.String({ description: '`createdAt`, `updatedAt`, or `customFields.x` of type date' }),
    offsetDays: Type.Integer({ minimum: -3650, maximum: 3650 }),
    time: Type.String({ ...TimeSchema, description: "HH:MM in the contact's timezone, UTC if it has none" }),
    annual: Type.Optional(
      Type.Boolean({ description: 'Every year from the date on, 29 February as 28 in other years; default false' }),
    ),
  },
} as const satisfies Record<string, Record<string, TSchema>>;

export type TriggerType = keyof typeof triggerSettings;
export type Trigger = {
  [T in TriggerType]: { type: T } & Static<TObject<(typeof triggerSettings)[T]>>;
}[TriggerType];

export const TRIGGER_TYPES = Object.keys(triggerSettings) as TriggerType[];

/** Whether the trigger fires for the same contact again and again, by the clock alone. */
export const recurs = (trigger: Trigger): boolean =>
  trigger.type === 'SCHEDULE' || (trigger.type === 'DATE' && trigger.annual === true);

const allSettings = Object.assign({}, ...Object.values(triggerSettings)) as Record<string, TSchema>;

const exactSchemas = new Map<unknown, TSchema>(
  TRIGGER_TYPES.map((type) => [
    type,
    Type.Object({ type: Type.Literal(type), ...triggerSettings[type] }, { additionalProperties: false }),
  ]),
);

/**
 * A trigger in a request. A flat object, not a union, so that a mistake is reported once. `validateDefinition` checks
 * more.
 */
export const TriggerSchema = Type.Unsafe<Trigger>(
  Type.Object(
    {
      type: Type.Enum(TRIGGER_TYPES),
      ...Type.Partial(Type.Object(allSettings)).properties,
    },
    {
      description: `What makes contacts enter: ${TRIGGER_TYPES.map((type) => `\`${type}${settingNames(type)}\``).join(' · ')}. With MANUAL, contacts enter only by \`start\``,
      examples: [{ type: 'FORM_SUBMITTED', formId: 1 }],
      additionalProperties: false,
      title: 'Trigger',
      'x-described-as': Type.Unsafe<Trigger>({ oneOf: [...exactSchemas.values()] }),
    },
  ),
);

function settingNames(type: TriggerType): string {
  const { required = [], properties } = Type.Object(triggerSettings[type]);
  const names = Object.keys(properties).map((name) => ((required as string[]).includes(name) ? name : `${name}?`));
  return names.length === 0 ? '' : ` {${names.join(', ')}}`;
}

/** The exact schema of a trigger of this type, or undefined when there is no such type. */
export function triggerSchema(type: unknown): TSchema | undefined {
  return exactSchemas.get(type);
}

/**
 * Checks what the schema cannot express; skips settings of a wrong type. Paths are JSON Pointers inside the trigger.
 */
export function checkTrigger(
  trigger: Partial<Trigger>,
  { customFields }: Pick<CheckContext, 'customFields'>,
): Violation[] {
  if (trigger.type === 'SCHEDULE') {
    const { cron, timezone } = trigger;
    const known = typeof timezone === 'string' && isTimezone(timezone);
    const problem = typeof cron === 'string' ? scheduleProblem(cron, known ? timezone : 'UTC') : null;
    return [
      ...(problem === null ? [] : [{ path: '/cron', code: 'cron', message: `cron ${problem}` }]),
      ...(known || typeof timezone !== 'string'
        ? []
        : [{ path: '/timezone', code: 'timezone', message: 'timezone must be an IANA timezone' }]),
    ];
  }
  if (
    trigger.type === 'DATE' &&
    typeof trigger.field === 'string' &&
    !['date', 'datetime'].includes(contactField(trigger.field, customFields)?.type ?? '')
  ) {
    return [{ path: '/field', code: 'type', message: 'field must be a contact field of type date or date-time' }];
  }
  return [];
}

/** The resources (form, segment, …) that a trigger refers to. Values that are not valid ids are ignored. */
export function triggerReferences(trigger: Partial<Trigger>): Reference[] {
  const settings: Partial<Record<string, unknown>> = { ...trigger };
  return REFERENCE_KINDS.flatMap((kind: ReferenceKind) => {
    const name = kind.slice(0, -1);
    // The template of a message is not one of emails.
    const isOfMessage = trigger.type?.startsWith('MESSAGE_') ?? false;
    if (isOfMessage && kind === 'templateIds') return [];
    const path = isOfMessage && kind === 'messageTemplateIds' ? 'templateId' : name;
    const id = settings[path];
    return Number.isSafeInteger(id) && (id as number) > 0 ? [{ kind, id: id as number, path: `/${path}` }] : [];
  });
}
