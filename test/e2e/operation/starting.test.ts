import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, test } from '@jest/globals';
import { createDeps } from '../../../runtime/deps.ts';
import { readEnv } from '../../../config/env.ts';
import { migrate } from '../../../db/migrate.ts';
import { createPerennial } from '../../../dev/perennial.ts';
import { freePorts } from '../../../dev/stack/ports.ts';
import { removeData } from '../../../dev/stack/postgres-place.ts';
import { postgresUrls, startPostgres, withClient } from '../../../dev/stack/postgres.ts';
import { signal } from '../../../dev/process.ts';
import { readStartSettings } from '../../../dev/settings.ts';
import { latePart } from '../../support/late-part.ts';
import { claimSlot, type Slot } from '../../support/slot.ts';
import { until } from '../../support/until.ts';
import { processEnv } from '../../support/process-env.ts';
import { onTestFinished } from '../../support/on-test-finished.ts';

let slot: Slot;
beforeAll(async () => {
  slot = await claimSlot();
});
afterAll(() => slot.release());

const settings = (env: Record<string, string> = {}) => ({
  LOG_LEVEL: 'silent',
  SMTP_URL: 'smtp://127.0.0.1:1',
  ...slot.env,
  ...env,
});

/** `worker/main.ts`, which is killed at the end of the test; `messages` are those of its log. */
function startRelay(env: Record<string, string>) {
  const child = spawn(process.execPath, [resolve('worker/main.ts'), '--only', 'relay'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...processEnv, ...settings(env), LOG_LEVEL: 'info' },
  });
  const exited = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  const messages: string[] = [];
  createInterface(child.stdout).on('line', (line) => messages.push((JSON.parse(line) as { msg: string }).msg));
  return { child, messages };
}

for (const [name, part] of [
  ['DATABASE_URL', 'Postgres'],
  ['NATS_URL', 'NATS'],
] as const) {
  test(`a worker that starts before ${part} waits for it, and says so`, async () => {
    const [env, line] = await latePart(slot.env, name);
    onTestFinished(() => line.cut().catch(() => {}));
    const { child, messages } = startRelay(env);
    await until('it waits', () => messages.length > 0);
    assert.deepEqual(messages, [`waiting for ${part}`]);
    await line.mend();
    await until('it works', () => messages.includes('working'));
    assert.equal(child.exitCode, null);
  });
}

test('a process that starts while Postgres takes no sessions waits until it does', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'perennial-starting-'));
  const [port = 0] = await freePorts(1);
  const { owner, app } = postgresUrls(port);
  let postgres = await startPostgres({ dataDir, port, volatile: true });
  await migrate(owner, app);
  onTestFinished(async () => {
    await postgres.stop();
    await removeData(dataDir);
  });
  const refused = async () =>
    (await readFile(postgres.logFile, 'utf8')).includes('FATAL:  the database system is shutting down');
  const starting = await withClient(owner, async () => {
    // It ends with its last session, and takes no more: SQLSTATE 57P03, as after a crash.
    signal(postgres.pid, 'SIGTERM');
    const deps = createDeps(readEnv(settings({ DATABASE_URL: app })), 'test');
    deps.catch(() => {});
    await until('it was refused', refused);
    return { deps };
  });
  await postgres.ended;
  postgres = await startPostgres({ dataDir, port, volatile: true });
  await (await starting.deps).close();
});

test('what waiting does not mend is said at once', async () => {
  const wrong = (name: string, password: string): Record<string, string> => {
    const url = new URL(slot.env[name]!);
    url.password = password;
    return { [name]: url.href };
  };
  await assert.rejects(
    createDeps(readEnv(settings(wrong('DATABASE_URL', 'wrong'))), 'test'),
    /password authentication failed/,
  );
  await assert.rejects(createDeps(readEnv(settings(wrong('NATS_URL', 'wrong'))), 'test'), /Authorization Violation/);
});

test('npm start is up wherever the API listens', async () => {
  const host = Object.values(networkInterfaces())
    .flat()
    .some((one) => one?.address === '::1')
    ? '::1'
    : '127.0.0.2';
  const dataDir = await mkdtemp(join(tmpdir(), 'perennial-starting-'));
  const [port, smtp, mailPage] = (await freePorts(3)).map(String);
  const given = settings({
    HOST: host,
    PORT: port!,
    WORKER_HEALTH_PORT: '0',
    SMTP_URL: '',
    SMTP_PORT: smtp!,
    MAIL_PAGE_PORT: mailPage!,
  });
  const perennial = createPerennial({
    root: resolve('.'),
    dataDir,
    settings: readStartSettings(given),
    log: () => {},
    spawned: () => {},
    refused: () => {},
  });
  onTestFinished(async () => {
    await perennial.stop();
    await removeData(dataDir);
  });
  await perennial.startParts();
  await perennial.startProcesses();
  assert.equal((await fetch(`http://${host === '::1' ? '[::1]' : host}:${port}/api/v1/health`)).status, 200);
});
