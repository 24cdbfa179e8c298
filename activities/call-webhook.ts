import { ApplicationFailure } from '@temporalio/common';
import type { CallAnswer } from '../domain/campaigns/execution/performed.ts';
import type { WebhookCall } from '../domain/campaigns/execution/webhook-call.ts';
import type { OutboundAnswer } from '../domain/outbound/outbound.ts';
import { outboundError, type OutboundError } from '../domain/outbound/outbound-error.ts';
import { retryAfterSeconds } from '../domain/outbound/retry-after.ts';
import { webhookHeaders } from '../domain/outbound/sign-webhook.ts';
import { backoff } from '../lib/time/backoff.ts';
import type { Deps } from '../runtime/deps.ts';

const HOUR_MS = 3_600_000;

/** For how long a call that is not answered, or with an error that may pass, is repeated. */
const GIVE_UP_MS = HOUR_MS;
/** The same if it could not be tried, because too many requests were on their way. */
const GIVE_UP_BUSY_MS = 24 * HOUR_MS;

/** An attempt of an activity: its number from 1, and the time since the activity was first scheduled. */
export interface Attempt {
  attempt: number;
  elapsedMs: number;
}

const MAY_PASS = new Set([408, 425, 429]);
const EXCERPT = 200;

/** The start of an answer's body as one line of text, without control and formatting characters. */
export function excerptOf(body: Buffer): string {
  const text = body
    .toString()
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim();
  return [...text].slice(0, EXCERPT).join('');
}

/** The backoff of the activity's retry policy (`callOptions` of the workflow). */
const INITIAL_MS = 1_000;
const MAXIMUM_MS = 300_000;

/**
 * The delay before the next attempt if the answer asks for one (Retry-After, RFC 9110 section 10.2.3), in ms: never
 * shorter than the backoff, never longer than its maximum. Undefined = the backoff.
 */
export function retryDelay(retryAfter: string | undefined, attempt: number, now: number): number | undefined {
  const asked = retryAfterSeconds(retryAfter, now);
  if (asked === null) return undefined;
  return Math.min(Math.max(backoff(attempt, INITIAL_MS, MAXIMUM_MS), asked * 1000), MAXIMUM_MS);
}

/** What came of an attempt. `mayPass`: another attempt may succeed. */
interface Tried {
  ok: boolean;
  mayPass: boolean;
  /** Without anything from the answer's body, which can contain personal data. */
  brief: string;
  excerpt: string;
  retryAfter?: string | undefined;
  isBusy?: boolean;
}

function judgeAnswer({ status, headers, body }: OutboundAnswer): Tried {
  return {
    ok: status >= 200 && status < 300,
    mayPass: MAY_PASS.has(status) || status >= 500,
    brief: `answered ${status}`,
    excerpt: excerptOf(body),
    retryAfter: headers['retry-after'],
  };
}

function judgeFailure({ code, message, isAboutName }: OutboundError): Tried {
  const what = {
    outbound_refused: 'outbound_refused',
    no_answer: 'no answer',
    busy: 'not tried',
    not_released: 'not released',
  }[code];
  const brief = `${what}: ${message}`;
  // A URL that is refused stays so; where its name leads may change in a moment.
  const mayPass = code !== 'outbound_refused' || isAboutName;
  return { ok: false, mayPass, brief, excerpt: '', isBusy: code === 'busy' };
}

/**
 * Makes one attempt of a webhook's call. Returns its final outcome; throws a retryable ApplicationFailure
 * `webhook_unanswered` if it should be tried again. Receivers recognise a repeated call by its `webhook-id`.
 */
export async function callWebhook(
  { outbound, env }: Pick<Deps, 'outbound' | 'env'>,
  { tenantId, id, url, body }: Pick<WebhookCall, 'tenantId' | 'id' | 'url' | 'body'>,
  { attempt, elapsedMs }: Attempt,
): Promise<CallAnswer> {
  const at = new Date();
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Perennial',
    ...webhookHeaders(env, { tenantId, id, at, body }),
  };
  const tried = await outbound
    .send({ owner: tenantId, method: 'POST', url, headers, body })
    .then(judgeAnswer, (error) => judgeFailure(outboundError(error)));
  const { ok, mayPass, brief, excerpt, retryAfter, isBusy } = tried;
  if (!ok && mayPass && elapsedMs < (isBusy ? GIVE_UP_BUSY_MS : GIVE_UP_MS)) {
    const nextRetryDelay = retryDelay(retryAfter, attempt, Date.now());
    throw ApplicationFailure.create({
      message: brief,
      type: 'webhook_unanswered',
      ...(nextRetryDelay === undefined ? {} : { nextRetryDelay }),
    });
  }
  const counted = attempt === 1 ? brief : `${brief} after ${attempt} attempts`;
  return { ok, brief: counted, reason: excerpt === '' ? counted : `${counted}: ${excerpt}` };
}
