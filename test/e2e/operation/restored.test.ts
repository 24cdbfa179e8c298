import assert from 'node:assert/strict';
import { afterAll, beforeAll, beforeEach, test } from '@jest/globals';
import { startGateway, type Gateway } from '../../../dev/fakes/gateway.ts';
import { engineEm, rows, sql } from '../../../db/orm.ts';
import { readGeneration, type Generation } from '../../../domain/installation/generation.ts';
import { EVENTS, GENERATION } from '../../../transport/streams.ts';
import { witnessesOf } from '../../../runtime/generation-witnesses.ts';
import { startApiProcess } from '../../support/api-process.ts';
import { channelsOf } from '../../support/channels.ts';
import { copiesOf, type DatabaseCopies } from '../../support/database/copies.ts';
import { deniedTemporal } from '../../support/denied-temporal.ts';
import { latePart } from '../../support/late-part.ts';
import { startLogged, type LoggedProcess } from '../../support/logged-process.ts';
import { makeMailed, makeSent, reportOf, takeIn } from '../../support/mail/bounces.ts';
import { makeContact, makeTemplate, send, untilStatus } from '../../support/mail/emails.ts';
import { onTestFinished } from '../../support/on-test-finished.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

let service: Service;
let gateway: Gateway;
let copies: DatabaseCopies;
beforeAll(async () => {
  gateway = await startGateway();
  service = await startService({ env: { OUTBOUND_ALLOW: '127.0.0.1/32' } });
  copies = copiesOf(service.slot);
  await call('POST', '/channels/providers', 201, gateway.provider());
  await call('PUT', '/channels/settings', 200, { sendWindows: { email: null, sms: null, push: null } });
});
afterAll(async () => {
  await copies.remove();
  await service.stop();
  await gateway.close();
});

const engine = <T>(query: Parameters<typeof rows>[1]) =>
  engineEm(service.deps.orm).transactional((tx) => rows<T>(tx, query));
