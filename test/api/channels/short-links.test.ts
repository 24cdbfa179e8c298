import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, test } from '@jest/globals';
import { engineEm, rows, sql } from '../../../db/orm.ts';
import { recordMessageHits, recordPushClick } from '../../../domain/tracking/message-hits.ts';
import { TRACKING_HITS } from '../../../transport/streams.ts';
import { channelsOf } from '../../support/channels.ts';
import { counting, takenInTime } from '../../support/counting.ts';
import { hasHandledAll } from '../../support/events.ts';
import { published } from '../../support/mail/emails.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

const PHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148';
const TARGET = 'https://example.com/one?x=1&y=%20';

let service: Service;
let channels: ReturnType<typeof channelsOf>;
beforeAll(async () => {
  service = await startService({ worker: ['intake', 'consumers', 'relay'] });
  channels = channelsOf(service);
});
afterAll(() => service.stop());

const engine = <T>(query: Parameters<typeof rows>[1]) =>
  engineEm(service.deps.orm).transactional((tx) => rows<T>(tx, query));

interface Made {
  messageId: number;
  sendId: number;
  contactId: number | null;
  codes: string[];
}
let made = 0;
/** A message as it is after it was started, with links to these URLs. */
async function makeMessage({
  urls = [TARGET],
  status = 'SENT',
  type = 'sms',
  contactId = null,
  tenantId = 'default',
}: {
  urls?: string[];
  status?: string;
  type?: 'sms' | 'fcm';
  contactId?: number | null;
  tenantId?: string;
} = {}): Promise<Made> {
  const channel = type === 'sms' ? 'sms' : 'push';
  const [message] = await engine<{ id: number }>(sql`
    insert into messages (tenant_id, send_key, channel, category, contact_id, status, started_at, sent_at)
    values (${tenantId}, ${`made ${(made += 1)}`}, ${channel}, 'marketing', ${contactId}, ${status}, now(), ${status === 'SENT' ? sql`now()` : null})
    returning id`);
  const sendId = await addSend(message!.id, { tenantId, type, status });
  return { messageId: message!.id, sendId, contactId, codes: await addLinks(message!.id, sendId, urls, tenantId) };
}
async function addSend(messageId: number, { tenantId = 'default', type = 'sms', status = 'SENT' }): Promise<number> {
  const [send] = await engine<{ id: number }>(sql`
    insert into message_sends (tenant_id, message_id, type, lane, status, attempt, sent_at)
    values (${tenantId}, ${messageId}, ${type}, 'journey', ${status}, 1, ${status === 'SENT' ? sql`now()` : null}) returning id`);
  return send!.id;
}
async function addLinks(messageId: number, sendId: number, urls: string[], tenantId = 'default'): Promise<string[]> {
  const codes = urls.map(() => `Code${String((made += 1)).padStart(6, '0')}`);
  for (const [index, url] of urls.entries())
    await engine(sql`
      insert into message_links (code, tenant_id, message_id, send_id, position, url)
      values (${codes[index]!}, ${tenantId}, ${messageId}, ${sendId}, ${index + 1}, ${url})`);
  return codes;
}

const ask = (code: string, { method = 'GET', ...headers }: Record<string, string> = {}) =>
  fetch(`${service.url}/r/${code}`, { method, redirect: 'manual', headers: { 'user-agent': PHONE, ...headers } });
async function follow(code: string, headers: Record<string, string> = {}): Promise<Response> {
  const answer = takenInTime(await ask(code, headers));
  assert.equal(answer.status, 302, await answer.text());
  return answer;
}
const message = async (id: number) => (await service.api('GET', `/channels/messages/${id}`)).body;
const clicksOf = (messageId: number) =>
  engine<{ url: string; automated: boolean | null; first: boolean; at: Date; send_id: number }>(
    sql`select url, automated, first, at, send_id from message_clicks where message_id = ${messageId} order by id`,
  );
const untilJudged = (messageId: number, count: number) =>
  until(`${count} clicks of message ${messageId} are judged`, async () => {
    const found = await clicksOf(messageId);
    return found.length >= count && found.every(({ automated }) => automated !== null) && found;
  });
