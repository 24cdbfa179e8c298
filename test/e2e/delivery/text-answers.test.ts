/** What the ledger makes of the answers of providers of texts, beside those in `channels` and `messages-in-doubt`. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, test } from '@jest/globals';
import type { Fault } from '../../../dev/fakes/fake-server.ts';
import { reportText, startGateway, type Gateway } from '../../../dev/fakes/gateway.ts';
import { sql } from '../../../db/orm.ts';
import { newTenant } from '../../support/accounts.ts';
import { apiAt } from '../../support/call-api.ts';
import { sentTexts } from '../../support/channels/sent-texts.ts';
import { startEndpoint, type Endpoint, type EndpointAnswer } from '../../support/endpoint.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

/** A tenant that sends texts, for one test at a time: its providers are those of that test. */
type Texts = ReturnType<typeof sentTexts>;
let service: Service;
/** Tenants that no test is using. */
const idle: Texts[] = [];
beforeAll(async () => {
  service = await startService({ worker: ['senders'], env: { OUTBOUND_ALLOW: '127.0.0.1/32' } });
});
afterAll(() => service.stop());

/** What a test does with a tenant of its own. Most of it is waiting, so that tests run at the same time. */
type Work<Case extends unknown[]> = (sender: Sender, ...given: Case) => Promise<void>;
const apart =
  <Case extends unknown[]>(work: Work<Case>) =>
  async (...given: Case): Promise<void> => {
    const texts = idle.pop() ?? (await makeTenant());
    const cleanUps: (() => unknown)[] = [];
    try {
      await work(
        senderOf(texts, (cleanUp) => void cleanUps.push(cleanUp)),
        ...given,
      );
    } finally {
      for (const cleanUp of cleanUps) await cleanUp();
    }
    idle.push(texts);
  };

async function makeTenant(): Promise<Texts> {
  const { token } = await newTenant(service);
  return sentTexts({ ...service, api: apiAt(service.url, () => token) });
}

type Sender = ReturnType<typeof senderOf>;
function senderOf(texts: Texts, onFinished: (cleanUp: () => unknown) => void) {
  /** Makes a provider for this test only. */
  async function addProvider(body: object, close: () => Promise<void>): Promise<number> {
    onFinished(close);
    const { id } = await texts.call('POST', '/channels/providers', 201, body);
    onFinished(() => texts.call('PUT', `/channels/providers/${id}`, 200, { active: false }));
    return id;
  }
  return {
    texts,
    addProvider,
    /** A gateway that accepts whatever it has read whole. */
    makeGateway: async (priority: number): Promise<Gateway> => {
      const gateway = await startGateway();
      await addProvider({ ...gateway.provider(), priority }, gateway.close);
      return gateway;
    },
    /** A provider with an HTTP API that gives these answers in turn. */
    makeHttp: async (
      answers: (EndpointAnswer | null)[],
      { priority = 1, ...config }: { priority?: number; idempotencyHeader?: string } = {},
    ): Promise<Endpoint & { id: number }> => {
      const endpoint = await startEndpoint(answers);
      const body = { to: '{{to}}', text: '{{text}}' };
      const provider = { name: 'Gateway', channel: 'sms', type: 'http', priority };
      const id = await addProvider(
        { ...provider, config: { url: endpoint.url, body, idPath: 'id', ...config } },
        endpoint.close,
      );
      return { ...endpoint, id };
    },
    /** Changed by a person, a provider is asked again at once. */
    wake: (id: number) => texts.call('PUT', `/channels/providers/${id}`, 200, { name: `Awake ${id}` }),
    /** Until when a text waits. */
    dueAt: async (id: number): Promise<Date> =>
      (
        await texts.query<{ at: Date }>(sql`select next_attempt_at as at from message_sends where message_id = ${id}`)
      )[0]!.at,
  };
}