async function call(method: string, path: string, status: number, body?: object) {
  const answer = await service.api(method, path, body);
  assert.equal(answer.status, status, `${method} ${path}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}
const statusOf = async (id: number): Promise<string> => (await call('GET', `/contacts/${id}`, 200)).status;
async function unsubscribe(emailId: number, contactId: number): Promise<void> {
  const token = service.deps.links.unsubscribeToken({ tenantId: 'default', emailId, contactId });
  assert.equal((await service.api('POST', `/emails/unsubscribe/${token}`, undefined, { token: null })).status, 200);
}
const refuseTexts = (contactId: number) =>
  call('PUT', '/channels/preferences', 200, { contactId, channels: { sms: { consent: 'unsubscribed' } } });
const own = (): Promise<Generation> => readGeneration(engineEm(service.deps.orm));
const told = async (): Promise<(number | undefined)[]> =>
  Promise.all(
    witnessesOf(service.deps.nats, () => service.deps.temporal).map(async ({ read }) => (await read())?.counter),
  );
const startWorker = (env: Record<string, string> = {}): LoggedProcess =>
  startLogged(service, 'worker/main.ts', [], env);
const working = (worker: LoggedProcess) => until('the worker works', () => worker.said('working'));
const restored = async (...args: string[]): Promise<string> => {
  const process = startLogged(service, 'dev/beside.ts', ['worker/restored.ts', ...args]);
  assert.equal(await process.ended, 0, process.output());
  return process.output();
};
/** What leaves and what is told goes through a worker that ends when nothing waits any more. */
async function work(): Promise<void> {
  const worker = startWorker();
  await working(worker);
  await until(
    'all events are published',
    async () => (await engine(sql`select 1 from outbox_events limit 1`)).length === 0,
  );
  assert.equal(await worker.end('SIGTERM'), 0);
}
/** Whatever an earlier test left, Postgres is the latest. */
beforeEach(async () => {
  await restored('--apply');
  await work();
});

test('a process that starts before NATS and Temporal moves nothing, and is held when they come', async () => {
  await copies.take();
  await work();
  await copies.putBack();
  const [copy, others] = [await own(), await told()];
  const [nats, natsLine] = await latePart(service.slot.env, 'NATS_URL');
  const [temporal, temporalLine] = await latePart(service.slot.env, 'TEMPORAL_ADDRESS');
  onTestFinished(async () => {
    for (const line of [natsLine, temporalLine]) await line.cut().catch(() => {});
  });
  const { api, log, end } = await startApiProcess(service, { ...nats, ...temporal });
  onTestFinished(() => end('SIGKILL'));
  await until('both are said to be away', async () => {
    const { components } = (await api('GET', '/health')).body;
    return components?.nats?.status === 'DEGRADED' && components.temporal.status === 'DEGRADED';
  });
  assert.equal((await api('POST', '/contacts/lists', { name: 'Taken' })).status, 201);
  for (const line of [natsLine, temporalLine]) await line.mend();
  await until('it is held', () => log().includes('held: Postgres was put back to an older copy'));
  assert.deepEqual(await own(), copy);
  assert.deepEqual(await told(), others);
});

test('an empty part is no answer while the other is away, and one that goes away releases nothing', async () => {
  await copies.take();
  await work();
  await copies.putBack();
  await service.deps.nats.jsm.streams.purge(GENERATION);
  const [env, line] = await latePart(service.slot.env, 'TEMPORAL_ADDRESS');
  onTestFinished(() => line.cut().catch(() => {}));
  const worker = startWorker({ ...env, LOG_LEVEL: 'debug' });
  await until('it waits', () => worker.said('waiting: cannot compare the generation yet'));
  await line.mend();
  await until('it is held', () => worker.said('held: Postgres was put back to an older copy'));
  assert.equal(worker.said('working'), false);
  const failures = () => worker.output().split('could not read the generation').length;
  const before = failures();
  await line.cut();
  await until('it has compared without Temporal', () => failures() > before + 1);
  assert.equal(worker.said('released'), false);
  assert.equal(worker.said('working'), false);
  // It was not told what a Postgres said that knows less.
  assert.equal((await told())[0], undefined);
});

test('Postgres beside the parts of another installation is held with this reason until restored has been run', async () => {
  await engine(sql`update installation set id = gen_random_uuid()`);
  const worker = startWorker();
  await until('it is held', () => worker.said('belongs to another installation than Postgres'));
  assert.equal(worker.said('working'), false);
  const { api, end } = await startApiProcess(service);
  onTestFinished(() => end('SIGKILL'));
  const { components } = (await api('GET', '/health')).body;
  assert.match(components.restore.detail, /belongs to another installation than Postgres; nothing leaves until/);
  assert.match(await restored('--apply'), /belong to another installation: their events are no evidence/);
  await working(worker);
});

test('who unsubscribed, bounced, complained or refused texts since the copy is not written to; texts that may have gone are UNKNOWN', async () => {
  const channels = channelsOf(service);
  const person = await channels.makePerson();
  await channels.consent(person.number);
  const text = await call('POST', '/channels/sms/send', 202, { recipientId: person.id, body: 'Sale' });
  const unsubscriber = await makeMailed(service);
  const bouncer = await makeMailed(service);
  const complainer = await makeMailed(service);
  const late = await makeContact(service);
  const untouched = await makeMailed(service);
  await copies.take();
  const copiedAt = new Date();

  await unsubscribe(unsubscriber.emailId, unsubscriber.contact.id);
  await takeIn(service, reportOf(bouncer.emailId, 'address'), reportOf(complainer.emailId, 'complaint'));
  const template = await makeTemplate(service);
  const { body } = await service.api('POST', '/emails/send', { templateId: template, recipientId: late.id });
  await engine(sql`update emails set status = 'SENT', to_address = ${late.email} where id = ${body.emailId}`);
  await takeIn(service, reportOf(body.emailId, 'address'));
  await refuseTexts(person.id);
  await work();
  await copies.putBack();

  assert.equal(await statusOf(unsubscriber.contact.id), 'active');
  const seen = await restored();
  assert.match(seen, /Unsubscribed since: 1; bounced: 2; refused texts or pushes: 1\./);
  assert.match(seen, /no event names, such as a complaint: 1\./);
  assert.equal(await statusOf(unsubscriber.contact.id), 'active');
  // As if something had moved the counter on the copy.
  await engine(sql`update installation set moved_at = now()`);
  assert.match(await restored('--since', copiedAt.toISOString()), /Unsubscribed since: 1; bounced: 2/);
  await service.deps.nats.jsm.streams.purge(EVENTS, { keep: 500 });
  const applied = await restored('--apply', '--since', copiedAt.toISOString());
  assert.doesNotMatch(applied, /the stream does not reach back/);
  assert.deepEqual(
    await Promise.all([unsubscriber.contact, bouncer.contact, complainer.contact, late].map(({ id }) => statusOf(id))),
    ['unsubscribed', 'bounced', 'unsubscribed', 'bounced'],
  );
  assert.equal(await statusOf(untouched.contact.id), 'active');
  const preferences = await call('GET', `/channels/preferences?contactId=${person.id}`, 200);
  assert.equal(preferences.channels.sms.consent, 'unsubscribed');
  const message = await call('GET', `/channels/messages/${text.messageId}`, 200);
  assert.deepEqual([message.status, message.reason], ['UNKNOWN', 'restored']);
  assert.equal((await call('GET', `/emails/${bouncer.emailId}`, 200)).status, 'BOUNCED');
});

test('who was given an id anew is not concerned by what was told of who had it', async () => {
  const channels = channelsOf(service);
  const templateId = await makeTemplate(service);
  /** In the same order, so that the ids are the same. */
  async function makeAll() {
    const unsubscriber = await makeContact(service);
    const bouncer = await makeContact(service);
    const complainer = await makeContact(service);
    const refuser = await channels.makePerson();
    await channels.consent(refuser.number);
    const unsubscribed = await makeSent(service, { contactId: unsubscriber.id }, 'SENT', templateId);
    const bounced = await makeSent(service, { contactId: bouncer.id }, 'SENT', templateId);
    const complained = await makeSent(service, { contactId: complainer.id }, 'SENT', templateId);
    const queued = await send(service, { templateId, recipientId: unsubscriber.id });
    return {
      contacts: { unsubscriber: unsubscriber.id, bouncer: bouncer.id, complainer: complainer.id, refuser: refuser.id },
      emails: { unsubscribed, bounced, complained, queued },
    };
  }
  await copies.take();
  const copiedAt = new Date();
  const lost = await makeAll();
  const worker = startWorker();
  await working(worker);
  await untilStatus(service, lost.emails.queued, 'SENT');
  assert.equal(await worker.end('SIGTERM'), 0);
  await unsubscribe(lost.emails.unsubscribed, lost.contacts.unsubscriber);
  await takeIn(service, reportOf(lost.emails.bounced, 'address'), reportOf(lost.emails.complained, 'complaint'));
  await refuseTexts(lost.contacts.refuser);
  await work();
  await copies.putBack();

  const anew = await makeAll();
  assert.deepEqual(anew, lost);
  // Long after the copy was put back.
  const later = sql`now() + interval '1 hour'`;
  await engine(
    sql`update contacts set created_at = ${later} where id = any(${Object.values(anew.contacts)}::bigint[])`,
  );
  await engine(sql`update emails set created_at = ${later} where id = any(${Object.values(anew.emails)}::bigint[])`);
  const applied = await restored('--apply', '--since', copiedAt.toISOString());
  assert.match(applied, /Unsubscribed since: 1; bounced: 1; refused texts or pushes: 1\./);
  assert.match(applied, /no event names, such as a complaint: 0\./);
  assert.match(applied, /Emails that the stream tells were sent or failed: 0\./);
  const contacts = await Promise.all(Object.values(anew.contacts).map(statusOf));
  assert.deepEqual(contacts, ['active', 'active', 'active', 'active']);
  const preferences = await call('GET', `/channels/preferences?contactId=${anew.contacts.refuser}`, 200);
  assert.equal(preferences.channels.sms.consent, 'subscribed');
  const statuses = await Promise.all(
    Object.values(anew.emails).map(async (id) => (await call('GET', `/emails/${id}`, 200)).status),
  );
  assert.deepEqual(statuses, ['SENT', 'SENT', 'SENT', 'QUEUED']);
});

test('a working service keeps what it has queued and begun since the time that --since names', async () => {
  const channels = channelsOf(service);
  const templateId = await makeTemplate(service);
  const reader = await makeContact(service);
  const person = await channels.makePerson();
  await channels.consent(person.number);
  const journey = await call('POST', '/campaigns', 201, {
    name: 'Waiting',
    steps: [{ id: 'pause', type: 'WAIT', config: { waitMinutes: 1440 } }],
  });
  const list = await call('POST', '/contacts/lists', 201, { name: 'Readers', contactIds: [reader.id] });
  const worker = startWorker();
  await working(worker);
  await call('POST', `/campaigns/${journey.id}/start`, 202, { contactIds: [reader.id, person.id] });
  await until('both wait', async () => {
    const { data } = await call('GET', `/campaigns/${journey.id}/executions`, 200);
    return data.filter((one: { currentStepId: string }) => one.currentStepId === 'pause').length === 2;
  });
  assert.equal(await worker.end('SIGTERM'), 0);
  const email = () => send(service, { templateId, recipientId: reader.id });
  const text = async (): Promise<number> =>
    (await call('POST', '/channels/sms/send', 202, { recipientId: person.id, body: 'Sale' })).messageId;
  const mailing = async (): Promise<number> =>
    (
      await call('POST', '/emails/campaigns', 201, {
        ...{ name: 'Sale', templateId, listId: list.id, scheduleType: 'immediate' },
      })
    ).id;
  const emails = [await email(), await email()];
  const texts = [await text(), await text()];
  // The third is the second run of a recurring one, which began now.
  const mailings = [await mailing(), await mailing(), await mailing()];
  const before = sql`now() - interval '2 hours'`;
  await engine(sql`update emails set created_at = ${before} where id = ${emails[0]}`);
  await engine(sql`update messages set created_at = ${before} where id = ${texts[0]}`);
  await engine(
    sql`update campaign_executions set started_at = ${before} where campaign_id = ${journey.id} and contact_id = ${reader.id}`,
  );
  await engine(sql`update email_campaigns set started_at = ${before} where id in (${mailings[0]}, ${mailings[2]})`);
  await engine(sql`update email_campaigns set run = 2 where id = ${mailings[2]}`);
  await engine(sql`
    update emails set campaign_id = ${mailings[2]}, lane = 'bulk', send_key = ${`email-campaign:${mailings[2]}:2:${reader.id}`}
    where id = ${emails[1]}`);

  await restored('--apply', '--since', new Date(Date.now() - 3_600_000).toISOString());
  const inOrder = async (path: string, ids: readonly number[]) =>
    Promise.all(ids.map(async (id) => (await call('GET', `${path}/${id}`, 200)).status));
  assert.deepEqual(await inOrder('/emails', emails), ['UNKNOWN', 'QUEUED']);
  assert.deepEqual(await inOrder('/channels/messages', texts), ['UNKNOWN', 'QUEUED']);
  const runs = await engine<{ run: number | null }>(
    sql`select restored_run as run from email_campaigns where id = any(${mailings}::bigint[]) order by id`,
  );
  assert.deepEqual(
    runs.map(({ run }) => run),
    [1, null, null],
  );
  const executions = await engine<{ contactId: number; status: string }>(sql`
    select contact_id as "contactId", status from campaign_executions where campaign_id = ${journey.id} order by contact_id`);
  assert.deepEqual(executions, [
    { contactId: reader.id, status: 'STOPPED' },
    { contactId: person.id, status: 'RUNNING' },
  ]);
});

test('a Temporal whose login may not describe its namespace does not keep a service held', async () => {
  await copies.take();
  await work();
  await copies.putBack();
  const temporal = await deniedTemporal(service.slot.env['TEMPORAL_ADDRESS']!, [
    'DescribeNamespace',
    'UpdateNamespace',
  ]);
  onTestFinished(temporal.close);
  const process = startLogged(service, 'dev/beside.ts', ['worker/restored.ts', '--apply'], {
    TEMPORAL_ADDRESS: temporal.address,
  });
  assert.equal(await process.ended, 0, process.output());
  assert.match(process.output(), /WARNING: how long Temporal keeps what has ended is not known/);
  assert.match(process.output(), /Temporal does not let this login keep the generation/);
  assert.match(process.output(), /Released/);
  assert.equal((await told())[0], (await own()).counter);
});

test('a process that is slow to store its copy does not put it over a later one', async () => {
  const { nats } = service.deps;
  const { id, counter, ...rest } = await own();
  const generation = (more: number): Generation => ({ id, counter: counter + more, ...rest });
  const [jetStream] = witnessesOf(nats, () => service.deps.temporal);
  // Between its reading and its storing, another process stores a later copy.
  let meanwhile: (() => Promise<void>) | null = () => jetStream!.write(generation(2));
  const streams = Object.create(nats.jsm.streams, {
    getMessage: {
      value: async (...asked: Parameters<typeof nats.jsm.streams.getMessage>) => {
        const found = await nats.jsm.streams.getMessage(...asked);
        const other = meanwhile;
        meanwhile = null;
        await other?.();
        return found;
      },
    },
  }) as typeof nats.jsm.streams;
  const jsm = Object.create(nats.jsm, { streams: { value: streams } }) as typeof nats.jsm;
  const { connection, js, acks } = nats;
  const [slow] = witnessesOf({ connection, js, acks, jsm }, () => service.deps.temporal);
  await slow!.write(generation(1));
  assert.equal((await jetStream!.read())?.counter, counter + 2);
  await slow!.write(generation(3));
  assert.equal((await jetStream!.read())?.counter, counter + 3);
});

test('restored says when the stream does not reach back to the copy, and refuses a time that is none', async () => {
  const before = new Date();
  await work();
  await service.deps.nats.jsm.streams.purge(EVENTS);
  assert.match(await restored('--since', before.toISOString()), /WARNING: the stream does not reach back so far/);
  for (const wrong of ['yesterday', '2026-02-31', '2999-01-01T00:00:00Z']) {
    const refused = startLogged(service, 'dev/beside.ts', ['worker/restored.ts', '--since', wrong]);
    assert.equal(await refused.ended, 2);
    assert.ok(refused.said('--since must be a time of the past'), refused.output());
  }
});
