import { createPrivateKey } from 'node:crypto';
import { Type, type Static, type TSchema } from 'typebox';
import type { MessageChannel, ProviderType } from '../../../db/entities/channels.ts';
import type { Violation } from '../../../lib/checks/errors.ts';
import { compileRequest } from '../../../lib/checks/schema-check.ts';
import { checkPartsInThread } from '../../emails/templates/template-work.ts';
import type { CheckUrl } from '../../outbound/check-url.ts';
import { headerNameProblem, headerViolations } from '../../outbound/header-violations.ts';
import { FCM_TOKEN_URL, FCM_URL } from '../transport/fcm.ts';
import { TWILIO_URL } from '../transport/twilio.ts';

const strict = <T extends Record<string, TSchema>>(properties: T) =>
  Type.Object(properties, { additionalProperties: false });
const url = (description: string) => Type.String({ minLength: 1, maxLength: 2_048, description });
const optional = Type.Optional;
const text = (maxLength: number, description?: string) =>
  Type.String({ minLength: 1, maxLength, ...(description ? { description } : {}) });

/** The sender of texts: a number, a short code, or up to 11 letters and digits. */
const Sender = Type.String({
  pattern: '^(\\+?[0-9]{3,15}|[A-Za-z0-9 ]{1,11})$',
  description: 'A number (E.164), a short code, or up to 11 letters, digits and spaces',
});

export const TwilioConfigSchema = strict({
  accountSid: Type.String({ pattern: '^AC[0-9a-fA-F]{32}$', examples: ['AC00000000000000000000000000000000'] }),
  from: optional(Sender),
  messagingServiceSid: optional(Type.String({ pattern: '^MG[0-9a-fA-F]{32}$' })),
  baseUrl: optional(url('Default https://api.twilio.com')),
});
export const TwilioCredentialsSchema = strict({ authToken: text(200) });

const headers = (description: string) =>
  optional(Type.Record(Type.String(), text(2_000), { maxProperties: 10, description }));
export const HttpConfigSchema = strict({
  url: url('Each message is sent by a POST to it'),
  from: optional(Sender),
  headers: headers('Of each request. They are shown: secrets belong in the `headers` of the credentials'),
  contentType: optional(Type.Enum(['json', 'form'], { description: 'Default json' })),
  body: Type.Record(Type.String({ minLength: 1, maxLength: 100 }), text(2_000), {
    minProperties: 1,
    maxProperties: 50,
    description: 'Liquid over `to`, `from`, `text` and `messageId`',
    examples: [{ to: '{{to}}', text: '{{text}}', reference: '{{messageId}}' }],
  }),
  idPath: optional(text(200, 'Where the answer has its id of the message, such as `data.id`')),
  idempotencyHeader: optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description:
        'A header with our id of the message, if the provider takes two requests with the same one for one message: then a request without an answer is repeated',
    }),
  ),
});
export const HttpCredentialsSchema = strict({
  headers: headers('Of each request, instead of those of the configuration with the same names'),
  callbackSecret: optional(
    Type.String({ pattern: '^whsec_[A-Za-z0-9+/=]{24,100}$', description: 'Signs callbacks (Standard Webhooks)' }),
  ),
});

export const FcmConfigSchema = strict({
  projectId: Type.String({ pattern: '^[a-z][a-z0-9-]{4,29}$' }),
  baseUrl: optional(url('Default https://fcm.googleapis.com')),
  tokenUrl: optional(url('Default https://oauth2.googleapis.com/token')),
});
export const FcmCredentialsSchema = Type.Object(
  { client_email: text(320), private_key: text(10_000) },
  { description: 'The JSON of a service account', additionalProperties: Type.Unknown() },
);

export type FcmCredentials = Static<typeof FcmCredentialsSchema>;

