import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { engineEm, rows, sql } from '../../../db/orm.ts';
import { queueEmails } from '../../../domain/emails/ledger/queue-emails.ts';
import { createEmailLinks, trackableLink } from '../../../domain/emails/rendering/links.ts';
import { TRACKING_HITS } from '../../../events/streams.ts';
import { startApiProcess, type ApiProcess } from '../../support/api-process.ts';
import { makeTemplate, published } from '../../support/mail/emails.ts';
import { hasHandledAll } from '../../support/events.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { onTestFinished } from '../../support/on-test-finished.ts';

const CLICKS_BETWEEN = 150;
const VISITORS = 16;
/** How API processes end, one after another, each in the middle of the clicks. */
const ENDS: NodeJS.Signals[] = ['SIGKILL', 'SIGTERM'];

let service: Service;
beforeAll(async () => {
  service = await startService({ worker: ['intake', 'consumers', 'relay'] });
});
afterAll(() => service.stop());

const engine = <T>(query: Parameters<typeof rows>[1]) =>
  engineEm(service.deps.orm).transactional((tx) => rows<T>(tx, query));

test('SIGTERM and kill -9 of the API under clicks: every redirect that a client got is one event', async () => {
  const templateId = await makeTemplate(service);
  const [email] = await engineEm(service.deps.orm).transactional((tx) =>
    queueEmails(tx, 'default', [
      {
        sendKey: 'clicked',
        templateId,
        contactId: null,
        toAddress: 'clicked@example.org',
        lane: 'bulk',
        requestId: null,
      },
    ]),
  );
  const links = createEmailLinks({ publicUrl: '', signer: service.deps.links });
  /** Each click follows a link of its own, so that it is known which were answered. */
  const link = (n: number) => trackableLink(`https://example.com/?n=${n}`)!;
  const answered = new Set<string>();
  let asked = 0;
  const processes = await Promise.all(ENDS.map(() => startApiProcess(service)));
  onTestFinished(() => Promise.all(processes.map((api) => api.end('SIGKILL'))));

  const clickOn = async ({ url: base }: ApiProcess, stop: () => boolean): Promise<void> => {
    await Promise.all(
      Array.from({ length: VISITORS }, async () => {
        while (!stop()) {
          const followed = link((asked += 1));
          // Refused, cut off or not connected at all: no answer, and no promise.
          const answer = await fetch(`${base}${links.clickUrl(email!.emailId, followed)}`, {
            redirect: 'manual',
          }).catch(() => null);
          if (!answer) return;
          assert.ok(answer.status === 302 || answer.status === 503, String(answer.status));
          if (answer.status === 302) answered.add(followed.url);
          await answer.arrayBuffer().catch(() => null);
        }
      }),
    );
  };

  for (const [n, signal] of ENDS.entries()) {
    const goal = answered.size + CLICKS_BETWEEN;
    let over = false;
    const clicking = clickOn(processes[n]!, () => over);
    await until('it is in the middle of the clicks', () => answered.size >= goal, 60_000);
    // Fails where an orderly end is none.
    await processes[n]!.end(signal);
    over = true;
    await clicking;
  }

  const recorded = () =>
    engine<{ url: string }>(sql`select url from email_events where email_id = ${email!.emailId} and type = 'CLICK'`);
  await until('every hit is taken in', () => hasHandledAll(service.deps.nats, TRACKING_HITS, 'tracking'), 60_000);
  const urls = (await recorded()).map(({ url }) => url);
  assert.equal(new Set(urls).size, urls.length, 'a click is two events');
  assert.deepEqual(
    [...answered].filter((url) => !urls.includes(url)),
    [],
    'answered, and not recorded',
  );
  // What was recorded without an answer was asked for all the same, and is told of too.
  assert.ok(urls.length <= asked);
  const events = await until(
    'all are published',
    async () => {
      const found = await published(service, 'EMAIL_CLICKED');
      return found.length >= urls.length && found;
    },
    60_000,
  );
  assert.deepEqual(events.map(({ data }) => String((data as { url?: string }).url)).toSorted(), urls.toSorted());
  console.log(`${asked} clicks, ${answered.size} redirects, ${urls.length} events`);
});
