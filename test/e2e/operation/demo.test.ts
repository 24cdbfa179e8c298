/** `npm run demo`, above all what it shows of texts and webhooks. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, test } from '@jest/globals';
import { createClient, type Client } from '../../../dev/demo/client.ts';
import { showTexts, type TextsDemo } from '../../../dev/demo/texts.ts';
import { memberWith } from '../../support/accounts.ts';
import { onTestFinished } from '../../support/on-test-finished.ts';
import { listening, outbound } from '../../support/outbound.ts';
import { processEnv } from '../../support/process-env.ts';
import { ADMIN_PASSWORD, startService, type Service } from '../../support/service.ts';

let service: Service;
let admin: Client;
let user: Client;
beforeAll(async () => {
  service = await startService({
    worker: true,
    env: { OUTBOUND_ALLOW: '127.0.0.1/32' },
  });
  admin = createClient(service.url, service.admin.token);
  user = createClient(service.url, (await memberWith(service, 'User')).token);
});
afterAll(() => service.stop());

let runs = 0;
async function show(as: Client | null): Promise<TextsDemo & { said: string[] }> {
  const said: string[] = [];
  const say = (line: string): void => void said.push(line);
  const shown = await showTexts({ api: user, admin: as, apiUrl: service.url, run: `run ${(runs += 1)}`, say });
  return { ...shown, said };
}

test('a text, a STOP, why the next text does not go, and a webhook with its proof', async () => {
  const { checks, links, leftOut, said } = await show(admin);
  assert.deepEqual(
    checks.filter(({ right }) => !right),
    [],
  );
  assert.equal(checks.length, 7);
  assert.deepEqual(leftOut, []);
  const number = String.raw`\+1\d{10}`;
  const link = `${service.url}/r/[A-Za-z0-9]{10}`;
  const expected = [
    `^  ${number}, where it is \\d\\d:\\d\\d, gets: “Hello Ada, our sale has begun: ${link}.*”$`,
    '^  They answer STOP, and get: “You are unsubscribed .*”$',
    '^  The next text is SUPPRESSED, because of the gate$',
    ...['template', 'contact', 'address'].map((gate) => `^    ✓ ${gate}$`),
    '^    ✗ status       no_consent$',
    '^  A webhook was told, each signed by its secret: CHANNEL_SUBSCRIBED, MESSAGE_SENT, MESSAGE_DELIVERED, ',
    '^  Its proof: 7 matched, 7 delivered, 0 pending, 0 failed, 0 held; numbers 1 to 7$',
  ];
  assert.equal(said.length, expected.length, said.join('\n'));
  for (const [index, pattern] of expected.entries()) assert.match(said[index]!, new RegExp(pattern, 's'));
  for (const url of Object.values(links)) await user.call('GET', url.replace(`${service.url}/api/v1`, ''));
});

test('nothing that a demo has made is called after it, and another one is as right', async () => {
  assert.deepEqual(
    (await show(admin)).checks.filter(({ right }) => !right),
    [],
  );
  for (const path of ['/channels/providers', '/webhooks']) {
    const { data } = await admin.call('GET', path);
    assert.ok(data.length > 0);
    assert.ok(
      data.every(({ active }: { active: boolean }) => !active),
      path,
    );
  }
});

test('without an Admin the webhook is left out, and what to do is said', async () => {
  const { checks, leftOut, said } = await show(null);
  assert.equal(checks.length, 4);
  assert.ok(checks.every(({ right }) => right));
  assert.equal(said.filter((line) => line.includes('webhook')).length, 0);
  assert.equal(leftOut.length, 1);
  assert.match(leftOut[0]!, /^The webhook is left out: .*\n.*ADMIN_PASSWORD=/);
});

test('without OUTBOUND_ALLOW all of it is left out, nothing is made, and how to set it is said', async () => {
  const allowed = service.deps.outbound;
  const countAll = async () => [
    (await admin.call('GET', '/channels/providers?limit=200')).data.length,
    (await admin.call('GET', '/webhooks?limit=200')).data.length,
  ];
  const before = await countAll();
  for (const range of ['', '10.0.0.0/8']) {
    service.deps.outbound = outbound(range);
    const { checks, links, leftOut, said } = await show(admin);
    assert.deepEqual([checks, links, said], [[], {}, []]);
    assert.match(
      leftOut.join(),
      /^The text, the STOP and the webhook are left out: .*\n.*OUTBOUND_ALLOW=127\.0\.0\.1\/32 npm start/,
    );
  }
  service.deps.outbound = allowed;
  assert.deepEqual(await countAll(), before);
});

/** Runs the demo with an empty CRM export. Returns what it printed. */
async function runDemo(env: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'perennial-demo-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  // A mail catcher that nothing comes to.
  const catcher = createServer((request, response) =>
    response.end(request.url!.startsWith('/api/email/summary') ? '{"storeTotal":0}' : '[]'),
  );
  const demo = spawn(process.execPath, [resolve('dev/demo/run.ts'), '--rows', '0'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...processEnv,
      PORT: new URL(service.url).port,
      MAIL_PAGE_PORT: String(await listening(catcher)),
      ...env,
    },
  });
  const exited = once(demo, 'exit');
  onTestFinished(() => void demo.kill('SIGKILL'));
  const printed = await text(demo.stdout);
  assert.deepEqual(await exited, [0, null], printed);
  assert.ok((await stat(join(folder, '.data', 'demo-report.pdf'))).size > 0);
  return printed;
}

test('all of the demo, by the login of the Admin', async () => {
  const printed = await runDemo({ ADMIN_PASSWORD });
  for (const line of [
    '  ✓ texts that came: one, and one answer to STOP',
    '  ✓ events that the webhook accepted, by the proof',
    '  Proof of the webhook ',
  ])
    assert.ok(printed.includes(`\n${line}`), printed);
  assert.doesNotMatch(printed, /✗ (?!status)|left out/);
});

test('the demo says at its beginning and its end what it has left out', async () => {
  const allowed = service.deps.outbound;
  service.deps.outbound = outbound('');
  const printed = await runDemo({});
  service.deps.outbound = allowed;
  assert.equal(printed.match(/^Start it with OUTBOUND_ALLOW=127\.0\.0\.1\/32 npm start/gm)?.length, 2, printed);
  assert.doesNotMatch(printed, /✗/);
});
