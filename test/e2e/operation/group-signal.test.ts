import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, test } from '@jest/globals';
import pg from 'pg';
import { signal } from '../../../dev/process.ts';
import { engineEm, rows, sql } from '../../../db/orm.ts';
import { queueEmails } from '../../../domain/emails/ledger/queue-emails.ts';
import { waiting } from '../../support/accounts.ts';
import { insertMailing } from '../../support/mail/campaign-emails.ts';
import { makeTemplate } from '../../support/mail/emails.ts';
import { startScriptedSmtp, type ScriptedSmtp } from '../../support/mail/scripted-smtp.ts';
import { onTestFinished } from '../../support/on-test-finished.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { childEnv } from '../../support/worker-process.ts';

let service: Service;
let smtp: ScriptedSmtp;
beforeAll(async () => {
  service = await startService();
  smtp = await startScriptedSmtp({
    dot: async () => {
      await delay(10);
      return '250 accepted';
    },
  });
});
afterAll(async () => {
  await service.stop();
  await smtp.stop();
});

interface Group {
  /** The messages of the process's log. */
  log: { msg: string; port?: number }[];
  /** Signals every process of the group, as systemd and a terminal do, and waits until all have ended. */
  end: (name: NodeJS.Signals) => Promise<void>;
}

/** `npm run <script>` in a process group of its own, which is killed at the end of the test. */
function npmRun(script: string, args: string[], env: Record<string, string>): Group {
  const child = spawn('npm', ['run', script, '--', ...args], {
    cwd: resolve('.'),
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...childEnv(service), npm_config_update_notifier: 'false', LOG_LEVEL: 'info', ...env },
  });
  // Closed when the last process that writes to it has ended.
  const closed = once(child, 'close');
  const log: Group['log'] = [];
  createInterface(child.stdout).on('line', (line) => {
    if (line.startsWith('{')) log.push(JSON.parse(line) as { msg: string });
  });
  onTestFinished(async () => {
    signal(-child.pid!, 'SIGKILL');
    await closed;
  });
  return {
    log,
    async end(name) {
      signal(-child.pid!, name);
      await closed;
    },
  };
}

const said = ({ log }: Group) => log.map(({ msg }) => msg);
const engine = <T>(query: Parameters<typeof rows>[1]) =>
  engineEm(service.deps.orm).transactional((tx) => rows<T>(tx, query));

test('a signal to the group of npm run worker while 1,000 emails leave: it drains, none is UNKNOWN, each is sent once', async () => {
  const templateId = await makeTemplate(service);
  await engineEm(service.deps.orm).transactional((tx) =>
    queueEmails(
      tx,
      'default',
      Array.from({ length: 500 }, (_, n) => ({
        sendKey: `t${n}`,
        templateId,
        contactId: null,
        toAddress: `t${n}@example.org`,
        lane: 'bulk' as const,
        requestId: null,
        accepted: true,
      })),
    ),
  );
  await insertMailing(service.deps.orm, { name: 'mailing', templateId, count: 500 });
  const startWorker = () => npmRun('worker', [], { SMTP_URL: smtp.url });
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    const worker = startWorker();
    const goal = smtp.accepted.length + 250;
    await until('it is in the middle', () => smtp.accepted.length >= goal, 60_000);
    await worker.end(name);
    assert.deepEqual(
      said(worker).filter((msg) => /draining|stopped|at once|UNKNOWN/.test(msg)),
      ['draining', 'stopped'],
      name,
    );
    const found = await engine<{ status: string; n: number }>(
      sql`select status, count(*)::int as n from emails group by 1 order by 1`,
    );
    const [queued = 0, sent = 0] = ['QUEUED', 'SENT'].map((is) => found.find(({ status }) => status === is)?.n);
    assert.equal(sent, smtp.accepted.length);
    assert.equal(queued + sent, 1_000, JSON.stringify(found));
    assert.ok(queued > 0, 'it was in the middle');
  }
  const last = startWorker();
  await until('the rest is sent', () => smtp.accepted.length === 1_000, 60_000);
  await last.end('SIGTERM');
  assert.equal(new Set(smtp.dots).size, 1_000);
  assert.equal(smtp.dots.length, 1_000);
});

test('a signal to the group of npm run api: it answers what it is working on', async () => {
  const api = npmRun('api', [], { PORT: '0' });
  const port = await until('it listens', () => api.log.find(({ msg }) => msg === 'listening')?.port ?? false);
  const owner = new pg.Client({ connectionString: service.slot.env['DATABASE_MIGRATION_URL']! });
  await owner.connect();
  onTestFinished(() => owner.end());
  await owner.query('begin');
  await owner.query('lock table companies in access exclusive mode');
  const answer = fetch(`http://127.0.0.1:${port}/api/v1/contacts/companies`, {
    headers: { authorization: `Bearer ${service.admin.token}` },
  });
  await until('it waits for the lock', () => waiting(owner));
  const ended = api.end('SIGTERM');
  await until('it drains', () => said(api).includes('draining'));
  await owner.query('commit');
  assert.equal((await answer).status, 200);
  await ended;
  assert.equal(said(api).at(-1), 'stopped');
});
