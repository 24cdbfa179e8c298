/** The receiver of docs/webhooks.md takes what the service sends, and nothing else. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, test } from '@jest/globals';
import { processEnv } from '../../support/process-env.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { onTestFinished } from '../../support/on-test-finished.ts';
import { tempDir } from '../../unit/dev/temp-dir.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({
    worker: ['consumers', 'relay', 'webhooks'],
    env: { OUTBOUND_ALLOW: '127.0.0.1/32' },
  });
});
afterAll(() => service.stop());

/** Starts the program of the page on a free port. */
async function startReceiver(secret: string) {
  const page = await readFile('docs/webhooks.md', 'utf8');
  const code = /```js\n([^]*?)```/.exec(page)?.[1];
  assert.ok(code, 'docs/webhooks.md has a receiver');
  const file = join(tempDir(), 'receiver.mjs');
  await writeFile(file, code);
  const child = spawn(process.execPath, [file], {
    env: { ...processEnv, WEBHOOK_SECRET: secret, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.on('data', (piece) => {
    out += String(piece);
  });
  const ended = new Promise((done) => child.once('exit', done));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const listening = await until('it listens', () => /^listening (\d+)$/m.exec(out));
  return {
    url: `http://127.0.0.1:${listening[1]}/`,
    /** What it has printed, whole lines only. */
    lines: () =>
      out
        .split('\n')
        .slice(0, -1)
        .filter((line) => !line.startsWith('listening')),
  };
}

test('the receiver of the documentation verifies what comes, and does each once', async () => {
  const made = await service.api('POST', '/webhooks', {
    name: 'Documented',
    url: 'https://www.example.com/',
    types: ['CONTACT_CREATED'],
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  // The program needs the secret, and the webhook the program's port.
  const receiver = await startReceiver(made.body.secret);
  assert.equal((await service.api('PUT', `/webhooks/${made.body.id}`, { url: receiver.url })).status, 200);
  const contact = await service.api('POST', '/contacts', {
    ...{ firstName: 'Ada', lastName: 'Byron', email: 'ada@example.org' },
  });
  const [line] = await until('it has it', () => receiver.lines().length > 0 && receiver.lines());
  assert.match(line!, new RegExp(`^CONTACT_CREATED \\{.*"contactId":${contact.body.id}\\b`));
  const [delivery] = await until('it is delivered', async () => {
    const { data } = (await service.api('GET', `/webhooks/${made.body.id}/deliveries`)).body;
    return data[0]?.status === 'DELIVERED' && data;
  });
  // Again under the same id: it answers 2xx, and does nothing.
  const path = `/webhooks/${made.body.id}/deliveries/${delivery.id}/retry`;
  assert.equal((await service.api('POST', path)).status, 202);
  await until('it was tried twice', async () => {
    const { body } = await service.api('GET', `/webhooks/${made.body.id}/deliveries/${delivery.id}`);
    return body.attempts.length === 2 && body.status === 'DELIVERED';
  });
  assert.equal(receiver.lines().length, 1);
  const forged = await fetch(receiver.url, {
    method: 'POST',
    headers: {
      'webhook-id': 'x',
      'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
      'webhook-signature': 'v1,AAAA',
    },
    body: '{"type":"CONTACT_CREATED","data":{}}',
  });
  assert.equal(forged.status, 401);
  assert.equal((await fetch(receiver.url, { method: 'POST', body: '{}' })).status, 401);
  // Half a body, and a long one.
  const half = connect(Number(new URL(receiver.url).port), '127.0.0.1');
  half.resume();
  half.end('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{');
  await once(half, 'close');
  await fetch(receiver.url, { method: 'POST', body: 'x'.repeat(2_000_000) }).catch(() => null);
  assert.equal((await fetch(receiver.url, { method: 'POST', body: '{}' })).status, 401, 'it goes on');
  assert.equal(receiver.lines().length, 1);
});
