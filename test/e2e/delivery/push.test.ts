import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { makeDevice, reportPush, type Device } from '../../../dev/fakes/device.ts';
import { startPushService, type PushService } from '../../../dev/fakes/push-service.ts';
import { sql } from '../../../db/orm.ts';
import { makeContactToken, readContactToken } from '../../../domain/addresses/contact-token.ts';
import { shownEndpoint } from '../../../domain/channels/people/shown-endpoint.ts';
import { channelsOf } from '../../support/channels.ts';
import { pushing, type Site } from '../../support/channels/pushing.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

let service: Service;
let push: PushService;
let site: Site;
let channels: ReturnType<typeof channelsOf>;
beforeAll(async () => {
  push = await startPushService();
  service = await startService({
    worker: ['senders', 'relay', 'consumers'],
    env: { OUTBOUND_ALLOW: '127.0.0.1/32' },
  });
  channels = channelsOf(service);
  site = await pushing(service).makeSite({
    iconUrl: 'https://www.example.com/icon.png',
    defaultUrl: 'https://www.example.com/',
  });
});
afterAll(async () => {
  await service.stop();
  await push.close();
});

let made = 0;
const newDevice = (name = `device-${(made += 1)}`): Device => makeDevice(push.endpointOf(name));
const subscribe = async (device: Device, contactId: number): Promise<{ id: number; token: string }> => {
  const contactToken = makeContactToken(service.deps.links, 'default', contactId);
  const answer = await pushing(service).subscribe(site, device, { contactToken });
  assert.ok([200, 201].includes(answer.status), JSON.stringify(answer.body));
  return answer.body;
};
const send = async (body: object): Promise<number> => {
  const answer = await service.api('POST', '/channels/push/send', { title: 'News', body: 'Read', ...body });
  assert.equal(answer.status, 202, JSON.stringify(answer.body));
  return answer.body.messageId;
};
const message = async (id: number): Promise<Answer['body']> =>
  (await service.api('GET', `/channels/messages/${id}`)).body;
const ends = (id: number, status: string) =>
  until(`push ${id} is ${status}`, async () => {
    const found = await message(id);
    return found.status === status ? found : null;
  });
/** What a device was sent, decrypted by itself. */
const shownAt = (device: Device): Record<string, unknown>[] =>
  push.accepted
    .filter(({ device: name }) => name === device.name)
    .map(({ body }) => device.open(Buffer.from(body, 'base64')));
const report = (token: unknown, type: 'shown' | 'clicked' | 'closed') =>
  reportPush(`${service.url}/api/v1`, String(token), type);

test('a browser that subscribed can read its push; what it reports makes it DELIVERED, and a click is one', async () => {
  const person = await channels.makePerson();
  const device = newDevice();
  const { id: subscriptionId } = await subscribe(device, person.id);
  const id = await send({
    recipientId: person.id,
    body: 'Dear {{firstName}}',
    url: 'https://www.example.com/a',
    ttlSeconds: 60,
  });
  await ends(id, 'SENT');
  const [shown, ...more] = shownAt(device);
  assert.deepEqual(more, []);
  assert.deepEqual(Object.keys(shown!).sort(), ['body', 'icon', 'tag', 'title', 'token', 'url']);
  assert.deepEqual([shown!['title'], shown!['body'], shown!['tag']], ['News', 'Dear Ada', String(id)]);
  assert.equal(shown!['icon'], 'https://www.example.com/icon.png');
  assert.match(String(shown!['url']), /\/r\/[A-Za-z0-9]{10}$/);
  assert.deepEqual([push.accepted[0]!.ttl, push.accepted[0]!.key], [60, site.publicKey]);

  for (const type of ['shown', 'shown', 'clicked', 'clicked', 'closed'] as const)
    assert.equal((await report(shown!['token'], type)).status, 204);
  const delivered = await ends(id, 'DELIVERED');
  assert.deepEqual(delivered.devices, [
    { subscriptionId, type: 'webpush', status: 'DELIVERED', reason: null, at: delivered.devices[0].at },
  ]);
  const clicked = await until('its click counts', async () => {
    const found = await message(id);
    return found.clicks === 1 ? found : null;
  });
  assert.ok(clicked.firstClickedAt);
  const events = async () =>
    (await service.api('GET', `/contacts/${person.id}/activities?limit=200`)).body.data.map(
      ({ type }: { type: string }) => type,
    ) as string[];
  await until('its events are there', async () => (await events()).includes('MESSAGE_CLICKED'));
  const types = await events();
  for (const type of ['MESSAGE_SENT', 'MESSAGE_DELIVERED', 'MESSAGE_CLICKED', 'CHANNEL_SUBSCRIBED'])
    assert.equal(types.filter((one) => one === type).length, 1, type);
});

