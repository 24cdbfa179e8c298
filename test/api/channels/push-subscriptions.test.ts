import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, test } from '@jest/globals';
import { makeContactToken } from '../../../domain/addresses/contact-token.ts';
import { memberWith, newRole, newTenant } from '../../support/accounts.ts';
import { MOST_UNLINKED } from '../../../domain/channels/devices/subscriptions.ts';
import { shownEndpoint } from '../../../domain/channels/people/shown-endpoint.ts';
import { channelsOf } from '../../support/channels.ts';
import { newBrowser, pushing, type Site } from '../../support/channels/pushing.ts';
import { startService, type Service } from '../../support/service.ts';
import { sql } from '../../../db/orm.ts';

let service: Service;
let site: Site;
let push: ReturnType<typeof pushing>;
let channels: ReturnType<typeof channelsOf>;
beforeAll(async () => {
  service = await startService();
  push = pushing(service);
  channels = channelsOf(service);
  site = await push.makeSite();
});
afterAll(() => service.stop());

const tokenFor = (contactId: number, tenantId = 'default'): string =>
  makeContactToken(service.deps.links, tenantId, contactId);
const read = async (id: number) => (await service.api('GET', `/channels/push/subscriptions/${id}`)).body;
const eventsOf = (contactId: number) =>
  channels.engine<{ type: string; data: Record<string, unknown> }>(sql`
    select o.type, e -> 'data' as data from outbox_events o cross join lateral jsonb_array_elements(o.events) e
    where e -> 'data' ->> 'contactId' = ${String(contactId)} and o.type like 'CHANNEL%'`);

test('a browser subscribes with proof of whose it is, and again under the same id', async () => {
  const person = await channels.makePerson();
  const browser = newBrowser();
  const more = { contactToken: tokenFor(person.id), timezone: 'europe/berlin', locale: 'de_at', unknown: 1 };
  const made = await push.subscribe(site, browser, more);
  assert.equal(made.status, 201, JSON.stringify(made.body));
  assert.equal(made.headers.get('access-control-allow-origin'), 'https://www.example.com');
  assert.deepEqual(Object.keys(made.body).sort(), ['id', 'token']);
  const again = await push.subscribe(site, browser);
  assert.equal(again.status, 200);
  assert.deepEqual(again.body, made.body);
  const { createdAt: _, updatedAt: __, ...shown } = await read(made.body.id);
  assert.deepEqual(shown, {
    ...{ id: made.body.id, type: 'webpush', status: 'active', contactId: person.id, siteId: site.id },
    ...{ endpoint: shownEndpoint(browser.subscription.endpoint), expiresAt: null, replacedBy: null, platform: null },
    ...{ timezone: 'Europe/Berlin', locale: 'de-AT', tenantId: 'default' },
  });
  const preferences = await service.api('GET', `/channels/preferences?contactId=${person.id}`);
  assert.equal(preferences.body.channels.push.devices, 1);
});

test('whoever may only read devices does not learn an endpoint with which to take one over', async () => {
  const browser = newBrowser();
  const { body } = await push.subscribe(site, browser);
  const { endpoint } = await read(body.id);
  assert.equal(endpoint, `https://fcm.googleapis.com/…${browser.subscription.endpoint.slice(-6)}`);
  const { data } = (await service.api('GET', '/channels/push/subscriptions?limit=200')).body;
  assert.ok(!JSON.stringify(data).includes(browser.subscription.endpoint));
});

test('fifty requests for one browser at once make one subscription', async () => {
  const person = await channels.makePerson();
  const browser = newBrowser();
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => push.subscribe(site, browser, { contactToken: tokenFor(person.id) })),
  );
  assert.equal(answers.filter(({ status }) => status === 201).length, 1);
  assert.equal(new Set(answers.map(({ body }) => body.id)).size, 1);
  assert.ok(answers.every(({ status }) => status === 200 || status === 201));
});