const told = (messageId: number, count: number) =>
  until(`${count} clicks of message ${messageId} are told`, async () => {
    const events = (await published(service, 'MESSAGE_CLICKED')).filter(({ data }) => data.messageId === messageId);
    return events.length >= count && events.map(({ data }) => data);
  });

test(
  'a code leads to its stored URL and to nothing else',
  counting(async () => {
    const { messageId, codes } = await makeMessage();
    const [code] = codes as [string];
    const answer = await follow(`${code}?url=https://evil.example.net&appended=1`);
    assert.equal(answer.headers.get('location'), TARGET);
    assert.match(answer.headers.get('cache-control')!, /no-store/);
    assert.match(answer.headers.get('x-robots-tag')!, /noindex/);
    // The full stop of a sentence that ends with the link.
    assert.equal((await follow(`${code}.`)).headers.get('location'), TARGET);
    const bad = [
      'AAAAAAAAAA',
      code.toLowerCase(),
      code.slice(0, -1),
      `${code}x`,
      `${code}%0d%0aLocation:%20https:%2F%2Fevil.example.net`,
      `${code}%0aSet-Cookie:a=b`,
      `${code}%00`,
      `${code}%20`,
      `${code}/`.replace(/\/$/, '/x'),
      'https:%2F%2Fevil.example.net',
      '%2F%2Fevil.example.net',
      '%F0%9F%98%80',
      "'%20or%201=1--",
    ];
    for (const path of bad) {
      const refused = await ask(path);
      assert.equal(refused.status, 404, path);
      assert.equal(refused.headers.get('location'), null, path);
      assert.equal(refused.headers.get('set-cookie'), null, path);
    }
    const page = await ask('AAAAAAAAAA', { accept: 'text/html', 'accept-language': 'de' });
    assert.match(await page.text(), /Dieser Link funktioniert nicht/);
    assert.equal((await ask(code, { method: 'POST' })).status, 405);
    await untilJudged(messageId, 1);
  }),
);

test(
  'a click is answered in the same way whichever way it takes',
  counting(async () => {
    const { codes } = await makeMessage();
    const answer = async (code: string, method: string, extra: Record<string, string>) => {
      const { status, headers } = takenInTime(await ask(code, { method, 'x-request-id': 'mine', ...extra }));
      return [status, ...[...headers].filter(([name]) => name !== 'date' && name !== 'content-length').sort()];
    };
    for (const code of [codes[0]!, 'AAAAAAAAAA'])
      for (const method of ['GET', 'HEAD']) {
        const [short, long] = [
          await answer(code, method, {}),
          // What another site's script asks for goes through the whole application.
          await answer(code, method, { origin: 'https://elsewhere.example' }),
        ];
        assert.deepEqual(short.map(String), long.map(String));
        assert.equal(short[0], code === codes[0] ? 302 : 404);
        assert.ok(short.map(String).includes('x-request-id,mine'));
      }
  }),
);

test(
  'a link to the preference or unsubscribe page is followed without a trace, and is no link that a scanner has to follow',
  counting(async () => {
    const pages = ['preferences', 'unsubscribe'].map(
      (page) => `${service.deps.env.PUBLIC_URL}/api/v1/emails/${page}/x_-1`,
    );
    const { messageId, codes } = await makeMessage({ urls: [...pages, TARGET, 'https://example.com/two'] });
    for (const [index, url] of pages.entries())
      // What another site's script asks for goes through the whole application.
      for (const headers of [{}, { method: 'HEAD' }, { origin: 'https://elsewhere.example' }] as Record<
        string,
        string
      >[])
        assert.equal((await follow(codes[index]!, headers)).headers.get('location'), url);
    await Promise.all(codes.map((code) => follow(code)));
    const clicks = await untilJudged(messageId, 2);
    await until('the clicks are taken in', () => hasHandledAll(service.deps.nats, TRACKING_HITS, 'tracking'));
    assert.equal((await clicksOf(messageId)).length, 2);
    assert.deepEqual(
      clicks.map(({ url, automated }) => [url, automated]).sort(),
      [
        [TARGET, true],
        ['https://example.com/two', true],
      ].sort(),
    );
  }),
);

