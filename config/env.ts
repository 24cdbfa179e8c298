import { Ajv2020 } from 'ajv/dist/2020.js';
import { crossChecks, isPostgresUrl } from './env-checks.ts';
import { envSchema, envSettings, type Env } from './env-schema.ts';

/** Thrown by readEnv: one line per problem. */
export class EnvError extends Error {
  override readonly name = 'EnvError';
}

/**
 * Reads and checks the environment (or `source`). Throws EnvError whose message has one line per problem.
 * An empty value counts as unset.
 */
export function readEnv(source: Record<string, string | undefined> = process.env): Env {
  const given = Object.entries(source).filter(([key, value]) => key in envSettings && value !== '' && value !== undefined);
  const env = Object.fromEntries(given) as Record<string, unknown>;
  const ajv = new Ajv2020({ allErrors: true, coerceTypes: true, useDefaults: true, strict: false });
  const validate = ajv.compile<Env>(envSchema);
  validate(env);
  const misfits = (validate.errors ?? []).map((error) => {
    const name = error.instancePath.slice(1) || String(error.params['missingProperty']);
    return error.keyword === 'required' ? `${name} is not set (${(envSettings[name as keyof Env] as { description?: string }).description})` : `${name} ${error.message}`;
  });
  const problems = Map.groupBy([...misfits, ...crossChecks(env)], (line) => line.split(' ')[0]);
  if (problems.size > 0) throw new EnvError([...problems.values()].map(([first]) => first).join('\n'));
  return env as unknown as Env;
}

/** The two addresses that migrations need, without the rest of the settings. */
export function readMigrationEnv(source: Record<string, string | undefined> = process.env): Pick<Env, 'DATABASE_URL' | 'DATABASE_MIGRATION_URL'> {
  const { DATABASE_URL, DATABASE_MIGRATION_URL } = source;
  if (!DATABASE_URL || !DATABASE_MIGRATION_URL) throw new EnvError('DATABASE_URL and DATABASE_MIGRATION_URL must be set');
  const problems = crossChecks({ DATABASE_URL, DATABASE_MIGRATION_URL });
  if (isPostgresUrl(DATABASE_URL) && !new URL(DATABASE_URL).username) problems.push('DATABASE_URL must name the login of the service, which migrations make');
  if (problems.length > 0) throw new EnvError([...new Set(problems)].join('\n'));
  return { DATABASE_URL, DATABASE_MIGRATION_URL };
}
