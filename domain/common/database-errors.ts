import { isConnectionError, pgError } from '../../db/errors.ts';
import { AppError, type ErrorCode } from '../../lib/checks/errors.ts';

/** The error code and the field for a violated unique constraint. */
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

const unavailable = (cause: unknown): AppError =>
  new AppError('unavailable', 'The database is not available', { cause, headers: { 'Retry-After': '5' } });

/** The AppError for a database error, by constraint name and SQLSTATE; null if the error is a bug of the service. */
export function toAppError(error: unknown): AppError | null {
  const found = pgError(error);
  if (!found) return isConnectionError(error) ? unavailable(error) : null;
  switch (found.code) {
    case '23505': {
      const [code, path] = uniqueConstraints[found.constraint ?? ''] ?? ['conflict', ''];
      return new AppError(code, undefined, {
        cause: error,
        ...(path ? { errors: [{ path, code, message: 'is taken' }] } : {}),
      });
    }
    case '23503':
      return new AppError('conflict', 'A referenced resource no longer exists, or this resource is still referenced', {
        cause: error,
      });
    case '22021':
    case '22P05':
      return new AppError('validation_failed', 'Text must not contain NUL or undecodable characters', { cause: error });
    case '40P01':
    case '40001':
    case '55P03':
      return new AppError('unavailable', 'Other requests are changing the same data; try again', {
        cause: error,
        headers: { 'Retry-After': '1' },
      });
    default:
      // SQLSTATE class 08: connection, 53: resources (a full disk), 57: operator intervention, 58: the system (its disk).
      return /^(08|53|57|58)/.test(found.code ?? '') ? unavailable(error) : null;
  }
}
