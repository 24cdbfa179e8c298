/** What a log says of an error. */
export interface LoggedError {
  type: string;
  message: string;
  stack?: string;
  cause?: LoggedError;
  errors?: LoggedError[];
  [field: string]: unknown;
}

/**
 * Fields that tell where something failed. All others stay out of the log: what libraries put there are a statement's
 * values (`detail`, `where`), a server's whole answer, a request.
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
const MOST_CHARACTERS = 2_000;

/** A message without the values in it: addresses and credentials of URLs, and what Postgres and JSON.parse quote of an input. */
function withoutValues(message: string, code: unknown): string {
  // Data exceptions (class 22) quote the value, other errors the names of tables and constraints.
  const quotes =
    (typeof code === 'string' && /^22[0-9A-Z]{3}$/.test(code)) || /is not valid JSON|JSON at position/.test(message);
  const short = message.length > MOST_CHARACTERS ? `${message.slice(0, MOST_CHARACTERS)}…` : message;
  return (quotes ? short.replace(/".*"/s, '"…"') : short).replace(/[^\s<>"'(),;]+@[^\s<>"'(),;]+/g, '[address]');
}

/** An error as our logs show it: what it is, where it came from and what caused it, without the data it was about. */
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

/** Takes the data out of an error's text and those of its causes, for errors that others keep: those of activities are in Temporal's histories. */
export function withoutData<E>(error: E): E {
  for (let one: unknown = error, depth = 1; one instanceof Error && depth <= DEPTH; one = one.cause, depth += 1) {
    const { message, stack = '' } = errorForLog(one);
    // Some errors have no setters for these.
    for (const [name, value] of Object.entries({ message, stack, ...(depth === DEPTH ? { cause: undefined } : {}) }))
      Object.defineProperty(one, name, { value, configurable: true, writable: true });
  }
  return error;
}
