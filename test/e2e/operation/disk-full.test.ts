import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, test } from '@jest/globals';
import { createPerennial, type Perennial } from '../../../dev/perennial.ts';
import type { Service as Child } from '../../../dev/service.ts';
import { readStartSettings } from '../../../dev/settings.ts';
import { freePorts } from '../../../dev/stack/ports.ts';
import { apiAt, type Answer, type Api } from '../../support/call-api.ts';
import { processEnv } from '../../support/process-env.ts';
import { claimSlot, type Slot } from '../../support/slot.ts';
import { until } from '../../support/until.ts';

const run = promisify(execFile);
const ADMIN_PASSWORD = 'Correct-Horse-7-Battery';
let slot: Slot;
let disk: string;
let perennial: Perennial;
let starting: Promise<void> | undefined;
let api: Api;
const children: Child[] = [];
const lines: string[] = [];

/** The service as `npm start` runs it, with Postgres and NATS on a small disk of their own; Temporal is the slot's. */
beforeAll(async () => {
  slot = await claimSlot();
  disk = await mkdtemp(join(tmpdir(), 'perennial-disk-'));
  await run('mount', ['-t', 'tmpfs', '-o', 'size=320m', 'perennial', disk]);
  await chmod(disk, 0o711);
  const [port, postgres, nats] = (await freePorts(3)).map(String);
  const { TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE } = slot.env;
  perennial = createPerennial({
    root: resolve('.'),
    dataDir: disk,
    settings: readStartSettings({
      ...processEnv,
      TEMPORAL_ADDRESS,
      TEMPORAL_NAMESPACE,
      ...{ PORT: port, POSTGRES_PORT: postgres, NATS_PORT: nats, WORKER_HEALTH_PORT: '0' },
      ...{ SMTP_URL: 'smtp://127.0.0.1:1', ENABLE_RATE_LIMITING: 'false', ADMIN_PASSWORD, LOG_LEVEL: 'info' },
    }),
    log: (line) => lines.push(line),
    spawned: (child) => children.push(child),
    refused: () => {},
  });
  await perennial.startParts();
  // Its health says that there is no mail provider, which nothing here needs.
  starting = perennial.startProcesses().catch(() => {});
  let token = '';
  api = apiAt(`http://127.0.0.1:${port}`, () => token);
  const login = await until(
    'the Admin can log in',
    async () => {
      const answer = await ask('POST', '/auth/login', { username: 'admin', password: ADMIN_PASSWORD });
      return answer?.status === 200 && answer;
    },
    180_000,
  );
  token = login.body.accessToken;
  // One that is still starting would end, and be started again.
  await until('the worker works', () => readLog('worker').includes('"msg":"working"'));
});

afterAll(async () => {
  await perennial?.stop();
  await starting;
  await run('umount', [disk]);
  await rm(disk, { recursive: true, force: true });
  await slot.release();
});

const readLog = (name: string): string => readFileSync(join(disk, 'logs', `${name}.log`), 'utf8');

/** The answer; null if none came. */
const ask = (...request: Parameters<Api>): Promise<Answer | null> => api(...request).catch(() => null);

/** Takes all that is left of the disk. */
function fillDisk(file: string): void {
  const filler = openSync(file, 'a');
  for (const bytes of [1024 ** 2, 4096])
    try {
      for (;;) writeSync(filler, Buffer.alloc(bytes, 'x'));
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC');
    }
  closeSync(filler);
}

const upload = (rows: number): FormData => {
  const lines = Array.from({ length: rows }, (_, n) => `row${n}@example.org,${'x'.repeat(80)}`);
  const form = new FormData();
  form.set('file', new Blob([`email,firstName\n${lines.join('\n')}\n`], { type: 'text/csv' }), 'people.csv');
  return form;
};

test('a full disk: what cannot be written gets a 503, and all goes on when there is room, with nothing lost that was accepted', async () => {
  const pids = () => children.filter(({ name }) => /^(api|worker)/.test(name)).map(({ pid }) => pid);
  const before = pids();
  const filler = join(disk, 'filler');
  const accepted: string[] = [];
  const statuses = new Set<number>();
  let number = 0;
  /** Creates a contact. */
  const create = async (): Promise<number | null> => {
    number += 1;
    const email = `full${number}@example.org`;
    const body = { firstName: 'A'.repeat(100), lastName: 'B', email };
    const answer = await ask('POST', '/contacts', body);
    if (answer) statuses.add(answer.status);
    if (answer?.status === 201) accepted.push(email);
    return answer?.status ?? null;
  };
  assert.equal(await create(), 201);
  await until(
    'Postgres can write no more',
    async () => {
      fillDisk(filler);
      return (await Promise.all(Array.from({ length: 20 }, create))).includes(503);
    },
    180_000,
  );
  await until(
    'an upload is refused',
    async () => {
      fillDisk(filler);
      const answer = await ask('POST', '/contacts/import', upload(20_000));
      if (answer) statuses.add(answer.status);
      return answer?.status === 503;
    },
    180_000,
  );

  rmSync(filler);
  await until('contacts are taken again', async () => (await create()) === 201, 180_000);
  const { body: job } = await until(
    'uploads are taken again',
    async () => {
      const answer = await ask('POST', '/contacts/import', upload(100));
      return answer?.status === 202 && answer;
    },
    180_000,
  );
  await until(
    'the import is done',
    async () => (await ask('GET', `/contacts/imports/${job.id}`))?.body.status === 'COMPLETED',
    180_000,
  );
  for (const email of accepted) {
    const answer = await api('GET', `/contacts?email=${encodeURIComponent(email)}`);
    assert.equal(answer.body.data.length, 1, email);
  }
  assert.deepEqual(
    [...statuses].filter((status) => ![201, 202, 503].includes(status)),
    [],
  );
  assert.deepEqual(pids(), before, ['API and worker have stayed', ...lines].join('\n'));
}, 900_000);
