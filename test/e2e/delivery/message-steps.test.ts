import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { makeDevice, reportPush, type Device } from '../../../dev/fakes/device.ts';
import { receiveText, startGateway, type Gateway } from '../../../dev/fakes/gateway.ts';
import { startPushService, type PushService } from '../../../dev/fakes/push-service.ts';
import { makeContactToken } from '../../../domain/addresses/contact-token.ts';
import { channelsOf, type Person } from '../../support/channels.ts';
import { pushing, type Site } from '../../support/channels/pushing.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

let service: Service;
let gateway: Gateway;
let push: PushService;
let site: Site;
let channels: ReturnType<typeof channelsOf>;
let templates: { email: number; sms: number; push: number };
beforeAll(async () => {
  [gateway, push] = [await startGateway(), await startPushService()];
  service = await startService({ worker: true, env: { OUTBOUND_ALLOW: '127.0.0.1/32' } });
  channels = channelsOf(service);
  site = await pushing(service).makeSite();
  await call('POST', '/channels/providers', 201, gateway.provider());
  await call('PUT', '/channels/settings', 200, { sendWindows: { email: null, sms: null, push: null } });
  const email = { name: 'Mail', subject: 'Hello', content: '<p>Hello</p>' };
  const text = { name: 'Text', channel: 'sms', body: 'Dear {{firstName}}: https://www.example.com/' };
  const note = {
    name: 'Note',
    channel: 'push',
    title: 'Hi',
    body: 'Dear {{firstName}}',
    url: 'https://www.example.com/',
  };
  templates = {
    email: (await call('POST', '/emails/templates', 201, email)).id,
    sms: (await call('POST', '/channels/templates', 201, text)).id,
    push: (await call('POST', '/channels/templates', 201, note)).id,
  };
});
afterAll(async () => {
  await service.stop();
  await gateway.close();
  await push.close();
});

