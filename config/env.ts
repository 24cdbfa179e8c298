import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { crossChecks, isPostgresUrl } from './env-checks.ts';
import { envSchema, envSettings, type Env } from './env-schema.ts';

/** Thrown by readEnv; the message has one line per problem. */
export class EnvError extends Error {
  override readonly name = 'EnvError';
}

/**
 * Secret settings. For each, `<name>_FILE` may name a file that contains it instead: anyone who can inspect a process
 * or its container sees its environment.
 */
export const secretSettings = [
  'DATABASE_URL',
  'DATABASE_MIGRATION_URL',
  'NATS_URL',
  'SMTP_URL',
  'BOUNCE_IMAP_URL',
  'WEBHOOK_MAILGUN_SIGNING_KEY',
  'WEBHOOK_POSTMARK_SECRET',
  'JWT_SECRET',
  'JWT_SECRET_PREVIOUS',
  'LINK_SECRET',
  'LINK_SECRET_PREVIOUS',
  'CAPTCHA_SECRET',
  'METRICS_TOKEN',
  'ADMIN_PASSWORD',
] as const satisfies readonly (keyof Env)[];

type Source = Record<string, string | undefined>;

/**
 * Resolves the `_FILE` settings of `source` (without trailing line feeds in the files); returns one line per problem.
 */
export function withSecretFiles(source: Source): { settings: Source; problems: string[] } {
  const settings = { ...source };
  const problems: string[] = [];
  for (const name of secretSettings) {
    const file = source[`${name}_FILE`];
    if (!file) continue;
    delete settings[`${name}_FILE`];
    if (source[name]) {
      problems.push(`${name} must not be set together with ${name}_FILE`);
      continue;
    }
    try {
      settings[name] = readFileSync(file, 'utf8').replace(/[\r\n]+$/, '');
      // It would count as unset, which for some settings disables a protection.
      if (settings[name] === '') problems.push(`${name} is missing: the file that ${name}_FILE names is empty`);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      problems.push(`${name} is missing: the file that ${name}_FILE names cannot be read (${code})`);
    }
  }
  return { settings, problems };
}

/**
 * Reads and validates the environment (or `source`). Throws EnvError with one line per problem. An empty value counts
 * as unset.
 */
export function readEnv(source: Source = process.env): Env {
  const { settings, problems: unread } = withSecretFiles(source);
  const given = Object.entries(settings).filter(
    ([key, value]) => key in envSettings && value !== '' && value !== undefined,
  );
  const env = Object.fromEntries(given) as Record<string, unknown>;
  const ajv = new Ajv2020({ allErrors: true, coerceTypes: true, useDefaults: true, strict: false });
  const validate = ajv.compile<Env>(envSchema);
  validate(env);
  const misfits = (validate.errors ?? []).map((error) => {
    const name = error.instancePath.slice(1) || String(error.params['missingProperty']);
    return error.keyword === 'required'
      ? `${name} is not set (${(envSettings[name as keyof Env] as { description?: string }).description})`
      : `${name} ${error.message}`;
  });
  const problems = Map.groupBy([...unread, ...misfits, ...crossChecks(env)], (line) => line.split(' ')[0]);
  if (problems.size > 0) throw new EnvError([...problems.values()].map(([first]) => first).join('\n'));
  return env as unknown as Env;
}

/** Reads only the two URLs that migrations need. */
export function readMigrationEnv(source: Source = process.env): Pick<Env, 'DATABASE_URL' | 'DATABASE_MIGRATION_URL'> {
  const { settings, problems: unread } = withSecretFiles(source);
  const { DATABASE_URL, DATABASE_MIGRATION_URL } = settings;
  const unreadHere = unread.filter((line) => /^DATABASE_(MIGRATION_)?URL /.test(line));
  if (unreadHere.length > 0) throw new EnvError(unreadHere.join('\n'));
  if (!DATABASE_URL || !DATABASE_MIGRATION_URL)
    throw new EnvError('DATABASE_URL and DATABASE_MIGRATION_URL must be set');
  const problems = crossChecks({ DATABASE_URL, DATABASE_MIGRATION_URL });
  if (isPostgresUrl(DATABASE_URL) && !new URL(DATABASE_URL).username)
    problems.push('DATABASE_URL must contain the login of the service, which migrations create');
  if (problems.length > 0) throw new EnvError([...new Set(problems)].join('\n'));
  return { DATABASE_URL, DATABASE_MIGRATION_URL };
}

/**
 * The pid of dev/bootstrap.mjs if it started this process, else null. Removes it from the environment: our children have
 * another parent.
 */
export function takeParentPid(): number | null {
  const pid = Number(process.env.PERENNIAL_PARENT_PID ?? 0);
  delete process.env.PERENNIAL_PARENT_PID;
  return pid || null;
}

/**
 * Whether dev/beside.ts started this process, which is then to listen on the next free port where its own is taken.
 * Removes that from the environment.
 */
export function mayTakeNextPort(): boolean {
  const may = process.env.PERENNIAL_NEXT_PORT === '1';
  delete process.env.PERENNIAL_NEXT_PORT;
  return may;
}
