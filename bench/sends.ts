/**
 * `npm run bench:sends -- --recipients 20000 --pairs 3 --sink smtp-sink`: emails per second of a campaign through one
 * sender process, all the way from the ledger to EMAIL_SENT, compared to nodemailer's pool sending the same message to
 * the same sink (`smtp-sink` is in Debian's `postfix`). `--consumers` also runs the consumers of the events (timelines,
 * segments, figures) on the same processors; without it, events wait in their stream. `--pool-connections` gives the
 * pool another number of connections than ours: it is fastest with fewer. `--dkim` lets both sign. `--memory` prints
 * the memory of the sender process while it sends.
 */
import { execFile, type ChildProcess } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { engineEm, rows, sql } from '../db/orm.ts';
import { freePorts, portOpens } from '../dev/stack/ports.ts';
import { makeEmailCampaign, readCampaign, readFigures } from '../test/support/mail/email-campaigns.ts';
import { makeTemplate } from '../test/support/mail/emails.ts';
import { startService, type Service } from '../test/support/service.ts';
import { until } from '../test/support/until.ts';
import { MESSAGE } from './references/mail-message.ts';
import { endProcess, memoryOf, processorSeconds, startProcess, startWorker } from './support/processes.ts';
import { onStack, printPairs } from './support/stack.ts';

const { values } = parseArgs({
  options: {
    recipients: { type: 'string', default: '20000' },
    pairs: { type: 'string', default: '3' },
    connections: { type: 'string', default: '20' },
    sink: { type: 'string', default: 'smtp-sink' },
    memory: { type: 'boolean', default: false },
    consumers: { type: 'boolean', default: false },
    dkim: { type: 'boolean', default: false },
    'pool-connections': { type: 'string' },
  },
});
const [recipients, pairs, connections] = [Number(values.recipients), Number(values.pairs), Number(values.connections)];
const HOUR_MS = 3_600_000;
const privateKey = values.dkim
  ? generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  : '';

async function fill(service: Service): Promise<number> {
  await engineEm(service.deps.orm).transactional(async (tx) => {
    await rows(
      tx,
      sql`insert into companies (tenant_id, name, name_key) values ('default', 'Example Works', 'example works')`,
    );
    await rows(
      tx,
      sql`
      insert into contacts (tenant_id, first_name, last_name, email, email_key, company_id)
      select 'default', 'First' || n, 'Last', 'bench' || n || '@example.net', 'bench' || n || '@example.net', (select id from companies limit 1)
      from generate_series(1, ${recipients}::int) n`,
    );
  });
  const { body } = await service.api('POST', '/contacts/segments', {
    name: 'All',
    type: 'dynamic',
    filter: { field: 'email', operator: 'endsWith', value: '@example.net' },
  });
  await until(
    'the segment is built',
    async () => (await service.api('GET', `/contacts/segments/${body.id}`)).body.status === 'READY',
    HOUR_MS,
  );
  return body.id as number;
}

interface Sent {
  /** Emails per second, from the first to the last that was accepted. */
  rate: number;
  /** CPU time of the sending process per email, in milliseconds. */
  processorMs: number;
}

/** Sends a campaign. */
async function sendCampaign(
  service: Service,
  sender: ChildProcess,
  templateId: number,
  segmentId: number,
): Promise<Sent> {
  const begun = performance.now();
  const used = await processorSeconds(sender);
  const { id } = await makeEmailCampaign(service, { templateId, segmentId, scheduleType: 'immediate' });
  let said = 0;
  await until(
    'the campaign is SENT',
    async () => {
      await new Promise((tick) => setTimeout(tick, 1_000));
      if (values.memory) {
        const { sent } = await readFigures(service, id);
        if (sent >= said) {
          console.log(`  ${sent} sent: ${(await memoryOf(sender)).now} MB`);
          said += recipients / 10;
        }
      }
      // Not its figures: counting the ledger is work that would be measured too.
      return (await readCampaign(service, id)).status === 'SENT';
    },
    HOUR_MS,
  );
  const [took] = await engineEm(service.deps.orm).transactional((tx) =>
    rows<{ n: number; seconds: number }>(
      tx,
      sql`
    select count(*) as n, extract(epoch from max(sent_at) - min(sent_at))::float8 as seconds from emails where campaign_id = ${id} and status = 'SENT'`,
    ),
  );
  if (took!.n !== recipients) throw new Error(`${took!.n} of ${recipients} were sent`);
  console.log(
    `  a campaign of ${recipients}: ${(took!.n / took!.seconds).toFixed(0)} mails/s, ${((performance.now() - begun) / 1000).toFixed(1)} s from the request to SENT`,
  );
  return {
    rate: took!.n / took!.seconds,
    processorMs: (((await processorSeconds(sender)) - used) * 1000) / recipients,
  };
}

async function sendByPool(url: string): Promise<Sent> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    resolve('bench/references/mail-pool.ts'),
    url,
    String(recipients),
    values['pool-connections'] ?? String(connections),
    privateKey,
  ]);
  const [seconds, used] = stdout.split(' ').map(Number);
  return { rate: recipients / seconds!, processorMs: (used! * 1000) / recipients };
}

await onStack(1, async () => {
  const [port = 0] = await freePorts(1);
  const sink = startProcess(values.sink, ['-u', 'root', `127.0.0.1:${port}`, '1000']);
  await until('the sink listens', () =>
    portOpens(port).then(
      () => true,
      () => false,
    ),
  );
  const url = `smtp://127.0.0.1:${port}`;
  const service = await startService({
    env: { SMTP_URL: url, SEND_CONNECTIONS: String(connections), MAIL_FROM: MESSAGE.from },
  });
  const [sender, others] = [
    startWorker(service, 'senders'),
    startWorker(service, `temporal,intake,relay${values.consumers ? ',consumers' : ''}`),
  ];
  try {
    const segmentId = await fill(service);
    if (privateKey) {
      const { status } = await service.api('POST', '/emails/senders', {
        email: 'no-reply@example.com',
        dkim: { domain: 'example.com', selector: 'bench', privateKey },
      });
      if (status !== 201) throw new Error(`the sender was not made: ${status}`);
    }
    const templateId = await makeTemplate(service, {
      subject: MESSAGE.subject,
      content: MESSAGE.content,
      text: MESSAGE.text,
    });
    const measured: { ours: Sent; pool: Sent }[] = [];
    for (let pair = 0; pair < pairs; pair += 1) {
      const ours = await sendCampaign(service, sender, templateId, segmentId);
      measured.push({ ours, pool: await sendByPool(url) });
    }
    printPairs(
      'mails/s',
      'a campaign through one sender',
      "nodemailer's pool",
      measured.map(({ ours, pool }) => [ours.rate, pool.rate]),
    );
    console.log(
      'what a mail costs the process that sends it, without Postgres, NATS and what else is on the same processors',
    );
    printPairs(
      'ms',
      "nodemailer's pool",
      'the sender',
      measured.map(({ ours, pool }) => [pool.processorMs, ours.processorMs]),
    );
  } finally {
    await Promise.all([sender, others].map(endProcess));
    await service.stop();
    await endProcess(sink);
  }
});
