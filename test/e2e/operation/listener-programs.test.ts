import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, test } from '@jest/globals';
import { promisify } from 'node:util';
import { insideOf } from '../../../transport/copies.ts';
import { decodeText } from '../../../transport/nats.ts';
import { EVENTS, LISTENER_REQUESTS } from '../../../transport/streams.ts';
import { makeContact } from '../../support/mail/emails.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { tempDir } from '../../unit/dev/temp-dir.ts';
import { onTestFinished } from '../../support/on-test-finished.ts';

const run = promisify(execFile);
const NATS_PY = 'nats-py==2.16.0 --hash=sha256:aeb1ff123966c05833d26c7df7e1d54c1c6d32b612428b21677a2e921f1fecae\n';

let service: Service;
let page: string;
beforeAll(async () => {
  page = await readFile('docs/listeners.md', 'utf8');
  service = await startService({ worker: ['relay', 'consumers'], listeners: true });
});
afterAll(() => service.stop());

/** The code that docs/listeners.md gives for a language, the first or a later one, in a file of an empty folder. */
async function paste(language: string, name: string, nth = 0): Promise<string> {
  const code = [...page.matchAll(new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``, 'g'))][nth]?.[1];
  assert.ok(code, `docs/listeners.md has ${language}`);
  const folder = tempDir();
  await writeFile(join(folder, name), code);
  return folder;
}

/** Runs the pasted program; `lines` are what it has printed. */
function start(command: string, args: string[], cwd: string, env: Record<string, string> = {}) {
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, LISTENER_URL: service.slot.listeners.url, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err, ended] = ['', '', false];
  child.stdout.on('data', (chunk) => {
    out += String(chunk);
  });
  child.stderr.on('data', (chunk) => {
    err += String(chunk);
  });
  const end = new Promise<void>((done) =>
    child.once('exit', () => {
      ended = true;
      done();
    }),
  );
  const stop = async () => {
    child.kill('SIGKILL');
    await end;
  };
  onTestFinished(stop);
  return {
    stop,
    lines: () => {
      assert.ok(!ended, `it ended: ${err}`);
      return out.split('\n').filter((line) => line.includes('CONTACT_CREATED'));
    },
  };
}

/** It handles each event once: from the first one, over a kill, and though all are delivered again. */
async function listens(folder: string, program: () => ReturnType<typeof start>, durable: string): Promise<void> {
  const copy = { account: service.slot.listeners.account, tenantId: null };
  /** What it prints is out before the transaction is: a kill between the two is no kill that we want. */
  const untilAllHandled = () =>
    until('all are handled', async () => {
      const db = new DatabaseSync(join(folder, 'events.db'), { readOnly: true, timeout: 5_000 });
      const { count } = db.prepare('SELECT count(*) AS count FROM handled').get() as { count: number };
      db.close();
      return count === (await (await insideOf(service.deps.nats, copy)).jsm.streams.info(EVENTS)).state.messages;
    });
  const contact = await makeContact(service);
  const first = program();
  await until('it has printed the contact', () => first.lines().some((line) => line.includes(contact.email)));
  const [before, second] = [first.lines(), await makeContact(service)];
  assert.equal(new Set(before).size, before.length);
  await until('it has printed the second contact', () => first.lines().some((line) => line.includes(second.email)));
  await untilAllHandled();
  await first.stop();
  const third = await makeContact(service);
  const again = program();
  await until('it goes on', () => again.lines().some((line) => line.includes(third.email)));
  assert.equal(again.lines().length, 1, 'and repeats nothing');
  await untilAllHandled();
  await again.stop();
  // At least once: here all of them, once more.
  assert.ok(await (await insideOf(service.deps.nats, copy)).jsm.consumers.delete(EVENTS, durable));
  const fourth = await makeContact(service);
  const last = program();
  await until('it has come to the fourth', () => last.lines().some((line) => line.includes(fourth.email)));
  assert.equal(last.lines().length, 1, 'what was handled is left out');
}

async function installNatsPy(folder: string): Promise<void> {
  await writeFile(join(folder, 'requirements.txt'), NATS_PY);
  await run(
    'python3',
    [
      '-m',
      'pip',
      'install',
      '--quiet',
      '--no-deps',
      '--require-hashes',
      '--disable-pip-version-check',
      '--target',
      join(folder, 'packages'),
      '-r',
      join(folder, 'requirements.txt'),
    ],
    { env: { ...process.env, PIP_USER: '0', PIP_REQUIRE_VIRTUALENV: '0' } },
  );
}

test('the Python of docs/listeners.md reads events, durably and each once', async () => {
  const folder = await paste('python', 'listen.py');
  await installNatsPy(folder);
  await listens(
    folder,
    () => start('python3', ['listen.py'], folder, { PYTHONPATH: join(folder, 'packages') }),
    'my-crm',
  );
});

test('the TypeScript of docs/listeners.md reads events, durably and each once', async () => {
  const folder = await paste('ts', 'listen.mts');
  await symlink(resolve('node_modules'), join(folder, 'node_modules'));
  await listens(folder, () => start(process.execPath, ['--no-warnings', 'listen.mts'], folder), 'my-shop');
});

test('the Python of docs/listeners.md requests a mail; one that is refused is a timeout with the reason in the log', async () => {
  const folder = await paste('python', 'request.py', 1);
  await installNatsPy(folder);
  const env = { ...process.env, LISTENER_URL: service.slot.listeners.url, PYTHONPATH: join(folder, 'packages') };
  await run('python3', ['request.py'], { cwd: folder, env });
  const { jsm } = service.deps.nats;
  const { data } = await jsm.streams.getMessage(LISTENER_REQUESTS, { seq: 1 });
  assert.deepEqual(JSON.parse(decodeText(data)), {
    templateId: 3,
    recipientId: 7,
    emailId: 'order-4711',
    data: { order: '4711' },
  });
  await writeFile(
    join(folder, 'refused.py'),
    (await readFile(join(folder, 'request.py'), 'utf8')).replace('email.send.requests', 'email.send.requestz'),
  );
  await assert.rejects(
    run('python3', ['refused.py'], { cwd: folder, env }),
    ({ stderr }: { stderr: string }) => /TimeoutError/.test(stderr) && /permissions violation/i.test(stderr),
  );
});