test(
  'clicks are counted and told once each; the first one is told so',
  counting(async () => {
    const person = await channels.makePerson();
    const { messageId, codes } = await makeMessage({ contactId: person.id });
    await follow(codes[0]!);
    const [first] = await untilJudged(messageId, 1);
    await follow(codes[0]!);
    const clicks = await untilJudged(messageId, 2);
    assert.deepEqual(
      clicks.map(({ automated, first: isFirst }) => [automated, isFirst]),
      [
        [false, true],
        [false, false],
      ],
    );
    const shown = await message(messageId);
    assert.deepEqual([shown.clicks, shown.firstClickedAt, shown.status], [2, first!.at.toISOString(), 'SENT']);
    const events = await told(messageId, 2);
    assert.deepEqual(
      events.map(({ timestamp: _, ...data }) => data),
      [true, false].map((isFirst) => ({
        ...{ messageId, channel: 'sms', contactId: person.id, url: TARGET, automated: false },
        ...{ first: isFirst, tenantId: 'default' },
      })),
    );
    const figures = (await service.api('GET', '/channels/analytics?channel=sms')).body.channels[0];
    assert.ok(figures.clicks >= 2 && figures.uniqueClicks >= 1 && figures.uniqueClicks < figures.clicks);
  }),
);

test(
  'what surely is a machine is told as automated, and counts for nothing',
  counting(async () => {
    const { messageId, codes } = await makeMessage();
    await follow(codes[0]!, { method: 'HEAD' });
    await follow(codes[0]!, { 'user-agent': 'WhatsApp/2.23.20.0' });
    await follow(codes[0]!, { 'user-agent': 'facebookexternalhit/1.1' });
    const clicks = await untilJudged(messageId, 3);
    assert.ok(clicks.every(({ automated, first }) => automated && !first));
    const events = await told(messageId, 3);
    assert.ok(events.every(({ automated, first }) => automated === true && first === false));
    const shown = await message(messageId);
    assert.deepEqual([shown.clicks, shown.firstClickedAt], [0, null]);
    await follow(codes[0]!);
    await until('a person is counted', async () => (await message(messageId)).clicks === 1);
  }),
);

test(
  'who follows all links within a second is a scanner, although a send may have several codes of a URL',
  counting(async () => {
    const urls = ['https://example.com/a', 'https://example.com/b'];
    const { messageId, sendId, codes } = await makeMessage({ urls });
    await addLinks(messageId, sendId, urls);
    await Promise.all(codes.map((code) => follow(code)));
    const clicks = await untilJudged(messageId, 2);
    assert.deepEqual(
      clicks.map(({ automated }) => automated),
      [true, true],
    );
  }),
);

test(
  'a click settles the UNKNOWN send whose link it is, and no other; an automated one settles nothing',
  counting(async () => {
    const { messageId, sendId, codes } = await makeMessage({ status: 'UNKNOWN', type: 'fcm' });
    const other = await addSend(messageId, { type: 'fcm', status: 'UNKNOWN' });
    await follow(codes[0]!, { method: 'HEAD' });
    await untilJudged(messageId, 1);
    assert.equal((await message(messageId)).status, 'UNKNOWN');
    await follow(codes[0]!);
    const shown = await until('it is settled', async () => {
      const found = await message(messageId);
      return found.status === 'SENT' && found;
    });
    assert.equal(shown.reason, 'confirmed_by_click');
    const sends = await engine<{ id: number; status: string }>(
      sql`select id, status from message_sends where message_id = ${messageId} order by id`,
    );
    assert.deepEqual(
      sends.map(({ id, status }) => [id, status]),
      [
        [sendId, 'SENT'],
        [other, 'UNKNOWN'],
      ],
    );
    const sent = await until('it is told', async () => {
      const events = (await published(service, 'MESSAGE_SENT')).filter(({ data }) => data.messageId === messageId);
      return events.length > 0 && events;
    });
    assert.equal(sent.length, 1);
  }),
);

