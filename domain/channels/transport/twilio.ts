import { createHmac, timingSafeEqual } from 'node:crypto';
import type { OutboundAnswer } from '../../outbound/outbound.ts';
import { jsonOf, outcomeOfStatus, type CallOutcome, type MessageCall } from './outcome.ts';

export interface TwilioConfig {
  accountSid: string;
  from?: string;
  messagingServiceSid?: string;
  baseUrl?: string;
}
export interface TwilioCredentials {
  authToken: string;
}

export const TWILIO_URL = 'https://api.twilio.com';

/** What a text message is sent with. */
export interface TextToSend {
  to: string;
  text: string;
  messageId: number;
  /** Where the provider reports what becomes of this send. */
  callbackUrl: string;
}

/** The request that creates a message (Twilio's Messages resource, 2010-04-01). */
export function twilioCall(
  { accountSid, from, messagingServiceSid, baseUrl = TWILIO_URL }: TwilioConfig,
  { authToken }: TwilioCredentials,
  { to, text, callbackUrl }: TextToSend,
): MessageCall {
  const form = new URLSearchParams({ To: to, Body: text, StatusCallback: callbackUrl });
  if (messagingServiceSid) form.set('MessagingServiceSid', messagingServiceSid);
  else if (from) form.set('From', from);
  return {
    url: `${baseUrl.replace(/\/+$/, '')}/2010-04-01/Accounts/${accountSid}/Messages.json`,
    headers: {
      authorization: `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: form.toString(),
  };
}

/** Error codes that mean that the number gets no texts, now or later (twilio.com/docs/api/errors). */
const INVALID_NUMBER = new Set([21211, 21214, 21217, 21614, 30005, 30006]);
/** The recipient has opted out at Twilio. */
const OPTED_OUT = new Set([21610]);
/** They speak against the account or its sender, whoever the recipient is. */
const OF_ACCOUNT = new Set([20003, 20005, 20404, 21606, 21659, 21660, 21661, 21701, 21703, 21705, 30002]);
/** A short code that sends to another country gets the same codes as a sender that is wrong. */
const OF_SENDER = new Set([21606, 21659]);
const SHORT_CODE = /^\d{3,8}$/;
/** They concern the country of the recipient, whatever the status is: texts to others go out. */
const OF_COUNTRY = new Set([21408, 30034]);
/** Too many requests at once. */
const OF_RATE = new Set([20429, 14107, 30001, 63017, 63018]);

/** What an error code says about the number. */
export function suppressionOfCode(code: string | number | null | undefined): CallOutcome['suppress'] {
  const number = Number(code);
  if (OPTED_OUT.has(number)) return 'unsubscribed';
  return INVALID_NUMBER.has(number) ? 'invalid' : null;
}

export function judgeTwilio(answer: OutboundAnswer, { from }: Pick<TwilioConfig, 'from'> = {}): CallOutcome {
  const judged = outcomeOfStatus(answer);
  const said = jsonOf(answer) as { sid?: unknown; code?: unknown; status?: unknown } | null | undefined;
  if (judged.result === 'SENT') {
    const sid = typeof said?.sid === 'string' && said.sid.length <= 64 ? said.sid : null;
    return { ...judged, providerMessageId: sid };
  }
  // Whatever a failure says, it may have accepted the message.
  if (judged.result === 'UNKNOWN') return judged;
  const code = Number(said?.code);
  const isOfCountry = OF_COUNTRY.has(code) || (OF_SENDER.has(code) && SHORT_CODE.test(from ?? ''));
  if (isOfCountry) return { ...judged, result: 'FAILED', reason: 'rejected', fault: null };
  if (OF_ACCOUNT.has(code)) return { ...judged, result: 'QUEUED', reason: null, fault: 'refused' };
  if (OF_RATE.has(code)) return { ...judged, result: 'QUEUED', reason: null };
  if (judged.result !== 'FAILED') return judged;
  const suppress = suppressionOfCode(code);
  return { ...judged, suppress, reason: suppress ? `address_${suppress}` : judged.reason };
}

/** The parameters of a form, as they came. */
export type Parameters = readonly (readonly [name: string, value: string])[];

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/**
 * Twilio's signature of a request: HMAC-SHA1 of the URL followed by every parameter's name and value, sorted, each
 * once (twilio.com/docs/usage/security#validating-requests).
 */
export function twilioSignature(authToken: string, url: string, parameters: Parameters): string {
  const sorted = [...parameters].sort((a, b) => compare(a[0], b[0]) || compare(a[1], b[1]));
  const once = sorted.filter(([name, value], at) => name !== sorted[at - 1]?.[0] || value !== sorted[at - 1]![1]);
  return createHmac('sha1', authToken)
    .update(once.reduce((text, [name, value]) => text + name + value, url))
    .digest('base64');
}

/** Whether a signature is Twilio's, compared in constant time. The port may be in the URL that it signed, or not. */
export function isTwilioSignature(given: string, authToken: string, url: string, parameters: Parameters): boolean {
  const [start, host, port] = /^https?:\/\/([^/?]*?)(:\d+)?(?=[/?]|$)/.exec(url) ?? [''];
  const usual = url.startsWith('https:') ? ':443' : ':80';
  const other = `${url.slice(0, url.indexOf(':'))}://${host}${port ? '' : usual}${url.slice(start.length)}`;
  return [url, other].some((signed) => {
    const [a, b] = [Buffer.from(given), Buffer.from(twilioSignature(authToken, signed, parameters))];
    return a.length === b.length && timingSafeEqual(a, b);
  });
}
