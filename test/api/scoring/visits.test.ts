import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { makeContactToken } from '../../../domain/addresses/contact-token.ts';
import { createLinkSigner } from '../../../domain/addresses/tokens.ts';
import { sql, tenantEm } from '../../../db/orm.ts';
import { requestErasure } from '../../../domain/contacts/erasure/erasures.ts';
import { recordVisit } from '../../../domain/scoring/visits/record-visit.ts';
import { recordWebVisits } from '../../../domain/scoring/visits/record-web-visits.ts';
import { problemsOf } from '../../support/accounts.ts';
import { settled } from '../../support/events.ts';
import type { Answer, Service } from '../../support/service.ts';
import { newMember } from '../../support/users.ts';
import { startVariant } from '../../support/variant.ts';
import { PAGE, startVisitors, type Visitors } from '../../support/visits.ts';

const DAY_MS = 86_400_000;

let service: Service;
let site: Visitors;
beforeAll(async () => {
  ({ service, site } = await startVisitors());
});
afterAll(() => service.stop());

test('a visit with a token is in the timeline and gives the points of its rule', async () => {
  const id = await site.person();
  const answer = await site.visit(id, {
    referrer: 'https://search.example/?q=mill',
    title: 'Prices – Mill',
    later: true,
  });
  assert.deepEqual([answer.status, answer.body], [204, '']);
  assert.deepEqual(await site.visitsOf(id), [
    { contactId: id, url: PAGE, referrer: 'https://search.example/?q=mill', title: 'Prices – Mill' },
  ]);
  assert.equal(await site.scoreOf(id), 2);
  // JSON as such is taken too, and what is empty is left out.
  const other = await site.person();
  const body = { site: 'default', contactToken: site.tokenOf(other), url: PAGE, referrer: null, title: '' };
  assert.equal((await service.api('POST', '/scoring/visits', body, { token: null })).status, 204);
  assert.deepEqual(await site.visitsOf(other), [{ contactId: other, url: PAGE }]);
});

test('passwords and tokens in addresses are not kept', async () => {
  const id = await site.person();
  const token = site.tokenOf(id);
  await site.visit(id, {
    url: `https://ada:secret@www.example.com/a?contactToken=${token}&x=%20#part`,
    referrer: `https://www.example.com/?a=1&contact%54oken=${token}`,
  });
  assert.deepEqual(await site.visitsOf(id), [
    { contactId: id, url: 'https://www.example.com/a?x=%20#part', referrer: 'https://www.example.com/?a=1' },
  ]);
  const written = await service.api('POST', '/scoring/events', {
    contactId: id,
    type: 'WEBSITE_VISITED',
    data: { url: `https://:secret@www.example.com/b?contactToken=${token}`, title: 'B' },
  });
  assert.equal(written.status, 202);
  assert.deepEqual((await site.visitsOf(id))[1], { contactId: id, url: 'https://www.example.com/b', title: 'B' });
});

test('tokens in the routes of applications, and in addresses within addresses, are not kept either', async () => {
  const id = await site.person();
  const token = site.tokenOf(id);
  await site.visit(id, {
    url: `https://www.example.com/#/prices?a=1&contactToken=${token}`,
    referrer: `https://www.example.com/go?u=https%3A%2F%2Fb.example%2F%3FcontactToken%3D${token}&b=1`,
  });
  assert.deepEqual(await site.visitsOf(id), [
    { contactId: id, url: 'https://www.example.com/#/prices?a=1', referrer: 'https://www.example.com/go?b=1' },
  ]);
});

test('what is not a valid token of a contact of the site is answered alike, and nothing is kept', async () => {
  const id = await site.person();
  const gone = await site.person();
  const goneToken = site.tokenOf(gone);
  assert.equal((await service.api('DELETE', `/contacts/${gone}`)).status, 204);
  const stranger = createLinkSigner({ secret: 'another secret that nobody here knows' });
  const good = site.tokenOf(id);
  const tokens: Record<string, string> = {
    forged: makeContactToken(stranger, 'default', id),
    changed: `${good.slice(0, -1)}${good.endsWith('A') ? 'B' : 'A'}`,
    'with more behind it': `${good}=`,
    'of another purpose': service.deps.links.sign('form', ['default', String(id), String(Date.now() + DAY_MS)]),
    expired: site.tokenOf(id, 'default', Date.now() - 31 * DAY_MS),
    'of another tenant': site.tokenOf(id, 'elsewhere'),
    'of a deleted contact': goneToken,
    'of a contact that never was': site.tokenOf(999_999_999),
    empty: '',
  };
  const events = async () =>
    (
      await site.engine<{ n: number }>(
        sql`select count(*)::int as n from contact_activities where type = 'WEBSITE_VISITED'`,
      )
    )[0]!.n;
  await settled(service, 'scoring', 'contact');
  const before = await events();
  for (const [what, contactToken] of Object.entries(tokens)) {
    const { status, body } = await site.tell({
      site: 'default',
      contactToken,
      url: `${PAGE}?${encodeURIComponent(what)}`,
    });
    assert.deepEqual([status, body], [204, ''], what);
  }
  // A token of a tenant counts only on that tenant's site.
  assert.equal((await site.visit(id, { site: 'elsewhere' })).status, 204);
  await settled(service, 'scoring', 'contact');
  assert.equal(await events(), before);
  assert.equal(await site.scoreOf(id), 0);
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
    const contactToken = site.tokenOf(contact.id, user.tenantId);
    await site.tell({ site: 'default', contactToken, url: `${PAGE}?wrong` });
    await site.tell({ site: user.tenantId, contactToken, url: `${PAGE}?right` });
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
  const id = await site.person();
  const token = site.tokenOf(id);
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
    assert.deepEqual(problemsOf(await site.tell({ ...good, url })), ['/url format'], url);
    assert.deepEqual(problemsOf(await site.tell({ ...good, referrer: url })), ['/referrer format'], url);
    const event = { contactId: id, type: 'WEBSITE_VISITED', data: { url, referrer: url } };
    assert.deepEqual(problemsOf(await service.api('POST', '/scoring/events', event)), [
      '/data/referrer format',
      '/data/url format',
    ]);
  }
  const long = `https://www.example.com/${'x'.repeat(2048)}`;
  assert.deepEqual(
    problemsOf(
      await site.tell({ site: 'Not A Site', url: long, referrer: 'mailto:a@example.com', title: 'x'.repeat(301) }),
    ),
    ['/contactToken required', '/referrer format', '/site format', '/title too_long', '/url too_long'],
  );
  assert.deepEqual(problemsOf(await site.tell({ ...good, title: 'a\u0000b' })), ['/title invalid_character']);
  assert.equal((await site.tell('not JSON')).body.code, 'malformed_json');
  assert.equal((await site.tell('')).status, 400);
  assert.equal((await site.tell({ ...good, more: 'x'.repeat(16 * 1024) })).status, 413);
  assert.equal((await site.tell(good, { 'content-type': 'text/html' })).status, 415);
  assert.deepEqual(await site.visitsOf(id), []);
});

