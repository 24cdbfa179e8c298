/**
 * Why a request got no answer. `outbound_refused`: the guard forbids it, or there is no such name. `no_answer`: it was tried. `busy`: it was not
 * tried, because too many requests are on their way. `not_released`: its last byte was held back, and the caller did
 * not release it. The message contains no address.
 */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  readonly code: 'outbound_refused' | 'no_answer' | 'busy' | 'not_released';
  /** Whether the last byte of the request may have left this process. If not, the server can have acted on nothing. */
  readonly released: boolean;
  /** Of `outbound_refused`: there was no such name, which may be so for a moment only. The message does not say it. */
  readonly isNameUnknown: boolean;

  constructor(
    code: OutboundError['code'],
    message: string,
    {
      cause,
      released = false,
      isNameUnknown = false,
    }: { cause?: unknown; released?: boolean; isNameUnknown?: boolean } = {},
  ) {
    super(message, { cause });
    this.code = code;
    this.released = released;
    this.isNameUnknown = isNameUnknown;
  }
}

/** Any error of a request as an OutboundError; `released` is that of the request. */
export function outboundError(error: unknown, released = false): OutboundError {
  if (error instanceof OutboundError) return error;
  const { code = 'unknown error' } = error as { code?: string };
  return new OutboundError('no_answer', code, { cause: error, released });
}