test('the first device of a contact subscribes it, and the end of the last unsubscribes it, once each', async () => {
  const person = await channels.makePerson();
  const more = { contactToken: tokenFor(person.id) };
  const made = await Promise.all([1, 2, 3].map(() => push.subscribe(site, newBrowser(), more)));
  for (const { body } of made) {
    const { status } = await push.asPage('DELETE', `/channels/push/subscriptions/${body.id}?token=${body.token}`);
    assert.equal(status, 204);
  }
  const told = await eventsOf(person.id);
  assert.deepEqual(
    told.map(({ type, data }) => `${type} ${String(data['channel'])} ${String(data['reason'])}`).sort(),
    ['CHANNEL_SUBSCRIBED push device', 'CHANNEL_UNSUBSCRIBED push device'],
  );
});

test('a contact whose last device becomes that of somebody else is unsubscribed, and subscribed with its next one', async () => {
  const [first, second] = [await channels.makePerson(), await channels.makePerson()];
  const browser = newBrowser();
  const { body } = await push.subscribe(site, browser, { contactToken: tokenFor(first.id) });
  await push.subscribe(site, browser, { contactToken: tokenFor(second.id) });
  assert.equal(
    (await service.api('PUT', `/channels/push/subscriptions/${body.id}`, { contactId: first.id })).status,
    200,
  );
  const told = async ({ id }: { id: number }) =>
    (await eventsOf(id)).map(({ type, data }) => `${type} ${String(data['reason'])}`);
  assert.deepEqual(await told(first), [
    'CHANNEL_SUBSCRIBED device',
    'CHANNEL_UNSUBSCRIBED moved',
    'CHANNEL_SUBSCRIBED api',
  ]);
  assert.deepEqual(await told(second), ['CHANNEL_SUBSCRIBED device', 'CHANNEL_UNSUBSCRIBED moved']);
  // Renewed as a browser of the other: the former one ends.
  await push.subscribe(site, newBrowser(), {
    contactToken: tokenFor(second.id),
    replaces: browser.subscription.endpoint,
  });
  assert.deepEqual((await told(first)).at(-1), 'CHANNEL_UNSUBSCRIBED moved');
  assert.deepEqual((await told(second)).at(-1), 'CHANNEL_SUBSCRIBED device');
});

test('two people in one browser: it belongs to who had it last, and nothing of the other is shown there', async () => {
  const [first, second] = [await channels.makePerson(), await channels.makePerson()];
  const browser = newBrowser();
  const { body } = await push.subscribe(site, browser, { contactToken: tokenFor(first.id) });
  const sent = await service.api('POST', '/channels/push/send', {
    recipientId: first.id,
    title: 'Hi',
    body: 'For you',
  });
  assert.equal(sent.status, 202, JSON.stringify(sent.body));
  const taken = await push.subscribe(site, browser, { contactToken: tokenFor(second.id) });
  assert.deepEqual([taken.status, taken.body.id], [200, body.id]);
  assert.equal((await read(body.id)).contactId, second.id);
});

test('a renewed subscription replaces the former one, by its endpoint or by its token, and keeps the contact', async () => {
  const person = await channels.makePerson();
  let former = newBrowser();
  let known = (await push.subscribe(site, former, { contactToken: tokenFor(person.id) })).body;
  for (const by of ['endpoint', 'token']) {
    const browser = newBrowser();
    const replaces = by === 'token' ? known.token : former.subscription.endpoint;
    const renewed = await push.subscribe(site, browser, { replaces });
    assert.equal(renewed.status, 201, by);
    const [old, now] = [await read(known.id), await read(renewed.body.id)];
    assert.deepEqual([old.status, old.replacedBy], ['replaced', renewed.body.id]);
    assert.deepEqual([now.status, now.contactId], ['active', person.id]);
    [former, known] = [browser, renewed.body];
  }
  const unknown = await push.subscribe(site, newBrowser(), { replaces: newBrowser().subscription.endpoint });
  assert.equal(unknown.status, 201);
});

