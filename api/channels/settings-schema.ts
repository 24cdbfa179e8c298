import { Type } from 'typebox';
import { CHANNELS } from '../../db/entities/channels.ts';
import { SendWindowSchema } from '../../domain/campaign-definitions/entry.ts';
import { nullable, oneOf, strict, Version, writable } from '../route/schemas.ts';

const text = (description: string) => nullable(Type.String({ maxLength: 1_530, description }));
const window = nullable(SendWindowSchema);
const windows = { email: window, sms: window, push: window };
const rules = {
  caps: Type.Array(
    strict({
      channels: Type.Array(oneOf(CHANNELS), { minItems: 1, maxItems: CHANNELS.length }),
      max: Type.Integer({ minimum: 1, maximum: 1000 }),
      perDays: Type.Integer({ minimum: 1, maximum: 365 }),
    }),
    {
      maxItems: 10,
      description: 'The most marketing messages of these channels together that a contact gets within `perDays` days',
      examples: [[{ channels: ['email', 'sms', 'push'], max: 3, perDays: 7 }]],
    },
  ),
  timezone: Type.String({
    maxLength: 64,
    examples: ['Europe/Berlin'],
    description: 'IANA timezone of the tenant: used where nobody knows that of a contact',
  }),
  smsConsent: oneOf(['required', 'implied'] as const, {
    description:
      '`required`: marketing texts go only to numbers that have subscribed. `implied`: to all that have not opted out',
  }),
  stopWords: Type.Array(Type.String({ minLength: 1, maxLength: 50 }), {
    maxItems: 50,
    description: 'Further words that opt a number out if a received text consists of one of them',
  }),
  helpText: text('The answer to `help`'),
  stopText: text('The answer to an opt-out by text'),
  optOutText: text('Ends the first marketing text to a number, and one each 30 days'),
  maxHoldHours: Type.Integer({
    minimum: 1,
    maximum: 168,
    description: 'How long a message waits for open hours; then it is SUPPRESSED',
  }),
};
const description = 'Marketing messages of a channel are sent only within its window';

export const ChannelSettings = strict(
  { ...rules, sendWindows: strict(windows, { description }), version: Version },
  { title: 'ChannelSettings' },
);
export const ChannelSettingsUpdate = writable(
  Type.Partial(
    Type.Object({ ...rules, sendWindows: Type.Partial(strict(windows), { additionalProperties: false, description }) }),
  ).properties,
  ['version'],
);
