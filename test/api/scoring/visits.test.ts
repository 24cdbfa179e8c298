import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { createLinkSigner } from '../../../domain/addresses/tokens.ts';
import { makeContactToken } from '../../../domain/addresses/contact-token.ts';
import { deleteOldVisits } from '../../../domain/scoring/record-web-visits.ts';
import { engineEm, rows, sql, type RawBuilder } from '../../../db/orm.ts';
import type { EventBatch } from '../../../events/contracts.ts';
import { batchSubject } from '../../../events/streams.ts';
import { problemsOf } from '../../support/accounts.ts';
import { makeContact } from '../../support/mail/emails.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';
import { settled } from '../../support/events.ts';
import { newMember } from '../../support/users.ts';
import { startVariant } from '../../support/variant.ts';

const PAGE = 'https://www.example.com/prices';
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36';
const DAY_MS = 86_400_000;

let service: Service;
beforeAll(async () => {
  service = await startService({ worker: ['consumers', 'relay'] });
});
afterAll(() => service.stop());

const engine = <Row>(query: RawBuilder<unknown>): Promise<Row[]> =>
  engineEm(service.deps.orm).transactional((tx) => rows<Row>(tx, query));
const person = async (): Promise<number> => (await makeContact(service)).id;
const tokenOf = (contactId: number, tenantId = 'default', now?: number): string =>
  makeContactToken(service.deps.links, tenantId, contactId, now);

