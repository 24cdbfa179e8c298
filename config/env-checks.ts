import { createPublicKey } from 'node:crypto';
import { isIP } from 'node:net';
import type { Env } from './env-schema.ts';
import { readUrl } from './read-url.ts';
import { readProviders } from './smtp-url.ts';
import { parseMailbox } from '../lib/addresses/mailbox.ts';
import { parseRanges } from '../lib/addresses/ranges.ts';

const SECRET_CHARACTERS = 32;
/** These accept any text, because they are only used for signing and verifying. */
const ANY_TEXT = new Set([
  'JWT_SECRET',
  'JWT_SECRET_PREVIOUS',
  'LINK_SECRET',
  'LINK_SECRET_PREVIOUS',
  'ADMIN_PASSWORD',
]);

/** Whether the text is a database URL like postgres://user:password@host:5432/database. */
export function isPostgresUrl(text: string): boolean {
  return (readUrl(text, /^postgres(ql)?:$/)?.pathname ?? '').length > 1;
}

/** Whether a host is a loopback address. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(\.\d+){3}$/.test(host);
}

/** A local part has at most 64 octets (RFC 5321, 4.5.3.1.1), and a plus sign and a token of up to 37 are appended. */
const BOUNCE_LOCAL_CHARACTERS = 26;

function isPublicKey(base64: string): boolean {
  try {
    return (
      createPublicKey({ key: Buffer.from(base64, 'base64'), format: 'der', type: 'spki' }).asymmetricKeyType === 'ec'
    );
  } catch {
    return false;
  }
}

function captchaProblems({ CAPTCHA_PROVIDER: provider, ...env }: Partial<Env>): string[] {
  const problems =
    provider && provider !== 'altcha'
      ? (['CAPTCHA_SITE_KEY', 'CAPTCHA_SECRET'] as const).flatMap((name) =>
          env[name] ? [] : [`${name} is not set: CAPTCHA_PROVIDER ${provider} needs it`],
        )
      : [];
  const verify = env.CAPTCHA_VERIFY_URL;
  return verify && !readUrl(verify, /^https?:$/)
    ? [...problems, 'CAPTCHA_VERIFY_URL must be an http or https URL']
    : problems;
}

function bounceProblems(env: Partial<Env>): string[] {
  const problems: string[] = [];
  const local = /^([\w.+-]+)@[a-z0-9-]+(\.[a-z0-9-]+)+$/i.exec(env.BOUNCE_ADDRESS ?? '')?.[1] ?? '';
  if (env.BOUNCE_ADDRESS && (local === '' || local.length > BOUNCE_LOCAL_CHARACTERS)) {
    problems.push(
      `BOUNCE_ADDRESS must be an address like bounces@example.com, with at most ${BOUNCE_LOCAL_CHARACTERS} characters before the @`,
    );
  }
  const mailbox = readUrl(env.BOUNCE_IMAP_URL ?? '', /^imaps?:$/);
  if (env.BOUNCE_IMAP_URL && !(mailbox?.username && mailbox.password && mailbox.hostname)) {
    problems.push('BOUNCE_IMAP_URL must be a URL like imaps://user:password@host:993/INBOX');
  }
  for (const arn of env.WEBHOOK_SES_TOPICS?.split(',') ?? []) {
    if (!/^(arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[\w.-]+)?$/.test(arn.trim()))
      problems.push('WEBHOOK_SES_TOPICS must be a list of ARNs like arn:aws:sns:eu-west-1:123456789012:bounces');
  }
  if (env.WEBHOOK_SENDGRID_PUBLIC_KEY && !isPublicKey(env.WEBHOOK_SENDGRID_PUBLIC_KEY)) {
    problems.push('WEBHOOK_SENDGRID_PUBLIC_KEY must be the key as SendGrid shows it, in base64');
  }
  return problems;
}

const VERSIONING_BEHAVIORS = ['AUTO_UPGRADE', 'PINNED'];
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

