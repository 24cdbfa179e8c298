import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, test } from '@jest/globals';
import { openUploadFolder } from '../../../api/middleware/uploads.ts';
import { createDeps } from '../../../runtime/deps.ts';
import { EnvError, readEnv, readMigrationEnv } from '../../../config/env.ts';
import { listen } from '../../../config/start-problems.ts';
import { migrate } from '../../../db/migrate.ts';
import { createPerennial } from '../../../dev/perennial.ts';
import { freePorts } from '../../../dev/stack/ports.ts';
import { removeData } from '../../../dev/stack/postgres-place.ts';
import { readStartSettings } from '../../../dev/settings.ts';
import { claimSlot, type Slot } from '../../support/slot.ts';
import { processEnv } from '../../support/process-env.ts';
import { onTestFinished } from '../../support/on-test-finished.ts';

let slot: Slot;
const taken = createServer();
beforeAll(async () => {
  slot = await claimSlot();
  await once(taken.listen(0, '127.0.0.1'), 'listening');
});
afterAll(async () => {
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
const wrongPassword = (name: string) =>
  changed(name, (url) => {
    url.password = SECRET;
  });
const wrongDatabase = (name: string, database: string) =>
  changed(name, (url) => {
    url.pathname = `/${database}`;
  });

/** Runs a process to its end, which must be that of settings that can not work: returns what it said. */
async function refusal(script: string, env: Record<string, string>, args: string[] = []): Promise<string[]> {
  const child = spawn(process.execPath, [resolve(script), ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...processEnv, SMTP_URL: 'smtp://127.0.0.1:1', PORT: '0', LOG_LEVEL: 'silent', ...slot.env, ...env },
  });
  let text = '';
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), 120_000);
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  clearTimeout(timer);
  assert.deepEqual([code, signal], [2, null], `${script} ${Object.keys(env).join()}: ${text}`);
  assert.ok(!text.includes(SECRET), text);
  return text.trimEnd().split('\n');
}

/** Each of these is seen before anything is connected. */
const MALFORMED = {
  DATABASE_URL: `garbage-${SECRET}`,
  NATS_URL: `garbage-${SECRET}`,
  TEMPORAL_ADDRESS: `http://${SECRET}`,
  SMTP_URL: `http://a:${SECRET}@localhost`,
  PUBLIC_URL: 'https://mail.example.com\nX: y',
  MAIL_FROM: 'a@example.com\nBcc: b@example.com',
  METRICS_TOKEN: `${SECRET} `,
  HOST: '127.0.0.1\r',
  JWT_SECRET: 'short',
  TEMPORAL_NAMESPACE: 'two words',
  DATABASE_POOL_MAX: 'many',
  NATS_LISTENERS: 'LISTENERS:acme,LISTENERS',
};

/** The names of the settings that lines are about. */
const named = (lines: string[]): string[] => lines.map((line) => line.split(' ')[0]!).sort();
const inUse = (setting: string): RegExp => new RegExp(`^${setting} must be changed: port ${takenPort()} is in use$`);

/** What each script refuses by itself, and one kind of what they refuse alike, which is below: how processes end. */
const PROCESSES: [
  script: string,
  what: string,
  env: () => Record<string, string>,
  line: () => RegExp,
  args?: string[],
][] = [
  [
    'api/server.ts',
    'a login',
    () => wrongPassword('DATABASE_URL'),
    () => /^DATABASE_URL does not work: password authentication failed/,
  ],
  ['api/server.ts', 'its port', () => ({ PORT: takenPort() }), () => inUse('PORT')],
  [
    'api/server.ts',
    'its folder',
    () => ({ UPLOAD_DIR: '/dev/null' }),
    () =>
      /^UPLOAD_DIR must be a directory that belongs to the user of this process and is closed to others \(mode 0700\); \/dev\/null is not$/,
  ],
  [
    'api/server.ts',
    'the first Admin',
    () => ({ ADMIN_PASSWORD: `${SECRET}-Aa1`, ADMIN_EMAIL: 'nobody' }),
    () => /^ADMIN_EMAIL /,
  ],
  [
    'worker/main.ts',
    'a login',
    () => wrongPassword('NATS_URL'),
    () => /^NATS_URL does not work: .*Authorization Violation/i,
  ],
  [
    'worker/main.ts',
    'its namespace',
    () => ({ TEMPORAL_NAMESPACE: 'nothing-here' }),
    () => /^TEMPORAL_NAMESPACE must be an existing Temporal namespace/,
  ],
  [
    'worker/main.ts',
    'an account for listeners that is not there',
    () => ({ NATS_LISTENERS: 'NOWHERE' }),
    () =>
      /^NATS_LISTENERS: JetStream of the account NOWHERE does not respond; enable JetStream for it and add the imports shown in docs\/operating.md$/,
  ],
  [
    'worker/main.ts',
    'its own account as that of listeners',
    () => ({ NATS_LISTENERS: `T${slot.number}` }),
    () => new RegExp(`^NATS_LISTENERS: JetStream of the account T${slot.number} does not respond; `),
  ],
  ['worker/main.ts', 'its port', () => ({ WORKER_HEALTH_PORT: takenPort() }), () => inUse('WORKER_HEALTH_PORT')],
  ['worker/main.ts', 'its roles', () => ({}), () => /^--only accepts temporal, /, ['--only', 'everything']],
  ['worker/main.ts', 'an option', () => ({}), () => /^Unknown option '--all'/, ['--all']],
  [
    'db/migrate.ts',
    'a login',
    () => wrongPassword('DATABASE_MIGRATION_URL'),
    () => /^DATABASE_MIGRATION_URL does not work: password authentication failed/,
  ],
];