test('how a call wants a push delivered comes before what its template says', async () => {
  const person = await channels.makePerson();
  const device = newDevice();
  await subscribe(device, person.id);
  const make = async (more: object): Promise<number> => {
    const body = { name: 'Push', channel: 'push', title: 'T', body: 'B', ...more };
    const answer = await service.api('POST', '/channels/templates', body);
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    return answer.body.id;
  };
  const sent = async (body: object) => {
    const answer = await service.api('POST', '/channels/push/send', { recipientId: person.id, ...body });
    assert.equal(answer.status, 202, JSON.stringify(answer.body));
    await ends(answer.body.messageId, 'SENT');
    const { ttl, urgency, topic } = push.accepted.at(-1)!;
    return [ttl, urgency, topic];
  };
  const own = { ttlSeconds: 60, urgency: 'high', collapseKey: 'k' };
  const [bare, full] = [await make({}), await make({ ttlSeconds: 5, urgency: 'low', collapseKey: 't' })];
  assert.deepEqual(await sent({ templateId: bare, ...own }), [60, 'high', 'k']);
  assert.deepEqual(await sent({ templateId: full, ...own }), [60, 'high', 'k']);
  assert.deepEqual(await sent({ templateId: full, ttlSeconds: 0 }), [0, 'low', 't']);
  assert.deepEqual(await sent({ templateId: full }), [5, 'low', 't']);
  assert.equal(shownAt(device).at(-1)!['title'], 'T');
});

test('a preview counts the bytes that are encrypted', async () => {
  const [person, device] = [await channels.makePerson(), newDevice()];
  await subscribe(device, person.id);
  const call = async (path: string, body: object): Promise<Answer['body']> =>
    (await service.api('POST', path, body)).body;
  const push = { name: 'Push', channel: 'push', title: 'T', body: 'Dear {{firstName}} ü', url: 'https://example.com/' };
  const { id: templateId } = await call('/channels/templates', push);
  const { bytes } = await call(`/channels/templates/${templateId}/preview`, { contactId: person.id });
  const sent = await call('/channels/push/send', { recipientId: person.id, templateId });
  await ends(sent.messageId, 'SENT');
  assert.equal(Buffer.byteLength(JSON.stringify(shownAt(device)[0])), bytes);
});

test('a push without a URL leads to that of its site', async () => {
  const person = await channels.makePerson();
  const device = newDevice();
  await subscribe(device, person.id);
  await ends(await send({ recipientId: person.id }), 'SENT');
  assert.equal(shownAt(device)[0]!['url'], 'https://www.example.com/');
});

test('a click on a push without a URL is one on that of its site, also if an action has another one', async () => {
  const person = await channels.makePerson();
  const device = newDevice();
  await subscribe(device, person.id);
  const actions = [{ action: 'more', title: 'More', url: 'https://www.example.com/more' }];
  const id = await send({ recipientId: person.id, actions });
  await ends(id, 'SENT');
  assert.equal((await report(shownAt(device)[0]!['token'], 'clicked')).status, 204);
  assert.deepEqual(await channels.engine(sql`select url from message_clicks where message_id = ${id}`), [
    { url: 'https://www.example.com/' },
  ]);
});

