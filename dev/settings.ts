import { randomBytes } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { isLoopback } from '../config/env-checks.ts';
import { EnvError, readEnv, withSecretFiles } from '../config/env.ts';
import type { ExternalParts, StackPorts } from './stack/stack.ts';

/** The settings that `npm start` reads from the environment; an empty value counts as unset. */
export interface StartSettings {
  /** Address the API listens on. */
  host: string;
  apiPort: number;
  /** The URL of the API for a browser on this machine. */
  url: string;
  /** The port of the worker's metrics; 0 = none. */
  metricsPort: number;
  ports: StackPorts;
  external: ExternalParts;
  /** All non-empty settings of the environment. */
  given: NodeJS.ProcessEnv;
}

/** Reads the settings; throws an error with one line per invalid one. */
export function readStartSettings(env: NodeJS.ProcessEnv): StartSettings {
  const { settings, problems: unread } = withSecretFiles(env);
  const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== '' && value !== undefined));
  const problems: string[] = [...unread];
  const port = (name: string, fallback: number) => {
    const value = Number(given[name] ?? fallback);
    if (!Number.isInteger(value) || value < 1 || value > 65_535)
      problems.push(`${name} must be a port from 1 to 65535`);
    return value;
  };
  const ports = {
    postgres: port('POSTGRES_PORT', 55_432),
    nats: port('NATS_PORT', 4222),
    temporal: port('TEMPORAL_PORT', 7233),
    temporalUi: port('TEMPORAL_UI_PORT', 8233),
    smtp: port('SMTP_PORT', 1025),
    mailPage: port('MAIL_PAGE_PORT', 1080),
  };
  const apiPort = port('PORT', 8080);
  if (Boolean(given.DATABASE_URL) !== Boolean(given.DATABASE_MIGRATION_URL)) {
    problems.push(
      'DATABASE_URL (the application role) and DATABASE_MIGRATION_URL (the owner) must be set together, or neither',
    );
  }
  const host = given.HOST ?? '127.0.0.1';
  const url = `http://${nameOf(host)}:${apiPort}`;
  const metricsPort = Number(given.WORKER_HEALTH_PORT ?? 9464);
  const named = new Set(problems.map(settingOf));
  problems.push(...serviceProblems({ ...localDefaults(url), ...given }).filter((line) => !named.has(settingOf(line))));
  if (problems.length > 0) throw new EnvError(problems.join('\n'));
  const { DATABASE_URL, DATABASE_MIGRATION_URL, TEMPORAL_ADDRESS, NATS_URL, SMTP_URL } = given;
  return {
    host,
    apiPort,
    url,
    metricsPort,
    ports,
    external: { DATABASE_URL, DATABASE_MIGRATION_URL, TEMPORAL_ADDRESS, NATS_URL, SMTP_URL },
    given,
  };
}

/** `localhost` for every address that leads to this machine. */
function nameOf(host: string): string {
  if (isLoopback(host) || ['0.0.0.0', '::', '::1'].includes(host)) return 'localhost';
  return isIPv6(host) ? `[${host}]` : host;
}

const settingOf = (line: string): string | undefined => line.split(' ')[0];

/**
 * The problems that the processes would report about these settings; those created by `npm start` are assumed to be
 * valid.
 */
function serviceProblems(given: NodeJS.ProcessEnv): string[] {
  const made = {
    DATABASE_URL: 'postgres://perennial@127.0.0.1/perennial',
    TEMPORAL_ADDRESS: '127.0.0.1:7233',
    NATS_URL: 'nats://127.0.0.1',
    SMTP_URL: 'smtp://127.0.0.1',
    JWT_SECRET: 'x'.repeat(32),
    LINK_SECRET: 'x'.repeat(32),
  };
  try {
    readEnv({ ...made, ...given });
    return [];
  } catch (error) {
    if (error instanceof EnvError) return error.message.split('\n');
    throw error;
  }
}

/** Defaults for the processes. Marketing emails need a postal address: this one is fictitious. */
export const localDefaults = (url: string) => ({
  ENABLE_REGISTRATION: 'true',
  PUBLIC_URL: url,
  NODE_ENV: 'production',
  MAIL_POSTAL_ADDRESS: '1 Example Street, 12345 Example',
});

/** The login of the first Admin, and the text that shows it to the user. */
export interface AdminLogin {
  env: Record<string, string>;
  shown: string;
}

/** Without a password in the settings, generates a random one and shows it. */
export function adminLogin(given: NodeJS.ProcessEnv): AdminLogin {
  const username = given.ADMIN_USERNAME ?? 'admin';
  const password = given.ADMIN_PASSWORD ?? `${randomBytes(12).toString('base64url')}-Aa1`;
  return {
    env: { ADMIN_USERNAME: username, ADMIN_EMAIL: given.ADMIN_EMAIL ?? 'admin@example.com', ADMIN_PASSWORD: password },
    shown: given.ADMIN_PASSWORD
      ? `${username} (with the ADMIN_PASSWORD you set)`
      : `${username} / ${password}  (shown only now)`,
  };
}
