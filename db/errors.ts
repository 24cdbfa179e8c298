import { setTimeout as sleep } from 'node:timers/promises';

interface PgError {
  code?: string;
  constraint?: string;
  detail?: string;
  cause?: unknown;
}

/** Finds the Postgres error in an error that the driver and the ORM may have wrapped. */
export function pgError(error: unknown): PgError | null {
  for (
    let at = error as PgError | undefined, depth = 0;
    at && depth < 5;
    at = at.cause as PgError | undefined, depth += 1
  ) {
    if (typeof at.code === 'string' && /^[0-9A-Z]{5}$/.test(at.code)) return at;
  }
  return null;
}

/** Whether Postgres refused what was written (class 22 data, 23 integrity), so that trying again is pointless. */
export function isDataError(error: unknown): boolean {
  return /^2[23]/.test(pgError(error)?.code ?? '');
}

/**
 * Deadlock or serialization failure: the same transaction may succeed when repeated. Not a lock that took too long
 * (55P03): only those who set `lock_timeout` get it, because others wait behind them; a repetition would multiply
 * the time, so who wants one says so (`isLockTimeout`).
 */
export function isRetryable(error: unknown): boolean {
  const code = pgError(error)?.code;
  return code === '40P01' || code === '40001';
}

/** Whether a lock took longer than the `lock_timeout` that the transaction has set. */
export const isLockTimeout = (error: unknown): boolean => pgError(error)?.code === '55P03';

const TRIES = 5;

/**
 * Runs `work`, and repeats it after these errors, up to five attempts in all. `work` must be repeatable. `pauseMs`: the
 * longest pause before the second attempt; it doubles with each.
 */
export async function retried<T>(
  work: () => Promise<T>,
  isMended: (error: unknown) => boolean,
  pauseMs = 20,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries === TRIES || !isMended(error)) throw error;
      // Those that met must not meet again.
      await sleep(Math.random() * pauseMs * 2 ** (tries - 1));
    }
  }
}

/** Whether the connection failed: by system error codes, or by the driver's own errors, which have no code. */
export function isConnectionError(error: unknown): boolean {
  for (
    let at = error as (PgError & { message?: string }) | undefined, depth = 0;
    at && depth < 5;
    at = at.cause as PgError | undefined, depth += 1
  ) {
    if (
      /^(ECONN(REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/.test(
        at.code ?? '',
      )
    )
      return true;
    if (
      /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/.test(
        at.message ?? '',
      )
    )
      return true;
  }
  return false;
}

/** Whether the connection was lost: the same statements may succeed on another one. */
export function isConnectionLost(error: unknown): boolean {
  return isConnectionError(error) || /^(08|57P|26000)/.test(pgError(error)?.code ?? '');
}
