/**
 * Why a request got no answer. `outbound_refused`: the guard forbids it. `no_answer`: it was tried. `busy`: it was not
 * tried, because too many requests are on their way. The message contains no address.
 */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  readonly code: 'outbound_refused' | 'no_answer' | 'busy';

  constructor(code: OutboundError['code'], message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** Any error of a request as an OutboundError. */
export function outboundError(error: unknown): OutboundError {
  if (error instanceof OutboundError) return error;
  const { code = 'unknown error' } = error as { code?: string };
  return new OutboundError('no_answer', code, error);
}
