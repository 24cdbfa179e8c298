import assert from 'node:assert/strict';
import { afterAll, beforeAll, beforeEach, test } from '@jest/globals';
import { startGateway, type Gateway } from '../../../dev/fakes/gateway.ts';
import { engineEm, rows, sql } from '../../../db/orm.ts';
import { readGeneration, type Generation } from '../../../domain/installation/generation.ts';
import { EVENTS, GENERATION } from '../../../events/streams.ts';
import { witnessesOf } from '../../../runtime/generation-witnesses.ts';
import { startApiProcess } from '../../support/api-process.ts';
import { channelsOf } from '../../support/channels.ts';
import { copiesOf, type DatabaseCopies } from '../../support/database/copies.ts';
import { latePart } from '../../support/late-part.ts';
import { startLogged, type LoggedProcess } from '../../support/logged-process.ts';
import { makeMailed, reportOf, takeIn } from '../../support/mail/bounces.ts';
import { makeContact, makeTemplate } from '../../support/mail/emails.ts';
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
});
afterAll(async () => {
  await copies.remove();
  await service.stop();
  await gateway.close();
});

const engine = <T>(query: Parameters<typeof rows>[1]) =>
  engineEm(service.deps.orm).transactional((tx) => rows<T>(tx, query));
const own = (): Promise<Generation> => readGeneration(engineEm(service.deps.orm));
const told = async (): Promise<(number | undefined)[]> =>
  Promise.all(
    witnessesOf(service.deps.nats, () => service.deps.temporal).map(async ({ read }) => (await read())?.counter),
  );
const startWorker = (env: Record<string, string> = {}): LoggedProcess =>
  startLogged(service, 'worker/main.ts', [], env);
const working = (worker: LoggedProcess) => until('the worker works', () => worker.said('working'));
const restored = async (...args: string[]): Promise<string> => {
  const process = startLogged(service, 'dev/restored.ts', args);
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
  const call = async (method: string, path: string, status: number, body?: object) => {
    const answer = await service.api(method, path, body);
    assert.equal(answer.status, status, `${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  await call('POST', '/channels/providers', 201, gateway.provider());
  await call('PUT', '/channels/settings', 200, { sendWindows: { email: null, sms: null, push: null } });
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

  const token = service.deps.links.unsubscribeToken({
    ...{ tenantId: 'default', emailId: unsubscriber.emailId, contactId: unsubscriber.contact.id },
  });
  assert.equal((await service.api('POST', `/emails/unsubscribe/${token}`, undefined, { token: null })).status, 200);
  await takeIn(service, reportOf(bouncer.emailId, 'address'), reportOf(complainer.emailId, 'complaint'));
  const template = await makeTemplate(service);
  const { body } = await service.api('POST', '/emails/send', { templateId: template, recipientId: late.id });
  await engine(sql`update emails set status = 'SENT', to_address = ${late.email} where id = ${body.emailId}`);
  await takeIn(service, reportOf(body.emailId, 'address'));
  await call('PUT', '/channels/preferences', 200, {
    contactId: person.id,
    channels: { sms: { consent: 'unsubscribed' } },
  });
  await work();
  await copies.putBack();

  const statusOf = async (id: number) => (await service.api('GET', `/contacts/${id}`)).body.status;
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

test('restored says when the stream does not reach back to the copy, and refuses a time that is none', async () => {
  const before = new Date();
  await work();
  await service.deps.nats.jsm.streams.purge(EVENTS);
  assert.match(await restored('--since', before.toISOString()), /WARNING: the stream does not reach back so far/);
  for (const wrong of ['yesterday', '2026-02-31', '2999-01-01T00:00:00Z']) {
    const refused = startLogged(service, 'dev/restored.ts', ['--since', wrong]);
    assert.equal(await refused.ended, 2);
    assert.ok(refused.said('--since must be a time of the past'), refused.output());
  }
});
