import { rows, sql, type EntityManager } from '../../../db/orm.ts';

/** A provider's health as seen by one sender process. */
export interface ProviderReport {
  provider: string;
  state: 'closed' | 'open' | 'trial';
  failures: number;
  restsForMs: number | null;
  /** Without credentials and addresses. */
  lastError: string | null;
  lastErrorAt: Date | null;
  lastSentAt: Date | null;
  /** Messages sent since the process started. */
  sent: number;
}

/** A process that has not reported for this long is considered gone. */
export const GONE_AFTER_SECONDS = 60;
const FORGOTTEN_AFTER_SECONDS = 600;

/** Stores the health of `holder`'s providers, and deletes the rows of processes that are long gone. Engine `em`. */
export async function reportHealth(
  em: EntityManager,
  holder: string,
  reports: readonly ProviderReport[],
): Promise<void> {
  await em.transactional(async (tx) => {
    await rows(
      tx,
      sql`
      insert into email_providers (provider, holder, state, failures, rests_until, last_error, last_error_at, last_sent_at, sent, seen_at)
      select r.provider, ${holder}, r.state, r.failures, now() + make_interval(secs => r."restsForMs" / 1000), r."lastError", r."lastErrorAt", r."lastSentAt", r.sent, now()
      from jsonb_to_recordset(${JSON.stringify(reports)}::jsonb) as r(
        provider text, state text, failures int, "restsForMs" float8, "lastError" text, "lastErrorAt" timestamptz, "lastSentAt" timestamptz, sent bigint)
      on conflict (provider, holder) do update set state = excluded.state, failures = excluded.failures, rests_until = excluded.rests_until,
        last_error = excluded.last_error, last_error_at = excluded.last_error_at, last_sent_at = excluded.last_sent_at, sent = excluded.sent, seen_at = now()`,
    );
    await rows(
      tx,
      sql`delete from email_providers where seen_at < now() - make_interval(secs => ${FORGOTTEN_AFTER_SECONDS})`,
    );
  });
}

/** Deletes the rows of a process that ends. Engine `em`. */
export async function forgetHealth(em: EntityManager, holder: string): Promise<void> {
  await em.transactional((tx) => rows(tx, sql`delete from email_providers where holder = ${holder}`));
}
