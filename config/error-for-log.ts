/** An error, as logged. */
export interface LoggedError {
  type: string;
  message: string;
  stack?: string;
  cause?: LoggedError;
  errors?: LoggedError[];
  [field: string]: unknown;
}

/**
 * Fields that tell where something failed. All others are not logged: libraries put the values of statements there
 * (`detail`, `where`), the whole response of a server, or a request.
 */
const FIELDS = [
  'code',
  'errno',
  'syscall',
  'address',
  'port',
  'severity',
  'schema',
  'table',
  'column',
  'dataType',
  'constraint',
  'command',
  'responseCode',
  'status',
];
const DEPTH = 5;
const MAX_CHARACTERS = 2_000;

/**
 * Removes values from a message: email addresses and credentials in URLs, and the input that Postgres and JSON.parse
 * quote.
 */
function withoutValues(message: string, code: unknown): string {
  // Data exceptions (class 22) quote the value; other errors quote the names of tables and constraints.
  const quotes =
    (typeof code === 'string' && /^22[0-9A-Z]{3}$/.test(code)) || /is not valid JSON|JSON at position/.test(message);
  const short = message.length > MAX_CHARACTERS ? `${message.slice(0, MAX_CHARACTERS)}…` : message;
  return (quotes ? short.replace(/".*"/s, '"…"') : short).replace(/[^\s<>"'(),;]+@[^\s<>"'(),;]+/g, '[address]');
}

/** An error for our logs: type, origin and cause, without the data it was about. */
export function errorForLog(error: unknown, depth = 1): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error, message: withoutValues(String(error), null) };
  const fields = error as Error & Record<string, unknown>;
  const type = error.constructor?.name ?? error.name;
  const message = withoutValues(error.message, fields['code']);
  const frames = (error.stack ?? '').split('\n').filter((line) => /^ +at /.test(line));
  return {
    type,
    message,
    stack: [`${type}: ${message}`, ...frames].join('\n'),
    ...Object.fromEntries(FIELDS.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]]))),
    ...(error.cause !== undefined && depth < DEPTH ? { cause: errorForLog(error.cause, depth + 1) } : {}),
    ...(Array.isArray(fields['errors']) && depth < DEPTH
      ? { errors: fields['errors'].slice(0, DEPTH).map((one) => errorForLog(one, depth + 1)) }
      : {}),
  };
}

/**
 * Removes data from an error's text and its causes, for errors that others store: those of activities are kept in
 * Temporal's histories.
 */
export function withoutData<E>(error: E): E {
  for (let one: unknown = error, depth = 1; one instanceof Error && depth <= DEPTH; one = one.cause, depth += 1) {
    const { message, stack = '' } = errorForLog(one);
    // Some errors have no setters for these.
    for (const [name, value] of Object.entries({ message, stack, ...(depth === DEPTH ? { cause: undefined } : {}) }))
      Object.defineProperty(one, name, { value, configurable: true, writable: true });
  }
  return error;
}
