import type { PushUrgency } from '../../../db/entities/channels.ts';
import type { OutboundAnswer } from '../../outbound/outbound.ts';
import { jsonOf, outcome, outcomeOfStatus, type CallOutcome, type MessageCall } from './outcome.ts';

export const FCM_URL = 'https://fcm.googleapis.com';
export const FCM_TOKEN_URL = 'https://oauth2.googleapis.com/token';

/** What FCM takes of `notification` and `data` together. */
const MOST_BYTES = 4_096;

/** A push as a device gets it. */
export interface PushToSend {
  messageId: number;
  /** What the device reports with. */
  reportToken: string;
  /** What the device shows, and all else that it is told, by name. */
  payload: { title: string; body: string; icon?: string; image?: string; [name: string]: unknown };
  ttlSeconds: number;
  urgency: PushUrgency | null;
  collapseKey: string | null;
}

/**
 * The request that hands a push to Firebase Cloud Messaging
 * (firebase.google.com/docs/reference/fcm/rest/v1/projects.messages); FAILED `payload_too_large`.
 */
export function fcmCall(
  { projectId, baseUrl = FCM_URL }: { projectId: string; baseUrl?: string },
  accessToken: string,
  registrationToken: string,
  { messageId, reportToken, payload, ttlSeconds, urgency, collapseKey }: PushToSend,
): MessageCall | { failed: CallOutcome } {
  const { title, body, icon: _, image, ...rest } = payload;
  const isUrgent = urgency === 'high';
  // A repetition replaces what is shown, instead of being shown beside it.
  const tag = collapseKey ?? `perennial-${messageId}`;
  const given = Object.fromEntries(
    Object.entries(rest)
      .filter(([, value]) => value !== undefined && value !== null)
      // FCM takes texts only.
      .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
  const notification = { title, body, ...(image ? { image } : {}) };
  const data = { ...given, messageId: String(messageId), token: reportToken };
  const bytes = Buffer.byteLength([notification, data].flatMap((part) => Object.entries(part).flat()).join(''));
  if (bytes > MOST_BYTES) return { failed: outcome('FAILED', `${bytes} bytes`, { reason: 'payload_too_large' }) };
  const expiration = ttlSeconds === 0 ? 0 : Math.floor(Date.now() / 1000) + ttlSeconds;
  const message = {
    token: registrationToken,
    notification,
    data,
    android: {
      priority: isUrgent ? 'HIGH' : 'NORMAL',
      ttl: `${ttlSeconds}s`,
      ...(collapseKey ? { collapse_key: collapseKey } : {}),
      notification: { tag },
    },
    apns: {
      headers: {
        'apns-priority': isUrgent || urgency === null || urgency === 'normal' ? '10' : '5',
        'apns-expiration': String(expiration),
        'apns-collapse-id': tag,
      },
    },
  };
  return {
    url: `${baseUrl.replace(/\/+$/, '')}/v1/projects/${projectId}/messages:send`,
    headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ message }),
  };
}

/** Error codes that concern the device alone, whatever the status is. */
const OF_DEVICE = new Set(['SENDER_ID_MISMATCH']);
const OF_PROJECT = new Set(['THIRD_PARTY_AUTH_ERROR']);

export function judgeFcm(answer: OutboundAnswer): CallOutcome {
  const judged = outcomeOfStatus(answer);
  const said = jsonOf(answer) as { name?: unknown; error?: { status?: unknown; details?: unknown } } | null | undefined;
  if (judged.result === 'SENT') {
    const name = typeof said?.name === 'string' && /^[\x21-\x7e]{1,255}$/.test(said.name) ? said.name : null;
    return { ...judged, providerMessageId: name };
  }
  // Whatever a failure says, it may have accepted the message.
  if (judged.result === 'UNKNOWN') return judged;
  const code = errorCodeOf(said?.error?.details);
  if (code === 'UNREGISTERED' || (answer.status === 404 && said?.error?.status === 'NOT_FOUND'))
    return { ...judged, result: 'FAILED', reason: 'gone', isGone: true, fault: null };
  // Any other 404 is not about the device: the project or the URL is wrong.
  if (answer.status === 404 || OF_PROJECT.has(code))
    return { ...judged, result: 'QUEUED', reason: null, fault: 'refused' };
  if (OF_DEVICE.has(code)) return { ...judged, result: 'FAILED', reason: 'rejected', fault: null };
  return judged;
}

/** The error code in the details of an answer (google.firebase.fcm.v1.FcmError). */
function errorCodeOf(details: unknown): string {
  if (!Array.isArray(details)) return '';
  const codes = details.map((detail) => (detail as { errorCode?: unknown } | null)?.errorCode);
  return codes.find((code): code is string => typeof code === 'string') ?? '';
}
