import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { engineEm, rows, sql } from '../../../db/orm.ts';
import { queueEmails } from '../../../domain/emails/ledger/queue-emails.ts';
import { createEmailLinks, trackableLink } from '../../../domain/emails/rendering/links.ts';
import { TRACKING_HITS } from '../../../transport/streams.ts';
import { startApiProcess, type ApiProcess } from '../../support/api-process.ts';
import { makeTemplate, published } from '../../support/mail/emails.ts';
import { hasHandledAll } from '../../support/events.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { onTestFinished } from '../../support/on-test-finished.ts';

const CLICKS_BETWEEN = 150;
const VISITORS = 16;
/** More than there are by then. */
const MOST_CLICKS = 50_000;
/** How API processes end, one after another, each in the middle of the clicks. */
const ENDS: NodeJS.Signals[] = ['SIGKILL', 'SIGTERM'];

const urlOf = (n: number | '') => `https://example.com/?n=${n}`;

let service: Service;
beforeAll(async () => {
  service = await startService({ worker: ['intake', 'consumers', 'relay'] });
});
afterAll(() => service.stop());

const engine = <T>(query: Parameters<typeof rows>[1]) =>
  engineEm(service.deps.orm).transactional((tx) => rows<T>(tx, query));

/** What is clicked: each click follows a link of its own, so that it is known which were answered. */
interface Clicked {
  /** The path of the link to `https://example.com/?n={n}`. */
  pathTo: (n: number) => string;
  recorded: () => Promise<{ url: string }[]>;
}

async function email(): Promise<Clicked> {
  const templateId = await makeTemplate(service);
  const [queued] = await engineEm(service.deps.orm).transactional((tx) =>
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
  return {
    pathTo: (n) => links.clickUrl(queued!.emailId, trackableLink(urlOf(n))!),
    recorded: () => engine(sql`select url from email_events where email_id = ${queued!.emailId} and type = 'CLICK'`),
  };
}

async function text(): Promise<Clicked> {
  const codeOf = (n: number) => String(n).padStart(10, '0');
  const [message] = await engine<{ id: number }>(sql`
    with m as (
      insert into messages (tenant_id, send_key, channel, category, status, started_at, sent_at)
      values ('default', 'clicked', 'sms', 'marketing', 'SENT', now(), now()) returning id
    ), s as (
      insert into message_sends (tenant_id, message_id, type, lane, status, attempt, sent_at)
      select 'default', id, 'sms', 'bulk', 'SENT', 1, now() from m returning id, message_id
    ), l as (
      insert into message_links (code, tenant_id, message_id, send_id, position, url)
      select lpad(n::text, 10, '0'), 'default', s.message_id, s.id, 1, ${urlOf('')} || n from s, generate_series(1, ${MOST_CLICKS}::int) n
    ) select id from m`);
  return {
    pathTo: (n) => `/r/${codeOf(n)}`,
    recorded: () => engine(sql`select url from message_clicks where message_id = ${message!.id}`),
  };
}

const CASES = [
  ['of an email', email, 'EMAIL_CLICKED'],
  ['of a text message', text, 'MESSAGE_CLICKED'],
] as const;

test.each(CASES)(
  'SIGTERM and kill -9 of the API under clicks on links %s: every redirect that a client got is one event',
  async (_, make, eventType) => {
    const { pathTo, recorded } = await make();
    const answered = new Set<string>();
    let asked = 0;
    const processes = await Promise.all(ENDS.map(() => startApiProcess(service)));
    onTestFinished(() => Promise.all(processes.map((api) => api.end('SIGKILL'))));

    const clickOn = async ({ url: base }: ApiProcess, stop: () => boolean): Promise<void> => {
      await Promise.all(
        Array.from({ length: VISITORS }, async () => {
          while (!stop()) {
            const n = (asked += 1);
            // Refused, cut off or not connected at all: no answer, and no promise.
            const answer = await fetch(`${base}${pathTo(n)}`, {
              redirect: 'manual',
            }).catch(() => null);
            if (!answer) return;
            assert.ok(answer.status === 302 || answer.status === 503, String(answer.status));
            if (answer.status === 302) answered.add(urlOf(n));
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
        const found = await published(service, eventType);
        return found.length >= urls.length && found;
      },
      60_000,
    );
    assert.deepEqual(events.map(({ data }) => String((data as { url?: string }).url)).toSorted(), urls.toSorted());
    console.log(`${asked} clicks, ${answered.size} redirects, ${urls.length} events`);
  },
);