test('a push that waits for a browser goes to its renewed subscription', async () => {
  const person = await channels.makePerson();
  const former = newBrowser();
  const { body } = await push.subscribe(site, former, { contactToken: tokenFor(person.id) });
  const sent = await service.api('POST', '/channels/push/send', { recipientId: person.id, title: 'Hi', body: 'Soon' });
  const renewed = await push.subscribe(site, newBrowser(), { replaces: body.token });
  const message = await service.api('GET', `/channels/messages/${sent.body.messageId}`);
  assert.deepEqual(
    message.body.devices.map((device: { subscriptionId: number }) => device.subscriptionId),
    [renewed.body.id],
  );
});

test('a push to one browser only goes to its renewed subscription, whether it has a contact or not', async () => {
  const person = await channels.makePerson();
  for (const more of [{ contactToken: tokenFor(person.id) }, {}]) {
    const { body } = await push.subscribe(site, newBrowser(), more);
    const ask = { subscriptionId: body.id, title: 'Hi', body: 'Soon' };
    const { messageId } = (await service.api('POST', '/channels/push/send', ask)).body;
    // As a sender has leased it for the former address.
    await channels.engine(sql`
      update message_sends set holder = 'test', lease_until = now() + interval '1 hour' where message_id = ${messageId}`);
    const renewed = await push.subscribe(site, newBrowser(), { replaces: body.token });
    assert.deepEqual(
      await channels.engine(sql`
        select m.subscription_id as message, s.subscription_id as send, s.status, s.holder
        from messages m join message_sends s on s.message_id = m.id where m.id = ${messageId}`),
      [{ message: renewed.body.id, send: renewed.body.id, status: 'QUEUED', holder: null }],
    );
  }
});

test('a push that waits for a person does not go to a renewed subscription of somebody else', async () => {
  const [first, second] = [await channels.makePerson(), await channels.makePerson()];
  const { body } = await push.subscribe(site, newBrowser(), { contactToken: tokenFor(first.id) });
  const ask = { subscriptionId: body.id, title: 'Hi', body: 'For you' };
  const { messageId } = (await service.api('POST', '/channels/push/send', ask)).body;
  await push.subscribe(site, newBrowser(), { contactToken: tokenFor(second.id), replaces: body.token });
  const { devices } = (await service.api('GET', `/channels/messages/${messageId}`)).body;
  assert.deepEqual(
    devices.map((device: { subscriptionId: number }) => device.subscriptionId),
    [body.id],
  );
});

