import { LRUCache } from 'lru-cache';
import webPush from 'web-push';
import type { PushUrgency } from '../../../db/entities/channels.ts';
import type { OutboundAnswer } from '../../outbound/outbound.ts';
import { outcome, outcomeOfStatus, type CallOutcome, type MessageCall } from './outcome.ts';
import type { ToEncrypt } from './encrypt-push.ts';
import { encryptInThread } from './encrypt-thread.ts';
import { MOST_PAYLOAD_BYTES } from '../push/push-payload.ts';
import type { SiteKeys } from '../push/site-keys.ts';

const TOKEN_SECONDS = 12 * 3_600;
const MOST_TOKENS = 10_000;

/** The headers that say who sends (RFC 8292), by site and push service: signing costs more than all the rest. */
const tokens = new LRUCache<string, string>({
  max: MOST_TOKENS,
  // A push service may need some time, and its clock may be wrong.
  ttl: (TOKEN_SECONDS - 1_800) * 1_000,
});

/** A push to one browser. */
export interface WebPush {
  tenantId: string;
  site: SiteKeys;
  endpoint: string;
  p256dh: string;
  auth: string;
  payload: object;
  ttlSeconds: number;
  urgency: PushUrgency | null;
  /** Replaces the push with the same topic that the push service has not delivered yet. */
  topic: string | null;
}

/** The request that carries a push to a push service (RFC 8030, 8291, 8292); FAILED `payload_too_large`. */
export async function webPushCall(
  push: WebPush,
  encrypt: (job: ToEncrypt) => Buffer | Promise<Buffer> = encryptInThread,
): Promise<MessageCall | { failed: CallOutcome }> {
  const payload = Buffer.from(JSON.stringify(push.payload));
  if (payload.length > MOST_PAYLOAD_BYTES)
    return { failed: outcome('FAILED', `${payload.length} bytes`, { reason: 'payload_too_large' }) };
  const { p256dh, auth } = push;
  return {
    url: push.endpoint,
    headers: {
      authorization: authorizationOf(push),
      'content-encoding': 'aes128gcm',
      'content-type': 'application/octet-stream',
      ttl: String(push.ttlSeconds),
      urgency: push.urgency ?? 'normal',
      ...(push.topic ? { topic: push.topic } : {}),
    },
    body: await encrypt({ p256dh, auth, payload }),
  };
}

type TokenOf = Pick<WebPush, 'tenantId' | 'site' | 'endpoint'>;

/** A subject that was changed is told at once. */
const tokenKey = ({ tenantId, site, endpoint }: TokenOf): string =>
  JSON.stringify([tenantId, site.id, site.publicKey, site.subject, new URL(endpoint).origin]);

function authorizationOf(push: TokenOf): string {
  const key = tokenKey(push);
  let header = tokens.get(key);
  if (header === undefined) {
    const until = Math.floor(Date.now() / 1_000) + TOKEN_SECONDS;
    const { subject, publicKey, privateKey } = push.site;
    const { origin } = new URL(push.endpoint);
    const made = webPush.getVapidHeaders(origin, subject, publicKey, privateKey, 'aes128gcm', until);
    tokens.set(key, (header = made.Authorization));
  }
  return header;
}

/** Forgets a token that was refused: the next push is signed anew. */
export function forgetToken(push: TokenOf): void {
  tokens.delete(tokenKey(push));
}

/** What the answer of a push service means. */
export function judgeWebPush(answer: OutboundAnswer): CallOutcome {
  const judged = outcomeOfStatus(answer);
  const { status } = answer;
  if (status === 404 || status === 410)
    return { ...judged, result: 'FAILED', reason: 'gone', isGone: true, fault: null };
  if (status === 413) return { ...judged, result: 'FAILED', reason: 'payload_too_large', fault: null };
  // Our token is refused, perhaps because a clock is wrong. There is no provider to speak against, so each push is asked
  // for again by itself, less and less often.
  if (status === 401 || status === 403) return { ...judged, fault: null };
  return judged;
}