test.concurrent(
  'a provider that hangs, wherever it does, leaves a text in doubt that nobody sends again',
  apart(async ({ texts, makeGateway }) => {
    const places = ['before', 'between', 'after'] as const;
    const gateways: Gateway[] = [];
    for (const priority of [1, 2, 3, 4]) gateways.push(await makeGateway(priority));
    const ids: number[] = [];
    for (const [at, when] of places.entries()) {
      gateways[at]!.inject({ kind: 'hang', when } satisfies Fault);
      ids.push(await texts.send());
      // A provider that is tried holds up no other text: the next one goes by it.
      await until(`gateway ${at} is asked`, () => gateways[at]!.asked() === 1);
    }
    for (const id of ids) assert.equal((await texts.ends(id, 'UNKNOWN')).reason, 'no_reply');
    await texts.ends(await texts.send(), 'SENT');
    assert.deepEqual(
      gateways.map((gateway) => gateway.asked()),
      [1, 1, 1, 1],
    );
    assert.deepEqual(
      gateways.map(({ accepted }) => accepted.length),
      [0, 0, 1, 1],
    );
    for (const id of ids) {
      assert.equal((await texts.message(id)).status, 'UNKNOWN');
      assert.deepEqual(await texts.attemptsOf(id), ['unknown']);
    }
    // What the one that accepted it reports settles it.
    const [text] = gateways[2]!.accepted;
    const { pathname, search } = new URL(text!.callbackUrl!);
    const report = await reportText(
      gateways[2]!,
      { ...text!, callbackUrl: `${service.url}${pathname}${search}` },
      'delivered',
    );
    assert.equal(report.status, 204);
    assert.equal((await texts.message(ids[2]!)).status, 'DELIVERED');
  }),
);

const ENDS: [what: string, answer: EndpointAnswer, status: string, reason: string | null][] = [
  ['204', { status: 204 }, 'SENT', null],
  ['200 with garbage', { status: 200, body: '<html>\0{"id":' }, 'SENT', null],
  ['200 with an id that is none', { status: 200, body: '{"id":{"id":"x"}}' }, 'SENT', null],
  ['200 with more than is read', { status: 200, body: 'x'.repeat(100_000) }, 'SENT', null],
  ['202 that says error', { status: 202, body: '{"error":"no"}' }, 'SENT', null],
  ['400', { status: 400 }, 'FAILED', 'rejected'],
  ['404', { status: 404, body: 'garbage' }, 'FAILED', 'rejected'],
  ['409', { status: 409 }, 'FAILED', 'rejected'],
  ['413', { status: 413 }, 'FAILED', 'rejected'],
  ['422', { status: 422, headers: { 'retry-after': '1' } }, 'FAILED', 'rejected'],
  ['500', { status: 500, headers: { 'retry-after': '1' } }, 'UNKNOWN', 'no_reply'],
  ['501', { status: 501 }, 'UNKNOWN', 'no_reply'],
  ['502', { status: 502, body: '<html>' }, 'UNKNOWN', 'no_reply'],
  ['504', { status: 504 }, 'UNKNOWN', 'no_reply'],
  ['599', { status: 599 }, 'UNKNOWN', 'no_reply'],
];
test.concurrent.each(ENDS)(
  'an answer that ends it: %s',
  apart(async ({ texts, makeHttp }, _what, answer, status, reason) => {
    const asked = await makeHttp([answer, { status: 200 }]);
    const other = await makeHttp([{ status: 200 }], { priority: 2 });
    const id = await texts.send();
    const ended = await texts.ends(id, status);
    assert.deepEqual([ended.reason, ended.providerId, ended.providerMessageId], [reason, asked.id, null]);
    assert.equal(ended.sentAt !== null, status === 'SENT');
    // Another text goes, and so would this one if it went again.
    await texts.ends(await texts.send(), 'SENT');
    assert.equal((await texts.message(id)).status, status);
    assert.equal(asked.received.length + other.received.length, 2);
  }),
);

const AGAIN: [what: string, answer: EndpointAnswer][] = [
  ['401', { status: 401 }],
  ['403', { status: 403, body: 'garbage' }],
];
test.concurrent.each(AGAIN)(
  'an answer that speaks against the provider, so another one sends it: %s',
  apart(async ({ texts, makeHttp }, _what, answer) => {
    const asked = await makeHttp([answer]);
    const other = await makeHttp([{ status: 200, body: '{"id":"other"}' }], { priority: 2 });
    const id = await texts.send();
    const sent = await texts.ends(id, 'SENT');
    assert.deepEqual([sent.providerId, sent.providerMessageId], [other.id, 'other']);
    assert.equal(other.received.length, 1);
    // On a slow machine, the pause of the first is over before the text is back: then it is tried once more.
    assert.ok(asked.received.length >= 1);
  }),
);