const keysOf = (keys: object) => ({
  ...newBrowser().subscription,
  keys: { ...newBrowser().subscription.keys, ...keys },
});
const offCurve = Buffer.concat([Buffer.from([4]), Buffer.alloc(64, 1)]).toString('base64url');
test.each([
  [
    'http',
    { subscription: { ...newBrowser().subscription, endpoint: 'http://fcm.googleapis.com/x' } },
    '/subscription/endpoint',
  ],
  [
    'a foreign host',
    { subscription: { ...newBrowser().subscription, endpoint: 'https://push.example/x' } },
    '/subscription/endpoint',
  ],
  [
    'a host that ends alike',
    { subscription: { ...newBrowser().subscription, endpoint: 'https://evilfcm.googleapis.com.example/x' } },
    '/subscription/endpoint',
  ],
  [
    'a private address',
    { subscription: { ...newBrowser().subscription, endpoint: 'https://10.0.0.1/x' } },
    '/subscription/endpoint',
  ],
  [
    'metadata in disguise',
    { subscription: { ...newBrowser().subscription, endpoint: 'https://2852039166/x' } },
    '/subscription/endpoint',
  ],
  [
    'user information',
    { subscription: { ...newBrowser().subscription, endpoint: 'https://fcm.googleapis.com@10.0.0.1/x' } },
    '/subscription/endpoint',
  ],
  ['no URL', { subscription: { ...newBrowser().subscription, endpoint: 'hello' } }, '/subscription/endpoint'],
  ['a point beside the curve', { subscription: keysOf({ p256dh: offCurve }) }, '/subscription/keys/p256dh'],
  [
    'a compressed point',
    { subscription: keysOf({ p256dh: randomBytes(33).toString('base64url') }) },
    '/subscription/keys/p256dh',
  ],
  [
    '15 bytes of auth',
    { subscription: keysOf({ auth: randomBytes(15).toString('base64url') }) },
    '/subscription/keys/auth',
  ],
  [
    '17 bytes of auth',
    { subscription: keysOf({ auth: randomBytes(17).toString('base64url') }) },
    '/subscription/keys/auth',
  ],
  ['no keys', { subscription: { endpoint: newBrowser().subscription.endpoint } }, '/subscription/keys'],
  ['a time zone', { timezone: 'Mars/Olympus' }, '/timezone'],
  ['a language', { locale: 'x'.repeat(30) }, '/locale'],
  ['an invented token of a contact', { contactToken: 'AAAA' }, '/contactToken'],
  ['an invented former subscription', { replaces: 'AAAA' }, '/replaces'],
])('refuses %s', async (_, more, path) => {
  const answer = await push.subscribe(site, newBrowser(), more);
  assert.equal(answer.status, 400, JSON.stringify(answer.body));
  assert.deepEqual(
    answer.body.errors.map((error: { path: string }) => error.path),
    [path],
  );
});

test('tells everything that is wrong at once', async () => {
  const subscription = { endpoint: 'https://10.0.0.1/x', keys: { p256dh: 'AA', auth: 'AA' } };
  const answer = await push.asPage('POST', '/channels/push/subscriptions', {
    subscription,
    timezone: 'Mars',
    locale: 7,
  });
  assert.equal(answer.status, 400);
  assert.deepEqual(answer.body.errors.map((error: { path: string }) => error.path).sort(), [
    ...[
      '/locale',
      '/siteKey',
      '/subscription/endpoint',
      '/subscription/keys/auth',
      '/subscription/keys/p256dh',
      '/timezone',
    ],
  ]);
});

test('tokens of contacts of another tenant, and of deleted ones, link nobody', async () => {
  const person = await channels.makePerson();
  const other = await newTenant(service);
  const foreign = await push.subscribe(site, newBrowser(), { contactToken: tokenFor(person.id, other.user.tenantId) });
  assert.equal(foreign.status, 400);
  assert.equal((await service.api('DELETE', `/contacts/${person.id}`)).status, 204);
  assert.equal((await push.subscribe(site, newBrowser(), { contactToken: tokenFor(person.id) })).status, 400);
});

test('another origin is refused, and may not read why', async () => {
  const listedElsewhere = (await push.makeSite({ origins: ['https://other.example'] })).origins[0]!;
  for (const origin of ['https://evil.example', listedElsewhere, 'null', 'http://www.example.com']) {
    const answer = await push.subscribe(site, newBrowser(), {}, origin);
    assert.deepEqual([answer.status, answer.body.code], [403, 'origin_not_allowed'], origin);
    assert.equal(answer.headers.get('access-control-allow-origin'), null, origin);
  }
});

test('preflights are answered for the origins of sites only', async () => {
  const ask = (origin: string, path: string, method = 'POST') =>
    push.asPage('OPTIONS', path, undefined, origin, { 'access-control-request-method': method });
  for (const path of ['/channels/push/subscriptions', '/channels/push/events', '/channels/push/subscriptions/1']) {
    const own = await ask('https://www.example.com', path);
    assert.equal(own.status, 204);
    assert.equal(own.headers.get('access-control-allow-origin'), 'https://www.example.com');
    assert.match(own.headers.get('access-control-allow-methods')!, /POST.*DELETE/);
    assert.equal((await ask('https://evil.example', path)).headers.get('access-control-allow-origin'), null);
  }
  const elsewhere = await ask('https://www.example.com', '/contacts');
  assert.equal(elsewhere.headers.get('access-control-allow-origin'), null);
});

