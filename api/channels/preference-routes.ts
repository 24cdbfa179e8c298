import { Type } from 'typebox';
import { CHANNELS, type Channel } from '../../db/entities/channels.ts';
import { TimeSchema } from '../../lib/time/local-time.ts';
import {
  findPerson,
  preferencesOf,
  readPreferences,
  updatePreferences,
  violationsOf,
} from '../../domain/choices/preferences/preferences.ts';
import { AppError } from '../../lib/checks/errors.ts';
import { route, type RouteSpec } from '../route/route.ts';
import { Id, nullable, oneOf, strict, Timestamp } from '../route/schemas.ts';

const consent = oneOf(['subscribed', 'unsubscribed', 'none'] as const);
const source = Type.String({
  minLength: 1,
  maxLength: 100,
  examples: ['checkout'],
  description: 'Where it was decided',
});
const text = nullable(Type.String({ maxLength: 10_000, description: 'What was said or agreed to' }));
const ip = nullable(Type.String({ maxLength: 45 }));
const quietHours = nullable(
  strict(
    { from: TimeSchema, to: TimeSchema, timezone: Type.String({ maxLength: 64, examples: ['Europe/Berlin'] }) },
    { description: 'No marketing from `from` to `to`, which may be on the next day' },
  ),
);
const preferredChannel = nullable(oneOf(CHANNELS));
const wanted = Type.Object(Object.fromEntries(CHANNELS.map((channel) => [channel, Type.Boolean()])))
  .properties as Record<Channel, ReturnType<typeof Type.Boolean>>;
const readOnly = Type.Optional(Type.Unsafe<unknown>({ readOnly: true }));

const Preferences = strict(
  {
    contactId: Id,
    channels: strict({
      email: strict({ wanted: Type.Boolean(), reason: nullable(Type.String()) }),
      sms: strict({
        consent,
        at: nullable(Timestamp),
        source: nullable(Type.String()),
        evidence: nullable(strict({ source: Type.String(), text, ip, at: Timestamp })),
      }),
      push: strict({ devices: Type.Integer({ description: 'Active subscriptions' }) }),
    }),
    topics: Type.Array(strict({ topicId: Id, name: Type.String(), ...wanted })),
    quietHours,
    preferredChannel,
  },
  { title: 'ChannelPreferences' },
);
const PreferencesUpdate = strict(
  {
    contactId: Id,
    channels: Type.Optional(
      strict({
        email: Type.Optional(strict({ wanted: Type.Optional(Type.Boolean()), reason: readOnly })),
        sms: Type.Optional(
          strict({
            consent: Type.Optional(consent),
            at: readOnly,
            source: readOnly,
            evidence: Type.Optional(
              nullable(
                strict({ source, text: Type.Optional(text), ip: Type.Optional(ip), at: Type.Optional(Timestamp) }),
              ),
            ),
          }),
        ),
        push: Type.Optional(strict({ devices: readOnly })),
      }),
    ),
    topics: Type.Optional(
      Type.Array(strict({ topicId: Id, name: readOnly, ...Type.Partial(Type.Object(wanted)).properties }), {
        maxItems: 1000,
      }),
    ),
    quietHours: Type.Optional(quietHours),
    preferredChannel: Type.Optional(preferredChannel),
  },
  { examples: [{ contactId: 1, quietHours: { from: '22:00', to: '08:00', timezone: 'Europe/Berlin' } }] },
);

export const channelPreferenceRoutes: RouteSpec[] = [
  route({
    method: 'GET',
    path: '/channels/preferences',
    operationId: 'getChannelPreferences',
    summary: 'Get what a contact wants on each channel',
    description:
      'All topics are wanted until the person chooses. Choices hang on the addresses and outlive the contact.',
    access: 'channels:read',
    query: strict({ contactId: Id }),
    responses: { 200: { schema: Preferences } },
    errors: ['not_found'],
    handler: async ({ em, principal, query }) => ({
      body: await readPreferences(em, principal.tenantId, query.contactId),
    }),
  }),
  route({
    method: 'PUT',
    path: '/channels/preferences',
    operationId: 'updateChannelPreferences',
    summary: 'Change what a contact wants on each channel',
    description:
      'What is absent stays. `subscribed` to texts needs `evidence`, from after the last opt-out. Email can be switched off; only a confirmed opt-in, or removing the suppression, switches it on again. What is switched off is not sent any more, even if it is QUEUED.',
    access: 'channels:write',
    body: PreferencesUpdate,
    responses: { 200: { schema: Preferences } },
    errors: ['not_found'],
    check: async ({ tx, caller, body }) => {
      if (typeof body.contactId !== 'number') return [];
      const person = await findPerson(tx, caller.tenantId, body.contactId).catch(ifMissing);
      if (!person) return [];
      return violationsOf(tx, caller.tenantId, body, await preferencesOf(tx, caller.tenantId, person), person);
    },
    handler: async ({ em, caller, body }) => {
      const { channels, ...others } = body;
      const { evidence } = channels?.sms ?? {};
      const { at, ...said } = evidence ?? {};
      const sms = channels?.sms && {
        consent: channels.sms.consent,
        evidence: evidence && { ...said, source: evidence.source, ...(at === undefined ? {} : { at: new Date(at) }) },
      };
      const input = { ...others, ...(channels ? { channels: { email: channels.email, sms } } : {}) };
      return { body: await updatePreferences(em, caller, input) };
    },
  }),
];

/** A contact that does not exist is a 404, after all violations. */
function ifMissing(error: unknown): null {
  if (error instanceof AppError && error.code === 'not_found') return null;
  throw error;
}