test('a push to one browser that waits is sent to its renewed subscription, whether it has a contact or not', async () => {
  const person = await channels.makePerson();
  for (const more of [{ contactToken: makeContactToken(service.deps.links, 'default', person.id) }, {}]) {
    const [former, renewed] = [newDevice(), newDevice()];
    const { body: known } = await pushing(service).subscribe(site, former, more);
    push.inject({ kind: 'answer', status: 503, retryAfter: 600 });
    const id = await send({ subscriptionId: known.id });
    await until('it waits', async () => {
      const waiting = await channels.engine(sql`
        select 1 from message_sends
        where message_id = ${id} and status = 'QUEUED' and holder is null and next_attempt_at > now() + interval '1 minute'`);
      return waiting.length === 1;
    });
    await pushing(service).subscribe(site, renewed, { replaces: known.token });
    await channels.engine(sql`update message_sends set next_attempt_at = now() where message_id = ${id}`);
    await ends(id, 'SENT');
    assert.deepEqual(
      [former, renewed].map((device) => shownAt(device).length),
      [0, 1],
    );
  }
});

test('one message goes to every device of a contact once; a device that is gone ends its subscription', async () => {
  const person = await channels.makePerson();
  const devices = [newDevice(), newDevice(), newDevice('gone-1')];
  for (const device of devices) await subscribe(device, person.id);
  const id = await send({ recipientId: person.id });
  const endsOfDevices = await until('every device has its end', async () => {
    const { devices: found } = (await service.api('GET', `/channels/messages/${id}`)).body;
    const ends = found.map((one: { status: string; reason: string | null }) => `${one.status} ${one.reason}`);
    return ends.some((end: string) => /QUEUED|SENDING/.test(end)) ? null : ends.sort();
  });
  assert.deepEqual(endsOfDevices, ['FAILED gone', 'SENT null', 'SENT null']);
  assert.deepEqual(
    devices.map((device) => shownAt(device).length),
    [1, 1, 0],
  );
  const { data } = (await service.api('GET', `/channels/push/subscriptions?contactId=${person.id}&status=gone`)).body;
  assert.deepEqual(
    data.map(({ endpoint }: { endpoint: string }) => endpoint),
    [shownEndpoint(devices[2]!.subscription.endpoint)],
  );
  push.remove(devices[0]!.name);
  push.remove(devices[1]!.name);
  const failed = await ends(await send({ recipientId: person.id }), 'FAILED');
  assert.equal(failed.reason, 'gone');
  const told = () =>
    channels.engine<{ type: string; reason: string }>(sql`
      select a.type, a.data ->> 'reason' as reason from contact_activities a
      where a.contact_id = ${person.id} and a.type like 'CHANNEL%' order by a.occurred_at, a.id`);
  await until('the contact is unsubscribed', async () => (await told()).at(-1)?.type === 'CHANNEL_UNSUBSCRIBED');
  const none = await service.api('POST', '/channels/push/send', { recipientId: person.id, title: 'A', body: 'B' });
  assert.deepEqual([none.body.status, none.body.reason], ['SUPPRESSED', 'no_subscription']);
  // The browser tells that it is there after all.
  const back = newDevice();
  await subscribe(back, person.id);
  await ends(await send({ recipientId: person.id }), 'SENT');
  await until('the contact is subscribed again', async () => (await told()).length === 3);
  assert.deepEqual(
    (await told()).map(({ type, reason }) => `${type} ${reason}`),
    ['CHANNEL_SUBSCRIBED device', 'CHANNEL_UNSUBSCRIBED gone', 'CHANNEL_SUBSCRIBED device'],
  );
});

