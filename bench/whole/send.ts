import { execFile, type ChildProcess } from 'node:child_process';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePorts, portOpens } from '../../dev/stack/ports.ts';
import { until } from '../../test/support/until.ts';
import { MESSAGE } from '../references/mail-message.ts';
import { makeFile } from '../support/contacts-file.ts';
import { endProcess, startProcess } from '../support/processes.ts';
import { importFile } from './import.ts';
import { measureWork, printRates, type Rates } from './measure.ts';
import { withProbe } from './probe.ts';
import { onStarted, type Started } from './started.ts';

export interface SendOptions {
  recipients: number;
  pairs: number;
  connections: number;
  /** `smtp-sink` of Postfix, or its path. */
  sink: string;
  /** The delay of each reply of the server, in ms; null for the sink, which replies at once. */
  replyMs: number | null;
  /** Measures the API's response times meanwhile, see probe.ts; nothing else. */
  probe: boolean;
  /** Measures the campaigns again after the tables have grown. */
  grown: boolean;
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
      await delay(200);
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

/** Adds a million contacts, and two million emails that were sent to them. */
async function growTables({ database }: Started, templateId: number): Promise<void> {
  await database.query(`
    insert into contacts (tenant_id, first_name, last_name, email, email_key)
    select 'default', 'Given' || n % 997, 'Family' || n % 1009, 'grown.' || n || '@example.org', 'grown.' || n || '@example.org' from generate_series(1, 1000000) n`);
  await database.query(`
    insert into emails (tenant_id, send_key, template_id, content_version, link_count, contact_id, to_address, lane, status, accepted_at, attempt, provider, sent_at, reply, activity_id, activity_at)
    select 'default', 'grown/' || c.id || '/' || n, ${templateId}, 1, 3, c.id, c.email, 'bulk', 'SENT', now(), 1, '127.0.0.1:25', now(), '250 2.0.0 Ok', nextval('contact_activities_id_seq'), now()
    from contacts c cross join generate_series(1, 2) n where c.email_key like 'grown.%'`);
  await database.query('vacuum analyze');
}

/** Campaigns beside nodemailer's pool with as many connections to the same server. */
export async function benchSend(options: SendOptions): Promise<void> {
  const { recipients, pairs, connections, replyMs, probe, grown } = options;
  const [sink, url] = await startSink(options);
  try {
    const settings = { SMTP_URL: url, SEND_CONNECTIONS: String(connections), MAIL_FROM: MESSAGE.from };
    await onStarted(settings, async (started) => {
      const listId = await importRecipients(started, recipients);
      const templateId = await makeTemplate(started);
      if (probe)
        return withProbe(started, async () => {
          await sendCampaign(started, templateId, listId, recipients);
          await started.untilCaughtUp();
        });
      const server = replyMs === null ? 'the sink' : `a server that replies after ${replyMs} ms`;
      const campaigns = async (when: string): Promise<void> => {
        const measured: { ours: Rates; reference: number }[] = [];
        for (let pair = 0; pair < pairs; pair += 1) {
          const reference = await poolRate(url, options);
          const work = () => sendCampaign(started, templateId, listId, recipients);
          measured.push({ reference, ours: await measureWork(started, 'mail', recipients, work) });
        }
        console.log(
          `campaigns to ${recipients}${when}, ${connections} connections to ${server}, beside nodemailer's pool`,
        );
        printRates('mails', 'pool', measured);
      };
      await campaigns('');
      if (!grown) return;
      await growTables(started, templateId);
      await campaigns(' with 1 million more contacts and 2 million settled emails');
    });
  } finally {
    await endProcess(sink);
  }
}