async function call(method: string, path: string, status: number, body?: object): Promise<Answer['body']> {
  const answer = await service.api(method, path, body);
  assert.equal(answer.status, status, `${method} ${path}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}
let devices = 0;
async function subscribe(person: Person): Promise<Device> {
  const device = makeDevice(push.endpointOf(`step-${(devices += 1)}`));
  const contactToken = makeContactToken(service.deps.links, 'default', person.id);
  assert.equal((await pushing(service).subscribe(site, device, { contactToken })).status, 201);
  return device;
}
const textsTo = ({ number }: Person) => gateway.accepted.filter(({ to }) => to === number);
const pushesTo = (device: Device) => push.accepted.filter((one) => one.device === device.name);

async function start(steps: object[], contactIds: number[], more: object = {}): Promise<number> {
  const { id } = await call('POST', '/campaigns', 201, { name: 'Channels', steps, ...more });
  await call('POST', `/campaigns/${id}/start`, 202, { contactIds });
  return id;
}
const statsOf = (id: number) => call('GET', `/campaigns/${id}/stats`, 200);
const isOver = (id: number, count: number) =>
  until(`${count} journeys of ${id} are over`, async () => {
    const { executions } = await statsOf(id);
    return executions.completed + executions.stopped + executions.failed === count;
  });
async function resultsOf(campaignId: number, contactId: number): Promise<string[]> {
  const { data } = await call('GET', `/campaigns/${campaignId}/executions?contactId=${contactId}`, 200);
  const { steps } = await call('GET', `/campaigns/executions/${data[0].id}`, 200);
  return steps.map(({ result, reason }: { result: string; reason: string | null }) =>
    reason ? `${result}: ${reason}` : result,
  );
}
const SMS = () => ({ id: 'text', type: 'SMS', config: { templateId: templates.sms } });
const PUSH = () => ({ id: 'note', type: 'PUSH', config: { templateId: templates.push } });
const MESSAGE = (order: unknown) => ({ id: 'any', type: 'MESSAGE', config: { templates, order } });

test('SMS and PUSH steps send once each, and what came of it can be awaited by the step', async () => {
  const person = await channels.makePerson();
  await channels.consent(person.number);
  const device = await subscribe(person);
  const shown = {
    ...{ id: 'shown', type: 'WAIT_FOR_EVENT' },
    config: {
      event: 'MESSAGE_DELIVERED',
      where: [{ field: 'stepId', operator: 'eq', value: 'note' }],
      timeoutMinutes: 600,
    },
  };
  const id = await start([SMS(), PUSH(), shown], [person.id]);
  await until('the push came', () => pushesTo(device).length === 1);
  const { token } = device.open(Buffer.from(pushesTo(device)[0]!.body, 'base64'));
  assert.equal((await reportPush(`${service.url}/api/v1`, String(token), 'shown')).status, 204);
  await isOver(id, 1);
  assert.deepEqual(await resultsOf(id, person.id).then((all) => all.map((one) => one.split(':')[0])), [
    ...['success', 'success', 'event'],
  ]);
  await until('the text came', () => textsTo(person).length === 1);
  const { messages } = await until('both count', async () => {
    const stats = await statsOf(id);
    return stats.messages.sms.sent === 1 && stats.messages.push.delivered === 1 ? stats : null;
  });
  assert.equal(messages.sms.suppressed + messages.push.suppressed, 0);
  const { data } = await call('GET', `/channels/messages?campaignId=${id}&sort=id`, 200);
  assert.deepEqual(
    data.map((one: { stepId: string; contactId: number }) => [one.stepId, one.contactId]),
    [
      ['text', person.id],
      ['note', person.id],
    ],
  );
});

test('what a gate refuses is suppressed, with the reason in the step, and the journey goes on', async () => {
  const person = await channels.makePerson();
  const id = await start([SMS(), PUSH()], [person.id]);
  await isOver(id, 1);
  assert.deepEqual(await resultsOf(id, person.id), ['suppressed: no_consent', 'suppressed: no_subscription']);
  const { messages, steps } = await statsOf(id);
  assert.deepEqual([messages.sms.suppressed, messages.push.suppressed], [1, 1]);
  assert.deepEqual(
    steps.map(({ suppressed }: { suppressed: number }) => suppressed),
    [1, 1],
  );
});

test('MESSAGE sends by the first channel that lets it pass, and by no other', async () => {
  const [texted, pushed, mailed, nobody] = await Promise.all([1, 2, 3, 4].map(() => channels.makePerson()));
  await channels.consent(texted!.number);
  const device = await subscribe(pushed!);
  await call('PUT', '/channels/preferences', 200, { contactId: nobody!.id, channels: { email: { wanted: false } } });
  const people = [texted!, pushed!, mailed!, nobody!];
  const id = await start(
    [MESSAGE(['sms', 'push', 'email'])],
    people.map((one) => one.id),
  );
  await isOver(id, 4);
  assert.deepEqual(await Promise.all(people.map((one) => resultsOf(id, one.id))), [
    ['sent:sms'],
    ['sent:push'],
    ['sent:email'],
    ['suppressed: sms: no_consent · push: no_subscription · email: contact_unsubscribed'],
  ]);
  await until('all came', () => textsTo(texted!).length === 1 && pushesTo(device).length === 1);
  const { messages, emails } = await until('the mail is sent', async () => {
    const stats = await statsOf(id);
    return stats.emails.sent === 1 ? stats : null;
  });
  assert.deepEqual([messages.sms.suppressed, messages.push.suppressed, emails.suppressed], [0, 0, 0]);
});

test('MESSAGE begins with the channel that the contact prefers', async () => {
  const person = await channels.makePerson();
  await channels.consent(person.number);
  const device = await subscribe(person);
  await call('PUT', '/channels/preferences', 200, { contactId: person.id, preferredChannel: 'push' });
  const id = await start([MESSAGE('preferred')], [person.id]);
  await isOver(id, 1);
  assert.deepEqual(await resultsOf(id, person.id), ['sent:push']);
  await until('it came', () => pushesTo(device).length === 1);
  assert.deepEqual(textsTo(person), []);
});

test('the cap of the entry counts its channels together', async () => {
  const person = await channels.makePerson();
  await channels.consent(person.number);
  await subscribe(person);
  const entry = { frequencyCap: { maxEmails: 1, perDays: 7, channels: ['sms', 'push'] } };
  const id = await start([SMS(), PUSH(), MESSAGE(['push', 'sms', 'email'])], [person.id], { entry });
  await isOver(id, 1);
  assert.deepEqual(await resultsOf(id, person.id), ['success', 'suppressed: frequency_cap', 'sent:email']);
});

test('stopping a campaign suppresses what waits; pausing lets it go', async () => {
  const person = await channels.makePerson();
  await channels.consent(person.number);
  // Nothing leaves while the provider wants to rest.
  gateway.inject({ kind: 'answer', status: 503, retryAfter: 300 });
  const id = await start([SMS(), { id: 'pause', type: 'WAIT', config: { waitMinutes: 60 } }], [person.id]);
  const queued = await until('the provider refused it', async () => {
    const { data } = await call('GET', `/channels/messages?campaignId=${id}`, 200);
    if (data.length === 0) return null;
    const { attempts } = await call('GET', `/channels/messages/${data[0].id}/explain`, 200);
    return attempts.length > 0 && data[0].status === 'QUEUED' ? data[0] : null;
  });
  await call('POST', `/campaigns/${id}/pause`, 200);
  assert.equal((await call('GET', `/channels/messages/${queued.id}`, 200)).status, 'QUEUED');
  await call('POST', `/campaigns/${id}/stop`, 202);
  const stopped = await call('GET', `/channels/messages/${queued.id}`, 200);
  assert.deepEqual([stopped.status, stopped.reason], ['SUPPRESSED', 'stopped']);
  assert.deepEqual(textsTo(person), []);
  const [provider] = (await call('GET', '/channels/providers?channel=sms', 200)).data;
  await call('PUT', `/channels/providers/${provider.id}`, 200, { name: 'Rested' });
});

test('a text that was on its way at the stop, and comes back, is suppressed', async () => {
  const exits = { entry: { exitOnUnsubscribe: true } };
  const stops: ((campaignId: number, person: Person) => Promise<unknown>)[] = [
    (id) => call('POST', `/campaigns/${id}/stop`, 202),
    async (id) => {
      const { data } = await call('GET', `/campaigns/${id}/executions`, 200);
      await call('POST', `/campaigns/executions/${data[0].id}/stop`, 202);
    },
    (_id, person) =>
      call('PUT', '/channels/preferences', 200, { contactId: person.id, channels: { email: { wanted: false } } }),
  ];
  for (const stop of stops) {
    const person = await channels.makePerson();
    await channels.consent(person.number);
    const isStopped = Promise.withResolvers<void>();
    gateway.inject({ kind: 'answer', status: 503, retryAfter: 1, first: () => isStopped.promise });
    const id = await start([SMS(), { id: 'pause', type: 'WAIT', config: { waitMinutes: 60 } }], [person.id], exits);
    const list = async () => (await call('GET', `/channels/messages?campaignId=${id}`, 200)).data;
    await until('it is on its way', async () => (await list())[0]?.status === 'SENDING');
    await stop(id, person);
    isStopped.resolve();
    const [{ reason }] = await until('it has ended', async () => {
      const found = await list();
      return ['SUPPRESSED', 'SENT'].includes(found[0].status) && found;
    });
    assert.equal(reason, 'stopped');
    assert.deepEqual(textsTo(person), []);
  }
});

test('a received text starts a campaign once', async () => {
  const person = await channels.makePerson();
  const trigger = { type: 'MESSAGE_RECEIVED', optOut: 'maybe' };
  const { id } = await call('POST', '/campaigns', 201, {
    name: 'Asks',
    trigger,
    steps: [PUSH()],
    entry: { reentry: 'always' },
  });
  await call('POST', `/campaigns/${id}/start`, 202, {});
  const [provider] = (await call('GET', '/channels/providers?channel=sms', 200)).data;
  const url = `${service.deps.env.PUBLIC_URL}/api/v1/channels/webhooks/${provider.id}`;
  for (const text of ['hello', 'please stop']) await receiveText(gateway, url, { from: person.number, text });
  await isOver(id, 1);
  const explained = await call('GET', `/campaigns/${id}/contacts/${person.id}/explain`, 200);
  assert.ok(explained.checks.find(({ check }: { check: string }) => check === 'trigger').passed);
});

test('a template that a running campaign sends cannot be deleted', async () => {
  const person = await channels.makePerson();
  const id = await start(
    [{ id: 'pause', type: 'WAIT', config: { waitMinutes: 60 } }, MESSAGE(['sms', 'push', 'email'])],
    [person.id],
  );
  const refused = await service.api('DELETE', `/channels/templates/${templates.push}`);
  assert.deepEqual([refused.status, refused.body.code], [409, 'in_use']);
  await call('POST', `/campaigns/${id}/stop`, 202);
});

test('a simulation goes the same way', async () => {
  const [texted, nobody] = [await channels.makePerson(), await channels.makePerson()];
  await channels.consent(texted.number);
  const entry = { frequencyCap: { maxEmails: 1, perDays: 7, channels: ['sms'] } };
  const steps = [SMS(), SMS(), MESSAGE(['sms', 'push', 'email'])].map((step, n) => ({ ...step, id: `s${n}` }));
  const { id } = await call('POST', '/campaigns', 201, { name: 'Simulated', steps, entry });
  const simulated = await call('POST', `/campaigns/${id}/simulate`, 200, {
    contactIds: [texted.id, nobody.id],
    paths: 2,
  });
  const paths = simulated.paths.map(({ steps: path }: { steps: { result: string; reason: string | null }[] }) =>
    path.map(({ result, reason }) => (reason ? `${result}: ${reason}` : result)),
  );
  assert.deepEqual(paths, [
    ['success', 'suppressed: frequency_cap', 'sent:email'],
    ['suppressed: no_consent', 'suppressed: no_consent', 'sent:email'],
  ]);
  await call('POST', `/campaigns/${id}/start`, 202, { contactIds: [texted.id, nobody.id] });
  await isOver(id, 2);
  assert.deepEqual([await resultsOf(id, texted.id), await resultsOf(id, nobody.id)], paths);
});
