/** A violation of an input: `path` is a JSON Pointer (RFC 6901) into the request part. */
export interface Violation {
  path: string;
  code: string;
  message: string;
}

/** The maximum number of violations in a response: more than anybody reads. */
export const MAX_VIOLATIONS = 10_000;
const MAX_PATH = 200;

/** A path limited in length for a response: member names invented by a client can be as long as the body. */
export const shortPath = (path: string): string =>
  path.length > MAX_PATH ? `${path.slice(0, MAX_PATH).toWellFormed()}…` : path;

/** The violations limited in number and length for a response. */
export const withinBounds = (errors: readonly Violation[], most = MAX_VIOLATIONS): Violation[] =>
  errors.slice(0, most).map((error) => ({ ...error, path: shortPath(error.path) }));

/** All error codes that clients can get, with HTTP status and title. The API documentation is generated from it. */
export const errorCatalogue = {
  validation_failed: [400, 'The request is not valid'],
  malformed_request: [400, 'The request is not valid HTTP'],
  malformed_json: [400, 'The body is not valid JSON'],
  malformed_body: [400, 'The body cannot be read'],
  token_invalid: [400, 'The token is unknown, already used or expired'],
  invalid_link: [400, 'The link was not sent by this service'],
  unsupported_file: [400, 'The file cannot be imported'],
  unauthorized: [401, 'Authentication is required'],
  token_expired: [401, 'The access token has expired'],
  token_revoked: [401, 'The access token was revoked'],
  invalid_credentials: [401, 'The username or password is wrong'],
  forbidden: [403, 'A permission is missing'],
  registration_disabled: [403, 'Registration is disabled'],
  email_unverified: [403, 'The email address is not verified'],
  origin_not_allowed: [403, 'Calls from this origin are not accepted'],
  not_found: [404, 'Not found'],
  method_not_allowed: [405, 'The method is not allowed here'],
  request_timeout: [408, 'The request took too long to arrive'],
  conflict: [409, 'The current state does not allow this operation'],
  username_taken: [409, 'The username is taken'],
  email_taken: [409, 'The email address is taken'],
  name_taken: [409, 'The name is taken'],
  in_use: [409, 'The resource is in use'],
  no_provider: [409, 'No active provider can send this'],
  limit_reached: [409, 'The account has as many of these as it may have'],
  dns_record_invalid: [409, 'The DNS record is missing or wrong'],
  idempotency_conflict: [
    409,
    'A request with this idempotency key is still in progress, or its response was not stored',
  ],
  last_admin: [409, 'The tenant must keep an active Admin'],
  precondition_failed: [412, 'The resource has changed since it was read'],
  payload_too_large: [413, 'The request is too large'],
  unsupported_media_type: [415, 'The content type is not supported'],
  idempotency_key_reused: [422, 'The idempotency key was used for another request'],
  template_limit: [422, 'The template exceeds its limits'],
  too_many_requests: [429, 'Too many requests'],
  headers_too_large: [431, 'The URL and headers exceed 16 KB'],
  internal: [500, 'Internal server error'],
  captcha_unavailable: [503, 'The CAPTCHA could not be checked'],
  no_room_for_files: [503, 'There is no room for more files'],
  unavailable: [503, 'A dependency is not available'],
} as const satisfies Record<string, readonly [number, string]>;

export type ErrorCode = keyof typeof errorCatalogue;

/**
 * An error with a response for the client. `detail` is for the client and contains no secrets; `errors` lists every
 * violation; `headers` are added to the response.
 */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly errors: Violation[] | undefined;
  readonly headers: Record<string, string> | undefined;

  constructor(
    code: ErrorCode,
    detail?: string,
    extra: { errors?: Violation[]; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(detail ?? errorCatalogue[code][1], { cause: extra.cause });
    this.code = code;
    this.errors = extra.errors && withinBounds(extra.errors);
    this.headers = extra.headers;
  }

  get status(): number {
    return errorCatalogue[this.code][0];
  }

  get title(): string {
    return errorCatalogue[this.code][1];
  }
}

/** The 400 for these violations. */
export function invalid(errors: Violation[]): AppError {
  const count =
    errors.length >= MAX_VIOLATIONS
      ? `${MAX_VIOLATIONS} problems or more`
      : errors.length === 1
        ? '1 problem'
        : `${errors.length} problems`;
  return new AppError('validation_failed', `${count} in the request`, { errors });
}

/** Throws a 400 with all violations, if there are any. */
export function assertValid(errors: Violation[]): void {
  if (errors.length > 0) throw invalid(errors);
}

/** The 404 for a kind of resource; the same text whether it never existed or belongs to another tenant. */
export function notFound(what: string, id: number | string): AppError {
  return new AppError('not_found', `There is no ${what} ${id}`);
}

/** A reference in a body to a resource that does not exist or belongs to another tenant. */
export interface Missing {
  path: string;
  what: string;
  id: number;
}

/** The maximum number of references named in the detail. */
const MAX_NAMED = 10;

/** Throws a 404 that lists all of these references, if there are any. */
export function assertNoneMissing(missing: Missing[]): void {
  if (missing.length === 0) return;
  const named = missing.slice(0, MAX_NAMED).map(({ what, id }) => `no ${what} ${id}`);
  const more = missing.length > MAX_NAMED ? ` and ${missing.length - MAX_NAMED} more` : '';
  throw new AppError('not_found', `There is ${named.join(', ')}${more}`, {
    errors: missing.map(({ path, what, id }) => ({ path, code: 'not_found', message: `there is no ${what} ${id}` })),
  });
}

/** A resource that refers to the resource to be deleted. */
export interface Referrer {
  kind:
    | 'campaign'
    | 'email_campaign'
    | 'enrolment'
    | 'import'
    | 'form'
    | 'threshold'
    | 'segment'
    | 'template'
    | 'channel_template'
    | 'message';
  id: number;
  name: string;
}

/** Throws `in_use`, listing the users, if there are any. */
export function assertNotInUse(users: Referrer[]): void {
  if (users.length === 0) return;
  throw new AppError('in_use', `It is used by ${users.map(({ kind, id }) => `${kind} ${id}`).join(', ')}`, {
    errors: users.map(({ kind, id, name }) => ({ path: '', code: 'in_use', message: `${kind} ${id}: ${name}` })),
  });
}
