import { execFile, type ChildProcess } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { freePorts, portOpens } from '../../dev/stack/ports.ts';
import { until } from '../../test/support/until.ts';
import { MESSAGE } from '../references/mail-message.ts';
import { makeFile } from '../support/contacts-file.ts';
import { endProcess, startProcess } from '../support/processes.ts';
import { importFile } from './import.ts';
import { measureWork, printRates, type Rates } from './measure.ts';
import { onStarted, type Started } from './started.ts';

export interface SendOptions {
  recipients: number;
  pairs: number;
  connections: number;
  /** `smtp-sink` of Postfix, or its path. */
  sink: string;
  /** The delay of each reply of the server, in ms; null for the sink, which replies at once. */
  replyMs: number | null;
}

/** Starts a mail server that accepts everything. */
export async function startSink({
  sink,
  replyMs,
}: Pick<SendOptions, 'sink' | 'replyMs'>): Promise<[ChildProcess, string]> {
  const [port = 0] = await freePorts(1);
  const child =
    replyMs === null
      ? startProcess(sink, ['-u', 'root', `127.0.0.1:${port}`, '1000'])
      : startProcess(process.execPath, [resolve('bench/references/slow-smtp.ts'), String(port), String(replyMs)]);
  await until('the sink listens', () =>
    portOpens(port).then(
      () => true,
      () => false,
    ),
  );
  return [child, `smtp://127.0.0.1:${port}`];
}

/** Imports the recipients into a list; returns its id. */
export async function importRecipients(started: Started, recipients: number): Promise<number> {
  const { id } = await started.client.call('POST', '/contacts/lists', { name: 'Recipients' });
  await importFile(started, makeFile('recipient', recipients), recipients, id as number);
  await started.untilCaughtUp();
  return id as number;
}

export async function makeTemplate({ client }: Started): Promise<number> {
  const { subject, content, text } = MESSAGE;
  return (await client.call('POST', '/emails/templates', { name: 'Bench', subject, content, text })).id as number;
}

/** Sends a campaign to the list. Resolves when it is SENT. */
async function sendCampaign({ client }: Started, templateId: number, segmentId: number, count: number): Promise<void> {
  const { id } = await client.call('POST', '/emails/campaigns', {
    name: 'Bench',
    templateId,
    segmentId,
    scheduleType: 'immediate',
  });
  await until(
    'the campaign is SENT',
    async () => {
      await new Promise((tick) => setTimeout(tick, 200));
      // Not its figures: counting the ledger is work that would be measured too.
      return (await client.call('GET', `/emails/campaigns/${id}`)).status === 'SENT';
    },
    3_600_000,
  );
  const { sent } = await client.call('GET', `/emails/campaigns/${id}/stats`);
  if (sent !== count) throw new Error(`${sent} of ${count} were sent`);
}

async function poolRate(url: string, { recipients, connections }: SendOptions): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    resolve('bench/references/mail-pool.ts'),
    url,
    String(recipients),
    String(connections),
  ]);
  return recipients / Number(stdout.split(' ')[0]);
}

/** Campaigns beside nodemailer's pool with as many connections to the same server. */
export async function benchSend(options: SendOptions): Promise<void> {
  const { recipients, pairs, connections, replyMs } = options;
  const [sink, url] = await startSink(options);
  try {
    const settings = { SMTP_URL: url, SEND_CONNECTIONS: String(connections), MAIL_FROM: MESSAGE.from };
    await onStarted(settings, async (started) => {
      const listId = await importRecipients(started, recipients);
      const templateId = await makeTemplate(started);
      const measured: { ours: Rates; reference: number }[] = [];
      for (let pair = 0; pair < pairs; pair += 1) {
        const reference = await poolRate(url, options);
        const work = () => sendCampaign(started, templateId, listId, recipients);
        measured.push({ reference, ours: await measureWork(started, 'mail', recipients, work) });
      }
      const server = replyMs === null ? 'the sink' : `a server that replies after ${replyMs} ms`;
      console.log(`campaigns to ${recipients}, ${connections} connections to ${server}, beside nodemailer's pool`);
      printRates('mails', 'pool', measured);
    });
  } finally {
    await endProcess(sink);
  }
}
