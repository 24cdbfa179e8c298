import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import pg from 'pg';
import { engineEm, rows, sql } from '../../../db/orm.ts';
import { waiting } from '../../support/accounts.ts';
import { startApiProcess, type ApiProcess } from '../../support/api-process.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { logIn, newMember } from '../../support/users.ts';
import { onTestFinished } from '../../support/on-test-finished.ts';

let service: Service;
let one: ApiProcess;
let two: ApiProcess;
beforeAll(async () => {
  service = await startService({ env: { ENABLE_RATE_LIMITING: 'false' } });
  [one, two] = await Promise.all([startApiProcess(service), startApiProcess(service)]);
});
afterAll(async () => {
  await Promise.all([one.end(), two.end()]);
  await service.stop();
});

const engine = <T>(query: Parameters<typeof rows>[1]) =>
  engineEm(service.deps.orm).transactional((tx) => rows<T>(tx, query));
const create = (on: ApiProcess, name: string, key: string) =>
  on.api('POST', '/contacts/companies', { name }, { headers: { 'idempotency-key': key } });
const companies = async (name: string): Promise<number> =>
  (await engine(sql`select 1 from companies where name = ${name}`)).length;

/** One of the answers is the first, the others are it again. */
function assertOneRan(answers: Answer[]): void {
  assert.deepEqual(
    answers.map((answer) => answer.status),
    answers.map(() => 201),
  );
  assert.equal(new Set(answers.map((answer) => JSON.stringify(answer.body))).size, 1);
  assert.equal(answers.filter((answer) => answer.headers.get('idempotency-replayed') === null).length, 1);
}

test('who logs out on one process is logged out on the other', async () => {
  const member = await newMember(one.api);
  const other = await logIn(two.api, member.username);
  const profile = (on: ApiProcess, token: string) => on.api('GET', '/auth/profile', undefined, { token });
  assert.equal((await profile(two, member.token)).status, 200);
  assert.equal((await one.api('POST', '/auth/logout', undefined, { token: member.token })).status, 204);
  const answer = await profile(two, member.token);
  assert.deepEqual([answer.status, answer.body.code], [401, 'token_revoked']);
  assert.equal(
    (await two.api('POST', '/auth/refresh', { refreshToken: member.refreshToken }, { token: null })).status,
    401,
  );
  assert.equal((await profile(one, other.token)).status, 200);
});

test('one Idempotency-Key on both processes at once makes one thing', async () => {
  for (let round = 1; round <= 20; round += 1) {
    const name = `Round ${round}`;
    assertOneRan(await Promise.all([create(one, name, `round ${round}`), create(two, name, `round ${round}`)]));
    assert.equal(await companies(name), 1);
  }
});

test('ten twins at once make one thing', async () => {
  assertOneRan(
    await Promise.all(Array.from({ length: 10 }, (_, n) => create(n % 2 ? one : two, 'Ten Twins', 'ten twins'))),
  );
  assert.equal(await companies('Ten Twins'), 1);
});

test('kill -9 in the middle of a request: nothing of it is done, and its twin on another process goes on at once', async () => {
  const victim = await startApiProcess(service);
  onTestFinished(() => victim.end('SIGKILL'));
  const owner = new pg.Client({ connectionString: service.slot.env['DATABASE_MIGRATION_URL']! });
  await owner.connect();
  onTestFinished(() => owner.end());
  await owner.query('begin');
  await owner.query('lock table companies in share mode');
  const cut = assert.rejects(create(victim, 'Cut Off', 'cut off'));
  await until('it is in the middle', () => waiting(owner));
  await victim.end('SIGKILL');
  await cut;
  await owner.query('commit');

  // Postgres undoes what the dead one had begun, and frees its key with it.
  const twin = create(two, 'Cut Off', 'cut off');
  assertOneRan([await twin, await create(one, 'Cut Off', 'cut off')]);
  assert.equal(await companies('Cut Off'), 1);
});