describe('a process that can not work ends with lines and exit code 2', () => {
  for (const script of ['api/server.ts', 'worker/main.ts']) {
    test(`${script}: each setting that is malformed`, async () =>
      assert.deepEqual(named(await refusal(script, MALFORMED)), Object.keys(MALFORMED).sort()));
  }
  test('db/migrate.ts: each setting that is malformed', async () => {
    assert.deepEqual(named(await refusal('db/migrate.ts', { DATABASE_URL: SECRET, DATABASE_MIGRATION_URL: SECRET })), [
      'DATABASE_MIGRATION_URL',
      'DATABASE_URL',
    ]);
  });
  test('dev/start.ts: each setting that is malformed, before it starts anything', async () => {
    const lines = await refusal('dev/start.ts', {
      ...MALFORMED,
      DATABASE_MIGRATION_URL: slot.env['DATABASE_MIGRATION_URL']!,
      NATS_PORT: 'x',
      PORT: '1',
    });
    assert.deepEqual(named(lines), [...Object.keys(MALFORMED), 'NATS_PORT'].sort());
  });
  for (const [script, what, env, line, args] of PROCESSES) {
    test(`${script}: ${what}`, async () => {
      const lines = await refusal(script, env(), args);
      assert.equal(lines.length, 1, lines.join('\n'));
      assert.match(lines[0]!, line());
    });
  }
});

/** What processes do first, in this one. */
const startDeps = async (env: Record<string, string>): Promise<void> => {
  const deps = await createDeps(
    readEnv({ SMTP_URL: 'smtp://127.0.0.1:1', LOG_LEVEL: 'silent', ...slot.env, ...env }),
    'test',
  );
  await deps.close();
};
const migrateBy = async (env: Record<string, string>): Promise<void> => {
  const { DATABASE_URL, DATABASE_MIGRATION_URL } = readMigrationEnv({ ...slot.env, ...env });
  await migrate(DATABASE_MIGRATION_URL, DATABASE_URL);
};
const withParameter = (name: string, parameter: string, value: string) =>
  changed(name, (url) => url.searchParams.set(parameter, value));
const withLogin = (username: string) =>
  changed('DATABASE_URL', (url) => {
    url.username = username;
  });

async function refused(start: typeof startDeps, cases: [Record<string, string>, RegExp][]): Promise<void> {
  for (const [env, line] of cases) {
    await assert.rejects(start(env), (error) => {
      assert.ok(error instanceof EnvError, String(error));
      assert.match(error.message, line);
      assert.ok(!error.message.includes(SECRET));
      return true;
    });
  }
}

test('a setting that leads nowhere is a line that names it', () =>
  refused(startDeps, [
    [wrongPassword('DATABASE_URL'), /^DATABASE_URL does not work: password authentication failed[^\n]*$/],
    [
      wrongDatabase('DATABASE_URL', 'nothing_here'),
      /^DATABASE_URL does not work: database "nothing_here" does not exist$/,
    ],
    [
      wrongDatabase('DATABASE_URL', 'postgres'),
      /^DATABASE_URL names a database that is not migrated for this login: run `npm run migrate` first$/,
    ],
    [wrongDatabase('DATABASE_URL', '%zz'), /^DATABASE_URL does not work: URI malformed$/],
    [withParameter('DATABASE_URL', 'sslrootcert', '/nope/x'), /^DATABASE_URL does not work: ENOENT[^\n]*$/],
    // Not all connections would be by TLS.
    [
      withParameter('DATABASE_URL', 'sslmode', 'require'),
      /^DATABASE_URL does not work: The server does not support SSL connections$/,
    ],
    [
      { DATABASE_URL: slot.env['DATABASE_MIGRATION_URL']! },
      /^DATABASE_URL names a login that bypasses row-level security/,
    ],
    [wrongPassword('NATS_URL'), /^NATS_URL does not work: .*Authorization Violation[^\n]*$/i],
    [{ TEMPORAL_NAMESPACE: 'nothing-here' }, /^TEMPORAL_NAMESPACE must be an existing Temporal namespace/],
  ]));

