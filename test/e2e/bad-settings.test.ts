import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { createPerennial } from '../../dev/perennial.ts';
import { freePorts } from '../../dev/ports.ts';
import { removeData } from '../../dev/postgres-place.ts';
import { readStartSettings } from '../../dev/settings.ts';
import { claimSlot, type Slot } from '../support/slot.ts';
import { processEnv } from '../support/process-env.ts';

let slot: Slot;
const taken = createServer();
before(async () => {
  slot = await claimSlot();
  await once(taken.listen(0, '127.0.0.1'), 'listening');
});
after(async () => {
  taken.close();
  await slot.release();
});

const takenPort = () => String((taken.address() as AddressInfo).port);
const SECRET = 'Hunter2-Secret';

/** The URL of a part of the slot with something changed. */
const changed = (name: string, change: (url: URL) => void): Record<string, string> => {
  const url = new URL(slot.env[name]!);
  change(url);
  return { [name]: url.href };
};
const wrongPassword = (name: string) => changed(name, (url) => { url.password = SECRET; });
const wrongDatabase = (name: string, database: string) => changed(name, (url) => { url.pathname = `/${database}`; });

/** Runs a process to its end, which must be that of settings that can not work: answers what it said. */
async function refusal(script: string, env: Record<string, string>, args: string[] = []): Promise<string[]> {
  const child = spawn(process.execPath, [resolve(script), ...args], {
    stdio: ['ignore', 'ignore', 'pipe'], env: { ...processEnv, SMTP_URL: 'smtp://127.0.0.1:1', PORT: '0', LOG_LEVEL: 'silent', ...slot.env, ...env },
  });
  let text = '';
  child.stderr.setEncoding('utf8').on('data', (part: string) => { text += part; });
  const timer = setTimeout(() => child.kill('SIGKILL'), 120_000);
  const [code, signal] = await once(child, 'close') as [number | null, string | null];
  clearTimeout(timer);
  assert.deepEqual([code, signal], [2, null], `${script} ${Object.keys(env).join()}: ${text}`);
  assert.ok(!text.includes(SECRET), text);
  return text.trimEnd().split('\n');
}

/** Each of these is seen before anything is connected. */
const MALFORMED = {
  DATABASE_URL: `garbage-${SECRET}`, NATS_URL: `garbage-${SECRET}`, TEMPORAL_ADDRESS: `http://${SECRET}`, SMTP_URL: `http://a:${SECRET}@localhost`,
  PUBLIC_URL: 'https://mail.example.com\nX: y', MAIL_FROM: 'a@example.com\nBcc: b@example.com', METRICS_TOKEN: `${SECRET} `, HOST: '127.0.0.1\r',
  JWT_SECRET: 'short', TEMPORAL_NAMESPACE: 'two words', DATABASE_POOL_MAX: 'many', NATS_LISTENERS: 'LISTENERS:acme,LISTENERS',
};

for (const script of ['api/server.ts', 'worker/main.ts']) {
  test(`${script}: each setting that is malformed is a line`, async () => {
    assert.deepEqual((await refusal(script, MALFORMED)).map((line) => line.split(' ')[0]).sort(), Object.keys(MALFORMED).sort());
  });

  test(`${script}: a setting that leads nowhere is a line that names it`, { timeout: 280_000 }, async () => {
    for (const [env, line] of [
      [wrongPassword('DATABASE_URL'), /^DATABASE_URL does not work: password authentication failed/],
      [wrongDatabase('DATABASE_URL', 'nothing_here'), /^DATABASE_URL does not work: database "nothing_here" does not exist$/],
      [wrongDatabase('DATABASE_URL', 'postgres'), /^DATABASE_URL leads to a database that is not prepared for this login: run `npm run migrate` first$/],
      [{ DATABASE_URL: slot.env['DATABASE_MIGRATION_URL']! }, /^DATABASE_URL names a login that row-level security does not hold for/],
      [wrongPassword('NATS_URL'), /^NATS_URL does not work: .*Authorization Violation/i],
      [{ TEMPORAL_NAMESPACE: 'nothing-here' }, /^TEMPORAL_NAMESPACE must be one that Temporal has/],
    ] as const) {
      const lines = await refusal(script, env);
      assert.equal(lines.length, 1, lines.join('\n'));
      assert.match(lines[0]!, line);
    }
  });
}