test('apps subscribe with a token of the API, for a contact', async () => {
  const person = await channels.makePerson();
  const app = { contactId: person.id, type: 'fcm', token: randomBytes(40).toString('base64url'), platform: 'android' };
  assert.equal((await push.asPage('POST', '/channels/push/subscriptions', app)).status, 401);
  const made = await service.api('POST', '/channels/push/subscriptions', app);
  assert.equal(made.status, 201, JSON.stringify(made.body));
  assert.equal((await service.api('POST', '/channels/push/subscriptions', app)).status, 200);
  const shown = await read(made.body.id);
  assert.deepEqual([shown.type, shown.contactId, shown.siteId, shown.platform], ['fcm', person.id, null, 'android']);
  const other = await channels.makePerson();
  const given = await service.api('POST', '/channels/push/subscriptions', { ...app, contactId: other.id });
  assert.equal(given.status, 200);
  const { data: log } = (
    await service.api('GET', `/auth/audit-log?resourceType=push_subscription&resourceId=${made.body.id}`)
  ).body;
  const is = { type: 'fcm', contactId: person.id, siteId: null, platform: 'android' };
  assert.deepEqual(
    log.map(({ action, before, after }: Record<string, unknown>) => [action, before, after]),
    [
      ['push_subscription.linked', { contactId: person.id }, { contactId: other.id }],
      ['push_subscription.created', null, is],
    ],
  );
  const lacking = await service.api('POST', '/channels/push/subscriptions', { type: 'fcm', platform: '\n' });
  assert.deepEqual(lacking.body.errors.map((error: { path: string }) => error.path).sort(), [
    ...['/contactId', '/platform', '/token'],
  ]);
  const nobody = await service.api('POST', '/channels/push/subscriptions', { ...app, contactId: 999_999_999 });
  assert.deepEqual([nobody.status, nobody.body.errors[0].path], [404, '/contactId']);
  const browser = { siteKey: site.siteKey, subscription: newBrowser().subscription, contactId: 999_999_999 };
  const nobodys = await service.api('POST', '/channels/push/subscriptions', browser);
  assert.deepEqual([nobodys.status, nobodys.body.errors[0].path], [404, '/contactId']);
  const reader = await memberWith(service, (await newRole(service, 'Reader', ['channels:read'])).name);
  assert.equal((await service.api('POST', '/channels/push/subscriptions', app, { token: reader.token })).status, 403);
  assert.equal((await service.api('POST', '/channels/push/subscriptions', app, { token: 'wrong' })).status, 401);
});

test("another tenant's caller cannot use a site, nor link or end what is not its own", async () => {
  const other = await newTenant(service);
  const { body } = await push.subscribe(site, newBrowser());
  const as = { token: other.token };
  const subscription = newBrowser().subscription;
  const path = `/channels/push/subscriptions/${body.id}`;
  assert.equal(
    (await service.api('POST', '/channels/push/subscriptions', { siteKey: site.siteKey, subscription }, as)).status,
    404,
  );
  assert.equal((await service.api('PUT', path, { contactId: null }, as)).status, 404);
  assert.equal((await service.api('DELETE', path, undefined, as)).status, 404);
  assert.equal((await read(body.id)).status, 'active');
});

test('PUT links a device, and takes it from its contact', async () => {
  const person = await channels.makePerson();
  const { body } = await push.subscribe(site, newBrowser());
  const path = `/channels/push/subscriptions/${body.id}`;
  assert.equal((await service.api('PUT', path, { contactId: person.id })).body.contactId, person.id);
  assert.deepEqual(
    (await eventsOf(person.id)).map(({ type }) => type),
    ['CHANNEL_SUBSCRIBED'],
  );
  assert.equal((await service.api('PUT', path, { contactId: 999_999_999 })).status, 404);
  assert.equal((await service.api('PUT', path, { contactId: null })).body.contactId, null);
  assert.equal((await service.api('PUT', path, {})).status, 200);
  assert.equal((await service.api('PUT', path, { status: 'gone' })).status, 400);
  assert.equal((await service.api('PUT', '/channels/push/subscriptions/999999999', { contactId: null })).status, 404);
});

