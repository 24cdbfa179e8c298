import { AppError, type ErrorCode } from '../domain/common/errors.ts';

interface PgError {
  code?: string;
  constraint?: string;
  detail?: string;
  cause?: unknown;
}

/** The Postgres error inside whatever the driver and the ORM wrapped around it. */
export function pgError(error: unknown): PgError | null {
  for (let at = error as PgError | undefined, depth = 0; at && depth < 5; at = at.cause as PgError | undefined, depth += 1) {
    if (typeof at.code === 'string' && /^[0-9A-Z]{5}$/.test(at.code)) return at;
  }
  return null;
}

/** Deadlock or serialization failure: the same transaction may succeed when it is run again. */
export function isRetryable(error: unknown): boolean {
  const code = pgError(error)?.code;
  return code === '40P01' || code === '40001';
}

const uniqueConstraints: Record<string, [ErrorCode, string]> = {
  contacts_email_key: ['email_taken', '/email'],
  email_senders_email_key: ['email_taken', '/email'],
  users_username_key: ['username_taken', '/username'],
  users_email_key: ['email_taken', '/email'],
  roles_name_key: ['name_taken', '/name'],
  api_keys_name_key: ['name_taken', '/name'],
  custom_fields_name_key: ['name_taken', '/name'],
  email_topics_name_key: ['name_taken', '/name'],
};

const unavailable = (cause: unknown): AppError => new AppError('unavailable', 'The database is not available', { cause, headers: { 'Retry-After': '5' } });

/** Whether the connection is what failed: the system's codes, and the driver's own errors, which have none. */
function isConnectionError(error: unknown): boolean {
  for (let at = error as (PgError & { message?: string }) | undefined, depth = 0; at && depth < 5; at = at.cause as PgError | undefined, depth += 1) {
    if (/^(ECONN(REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/.test(at.code ?? '')) return true;
    if (/^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/.test(at.message ?? '')) return true;
  }
  return false;
}

/** Whether the connection was lost on the way: the same statements may succeed on another. */
export function isConnectionLost(error: unknown): boolean {
  return isConnectionError(error) || /^(08|57P|26000)/.test(pgError(error)?.code ?? '');
}

/** What a database error means to the client, by constraint name and SQLSTATE; null = it is our fault. */
export function toAppError(error: unknown): AppError | null {
  const found = pgError(error);
  if (!found) return isConnectionError(error) ? unavailable(error) : null;
  switch (found.code) {
    case '23505': {
      const [code, path] = uniqueConstraints[found.constraint ?? ''] ?? ['conflict', ''];
      return new AppError(code, undefined, { cause: error, ...(path ? { errors: [{ path, code, message: 'is taken' }] } : {}) });
    }
    case '23503':
      return new AppError('conflict', 'Something that this refers to does not exist any more, or it is still referred to', { cause: error });
    case '22021': case '22P05':
      return new AppError('validation_failed', 'Text must not hold NUL or undecodable characters', { cause: error });
    case '40P01': case '40001': case '55P03':
      return new AppError('unavailable', 'The database was busy with the same rows; try again', { cause: error, headers: { 'Retry-After': '1' } });
    default:
      // Class 08 connection, 53 resources, 57 operator intervention.
      return /^(08|53|57)/.test(found.code ?? '') ? unavailable(error) : null;
  }
}
