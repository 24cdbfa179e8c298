import { AppError } from '../../../lib/checks/errors.ts';
import { MOST_PAYLOAD_BYTES, payloadBytes, pushPayload } from '../push/push-payload.ts';
import { leastMessage, type MessageSource } from './render-message.ts';
import { MOST_SEGMENTS } from './segments.ts';

/** What this service adds to messages, at its shortest. */
export interface Additions {
  /** The base of short links. */
  base: string;
  /** What devices report with. */
  token: string;
  /** Ends marketing texts to numbers that have not been told yet how to opt out. */
  optOutText: string | null;
}

/** Throws 422 `template_limit` for a message that is too large even if all of its Liquid renders nothing. */
export function assertFits(source: MessageSource, { base, token, optOutText }: Additions): void {
  const least = leastMessage(source, { base, optOutText });
  if (least.kind === 'sms') {
    if (least.segments <= MOST_SEGMENTS) return;
    throw new AppError(
      'template_limit',
      `A text message may have ${MOST_SEGMENTS} segments: 1,530 characters of GSM-7, or 670 of UCS-2${
        optOutText ? '. Your text on how to opt out counts too' : ''
      }`,
    );
  }
  const bytes = payloadBytes(pushPayload({}, least.content, { messageId: 1, token }));
  if (bytes > MOST_PAYLOAD_BYTES)
    throw new AppError(
      'template_limit',
      `A push may have ${MOST_PAYLOAD_BYTES} bytes as JSON; this one has at least ${bytes}`,
    );
}