test('only its own token, or one of the API, ends a subscription', async () => {
  const [one, two] = [(await push.subscribe(site, newBrowser())).body, (await push.subscribe(site, newBrowser())).body];
  const end = (query = '', origin?: string) =>
    push.asPage('DELETE', `/channels/push/subscriptions/${one.id}${query}`, undefined, origin);
  assert.equal((await end()).status, 401);
  assert.deepEqual([(await end('?token=AAAA')).status, (await end(`?token=${two.token}`)).status], [400, 400]);
  assert.equal((await end(`?token=${one.token}`, 'https://evil.example')).status, 403);
  const ended = await end(`?token=${one.token}&unknown=1`, 'https://www.example.com');
  assert.equal(ended.status, 204);
  assert.equal(ended.headers.get('access-control-allow-origin'), 'https://www.example.com');
  assert.equal((await end(`?token=${one.token}`)).status, 404);
  assert.equal((await service.api('DELETE', `/channels/push/subscriptions/${two.id}`)).status, 204);
});

test('a contact keeps its fifty latest devices', async () => {
  const person = await channels.makePerson();
  const contactToken = tokenFor(person.id);
  const ids: number[] = [];
  for (let n = 0; n < 52; n += 1) ids.push((await push.subscribe(site, newBrowser(), { contactToken })).body.id);
  const { data } = (
    await service.api('GET', `/channels/push/subscriptions?contactId=${person.id}&status=active&limit=200`)
  ).body;
  assert.deepEqual(
    data.map(({ id }: { id: number }) => id).sort((a: number, b: number) => a - b),
    ids.slice(2),
  );
});

test('a site keeps as many browsers of nobody as it may have: the oldest go, and none of a contact', async () => {
  const busy = await push.makeSite();
  const person = await channels.makePerson();
  const linked = await push.subscribe(busy, newBrowser(), { contactToken: tokenFor(person.id) });
  const elsewhere = await push.subscribe(site, newBrowser());
  await channels.engine(sql`
    with old as (
      update push_subscriptions set updated_at = now() - interval '1 year' where id in (${linked.body.id}, ${elsewhere.body.id}))
    insert into push_subscriptions (tenant_id, type, site_id, endpoint, digest, updated_at)
    select 'default', 'webpush', ${busy.id}, 'https://push.example.com/' || n, 'stranger ' || n, now() - n * interval '1 minute'
    from generate_series(1, ${MOST_UNLINKED}) n`);
  const strangers = async () =>
    (
      await channels.engine<{ digest: string }>(
        sql`select digest from push_subscriptions where site_id = ${busy.id} and contact_id is null order by updated_at desc`,
      )
    ).map(({ digest }) => digest);
  const made = await push.subscribe(busy, newBrowser());
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const left = await strangers();
  assert.equal(left.length, MOST_UNLINKED);
  const locked = await channels.engine(
    sql`select digest from push_subscriptions where site_id = ${busy.id} and digest like 'stranger %' and xmax <> 0`,
  );
  assert.deepEqual(locked, [], 'those that stay were not locked');
  assert.deepEqual(
    left.slice(1),
    Array.from({ length: MOST_UNLINKED - 1 }, (_, n) => `stranger ${n + 1}`),
  );
  await push.subscribe(busy, newBrowser(), { contactToken: tokenFor(person.id) });
  assert.equal((await strangers()).length, MOST_UNLINKED, "one of a contact takes nobody's place");
  for (const { body } of [linked, elsewhere, made]) assert.equal((await read(body.id)).id, body.id);
});
