import { setTimeout as delay } from 'node:timers/promises';
import type { Recipients } from './channels-recipients.ts';

/** The ids of the messages that were queued: by number, and by contact. */
export interface Queued {
  texts: Map<string, number>;
  pushes: Map<number, number>;
}

export interface Queueing {
  /** Resolves when most messages are queued. */
  most: Promise<void>;
  all: Promise<Queued>;
}

const AT_ONCE = 16;
const MOST = 0.75;
const FIRST_NUMBER = 2_025_500_000;

/**
 * Asks the API for texts to different numbers and pushes to contacts, in turn. A call whose outcome is unknown is
 * repeated with its Idempotency-Key, until it is answered.
 */
export function queueAll(url: string, token: string, texts: number, { contactIds }: Recipients): Queueing {
  const queued: Queued = { texts: new Map(), pushes: new Map() };
  const content = { category: 'transactional' };
  const jobs = Array.from({ length: Math.max(texts, contactIds.length) }, (_, n) => n).flatMap((n) => [
    ...(n < texts
      ? [
          async () => {
            const to = `+1${FIRST_NUMBER + n}`;
            const body = { ...content, to, body: `Your order ${n}: https://example.com/orders/${n}` };
            queued.texts.set(to, await post(url, token, '/channels/sms/send', `text-${n}`, body));
          },
        ]
      : []),
    ...(n < contactIds.length
      ? [
          async () => {
            const recipientId = contactIds[n]!;
            const shown = { title: `Order ${n}`, body: 'It is here', url: `https://example.com/orders/${n}` };
            const body = { ...content, recipientId, ...shown };
            queued.pushes.set(recipientId, await post(url, token, '/channels/push/send', `push-${n}`, body));
          },
        ]
      : []),
  ]);
  let [next, done] = [0, 0];
  const { promise: most, resolve: haveMost, reject } = Promise.withResolvers<void>();
  const work = async (): Promise<void> => {
    for (let job = jobs[next++]; job; job = jobs[next++]) {
      await job();
      done += 1;
      if (done >= jobs.length * MOST) haveMost();
    }
  };
  const all = Promise.all(Array.from({ length: AT_ONCE }, work)).then(() => queued);
  all.catch(reject);
  return { most, all };
}

async function post(url: string, token: string, path: string, key: string, body: object): Promise<number> {
  for (;;) {
    const answer = await fetch(`${url}/api/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify(body),
    }).catch(() => null);
    const said = await answer?.text().catch(() => null);
    if (answer?.status === 202 && said) return (JSON.parse(said) as { messageId: number }).messageId;
    // Another attempt of the same call is still running, or the service cannot answer.
    const isRepeatable = !answer || said == null || answer.status >= 500 || /"idempotency_conflict"/.test(said);
    if (!isRepeatable) throw new Error(`POST ${path}: ${answer.status} ${said}`);
    await delay(200);
  }
}
