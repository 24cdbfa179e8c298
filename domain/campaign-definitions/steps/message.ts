import { Type, type Static } from 'typebox';
import { CHANNELS, type Channel } from '../../../db/entities/channels.ts';
import type { Violation } from '../../../lib/checks/errors.ts';
import { named, namesOf } from '../names.ts';
import { IdSchema } from '../schemas.ts';
import { sendInWindow, sendOpening } from '../send-opening.ts';
import { type Reference, type ReferenceKind, stepKind } from './kind.ts';

const ConfigSchema = Type.Object(
  {
    templates: Type.Object(
      { email: Type.Optional(IdSchema), sms: Type.Optional(IdSchema), push: Type.Optional(IdSchema) },
      { additionalProperties: false, minProperties: 2 },
    ),
    order: Type.Union([Type.Literal('preferred'), Type.Array(Type.Enum([...CHANNELS]), { minItems: 1, maxItems: 3 })]),
  },
  { additionalProperties: false },
);
type Config = Static<typeof ConfigSchema>;

const KINDS: Record<Channel, ReferenceKind> = {
  email: 'templateIds',
  sms: 'smsTemplateIds',
  push: 'pushTemplateIds',
};

const references = ({ templates }: Config): Reference[] =>
  CHANNELS.flatMap((channel) => {
    const id = templates[channel];
    return id === undefined ? [] : [{ kind: KINDS[channel], id, path: `/templates/${channel}` }];
  });

/** An order names each channel that has a template once. */
function orderViolations({ templates, order }: Config): Violation[] {
  if (order === 'preferred') return [];
  const wrong = order.flatMap((channel, index) => {
    const path = `/order/${index}`;
    if (order.indexOf(channel) < index) return [{ path, code: 'duplicate', message: `${channel} is listed before` }];
    return templates[channel] === undefined
      ? [{ path, code: 'not_found', message: `there is no template of ${channel}` }]
      : [];
  });
  const left = CHANNELS.filter((channel) => templates[channel] !== undefined && !order.includes(channel));
  return [...wrong, ...left.map((channel) => ({ path: '/order', code: 'required', message: `must list ${channel}` }))];
}

/** Sends a template by the first channel whose gates let it pass. */
export const message = stepKind({
  config: ConfigSchema,
  about:
    '`MESSAGE {templates: {email?, sms?, push?}, order}` sends one of at least two templates: that of the first channel ' +
    'of `order` whose gates let it pass, whatever hours they have to wait for. `preferred`: the channel that the contact ' +
    'prefers, then the others as email, sms, push. Result `sent:sms`, or `suppressed` with the reason of each channel',
  summary: (config, names) => {
    const found = namesOf(references(config), names);
    return named('message', found, `message by ${Object.keys(config.templates).join(', ')}`);
  },
  sends: true,
  due: (_config, entry, moment) => sendOpening(entry, moment),
  plan: ({ templates, order }, entry, moment) => sendInWindow({ effect: 'choose', templates, order }, entry, moment),
  check: orderViolations,
  references,
});

/** The channels with a template, in the order in which they are tried. */
export function channelsInOrder({ templates, order }: Config, preferred: Channel | null): Channel[] {
  if (order !== 'preferred') return order;
  const usual = CHANNELS.filter((channel) => templates[channel] !== undefined);
  return preferred !== null && usual.includes(preferred)
    ? [preferred, ...usual.filter((channel) => channel !== preferred)]
    : usual;
}