test('the addresses that a process listens on must be free and its own', async () => {
  for (const [script, env, line] of [
    ['api/server.ts', { PORT: takenPort() }, `PORT must be another: port ${takenPort()} is in use`],
    ['api/server.ts', { HOST: '203.0.113.7' }, 'HOST must be an address of this machine, such as 127.0.0.1 or 0.0.0.0 (EADDRNOTAVAIL)'],
    ['worker/main.ts', { WORKER_HEALTH_PORT: takenPort() }, `WORKER_HEALTH_PORT must be another: port ${takenPort()} is in use`],
  ] as const) assert.deepEqual(await refusal(script, env), [line]);
});

test('the first Admin and a worker\'s roles are checked too', async () => {
  assert.deepEqual((await refusal('api/server.ts', { ADMIN_PASSWORD: 'short', ADMIN_EMAIL: 'nobody' })).map((line) => line.split(' ')[0]).sort().at(0), 'ADMIN_EMAIL');
  assert.match((await refusal('worker/main.ts', {}, ['--only', 'everything']))[0]!, /^--only takes temporal, /);
  assert.match((await refusal('worker/main.ts', {}, ['--all']))[0]!, /^Unknown option '--all'/);
});

test('an account for listeners that is not there, or the service\'s own, is a line that says what it needs', async () => {
  for (const account of ['NOWHERE', `T${slot.number}`]) {
    const lines = await refusal('worker/main.ts', { NATS_LISTENERS: account });
    assert.deepEqual(lines, [`NATS_LISTENERS names the account ${account}, whose JetStream does not answer: give it one and the imports that docs/operating.md shows`]);
  }
});

test('migrations name the setting that does not work', async () => {
  for (const [env, line] of [
    [{ DATABASE_URL: SECRET, DATABASE_MIGRATION_URL: SECRET }, /^DATABASE_URL must be a URL like .*\nDATABASE_MIGRATION_URL must be a URL like .*$/],
    [wrongPassword('DATABASE_MIGRATION_URL'), /^DATABASE_MIGRATION_URL does not work: password authentication failed.*$/],
    [wrongDatabase('DATABASE_MIGRATION_URL', 'nothing_here'), /^DATABASE_MIGRATION_URL does not work: database "nothing_here" does not exist$/],
  ] as const) assert.match((await refusal('db/migrate.ts', env)).join('\n'), line);
});

test('npm start says what is malformed before it starts anything', async () => {
  const lines = await refusal('dev/start.ts', { ...MALFORMED, DATABASE_MIGRATION_URL: slot.env['DATABASE_MIGRATION_URL']!, NATS_PORT: 'x', PORT: '1' });
  assert.deepEqual(lines.map((line) => line.split(' ')[0]).sort(), [...Object.keys(MALFORMED), 'NATS_PORT'].sort());
});

test('npm start says what a part or a process refuses, once, and does not try again', { timeout: 280_000 }, async (t) => {
  for (const [env, line] of [
    [wrongPassword('DATABASE_MIGRATION_URL'), /^DATABASE_MIGRATION_URL does not work: password authentication failed/],
    [wrongPassword('NATS_URL'), /^NATS_URL does not work: .*Authorization Violation/i],
    [{ ADMIN_PASSWORD: 'Short-1' }, /^ADMIN_PASSWORD /],
  ] as const) {
    const dataDir = await mkdtemp(join(tmpdir(), 'perennial-settings-'));
    t.after(() => removeData(dataDir));
    const [port = 0, metrics = 0] = await freePorts(2);
    const given = { ...slot.env, SMTP_URL: 'smtp://127.0.0.1:1', PORT: String(port), WORKER_HEALTH_PORT: String(metrics), ...env };
    const said: string[] = [];
    const perennial = createPerennial({
      root: resolve('.'), dataDir, settings: readStartSettings(given), log: (text) => said.push(text), spawned: () => {},
      failed: (message, code) => { said.push(`${code}: ${message}`); },
    });
    await perennial.startParts();
    await perennial.startProcesses().catch((error: Error) => said.push(`${error.name}: ${error.message}`));
    await perennial.stop();
    const found = said.filter((text) => /^(2|EnvError): /.test(text)).map((text) => text.replace(/^\w+: /, ''));
    assert.match(found[0] ?? said.join('\n'), line);
    assert.ok(!found[0]!.includes('\n') && !said.some((text) => text.includes(SECRET) || text.includes('starting it again')), said.join('\n'));
  }
});