/** Tells of a visit as a browser does. */
const tell = (body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
  service.api('POST', '/scoring/visits', typeof body === 'string' ? body : JSON.stringify(body), {
    token: null,
    headers: { 'content-type': 'text/plain;charset=UTF-8', 'user-agent': BROWSER, ...headers },
  });
const visit = (contactId: number, more: object = {}, headers: Record<string, string> = {}): Promise<Answer> =>
  tell({ site: 'default', contactToken: tokenOf(contactId), url: PAGE, ...more }, headers);

/** The data of the visits in a contact's timeline, in order. */
async function visitsOf(contactId: number): Promise<Record<string, unknown>[]> {
  await settled(service, 'scoring', 'contact');
  const { data } = (await service.api('GET', `/contacts/${contactId}/activities?sort=id&limit=200`)).body;
  return data.filter(({ type }: Answer['body']) => type === 'WEBSITE_VISITED').map(({ data }: Answer['body']) => data);
}
const scoreOf = async (contactId: number): Promise<number> =>
  (await service.api('GET', `/scoring/contacts/${contactId}`)).body.totalScore;

test('a visit with a token is in the timeline and gives the points of its rule', async () => {
  const id = await person();
  const answer = await visit(id, { referrer: 'https://search.example/?q=mill', title: 'Prices – Mill', later: true });
  assert.deepEqual([answer.status, answer.body], [204, '']);
  assert.deepEqual(await visitsOf(id), [
    { contactId: id, url: PAGE, referrer: 'https://search.example/?q=mill', title: 'Prices – Mill' },
  ]);
  assert.equal(await scoreOf(id), 2);
  // JSON as such is taken too, and what is empty is left out.
  const other = await person();
  const body = { site: 'default', contactToken: tokenOf(other), url: PAGE, referrer: null, title: '' };
  assert.equal((await service.api('POST', '/scoring/visits', body, { token: null })).status, 204);
  assert.deepEqual(await visitsOf(other), [{ contactId: other, url: PAGE }]);
});

test('passwords and tokens in addresses are not kept', async () => {
  const id = await person();
  const token = tokenOf(id);
  await visit(id, {
    url: `https://ada:secret@www.example.com/a?contactToken=${token}&x=%20#part`,
    referrer: `https://www.example.com/?a=1&contact%54oken=${token}`,
  });
  assert.deepEqual(await visitsOf(id), [
    { contactId: id, url: 'https://www.example.com/a?x=%20#part', referrer: 'https://www.example.com/?a=1' },
  ]);
  const written = await service.api('POST', '/scoring/events', {
    contactId: id,
    type: 'WEBSITE_VISITED',
    data: { url: `https://:secret@www.example.com/b?contactToken=${token}`, title: 'B' },
  });
  assert.equal(written.status, 202);
  assert.deepEqual((await visitsOf(id))[1], { contactId: id, url: 'https://www.example.com/b', title: 'B' });
});

test('what is not a valid token of a contact of the site is answered alike, and nothing is kept', async () => {
  const id = await person();
  const gone = await person();
  const goneToken = tokenOf(gone);
  assert.equal((await service.api('DELETE', `/contacts/${gone}`)).status, 204);
  const stranger = createLinkSigner({ secret: 'another secret that nobody here knows' });
  const good = tokenOf(id);
  const tokens: Record<string, string> = {
    forged: makeContactToken(stranger, 'default', id),
    changed: `${good.slice(0, -1)}${good.endsWith('A') ? 'B' : 'A'}`,
    'with more behind it': `${good}=`,
    'of another purpose': service.deps.links.sign('form', ['default', String(id), String(Date.now() + DAY_MS)]),
    expired: tokenOf(id, 'default', Date.now() - 31 * DAY_MS),
    'of another tenant': tokenOf(id, 'elsewhere'),
    'of a deleted contact': goneToken,
    'of a contact that never was': tokenOf(999_999_999),
    empty: '',
  };
  const events = async () =>
    (
      await engine<{ n: number }>(sql`select count(*)::int as n from contact_activities where type = 'WEBSITE_VISITED'`)
    )[0]!.n;
  await settled(service, 'scoring', 'contact');
  const before = await events();
  for (const [what, contactToken] of Object.entries(tokens)) {
    const { status, body } = await tell({ site: 'default', contactToken, url: `${PAGE}?${encodeURIComponent(what)}` });
    assert.deepEqual([status, body], [204, ''], what);
  }
  // A token of a tenant counts only on that tenant's site.
  assert.equal((await visit(id, { site: 'elsewhere' })).status, 204);
  await settled(service, 'scoring', 'contact');
  assert.equal(await events(), before);
  assert.equal(await scoreOf(id), 0);
});

test("a token of another tenant's contact counts on that tenant's site only", async () => {
  const variant = await startVariant(service, { ENABLE_MULTI_TENANT: true });
  try {
    const { token, user } = await newMember(variant.api);
    const { body: contact } = await variant.api(
      'POST',
      '/contacts',
      { firstName: 'B', lastName: 'C', email: 'b@example.com' },
      { token },
    );
    const embed = await variant.api('GET', '/scoring/visits/embed', undefined, { token });
    assert.equal(embed.body.site, user.tenantId);
    const contactToken = tokenOf(contact.id, user.tenantId);
    await tell({ site: 'default', contactToken, url: `${PAGE}?wrong` });
    await tell({ site: user.tenantId, contactToken, url: `${PAGE}?right` });
    await settled(service, 'scoring', 'contact');
    const { data } = (await variant.api('GET', `/contacts/${contact.id}/activities`, undefined, { token })).body;
    assert.deepEqual(
      data.flatMap(({ type, data }: Answer['body']) => (type === 'WEBSITE_VISITED' ? [data.url] : [])),
      [`${PAGE}?right`],
    );
  } finally {
    await variant.stop();
  }
});

test('malformed visits are refused with every violation', async () => {
  const id = await person();
  const token = tokenOf(id);
  const good = { site: 'default', contactToken: token, url: PAGE };
  for (const url of [
    'javascript:alert(1)',
    'data:text/html,hello',
    'ftp://www.example.com/',
    '//www.example.com/',
    '/prices',
    'https://',
    'https://www.example.com/a\r\nSet-Cookie: x=1',
    'https://www.example.com/a b',
    ' https://www.example.com/',
  ]) {
    assert.deepEqual(problemsOf(await tell({ ...good, url })), ['/url format'], url);
    assert.deepEqual(problemsOf(await tell({ ...good, referrer: url })), ['/referrer format'], url);
    const event = { contactId: id, type: 'WEBSITE_VISITED', data: { url, referrer: url } };
    assert.deepEqual(problemsOf(await service.api('POST', '/scoring/events', event)), [
      '/data/referrer format',
      '/data/url format',
    ]);
  }
  const long = `https://www.example.com/${'x'.repeat(2048)}`;
  assert.deepEqual(
    problemsOf(await tell({ site: 'Not A Site', url: long, referrer: 'mailto:a@example.com', title: 'x'.repeat(301) })),
    ['/contactToken required', '/referrer format', '/site format', '/title too_long', '/url too_long'],
  );
  assert.deepEqual(problemsOf(await tell({ ...good, title: 'a\u0000b' })), ['/title invalid_character']);
  assert.equal((await tell('not JSON')).body.code, 'malformed_json');
  assert.equal((await tell('')).status, 400);
  assert.equal((await tell({ ...good, more: 'x'.repeat(16 * 1024) })).status, 413);
  assert.equal((await tell(good, { 'content-type': 'text/html' })).status, 415);
  assert.deepEqual(await visitsOf(id), []);
});

test('robots, and pages that are loaded in advance, are no visits', async () => {
  const id = await person();
  const ignored: Record<string, string>[] = [
    { 'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' },
    { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0; BarracudaCentral)' },
    { 'user-agent': 'Slackbot-LinkExpanding 1.0' },
    { 'sec-purpose': 'prefetch' },
    { 'sec-purpose': 'prefetch;prerender' },
    { purpose: 'prefetch' },
    { 'x-moz': 'prefetch' },
    { 'x-purpose': 'preview' },
  ];
  for (const headers of ignored) {
    const { status } = await visit(id, {}, headers);
    assert.equal(status, 204, JSON.stringify(headers));
  }
  assert.deepEqual(await visitsOf(id), []);
  assert.equal((await service.api('HEAD', '/scoring/visits', undefined, { token: null })).status, 405);
  await visit(id);
  assert.equal((await visitsOf(id)).length, 1);
});

test('a page that is visited again within ten seconds counts once, from however many tabs', async () => {
  const id = await person();
  const statuses = await Promise.all(Array.from({ length: 50 }, () => visit(id)));
  assert.ok(statuses.every(({ status }) => status === 204));
  await visit(id, { url: `${PAGE}?contactToken=${tokenOf(id)}` });
  await visit(id, { url: 'https://www.example.com/other' });
  await visit(id);
  assert.deepEqual(
    (await visitsOf(id)).map(({ url }) => url),
    [PAGE, 'https://www.example.com/other'],
  );
  assert.equal(await scoreOf(id), 4);
  await engine(sql`update recent_visits set at = at - interval '11 seconds' where contact_id = ${id}`);
  await visit(id);
  assert.equal((await visitsOf(id)).length, 3);
  assert.equal(await scoreOf(id), 6);
});

test('of a flood of pages of one contact, sixty a minute count, and others lose nothing by it', async () => {
  const [id, other] = [await person(), await person()];
  const answers = await Promise.all([
    ...Array.from({ length: 200 }, (_, n) => visit(id, { url: `${PAGE}?page=${n}` })),
    visit(other),
  ]);
  assert.ok(answers.every(({ status }) => status === 204));
  await visit(id, { url: `${PAGE}?page=more` });
  assert.equal((await visitsOf(id)).length, 60);
  assert.equal((await visitsOf(other)).length, 1);
  // A minute later it may go on, and the notes are deleted.
  await engine(sql`update recent_visits set at = at - interval '61 seconds' where contact_id = ${id}`);
  await visit(id, { url: `${PAGE}?page=more` });
  assert.equal((await visitsOf(id)).length, 61);
  await deleteOldVisits(engineEm(service.deps.orm));
  assert.deepEqual(await engine(sql`select 1 from recent_visits where contact_id = ${id}`), [{ '?column?': 1 }]);
});

test('visits that come at once share rows of the outbox', async () => {
  const people = await Promise.all(Array.from({ length: 50 }, person));
  await settled(service, 'scoring', 'contact');
  const batches = service.deps.nats.connection.subscribe(batchSubject('WEBSITE_VISITED'));
  await Promise.all(people.map((id) => visit(id)));
  await settled(service, 'scoring', 'contact');
  batches.unsubscribe();
  const rowsOfOutbox: EventBatch[] = [];
  for await (const message of batches) rowsOfOutbox.push(message.json<EventBatch>());
  const told = rowsOfOutbox.flatMap(({ events }) => events.map(({ data }) => data['contactId'] as number));
  assert.deepEqual(
    told.sort((a, b) => a - b),
    people.sort((a, b) => a - b),
  );
  assert.ok(rowsOfOutbox.length <= people.length / 2, `${rowsOfOutbox.length} rows`);
});

test('an erasure forgets visits, and the token stops working', async () => {
  const id = await person();
  const token = tokenOf(id);
  await visit(id);
  await settled(service, 'scoring', 'contact');
  assert.equal((await service.api('DELETE', `/contacts/${id}`)).status, 204);
  assert.deepEqual(await engine(sql`select 1 from recent_visits where contact_id = ${id}`), []);
  assert.equal((await tell({ site: 'default', contactToken: token, url: `${PAGE}?after` })).status, 204);
  assert.deepEqual(await engine(sql`select 1 from recent_visits where contact_id = ${id}`), []);
});

test('rules and segments can ask for the address, the page before it and the title', async () => {
  for (const [field, value] of [
    ['url', 'prices'],
    ['referrer', 'search.example'],
    ['title', 'Prices'],
  ]) {
    const rule = await service.api('POST', '/scoring/rules', {
      name: `by ${field}`,
      eventType: 'WEBSITE_VISITED',
      points: 100,
      conditions: [{ field, operator: 'contains', value }],
    });
    assert.equal(rule.status, 201, JSON.stringify(rule.body));
  }
  const leaf = (field: string, value: string) => ({
    event: 'WEBSITE_VISITED',
    operator: 'atLeast',
    count: 1,
    where: [{ field, operator: 'contains', value }],
  });
  const [id, other] = [await person(), await person()];
  await visit(id, { referrer: 'https://search.example/', title: 'Prices' });
  await visit(other, { url: 'https://www.example.com/', title: 'Home' });
  await settled(service, 'scoring', 'contact');
  assert.deepEqual([await scoreOf(id), await scoreOf(other)], [302, 2]);
  for (const filter of [leaf('title', 'Prices'), leaf('referrer', 'search.example')]) {
    const preview = await service.api('POST', '/contacts/segments/preview', { filter });
    assert.equal(preview.status, 200, JSON.stringify(preview.body));
    assert.ok(JSON.stringify(preview.body).includes(`"id":${id},`), JSON.stringify(preview.body));
    assert.ok(!JSON.stringify(preview.body).includes(`"id":${other},`));
  }
});

test('the script is the same for every site, small, and cached for minutes', async () => {
  const { body: embed } = await service.api('GET', '/scoring/visits/embed');
  const src = `${service.url}/api/v1/scoring/visits/script.js?site=default`;
  assert.deepEqual(embed, { site: 'default', code: `<script src="${src}" defer></script>` });
  const answer = await fetch(src, { headers: { origin: 'https://www.example.com' } });
  const code = await answer.text();
  assert.equal(answer.headers.get('content-type'), 'text/javascript; charset=utf-8');
  assert.equal(answer.headers.get('cache-control'), 'public, max-age=300');
  assert.equal(answer.headers.get('access-control-allow-origin'), '*');
  assert.equal(answer.headers.get('cross-origin-resource-policy'), 'cross-origin');
  assert.equal(answer.headers.get('set-cookie'), null);
  const again = await fetch(src, { headers: { 'if-none-match': answer.headers.get('etag')! } });
  assert.equal(again.status, 304);
  const elsewhere = await fetch(src.replace('site=default', 'site=elsewhere&utm_source=x'));
  assert.equal(await elsewhere.text(), code);
  const { status, body } = await service.api('GET', '/scoring/visits/script.js', undefined, { token: null });
  assert.deepEqual(
    [status, body.errors.map((one: Answer['body']) => `${one.path} ${one.code}`)],
    [400, ['/site required']],
  );
});

test('pages of any origin may tell of visits, without cookies', async () => {
  const asked = await fetch(`${service.url}/api/v1/scoring/visits`, {
    method: 'OPTIONS',
    headers: {
      origin: 'https://www.example.com',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type',
    },
  });
  assert.equal(asked.status, 204);
  assert.equal(asked.headers.get('access-control-allow-origin'), '*');
  const told = await visit(await person(), {}, { origin: 'https://www.example.com' });
  assert.deepEqual(
    ['access-control-allow-origin', 'access-control-allow-credentials', 'set-cookie'].map((name) =>
      told.headers.get(name),
    ),
    ['*', null, null],
  );
});
