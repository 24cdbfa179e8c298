import type { WebhookEndpoint } from '../../../db/entities/webhooks.ts';
import { outboundError } from '../../outbound/outbound-error.ts';
import type { Outbound, OutboundAnswer } from '../../outbound/outbound.ts';
import { retryAfterSeconds } from '../../outbound/retry-after.ts';
import { signedHeaders } from '../../outbound/sign-webhook.ts';
import { CONTENT_TYPES } from '../content/body.ts';
import { validSigners, type OpenSecrets } from '../endpoints/keys.ts';
import type { Attempt } from './settle-deliveries.ts';

const CONNECT_MS = 5_000;
/** What is kept of an answer. */
const RESPONSE_BYTES = 1024;

/** What is sent. */
export interface Sending {
  endpoint: Pick<WebhookEndpoint, 'tenantId' | 'url' | 'format' | 'timeoutMs'>;
  secrets: OpenSecrets;
  /** The `webhook-id`, the same at every attempt. */
  id: string;
  body: string;
  /** `none`: the caller limits how many are on their way. */
  places?: 'none';
}

/** What came of sending. */
export interface Sent {
  attempt: Attempt;
  isDelivered: boolean;
  /** The receiver wants no more (410). */
  isGone: boolean;
  /** It was not tried, because too many requests were on their way. */
  isBusy: boolean;
  /** The seconds that the receiver asked to wait. */
  retryAfter: number | null;
}

/** Sends a webhook once, signed. Never rejects: what went wrong is in the attempt. */
export async function sendWebhook(
  outbound: Pick<Outbound, 'send'>,
  { endpoint, secrets, id, body, places }: Sending,
): Promise<Sent> {
  const at = new Date();
  const begun = performance.now();
  const request = {
    owner: endpoint.tenantId,
    method: 'POST' as const,
    url: endpoint.url,
    headers: {
      'user-agent': 'Perennial',
      ...secrets.headers,
      'content-type': CONTENT_TYPES[(endpoint.format ?? 'standard') as keyof typeof CONTENT_TYPES],
      ...signedHeaders(validSigners(secrets, at), { id, at, body }),
    },
    body,
    limits: { totalMs: endpoint.timeoutMs ?? 0, connectMs: CONNECT_MS, answerBytes: RESPONSE_BYTES },
    ...(places ? { places } : {}),
  };
  const tried = await outbound.send(request).then(
    (answer) => ({ answer }),
    (error: unknown) => ({ failure: outboundError(error) }),
  );
  const ms = Math.round(performance.now() - begun);
  if ('answer' in tried) return judged(tried.answer, at, ms);
  const { code, message } = tried.failure;
  const error = code === 'outbound_refused' ? `${code}: ${message}` : message;
  return {
    attempt: { at, status: null, ms, error, response: null },
    ...{ isDelivered: false, isGone: false, isBusy: code === 'busy', retryAfter: null },
  };
}

function judged({ status, headers, body }: OutboundAnswer, at: Date, ms: number): Sent {
  const isDelivered = status >= 200 && status < 300;
  return {
    attempt: { at, status, ms, error: isDelivered ? null : `answered ${status}`, response: textOf(body) },
    isDelivered,
    isGone: status === 410,
    isBusy: false,
    retryAfter: retryAfterSeconds(headers['retry-after'], at.getTime()),
  };
}

/** The beginning of an answer, as text that Postgres can store. */
function textOf(body: Buffer): string | null {
  const text = body.subarray(0, RESPONSE_BYTES).toString().replaceAll('\0', '�');
  return text === '' ? null : text;
}
