import type { Reading } from '../inbound/opt-out-words.ts';
import { isTwilioSignature } from '../transport/twilio.ts';
import {
  idOf,
  keptText,
  MOST_CODE,
  MOST_ID,
  type Callback,
  type CallbackRequest,
  type StatusReport,
} from './callback.ts';

/** Statuses that tell something new (twilio.com/docs/messaging/api/message-resource#message-status-values). */
const STATUSES: Record<string, StatusReport['status']> = {
  sent: 'SENT',
  delivered: 'DELIVERED',
  read: 'DELIVERED',
  undelivered: 'UNDELIVERED',
  failed: 'FAILED',
  canceled: 'FAILED',
};
/** What Twilio has recognised and answered itself (Advanced Opt-Out). */
const READ_AS: Record<string, Reading['wish']> = { STOP: 'stop', START: 'start', HELP: 'help' };

/** The parameters of a call of Twilio; null if its signature is not of this token. */
function parametersOf({ body, header, url }: CallbackRequest, authToken: unknown): Map<string, string> | null {
  if (typeof authToken !== 'string') return null;
  const parameters = [...new URLSearchParams(body.toString())];
  return isTwilioSignature(header('x-twilio-signature'), authToken, url, parameters) ? new Map(parameters) : null;
}

/** Reads a call of Twilio: `unproved` without its signature, null if there is nothing to do. */
export function readTwilio(
  request: CallbackRequest,
  { authToken }: Record<string, unknown>,
): Callback | 'unproved' | null {
  const parameters = parametersOf(request, authToken);
  if (!parameters) return 'unproved';
  const value = (name: string): string => parameters.get(name) ?? '';
  const sid = keptText(value('MessageSid') || value('SmsSid') || value('SmsMessageSid'), MOST_ID);
  const said = value('MessageStatus') || value('SmsStatus');
  if (parameters.has('Body') && parameters.has('From') && (said === '' || said === 'received')) {
    if (sid === null) return null;
    return {
      kind: 'inbound',
      providerMessageId: sid,
      from: value('From'),
      to: value('To') || null,
      text: value('Body'),
      readAs: READ_AS[value('OptOutType').toUpperCase()] ?? null,
    };
  }
  const status = STATUSES[said.toLowerCase()];
  if (!status) return null;
  return {
    kind: 'status',
    sendId: idOf(new URL(request.url).searchParams.get('send')),
    messageId: null,
    providerMessageId: sid,
    status,
    code: keptText(value('ErrorCode'), MOST_CODE),
  };
}
