import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { engineEm, rows, sql } from '../../../db/orm.ts';
import { readGeneration } from '../../../domain/installation/generation.ts';
import { startApiProcess, type ApiProcess } from '../../support/api-process.ts';
import { copiesOf, type DatabaseCopies } from '../../support/database/copies.ts';
import { startLogged, type LoggedProcess } from '../../support/logged-process.ts';
import { makeContact, makeTemplate, send, untilStatus } from '../../support/mail/emails.ts';
import { onTestFinished } from '../../support/on-test-finished.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

let service: Service;
let copies: DatabaseCopies;
beforeAll(async () => {
  service = await startService();
  copies = copiesOf(service.slot);
});
afterAll(async () => {
  await copies.remove();
  await service.stop();
});

const engine = <T>(query: Parameters<typeof rows>[1]) =>
  engineEm(service.deps.orm).transactional((tx) => rows<T>(tx, query));
const counter = async (): Promise<number> => (await readGeneration(engineEm(service.deps.orm))).counter;
const startWorker = (): LoggedProcess => startLogged(service, 'worker/main.ts');
const working = (worker: LoggedProcess) => until('the worker works', () => worker.said('working'));
async function startApi(): Promise<ApiProcess> {
  const api = await startApiProcess(service);
  onTestFinished(() => api.end('SIGKILL'));
  return api;
}
const startRestored = (...args: string[]): LoggedProcess =>
  startLogged(service, 'dev/beside.ts', ['worker/restored.ts', ...args]);
/** The newer data are back. */
const release = () => engine(sql`update installation set counter = counter + 1000`);

test('Postgres put back to an older copy: nothing leaves, reads and opt-outs work, other changes are refused', async () => {
  const templateId = await makeTemplate(service);
  const known = await makeContact(service);
  let worker = startWorker();
  await working(worker);
  const { id: emailId } = await untilStatus(
    service,
    await send(service, { templateId, recipientId: known.id }),
    'SENT',
  );
  assert.equal(await worker.end('SIGTERM'), 0);
  // Is QUEUED in the copy.
  const waiting = await makeContact(service);
  const waitingId = await send(service, { templateId, recipientId: waiting.id });
  await copies.take();
  const atCopy = await counter();

  worker = startWorker();
  await working(worker);
  await untilStatus(service, waitingId, 'SENT');
  assert.equal(await worker.end('SIGTERM'), 0);
  assert.ok((await counter()) > atCopy);
  await copies.putBack();
  assert.equal(await counter(), atCopy);
  const mails = service.sink.mails.length;

  worker = startWorker();
  const { api, ...apiProcess } = await startApi();
  await until('the worker is held', () => worker.said('held: Postgres was put back to an older copy'));
  await until('the API is held', () => apiProcess.log().includes('held: Postgres was put back to an older copy'));
  const { status, components } = (await api('GET', '/health')).body;
  assert.equal(status, 'DEGRADED');
  assert.equal(components.restore.status, 'DEGRADED');
  assert.match(components.restore.detail, /older copy.*npm run restored/);
  assert.equal((await api('GET', `/emails/${waitingId}`)).body.status, 'QUEUED');
  const refused = await api('POST', '/contacts', { firstName: 'A', lastName: 'B', email: 'new@example.org' });
  assert.deepEqual([refused.status, refused.body.code], [503, 'unavailable']);
  assert.match(refused.body.detail, /npm run restored/);
  assert.equal((await api('DELETE', `/contacts/${known.id}`)).status, 503);
  const token = service.deps.links.unsubscribeToken({ tenantId: 'default', emailId, contactId: known.id });
  assert.equal((await api('POST', `/emails/unsubscribe/${token}`, undefined, { token: null })).status, 200);
  assert.equal((await api('GET', `/contacts/${known.id}`)).body.status, 'unsubscribed');
  assert.equal((await api('GET', `/contacts/${waiting.id}`)).status, 200);
  // It never began to work, so nothing can have left.
  assert.equal(worker.said('working'), false);
  assert.equal(service.sink.mails.length, mails);

  await release();
  await working(worker);
  await until('the API is released', async () => (await api('GET', '/health')).body.components.restore.status === 'UP');
  await worker.end('SIGKILL');
});

