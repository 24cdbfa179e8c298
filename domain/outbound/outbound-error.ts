/**
 * Why a request got no answer. `outbound_refused`: the guard forbids it, or there is no such name. `no_answer`: it was
 * tried. `busy`: it was not tried, because too many requests are on their way. `not_released`: its last byte was held
 * back, and the caller did not release it. The message contains no address.
 */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  readonly code: 'outbound_refused' | 'no_answer' | 'busy' | 'not_released';
  /** Whether the last byte of the request may have left this process. If not, the server can have acted on nothing. */
  readonly released: boolean;
  /**
   * Of `outbound_refused`: its name led to no address that may be called, or there was none, which may be so for a moment
   * only. Which of them it was is told to nobody: a difference would tell which internal names there are.
   */
  readonly isAboutName: boolean;

  constructor(
    code: OutboundError['code'],
    message: string,
    {
      cause,
      released = false,
      isAboutName = false,
    }: { cause?: unknown; released?: boolean; isAboutName?: boolean } = {},
  ) {
    super(message, { cause });
    this.code = code;
    this.released = released;
    this.isAboutName = isAboutName;
  }
}

/** Any error of a request as an OutboundError; `released` is that of the request. */
export function outboundError(error: unknown, released = false): OutboundError {
  if (error instanceof OutboundError) return error;
  const { code = 'unknown error' } = error as { code?: string };
  return new OutboundError('no_answer', code, { cause: error, released });
}