test('what waits for one person is not shown to the next one who has the browser', async () => {
  const [first, second] = [await channels.makePerson(), await channels.makePerson()];
  const devices = [newDevice(), newDevice()];
  for (const device of devices) await subscribe(device, first.id);
  const before = push.asked();
  push.inject({ kind: 'answer', status: 503, retryAfter: 2 });
  const id = await send({ recipientId: first.id });
  await until('one was refused', () => push.asked() === before + 2);
  const refused = devices.find((device) => shownAt(device).length === 0)!;
  await subscribe(refused, second.id);
  const sent = await until('one is sent, and the other one failed', async () => {
    const found = await message(id);
    const [one, other] = found.devices.map(({ status }: { status: string }) => status).sort();
    return one === 'FAILED' && other === 'SENT' ? found : null;
  });
  assert.equal(sent.status, 'SENT');
  assert.ok(sent.devices.some(({ reason }: { reason: string | null }) => reason === 'gone'));
  assert.deepEqual(shownAt(refused), []);
});

test('a push without an answer is UNKNOWN, until its device reports it', async () => {
  const person = await channels.makePerson();
  const device = newDevice();
  await subscribe(device, person.id);
  push.inject({ kind: 'close', when: 'after' });
  const id = await send({ recipientId: person.id });
  await ends(id, 'UNKNOWN');
  assert.equal((await report(shownAt(device)[0]!['token'], 'shown')).status, 204);
  const delivered = await ends(id, 'DELIVERED');
  assert.equal(shownAt(device).length, 1);
  assert.equal(delivered.devices[0].reason, 'confirmed_by_report');
});

test('reports with invented tokens, of another kind, or from another origin are refused', async () => {
  const person = await channels.makePerson();
  const device = newDevice();
  const { token } = await subscribe(device, person.id);
  const id = await send({ recipientId: person.id });
  await ends(id, 'SENT');
  for (const wrong of ['AAAA', token, makeContactToken(service.deps.links, 'default', person.id)])
    assert.equal((await report(wrong, 'shown')).status, 400);
  const event = { token: shownAt(device)[0]!['token'], type: 'shown' };
  const { asPage } = pushing(service);
  assert.equal((await asPage('POST', '/channels/push/events', event, 'https://evil.example')).status, 403);
  assert.equal((await asPage('POST', '/channels/push/events', { ...event, type: 'read' })).status, 400);
  assert.equal((await message(id)).status, 'SENT');
  const own = await asPage('POST', '/channels/push/events', { ...event, unknown: 1 }, site.origins[0]);
  assert.deepEqual([own.status, own.headers.get('access-control-allow-origin')], [204, site.origins[0]]);
  await ends(id, 'DELIVERED');
});

test('a hundred devices report at once, each twice', async () => {
  const people = await Promise.all(Array.from({ length: 100 }, () => channels.makePerson()));
  const devices = people.map(() => newDevice());
  for (const [n, person] of people.entries()) await subscribe(devices[n]!, person.id);
  const ids = await Promise.all(people.map((person) => send({ recipientId: person.id })));
  for (const id of ids) await ends(id, 'SENT');
  const tokens = devices.map((device) => shownAt(device)[0]!['token']);
  const answers = await Promise.all([...tokens, ...tokens].map((token) => report(token, 'shown')));
  assert.ok(answers.every(({ status }) => status === 204));
  for (const id of ids) assert.equal((await message(id)).status, 'DELIVERED');
});

test('a push leads to the preference page of its contact', async () => {
  const person = await channels.makePerson();
  const device = newDevice();
  await subscribe(device, person.id);
  await ends(await send({ recipientId: person.id, url: '{{preferencesUrl}}', body: 'T{{contactToken}}' }), 'SENT');
  const [shown] = shownAt(device);
  const answer = await fetch(String(shown!['url']), { redirect: 'manual' });
  const token = answer.headers.get('location')!.split('/preferences/')[1]!;
  assert.equal(service.deps.links.verifyUnsubscribe(token)?.contactId, person.id);
  const [, contactToken] = /^T(.+)$/.exec(String(shown!['body']))!;
  assert.equal(readContactToken(service.deps.links, contactToken, 'default')?.contactId, person.id);
});