const isSecret = (value: string): boolean => [...value.trim()].length >= SECRET_CHARACTERS;
const SECRET = `must have ${SECRET_CHARACTERS} characters or more, not counting leading and trailing blanks`;

/** Rules for single settings: whether a value is valid, and the error message if it is not. */
const RULES: Partial<Record<keyof Env, [(value: string) => boolean, string]>> = {
  HOST: [
    (value) => isIP(value) !== 0 || /^[\w.-]+$/.test(value),
    'must be an IP address like 127.0.0.1, 0.0.0.0 or ::1, or a host name',
  ],
  WORKER_HEALTH_HOST: [(value) => isIP(value) !== 0, 'must be an IP address like 127.0.0.1, 0.0.0.0 or ::1'],
  DATABASE_URL: [isPostgresUrl, 'must be a URL like postgres://user:password@host:5432/database'],
  DATABASE_MIGRATION_URL: [isPostgresUrl, 'must be a URL like postgres://user:password@host:5432/database'],
  TEMPORAL_ADDRESS: [(value) => isHostAndPort(value), 'must be an address like temporal.example.com:7233'],
  TEMPORAL_NAMESPACE: [(value) => /^[\x21-\x7e]+$/.test(value), 'must be ASCII without spaces'],
  TEMPORAL_DEPLOYMENT: [
    (value) => /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/.test(value),
    'must be a name of up to 100 letters, digits, - and _, like perennial',
  ],
  TEMPORAL_BUILD_ID: [
    (value) => /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(value),
    'must be a name of up to 100 letters, digits, ., - and _, like 2027-03.1',
  ],
  TEMPORAL_VERSIONING_BEHAVIOR: [
    (value) => VERSIONING_BEHAVIORS.includes(value),
    `must be one of ${VERSIONING_BEHAVIORS.join(', ')}`,
  ],
  PUBLIC_URL: [
    (value) => isPlainUrl(value),
    'must be a URL like https://mail.example.com, without credentials, query or fragment',
  ],
  OTEL_EXPORTER_OTLP_ENDPOINT: [
    (value) => !/\s/.test(value) && readUrl(value, /^https?:$/) !== null,
    'must be a URL like http://localhost:4318',
  ],
  MAIL_FROM: [(value) => isMailbox(value), 'must be one address like Perennial <no-reply@example.com>'],
  PAGE_LOGO_URL: [
    (value) => isPageUrl(value, /^https:$/),
    'must be an https URL like https://www.example.com/logo.png, without credentials',
  ],
  PAGE_PRIVACY_URL: [
    (value) => isPageUrl(value, /^https?:$/),
    'must be a URL like https://www.example.com/privacy, without credentials',
  ],
  JWT_SECRET: [isSecret, SECRET],
  JWT_SECRET_PREVIOUS: [isSecret, SECRET],
  LINK_SECRET: [isSecret, SECRET],
  LINK_SECRET_PREVIOUS: [isSecret, SECRET],
  NATS_LISTENERS: [
    (value) => /^([A-Za-z0-9_-]+(:[a-z0-9][a-z0-9_-]{0,49})?(,|$))*$/.test(value),
    'must be a list of NATS accounts, each optionally with a tenant, like LISTENERS,ACME:acme',
  ],
  EVENTS_MAX_AGE: [
    (value) => /^[1-9][0-9]{0,4}[dh]$/.test(value),
    'must be a number of days or hours up to 99999, like 7d or 36h',
  ],
  LOG_LEVEL: [(value) => LOG_LEVELS.includes(value), `must be one of ${LOG_LEVELS.join(', ')}`],
  WEBHOOK_MAILGUN_SIGNING_KEY: [
    (value) => /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value),
    'must be the key as Mailgun shows it: ASCII, without leading or trailing blanks',
  ],
  WEBHOOK_POSTMARK_SECRET: [
    (value) => /:.*\S/.test(value),
    'must be the credentials that Postmark sends, like user:password',
  ],
  METRICS_TOKEN: [(value) => /^[\x21-\x7e]*$/.test(value), 'must be ASCII without spaces, so that clients can send it'],
};