test(
  'a click is no proof against what the provider reported, nor of delivery',
  counting(async () => {
    const { messageId, sendId, codes } = await makeMessage();
    await engine(sql`update message_sends set status = 'DELIVERED' where id = ${sendId}`);
    await engine(sql`update messages set status = 'DELIVERED' where id = ${messageId}`);
    await follow(codes[0]!);
    await untilJudged(messageId, 1);
    assert.equal((await message(messageId)).status, 'DELIVERED');
  }),
);

test(
  'a push that is clicked on a device is one click, whether its link is followed too or not',
  counting(async () => {
    const report = (sendId: number, tenantId = 'default') =>
      engineEm(service.deps.orm).transactional((tx) =>
        recordPushClick(tx, { tenantId, sendId, ip: '192.0.2.1', userAgent: PHONE }),
      );
    // The token of the contact is not kept.
    const urls = [`${TARGET}&contactToken=secret`];
    const reported = await makeMessage({ type: 'fcm', urls });
    await report(reported.sendId);
    await report(reported.sendId);
    // Of another tenant, or no push at all.
    await report(reported.sendId, 'other');
    const text = await makeMessage();
    await report(text.sendId);
    await follow(reported.codes[0]!);
    const followed = await makeMessage({ type: 'fcm', urls });
    await follow(followed.codes[0]!);
    await until('the clicks are taken in', () => hasHandledAll(service.deps.nats, TRACKING_HITS, 'tracking'));
    await report(followed.sendId);
    for (const { messageId, sendId } of [reported, followed]) {
      const clicks = await untilJudged(messageId, 1);
      assert.deepEqual(
        clicks.map(({ url, automated, first, send_id }) => [url, automated, first, send_id]),
        [[TARGET, false, true, sendId]],
      );
      assert.equal((await told(messageId, 1)).length, 1);
    }
    assert.equal((await clicksOf(text.messageId)).length, 0);
  }),
);

test('a click on an action of a push is one on its URL, whether its device reports it before or after', async () => {
  const action = 'https://example.com/action';
  for (const isReportedFirst of [true, false]) {
    const { messageId, sendId } = await makeMessage({ type: 'fcm', urls: [TARGET, action] });
    const hit = (url: string) => ({
      ...{ id: randomUUID(), at: new Date().toISOString(), ip: '192.0.2.1', userAgent: PHONE, automated: false },
      ...{ sendId, type: 'CLICK' as const, url },
    });
    await engineEm(service.deps.orm).transactional(async (tx) => {
      const report = () => recordPushClick(tx, { tenantId: 'default', sendId, ip: '192.0.2.1', userAgent: PHONE });
      if (isReportedFirst) await report();
      // Twice, as a browser that tries again.
      await recordMessageHits(tx, [hit(action), hit(action)]);
      if (!isReportedFirst) await report();
    });
    const clicks = await untilJudged(messageId, 1);
    assert.deepEqual(
      clicks.map(({ url, automated }) => [url, automated]),
      [[action, false]],
    );
    assert.deepEqual(
      (await told(messageId, 1)).map(({ url }) => url),
      [action],
    );
    // What was told does not change any more.
    await engineEm(service.deps.orm).transactional((tx) => recordMessageHits(tx, [hit(TARGET)]));
    assert.deepEqual(
      (await clicksOf(messageId)).map(({ url }) => url),
      [action],
    );
  }
});

test(
  'a link of an erased message leads nowhere; a click of another tenant is that of its message',
  counting(async () => {
    const person = await channels.makePerson();
    const { messageId, codes } = await makeMessage({ contactId: person.id });
    const elsewhere = await makeMessage({ tenantId: 'elsewhere', urls: ['https://elsewhere.example/'] });
    const answer = await follow(elsewhere.codes[0]!);
    assert.equal(answer.headers.get('location'), 'https://elsewhere.example/');
    await untilJudged(elsewhere.messageId, 1);
    assert.equal((await service.api('GET', `/channels/messages/${elsewhere.messageId}`)).status, 404);
    assert.deepEqual(
      await engine<{ tenant_id: string }>(
        sql`select tenant_id from message_clicks where message_id = ${elsewhere.messageId}`,
      ),
      [{ tenant_id: 'elsewhere' }],
    );
    await engine(sql`delete from message_links where message_id = ${messageId}`);
    assert.equal((await ask(codes[0]!)).status, 404);
  }),
);
