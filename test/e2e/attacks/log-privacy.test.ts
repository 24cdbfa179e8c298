import assert from 'node:assert/strict';
import { lstat, readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, test } from '@jest/globals';
import { engineEm, rows, sql, tenantEm, type EntityManager } from '../../../db/orm.ts';
import { Contact } from '../../../db/entities/contacts.ts';
import { startApiProcess, type ApiProcess } from '../../support/api-process.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { registration } from '../../support/users.ts';

/** Of this run's stack. */
const runDir = dirname(process.env['PERENNIAL_TEST_STACK']!);
let service: Service;
let api: ApiProcess;
beforeAll(async () => {
  service = await startService();
  api = await startApiProcess(service, { LOG_LEVEL: 'trace' });
});
afterAll(async () => {
  await api.end();
  await service.stop();
});

const PERSON = 'Zebulon-Quux';
const EMAIL = 'zebulon.quux@example.com';
const PASSWORD = 'Zebulon-Battery-9';

/** What Postgres says to statements that can not succeed; their values name the person. */
async function failures(): Promise<string[]> {
  const { orm } = service.deps;
  const inTenant = (work: (tx: EntityManager) => Promise<unknown>) =>
    tenantEm(orm, 'default')
      .transactional(work)
      .then(
        () => 'no failure',
        (error: unknown) => (error as { code: string }).code,
      );
  const contact = { tenantId: 'default', firstName: PERSON, lastName: PERSON, email: EMAIL, emailKey: EMAIL };
  return [
    await inTenant(async (tx) => {
      await tx.insert(Contact, { ...contact, status: 'no status of Zebulon-Quux' } as never);
    }),
    await inTenant(async (tx) => {
      await tx.insert(Contact, { ...contact, email: EMAIL.repeat(50) });
    }),
    await inTenant(async (tx) => {
      await tx.execute(`set local statement_timeout = '20ms'`);
      await tx.execute('select pg_sleep(5), ?::text as person', [PERSON]);
    }),
    await inTenant((tx) => tx.execute('select ?::int', [PERSON])),
    await inTenant((tx) => rows(tx, sql`select pg_sleep(0), ${PASSWORD}::text::int`)),
    await inTenant((tx) =>
      rows(
        tx,
        sql`insert into contacts (tenant_id, first_name, last_name, email, email_key) select tenant_id, first_name, last_name, email, email_key from contacts where email_key = ${EMAIL}`,
      ),
    ),
  ];
}

test('what people are called, their addresses and passwords are in no log when statements fail', async () => {
  const made = await api.api('POST', '/contacts', { firstName: PERSON, lastName: PERSON, email: EMAIL });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  assert.equal((await api.api('POST', '/contacts', { firstName: PERSON, lastName: PERSON, email: EMAIL })).status, 409);
  const user = registration({ firstName: PERSON, email: EMAIL, password: PASSWORD });
  assert.equal((await api.api('POST', '/auth/register', user, { token: null })).status, 201);
  assert.equal(
    (await api.api('POST', '/auth/register', { ...user, username: 'zebulon2' }, { token: null })).status,
    409,
  );
  assert.deepEqual(await failures(), ['23514', '22001', '57014', '22P02', '22P02', '23505']);
  await api.api('GET', '/contacts/0', undefined, { headers: { 'x-request-id': 'the-last' } });
  await until('the whole log is there', () => api.log().includes('the-last'));
  const [hash] = await engineEm(service.deps.orm).transactional((tx) =>
    rows<{ hash: string }>(tx, sql`select password_hash as hash from users where email = ${EMAIL}`),
  );
  const logs = new Map([["the API's log", api.log()]]);
  for (const name of await readdir(join(runDir, 'logs')))
    logs.set(name, await readFile(join(runDir, 'logs', name), 'utf8'));
  assert.ok(logs.get('postgres.log')!.includes('ready to accept connections'), [...logs.keys()].join());
  for (const [name, text] of logs) {
    for (const secret of [PERSON, EMAIL, PASSWORD, hash!.hash, '$argon2'])
      assert.ok(
        !text.includes(secret),
        `${secret} is in ${name}: ${text.split('\n').find((line) => line.includes(secret))}`,
      );
  }
});

test('a path is logged by our own words and ids alone', async () => {
  const secret = 'zebulon.path@example.org';
  const asked: [method: string, path: string, logged: string][] = [
    ['GET', `/contacts/${secret}`, '/contacts/{id}'],
    ['GET', `/contacts/${encodeURIComponent(secret)}/activities`, '/contacts/{id}/activities'],
    ['DELETE', '/contacts/999999', '/contacts/999999'],
    ['GET', `/campaigns/7/contacts/${secret}/explain`, '/campaigns/7/contacts/{contactId}/explain'],
    ['GET', `/emails/unsubscribe/${secret}`, '/emails/unsubscribe/{token}'],
    ['POST', `/emails/webhooks/${secret}`, '/emails/webhooks/{provider}'],
    // What no route takes, or takes by another method.
    ['GET', `/contacts/by-email/${secret}`, '/contacts/…/…'],
    ['GET', `/${secret}/12`, '/…/12'],
    ['PUT', `/contacts/${secret}/merge`, '/contacts/…/merge'],
    ['OPTIONS', `/contacts/${secret}`, '/contacts/…'],
    ['GET', `/contacts/${'1'.repeat(30)}`, '/contacts/{id}'],
    ['GET', `/contacts/${'a/'.repeat(1000)}`, `/contacts${'/…'.repeat(8)}`],
  ];
  for (const [index, [method, path]] of asked.entries())
    await api.api(method, path, undefined, { headers: { 'x-request-id': `path-${index}` } });
  const lines = await until('every request is logged', () => {
    const found = api
      .log()
      .split('\n')
      .filter((line) => line.includes('"path-'))
      .map((line) => JSON.parse(line) as { requestId: string; path: string });
    return found.length >= asked.length && found;
  });
  for (const [index, [, , logged]] of asked.entries())
    assert.equal(lines.find(({ requestId }) => requestId === `path-${index}`)!.path, `/api/v1${logged}`);
  assert.ok(!api.log().includes('zebulon.path'));
});

test('values are parameters: a statement that runs does not show them', async () => {
  const { orm } = service.deps;
  const [activity] = await tenantEm(orm, 'default').transactional((tx) =>
    tx.execute<{ query: string }[]>(`select query, ? as person from pg_stat_activity where pid = pg_backend_pid()`, [
      PERSON,
    ]),
  );
  assert.match(activity!.query, /select query, \$1 as person/);
});

test('what the parts keep is closed to all but their owner', async () => {
  const open: string[] = [];
  const walk = async (folder: string): Promise<void> => {
    for (const name of await readdir(folder)) {
      // The run's own note of which slots are taken.
      if (name === 'slots') continue;
      const path = join(folder, name);
      // Temporary files come and go.
      const stats = await lstat(path).catch(() => null);
      if (!stats || stats.isSymbolicLink()) continue;
      if (stats.mode & 0o077) open.push(`${path} ${(stats.mode & 0o777).toString(8)}`);
      if (stats.isDirectory()) await walk(path);
    }
  };
  await walk(runDir);
  assert.deepEqual(open, []);
});