const CALLER = {
  tenantId: 'default',
  actor: { type: 'user', id: 1, name: 'admin' },
  requestId: 'r',
  address: '127.0.0.1',
} as const;
const event = (contactId: number) => ({ contactId, type: 'WEBSITE_VISITED', data: { url: PAGE } });

test('visits of a contact that is being erased are not kept', async () => {
  const [id, other] = [await site.person(), await site.person()];
  // No process executes its workflow, so the erasure stays open.
  assert.equal((await service.api('POST', `/contacts/${id}/erase`)).status, 202);
  const [told, toldOfOther] = await Promise.all([site.visit(id), site.visit(other)]);
  assert.deepEqual([told.status, toldOfOther.status], [204, 204]);
  const refused = await service.api('POST', '/scoring/events', event(id));
  assert.deepEqual([refused.status, refused.body.code], [409, 'conflict']);
  assert.deepEqual([await site.visitsOf(id), (await site.visitsOf(other)).length], [[], 1]);
  assert.deepEqual(await site.engine(sql`select 1 from recent_visits where contact_id = ${id}`), []);
});

test('the request for an erasure waits for visits that are being recorded, so it finds their events', async () => {
  const em = tenantEm(service.deps.orm, 'default');
  const origin = { tenantId: 'default', requestId: 'r' };
  const ways = [
    (tx: typeof em, contactId: number) => recordVisit(tx, origin, { contactId, page: { url: PAGE } }),
    (tx: typeof em, contactId: number) =>
      recordWebVisits(tx, [{ ...origin, contactId, madeAt: new Date(), page: { url: PAGE } }]),
  ];
  for (const record of ways) {
    const id = await site.person();
    const erased = await em.fork().transactional(async (tx) => {
      await record(tx, id);
      const asked = service.api('POST', `/contacts/${id}/erase`);
      await site.untilBlocked();
      assert.deepEqual(await site.engine(sql`select 1 from erasures where contact_id = ${id}`), []);
      return { asked };
    });
    assert.equal((await erased.asked).status, 202);
    assert.equal((await site.visitsOf(id)).length, 1);
  }
});

test('a visit that waits for the request of an erasure sees it', async () => {
  const id = await site.person();
  const { answers } = await tenantEm(service.deps.orm, 'default').transactional(async (tx) => {
    await requestErasure(tx, CALLER, id);
    const waiting = [service.api('POST', '/scoring/events', event(id)), site.visit(id)];
    await site.untilBlocked(2);
    return { answers: Promise.all(waiting) };
  });
  assert.deepEqual(
    (await answers).map(({ status }) => status),
    [409, 204],
  );
  assert.deepEqual(await site.visitsOf(id), []);
});

test('an erasure forgets visits, and the token stops working', async () => {
  const id = await site.person();
  const token = site.tokenOf(id);
  await site.visit(id);
  await settled(service, 'scoring', 'contact');
  assert.equal((await service.api('DELETE', `/contacts/${id}`)).status, 204);
  assert.deepEqual(await site.engine(sql`select 1 from recent_visits where contact_id = ${id}`), []);
  assert.equal((await site.tell({ site: 'default', contactToken: token, url: `${PAGE}?after` })).status, 204);
  assert.deepEqual(await site.engine(sql`select 1 from recent_visits where contact_id = ${id}`), []);
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
  const [id, other] = [await site.person(), await site.person()];
  await site.visit(id, { referrer: 'https://search.example/', title: 'Prices' });
  await site.visit(other, { url: 'https://www.example.com/', title: 'Home' });
  await settled(service, 'scoring', 'contact');
  assert.deepEqual([await site.scoreOf(id), await site.scoreOf(other)], [302, 2]);
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
  const told = await site.visit(await site.person(), {}, { origin: 'https://www.example.com' });
  assert.deepEqual(
    ['access-control-allow-origin', 'access-control-allow-credentials', 'set-cookie'].map((name) =>
      told.headers.get(name),
    ),
    ['*', null, null],
  );
});