test.concurrent.each([429, 503])(
  '%i is asked again, without a Retry-After and with one that is nonsense',
  apart(async ({ texts, makeHttp }, status) => {
    const asked = await makeHttp([
      { status },
      { status, headers: { 'retry-after': 'soon' } },
      { status, headers: { 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' } },
      { status: 200 },
    ]);
    const id = await texts.send();
    await texts.ends(id, 'SENT');
    assert.equal(asked.received.length, 4);
    assert.deepEqual(await texts.attemptsOf(id), ['queued', 'queued', 'queued', 'sent']);
  }),
);

test.concurrent.each([429, 503])(
  '%i with a Retry-After: the text waits for it, and others do not',
  apart(async ({ texts, makeHttp, dueAt }, status) => {
    const inAnHour = new Date(Date.now() + 3_600_000).toUTCString();
    const asked = await makeHttp([{ status, headers: { 'retry-after': inAnHour } }, { status: 200 }]);
    const other = await makeHttp([{ status: 200 }], { priority: 2 });
    const id = await texts.send();
    await texts.triedOnce(id);
    assert.equal((await texts.message(id)).status, 'QUEUED');
    const wait = (await dueAt(id)).getTime() - Date.parse(inAnHour);
    assert.ok(wait >= -1_000, `${wait} ms`);
    await texts.ends(await texts.send(), 'SENT');
    assert.deepEqual([asked.received.length, other.received.length], [1, 1]);
  }),
);

test.concurrent.each(['999999999', 'Fri, 31 Dec 9999 23:59:59 GMT'])(
  'a Retry-After of years is not waited for longer than a day: %s',
  apart(async ({ texts, makeHttp }, asksFor) => {
    const asked = await makeHttp([{ status: 429, headers: { 'retry-after': asksFor } }, { status: 200 }]);
    const id = await texts.send();
    await texts.triedOnce(id);
    const [{ isWithinADay }] = (await texts.query<{ isWithinADay: boolean }>(sql`
      select next_attempt_at < now() + interval '1 day' as "isWithinADay" from message_sends where message_id = ${id}`)) as [
      { isWithinADay: boolean },
    ];
    assert.ok(isWithinADay);
    assert.equal(asked.received.length, 1);
  }),
);

test.concurrent(
  'a text with which the body of a provider cannot be rendered fails at once, and the provider goes on',
  apart(async ({ texts, makeHttp }) => {
    const asked = await makeHttp([{ status: 200, body: '{"id":"a"}' }]);
    const text = '{% if text contains "loop" %}{% for i in (1..9999999) %}x{% endfor %}{% endif %}{{text}}';
    const config = { url: asked.url, body: { to: '{{to}}', text }, idPath: 'id' };
    await texts.call('PUT', `/channels/providers/${asked.id}`, 200, { config });
    const id = await texts.send('loop');
    assert.equal((await texts.ends(id, 'FAILED')).reason, 'template_limit');
    await texts.ends(await texts.send(), 'SENT');
    assert.equal(asked.received.length, 1);
  }),
);

test.concurrent(
  'an answer that breaks off says nothing: the text is in doubt',
  apart(async ({ texts, makeHttp, addProvider }) => {
    let asked = 0;
    const server = createServer((request, response) => {
      request.resume().on('end', () => {
        asked += 1;
        response.writeHead(200, { 'content-length': '100' }).write('{"id":"a"', () => response.destroy());
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const config = { url: `http://127.0.0.1:${port}`, body: { to: '{{to}}' }, idPath: 'id' };
    const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
    await addProvider({ name: 'Breaks off', channel: 'sms', type: 'http', priority: 1, config }, close);
    const other = await makeHttp([{ status: 200 }], { priority: 2 });
    const id = await texts.send();
    await texts.ends(id, 'UNKNOWN');
    await texts.ends(await texts.send(), 'SENT');
    assert.deepEqual([asked, other.received.length], [1, 1]);
  }),
);

test.concurrent.each([400, 409, 422])(
  'a provider that knows the message by its key, and refuses it the second time with %i, may have accepted it before',
  apart(async ({ texts, makeHttp, wake }, status) => {
    const keyed = await makeHttp([{ status: 500 }, { status }], { idempotencyHeader: 'Idempotency-Key' });
    const other = await makeHttp([{ status: 200 }], { priority: 2 });
    const id = await texts.send();
    await texts.triedOnce(id);
    await wake(keyed.id);
    const ended = await until('the second attempt is settled', async () => {
      const found = await texts.message(id);
      return !['QUEUED', 'SENDING'].includes(found.status) && found;
    });
    assert.deepEqual([ended.status, ended.reason], ['UNKNOWN', 'no_reply']);
    assert.deepEqual([keyed.received.length, other.received.length], [2, 0]);
    const keys = keyed.received.map(({ headers }) => headers['idempotency-key']);
    assert.ok(keys[0] !== undefined && keys[0] === keys[1]);
  }),
);