test('processes whose Postgres is put back under them end, and are held when they start again', async () => {
  await release();
  await copies.take();
  const atCopy = await counter();
  const worker = startWorker();
  await working(worker);
  const apiProcess = startLogged(service, 'api/server.ts');
  const listening = await until('the API listens', () => /"port":(\d+)[^\n]*"listening"/.exec(apiProcess.output()));
  await until('each has moved the counter', async () => (await counter()) >= atCopy + 2);
  await copies.putBack();
  // It is only asked again with the next request.
  await fetch(`http://127.0.0.1:${listening[1]}/api/v1/health`).catch(() => undefined);
  assert.deepEqual([await worker.ended, await apiProcess.ended], [1, 1]);
  assert.ok(worker.said('held: Postgres was put back'));
  const again = startWorker();
  await until('it is held', () => again.said('held: Postgres was put back'));
  assert.equal(again.said('working'), false);
});

test('restored: nobody is mailed twice, what may have gone is UNKNOWN, no id is given again, and the service goes on', async () => {
  await release();
  const PEOPLE = 40;
  const templateId = await makeTemplate(service);
  const people: { id: number; email: string }[] = [];
  for (let n = 0; n < PEOPLE; n += 1) people.push(await makeContact(service));
  const list = await service.api('POST', '/contacts/lists', {
    name: 'All',
    contactIds: people.map(({ id }) => id),
  });
  assert.equal(list.status, 201, JSON.stringify(list.body));
  const mailed = (): string[] =>
    service.sink.mails.flatMap(({ to }) => to).filter((address) => people.some(({ email }) => email === address));
  const made = await service.api('POST', '/emails/campaigns', {
    ...{ name: 'Slow', templateId, listId: list.body.id, scheduleType: 'immediate', ratePerMinute: 300 },
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const journey = await service.api('POST', '/campaigns', {
    name: 'Journey',
    steps: [{ id: 'mail', type: 'EMAIL', config: { templateId } }],
  });
  assert.equal(journey.status, 201, JSON.stringify(journey.body));
  const entrant = await makeContact(service, { email: 'entrant@example.org' });
  const enter = () => service.api('POST', `/campaigns/${journey.body.id}/start`, { contactIds: [entrant.id] });
  const toEntrant = () => service.sink.mails.filter(({ to }) => to.includes('entrant@example.org')).length;

  let worker = startWorker();
  await working(worker);
  await until('some were mailed', () => mailed().length >= 3);
  await worker.end('SIGTERM');
  await copies.take();
  const before = mailed().length;

  worker = startWorker();
  await working(worker);
  assert.equal((await enter()).status, 202);
  const lost = await makeContact(service);
  await until('more were mailed', () => mailed().length >= before + 3 && toEntrant() === 1, 120_000);
  await worker.end('SIGTERM');
  await copies.putBack();
  const atLoss = new Set(mailed());

  const seen = startRestored();
  assert.equal(await seen.ended, 0, seen.output());
  assert.ok(seen.said('Nothing was changed'), seen.output());
  assert.deepEqual(await engine(sql`select 1 from emails where status = 'UNKNOWN' and reason = 'restored'`), []);
  // Killed on its way, it is run again.
  const killed = startRestored('--apply');
  await until('it is on its way', () => killed.said('Postgres is a copy'));
  await killed.end('SIGKILL');
  const applied = startRestored('--apply');
  assert.equal(await applied.ended, 0, applied.output());

  worker = startWorker();
  await working(worker);
  await until('the campaign has ended', async () => {
    const { body } = await service.api('GET', `/emails/campaigns/${made.body.id}`);
    return body.status === 'SENT';
  });
  const addresses = mailed();
  assert.equal(new Set(addresses).size, addresses.length, 'mailed twice');
  const { body: stats } = await service.api('GET', `/emails/campaigns/${made.body.id}/stats`);
  assert.equal(stats.audience, PEOPLE);
  assert.equal(stats.queued, 0);
  // Whoever was mailed is SENT or UNKNOWN; nobody else was.
  assert.equal(addresses.length, atLoss.size);
  assert.equal(stats.sent + stats.unknown, PEOPLE);
  const wrong = await engine(
    sql`select status, reason from emails where campaign_id = ${made.body.id} and status = 'UNKNOWN' and reason <> 'restored'`,
  );
  assert.deepEqual(wrong, []);
  // Who entered the journey in between does not enter again.
  assert.equal((await enter()).status, 202);
  const { body: executions } = await until('the entry is known', async () => {
    const answer = await service.api('GET', `/campaigns/${journey.body.id}/executions?contactId=${entrant.id}`);
    return answer.body.data.length > 0 && answer;
  });
  assert.deepEqual(
    executions.data.map(({ status, exitReason }: { status: string; exitReason: string }) => [status, exitReason]),
    [['STOPPED', 'restored']],
  );
  // Not the id that somebody else had.
  const fresh = await makeContact(service);
  assert.ok(fresh.id > lost.id);
  await untilStatus(service, await send(service, { templateId, recipientId: fresh.id }), 'SENT');
  assert.equal(toEntrant(), 1);
});