test('migrations name the setting that does not work', () =>
  refused(migrateBy, [
    [
      wrongPassword('DATABASE_MIGRATION_URL'),
      /^DATABASE_MIGRATION_URL does not work: password authentication failed[^\n]*$/,
    ],
    [
      wrongDatabase('DATABASE_MIGRATION_URL', 'nothing_here'),
      /^DATABASE_MIGRATION_URL does not work: database "nothing_here" does not exist$/,
    ],
    [
      withParameter('DATABASE_MIGRATION_URL', 'sslrootcert', '/nope/x'),
      /^DATABASE_MIGRATION_URL does not work: ENOENT[^\n]*$/,
    ],
    [withLogin('pg_evil'), /^DATABASE_URL does not work: role name "pg_evil" is reserved$/],
    [withLogin('bad%00name'), /^DATABASE_URL must be a URL like /],
    // Who may not make logins is to blame for none that is missing.
    [
      { ...withLogin('new_login'), DATABASE_MIGRATION_URL: slot.env['DATABASE_URL']! },
      /^DATABASE_MIGRATION_URL does not work: permission denied to create role$/,
    ],
  ]));

test('a folder for uploads that can not be is a line that names it', () => {
  for (const [folder, reason] of [
    ['/proc/nope', 'ENOENT'],
    ['/proc/nope/deeper', 'ENOENT'],
    ['/dev/null/x', 'ENOTDIR'],
  ]) {
    assert.throws(() => openUploadFolder(folder!), {
      name: 'EnvError',
      message: `UPLOAD_DIR must be a directory that this process can create and write to; ${folder} is not (${reason})`,
    });
  }
  for (const folder of ['/usr', '/dev/null'])
    assert.throws(() => openUploadFolder(folder), {
      name: 'EnvError',
      message: new RegExp(`^UPLOAD_DIR must be .*; ${folder} is not$`),
    });
});

test("an address to listen on must be this machine's own", async () => {
  await assert.rejects(listen(createServer(), { setting: 'PORT', port: 0, host: '203.0.113.7' }), {
    name: 'EnvError',
    message: 'HOST must be an address of this machine, such as 127.0.0.1 or 0.0.0.0 (EADDRNOTAVAIL)',
  });
});

test('npm start says what a part or a process refuses, once, and does not try again', async () => {
  for (const [env, line] of [
    [wrongPassword('DATABASE_MIGRATION_URL'), /^DATABASE_MIGRATION_URL does not work: password authentication failed/],
    [wrongPassword('NATS_URL'), /^NATS_URL does not work: .*Authorization Violation/i],
    [{ ADMIN_PASSWORD: 'Short-1' }, /^ADMIN_PASSWORD /],
  ] as const) {
    const dataDir = await mkdtemp(join(tmpdir(), 'perennial-settings-'));
    onTestFinished(() => removeData(dataDir));
    const [port = 0] = await freePorts(1);
    const given = {
      ...slot.env,
      SMTP_URL: 'smtp://127.0.0.1:1',
      PORT: String(port),
      WORKER_HEALTH_PORT: '0',
      ...env,
    };
    const said: string[] = [];
    const perennial = createPerennial({
      root: resolve('.'),
      dataDir,
      settings: readStartSettings(given),
      log: (text) => said.push(text),
      spawned: () => {},
      refused: (message) => {
        said.push(`2: ${message}`);
      },
    });
    await perennial.startParts();
    await perennial.startProcesses().catch((error: Error) => said.push(`${error.name}: ${error.message}`));
    await perennial.stop();
    const found = said.filter((text) => /^(2|EnvError): /.test(text)).map((text) => text.replace(/^\w+: /, ''));
    assert.match(found[0] ?? said.join('\n'), line);
    assert.ok(
      !found[0]!.includes('\n') && !said.some((text) => text.includes(SECRET) || text.includes('starting it again')),
      said.join('\n'),
    );
  }
});
