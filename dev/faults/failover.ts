import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createDeps, type Deps } from '../../runtime/deps.ts';
import { readEnv } from '../../config/env.ts';
import { engineEm, tenantEm } from '../../db/orm.ts';
import { queueEmails, type EmailRequest } from '../../domain/emails/ledger/queue-emails.ts';
import { createTemplate } from '../../domain/emails/templates/templates.ts';
import { ensureStreams } from '../../transport/streams.ts';
import { startSenders } from '../../worker/senders/index.ts';
import { freePorts } from '../stack/ports.ts';
import { withClient } from '../stack/postgres.ts';
import { pause } from '../process.ts';
import { startMortalStack } from './mortal-stack.ts';

const TENANT = 'default';
const BATCH = 500;
/** Sent after the first provider is back, to check whether it gets emails again. */
const AFTERWARDS = 500;

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

/** A provider in its own process, and the recipients of the emails it accepted, in order. */
class Sink {
  readonly #port: number;
  readonly #log: string;
  #process: ChildProcess | null = null;

  constructor(port: number, log: string) {
    this.#port = port;
    this.#log = log;
  }

  start(): void {
    this.#process = spawn(process.execPath, [resolve('dev/faults/sink.ts'), String(this.#port), this.#log], {
      stdio: 'ignore',
    });
  }

  /** kill -9. */
  async kill(): Promise<void> {
    const exited = once(this.#process!, 'exit');
    this.#process!.kill('SIGKILL');
    await exited;
  }

  async accepted(): Promise<string[]> {
    return (await readFile(this.#log, 'utf8').catch(() => ''))
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.split(' ')[0]!);
  }
}

async function queue(deps: Deps, templateId: number, from: number, to: number): Promise<void> {
  for (let at = from; at < to; at += BATCH) {
    const requests = Array.from({ length: Math.min(BATCH, to - at) }, (_, n): EmailRequest => ({
      sendKey: `failover:${at + n}`,
      templateId,
      contactId: null,
      toAddress: `r${at + n}@faults.example`,
      lane: 'bulk',
      requestId: null,
      accepted: true,
    }));
    await engineEm(deps.orm).transactional((tx) => queueEmails(tx, TENANT, requests));
  }
}

async function until<T>(look: () => Promise<T | false | null>): Promise<T> {
  for (;;) {
    const found = await look();
    if (found) return found;
    await pause(50);
  }
}

/**
 * Sends `mails` emails through two providers, kills the first one with kill -9 in the middle, and restarts it when all
 * emails have ended. Then it checks both logs and the ledger: no recipient may occur twice, every SENT one must occur,
 * no more may be UNKNOWN than there were connections, and the first provider must get emails again. Returns true if all
 * of this holds.
 */
export async function failoverFaults(args: string[]): Promise<boolean> {
  const { values } = parseArgs({
    args,
    options: { mails: { type: 'string', default: '10000' }, connections: { type: 'string', default: '20' } },
  });
  const [mails, connections] = [Number(values.mails), Number(values.connections)];
  const dir = await mkdtemp(join(tmpdir(), 'perennial-failover-'));
  const [portA = 0, portB = 0] = await freePorts(2);
  const [a, b] = [new Sink(portA, join(dir, 'a.log')), new Sink(portB, join(dir, 'b.log'))];
  const stack = await startMortalStack(say);
  const env = {
    ...stack.env,
    SMTP_URL: `smtp://127.0.0.1:${portA},smtp://127.0.0.1:${portB}`,
    SEND_CONNECTIONS: String(connections),
  };
  const deps = await createDeps(readEnv(env), 'faults');
  const ledger = () =>
    withClient(
      stack.ownerUrl,
      async (client) =>
        (await client.query<{ to: string; status: string }>('select to_address as "to", status from emails')).rows,
    );
  const over = () =>
    until(async () => {
      const found = await ledger();
      return found.every(({ status }) => status === 'SENT' || status === 'UNKNOWN') && found;
    });
  try {
    a.start();
    b.start();
    await ensureStreams(deps.nats.jsm, deps.env);
    const { id: templateId } = await createTemplate(
      tenantEm(deps.orm, TENANT),
      TENANT,
      {
        name: 'Failover',
        subject: 'Hello',
        content: '<p>Hello, <a href="https://example.com/one">one</a></p>',
        category: 'transactional',
      },
      deps.env.MAIL_FROM,
    );
    await queue(deps, templateId, 0, mails);
    const senders = startSenders(deps);
    const begun = performance.now();
    await until(async () => (await a.accepted()).length >= mails / 2);
    await a.kill();
    const killedAt = performance.now();
    const byA = (await a.accepted()).length;
    say(`A is killed after ${byA} of ${mails}`);
    await until(async () => (await b.accepted()).length > 0);
    say(`B has its first ${((performance.now() - killedAt) / 1000).toFixed(1)} s later`);
    await over();
    say(`all have an end after ${((performance.now() - begun) / 1000).toFixed(1)} s`);
    a.start();
    const backAt = performance.now();
    // One batch after another, so that the first provider is tried as soon as it may be.
    for (let at = mails; at < mails + AFTERWARDS; at += AFTERWARDS / 10) {
      await queue(deps, templateId, at, at + AFTERWARDS / 10);
      await over();
      if ((await a.accepted()).length === byA) await pause(2_000);
    }
    say(`A has mail again within ${((performance.now() - backAt) / 1000).toFixed(1)} s of its start`);
    await senders.stop();

    const rows = await ledger();
    const [toA, toB] = [await a.accepted(), await b.accepted()];
    const all = [...toA, ...toB];
    const got = new Set(all);
    const sent = rows.filter(({ status }) => status === 'SENT');
    const figures = {
      mails: rows.length,
      sent: sent.length,
      unknown: rows.length - sent.length,
      byA: toA.length,
      byB: toB.length,
      byAAfterItsReturn: toA.length - byA,
      twice: all.length - got.size,
      sentButNotAccepted: sent.filter(({ to }) => !got.has(to)).length,
    };
    say(JSON.stringify(figures, null, 2));
    const holds =
      figures.twice === 0 &&
      figures.sentButNotAccepted === 0 &&
      figures.unknown <= connections &&
      figures.byAAfterItsReturn > 0 &&
      rows.length === mails + AFTERWARDS;
    say(holds ? 'nobody was mailed twice, and nobody was missed' : 'it does NOT hold');
    return holds;
  } finally {
    await Promise.all([a, b].map((sink) => sink.kill().catch(() => {})));
    await deps.close();
    await stack.stop();
    await rm(dir, { recursive: true, force: true });
  }
}