interface ProviderKind {
  channel: MessageChannel;
  /** What is shown, and what is not. */
  config: TSchema;
  credentials: TSchema;
  /** Where the credentials are sent: fields of the configuration, each with its default. */
  urls: Record<string, string | null>;
  /** Whether it needs credentials. */
  required: boolean;
}

export const PROVIDERS: Record<ProviderType, ProviderKind> = {
  twilio: {
    channel: 'sms',
    config: TwilioConfigSchema,
    credentials: TwilioCredentialsSchema,
    urls: { baseUrl: TWILIO_URL },
    required: true,
  },
  http: {
    channel: 'sms',
    config: HttpConfigSchema,
    credentials: HttpCredentialsSchema,
    urls: { url: null },
    required: false,
  },
  fcm: {
    channel: 'push',
    config: FcmConfigSchema,
    credentials: FcmCredentialsSchema,
    urls: { baseUrl: FCM_URL, tokenUrl: FCM_TOKEN_URL },
    required: true,
  },
};

const checks = new Map<TSchema, (value: unknown) => Violation[]>();
function check(schema: TSchema, value: unknown, path: string): Violation[] {
  let compiled = checks.get(schema);
  if (!compiled) checks.set(schema, (compiled = compileRequest(schema)));
  return compiled(structuredClone(value)).map((violation) => ({ ...violation, path: `${path}${violation.path}` }));
}

/** The violations of a provider's configuration of its type. Throws 422 `template_limit`, 503. */
export async function configViolations(
  tenantId: string,
  type: ProviderType,
  config: unknown,
  checkUrl: CheckUrl,
): Promise<Violation[]> {
  const kind = PROVIDERS[type];
  const violations = check(kind.config, config, '/config');
  if (violations.length > 0) return violations;
  const values = config as Record<string, unknown>;
  for (const name of Object.keys(kind.urls)) {
    const given = values[name];
    const problem = typeof given === 'string' ? checkUrl(given) : null;
    if (problem) violations.push({ path: `/config/${name}`, ...problem });
  }
  if (type === 'twilio' && (values['from'] === undefined) === (values['messagingServiceSid'] === undefined))
    violations.push({ path: '/config/from', code: 'required', message: 'give either from or messagingServiceSid' });
  if (type === 'http') {
    const parts = Object.entries(values['body'] as Record<string, string>).map(
      ([name, liquid]) => [`/config/body/${name}`, 'text', liquid] as const,
    );
    violations.push(...(await checkPartsInThread(tenantId, parts)));
    const { idempotencyHeader, headers = {} } = values as { idempotencyHeader?: string; headers?: object };
    violations.push(...headerViolations({ ...headers }, '/config/headers'));
    const problem = idempotencyHeader === undefined ? null : headerNameProblem(idempotencyHeader);
    if (problem) violations.push({ path: '/config/idempotencyHeader', ...problem });
  }
  return violations;
}

/** Whether a configuration sends the credentials to another origin than the one before. */
export function sendsElsewhere(
  type: ProviderType,
  before: Record<string, unknown>,
  after: Record<string, unknown>,
): boolean {
  const originOf = (url: unknown) => (typeof url === 'string' ? URL.parse(url)?.origin : undefined);
  return Object.entries(PROVIDERS[type].urls).some(
    ([name, usual]) => originOf(after[name] ?? usual) !== originOf(before[name] ?? usual),
  );
}

/** The violations of a provider's credentials. */
export function credentialViolations(type: ProviderType, credentials: unknown): Violation[] {
  const violations = check(PROVIDERS[type].credentials, credentials, '/credentials');
  if (violations.length > 0) return violations;
  if (type === 'fcm' && !isRsaKey((credentials as FcmCredentials).private_key))
    return [{ path: '/credentials/private_key', code: 'format', message: 'is no private key (RSA, PEM)' }];
  if (type !== 'http') return [];
  return headerViolations((credentials as { headers?: Record<string, string> }).headers ?? {}, '/credentials/headers');
}

function isRsaKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}