function isHostAndPort(value: string): boolean {
  const found = /^(\[[\da-f:.]+\]|[\w.-]+)(?::(\d{1,5}))?$/i.exec(value);
  return found !== null && Number(found[2] ?? 1) >= 1 && Number(found[2] ?? 1) <= 65_535;
}

function isPlainUrl(value: string): boolean {
  const url = readUrl(value, /^https?:$/);
  // Links start with it unescaped, also in HTML.
  return url !== null && !url.username && !url.password && !/[?#\s"'<>\\]/.test(value);
}

function isPageUrl(value: string, protocol: RegExp): boolean {
  const url = readUrl(value, protocol);
  return url !== null && !url.username && !url.password && !/\s/.test(value);
}

function isMailbox(value: string): boolean {
  try {
    parseMailbox(value);
    return true;
  } catch {
    return false;
  }
}

/**
 * Control characters such as line feeds: in a sender they would add fields to each email, in an address they would
 * change it.
 */
const CONTROL = /[\p{Cc}\u2028\u2029]/u;
/** Characters that change the text direction, so that a reader would see a different sender or address. */
const BIDI = /[\u202a-\u202e\u2066-\u2069]/;

function textProblems(env: Partial<Env>): string[] {
  return Object.entries(env).flatMap(([name, value]) => {
    if (typeof value !== 'string' || value === '') return [];
    if (value.trim() === '') return `${name} must not be blank`;
    if (ANY_TEXT.has(name)) return [];
    if (CONTROL.test(value)) return `${name} must not contain line feeds or other control characters`;
    return BIDI.test(value)
      ? `${name} must not contain characters that change the text direction (bidirectional controls)`
      : [];
  });
}

/** Rules that a schema cannot express, for the settings that are present. */
export function crossChecks(env: Partial<Env>): string[] {
  const problems = textProblems(env);
  for (const [name, [holds, what]] of Object.entries(RULES) as [keyof Env, [(value: string) => boolean, string]][]) {
    const value = env[name];
    if (typeof value === 'string' && value !== '' && !holds(value)) problems.push(`${name} ${what}`);
  }
  for (const address of env.NATS_URL?.split(',') ?? []) {
    const url = readUrl(address.trim(), /^(nats|tls):$/);
    if (!url?.hostname) problems.push('NATS_URL must be a URL like nats://user:password@host:4222');
    else if (!url.username && !isLoopback(url.hostname)) {
      problems.push('NATS_URL must contain credentials: NATS without authentication is accepted only on loopback');
    }
  }
  const listeners =
    env.NATS_LISTENERS?.split(',')
      .filter(Boolean)
      .map((text) => text.split(':')[0]) ?? [];
  if (new Set(listeners).size < listeners.length)
    problems.push(
      "NATS_LISTENERS must name each account only once: an account gets one copy, of all events or of one tenant's",
    );
  try {
    readProviders(env.SMTP_URL ?? 'smtp://localhost');
  } catch (error) {
    problems.push(`SMTP_URL ${(error as Error).message}`);
  }
  try {
    parseRanges(env.OUTBOUND_ALLOW ?? '');
  } catch (error) {
    problems.push(
      `OUTBOUND_ALLOW must be a list of address ranges like 10.1.2.0/24,fd00::/8: ${(error as Error).message}`,
    );
  }
  problems.push(...bounceProblems(env), ...captchaProblems(env));
  for (const origin of env.CORS_ALLOWED_ORIGINS?.split(',') ?? []) {
    // Must be exactly what a browser sends, or it would never match: https://app.example.com, without a path, trailing
    // slash or *.
    if (!/^([a-z][a-z0-9+.-]*:\/\/[^\s/*?#A-Z]+)?$/.test(origin.trim()))
      problems.push(
        'CORS_ALLOWED_ORIGINS must be a list of origins like https://app.example.com, in lower case and without a path',
      );
  }
  return problems;
}
