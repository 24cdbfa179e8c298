/**
 * `npm run bench:lanes -- --recipients 200000 --seconds 60`: how long a password reset and a journey's email take while
 * a large campaign is being sent, compared to without it; and the rate of a second tenant's campaign meanwhile.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { engineEm, rows, sql } from '../db/orm.ts';
import { freePorts, portOpens } from '../dev/stack/ports.ts';
import { startService, type Service } from '../test/support/service.ts';
import { until } from '../test/support/until.ts';
import { newMember } from '../test/support/users.ts';
import { MESSAGE } from './references/mail-message.ts';
import { at } from './support/load.ts';
import { endProcess, startProcess, startWorker } from './support/processes.ts';
import { onStack } from './support/stack.ts';

const { values } = parseArgs({
  options: {
    recipients: { type: 'string', default: '200000' },
    seconds: { type: 'string', default: '60' },
    second: { type: 'string', default: '20000' },
  },
});
const [recipients, seconds, second] = [Number(values.recipients), Number(values.seconds), Number(values.second)];
const EVERY_MS = 250;
const HOUR_MS = 3_600_000;

interface Tenant {
  tenantId: string;
  token: string;
  /** The domain of its campaign's recipients. */
  domain: string;
}

let made = 0;

/** Creates contacts, a segment of them and a campaign to it that is sent immediately; returns its id. */
async function beginCampaign(service: Service, { tenantId, token, domain }: Tenant, size: number): Promise<number> {
  await engineEm(service.deps.orm).transactional((tx) =>
    rows(
      tx,
      sql`
    insert into contacts (tenant_id, first_name, last_name, email, email_key)
    select ${tenantId}, 'First' || n, 'Last', 'r' || n || ${`@${domain}`}, 'r' || n || ${`@${domain}`} from generate_series(1, ${size}::int) n`,
    ),
  );
  const api = async (method: string, path: string, body?: object) =>
    (await service.api(method, path, body, { token })).body;
  const { id: segmentId } = await api('POST', '/contacts/segments', {
    name: 'All',
    type: 'dynamic',
    filter: { field: 'email', operator: 'endsWith', value: domain },
  });
  await until(
    'the segment is built',
    async () => (await api('GET', `/contacts/segments/${segmentId}`)).status === 'READY',
    HOUR_MS,
  );
  const { id: templateId } = await api('POST', '/emails/templates', {
    name: 'Large',
    subject: MESSAGE.subject,
    content: MESSAGE.content,
  });
  return (await api('POST', '/emails/campaigns', { name: 'Large', templateId, segmentId, scheduleType: 'immediate' }))
    .id as number;
}

/** Requests a password reset and a journey's email alternately; returns the time of each request, by address. */
async function askForMails(
  service: Service,
  users: string[],
  templateId: number,
  forSeconds: number,
): Promise<Map<string, number>> {
  const asked = new Map<string, number>();
  for (const end = Date.now() + forSeconds * 1000; Date.now() < end; await delay(EVERY_MS)) {
    const user = users.pop();
    if (user) {
      asked.set(user, Date.now());
      await service.api('POST', '/auth/forgot-password', { email: user }, { token: null });
    }
    made += 1;
    const { body: contact } = await service.api('POST', '/contacts', {
      firstName: 'A',
      lastName: 'B',
      email: `journey${made}@journeys.example`,
    });
    asked.set(contact.email, Date.now());
    await service.api('POST', '/emails/send', { templateId, recipientId: contact.id });
  }
  return asked;
}

/** Creates users who can request a reset, enough for that many seconds. */
async function makeUsers(service: Service, count: number): Promise<string[]> {
  const users: string[] = [];
  await engineEm(service.deps.orm).transactional(async (tx) => {
    for (let n = 0; n < count; n += 1) {
      made += 1;
      users.push(`user${made}@users.example`);
      await rows(
        tx,
        sql`
        insert into users (tenant_id, username, username_key, email, email_key, password_hash, first_name, last_name, active, roles)
        values ('default', ${`lanes${made}`}, ${`lanes${made}`}, ${`user${made}@users.example`}, ${`user${made}@users.example`}, '-', 'A', 'B', true, '{User}')`,
      );
    }
  });
  return users;
}

await onStack(1, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'perennial-lanes-'));
  const sinkLog = join(folder, 'sink.log');
  const [port = 0] = await freePorts(1);
  const sink = startProcess(process.execPath, [resolve('dev/faults/sink.ts'), String(port), sinkLog]);
  await until('the sink listens', () =>
    portOpens(port).then(
      () => true,
      () => false,
    ),
  );
  const service = await startService({ env: { SMTP_URL: `smtp://127.0.0.1:${port}`, ENABLE_MULTI_TENANT: 'true' } });
  const worker = startWorker(service, 'temporal,intake,consumers,relay,senders');
  const arrivals = async (): Promise<Map<string, number>> =>
    new Map(
      (await readFile(sinkLog, 'utf8'))
        .split('\n')
        .map((line) => line.split(' '))
        .map(([to, , time]) => [to!, Number(time)]),
    );
  const report = async (what: string, asked: Map<string, number>): Promise<void> => {
    await until(
      'all of them have arrived',
      async () => {
        const arrived = await arrivals();
        return [...asked.keys()].every((to) => arrived.has(to));
      },
      300_000,
    );
    const arrived = await arrivals();
    for (const [kind, domain] of [
      ['password resets', '@users.example'],
      ["journeys' mails", '@journeys.example'],
    ] as const) {
      const took = [...asked]
        .filter(([to]) => to.endsWith(domain))
        .map(([to, from]) => arrived.get(to)! - from)
        .sort((a, b) => a - b);
      console.log(
        `  ${what}: ${took.length} ${kind}, p50 ${at(took, 0.5)} ms, p99 ${at(took, 0.99)} ms, slowest ${took.at(-1)} ms`,
      );
    }
  };
  try {
    const { body: template } = await service.api('POST', '/emails/templates', {
      name: 'Journey',
      subject: 'Hello',
      content: '<p>Hello</p>',
    });
    const first: Tenant = { tenantId: 'default', token: service.admin.token, domain: 'large.example' };
    const member = await newMember(service.api);
    const other: Tenant = { tenantId: member.user.tenantId, token: member.token, domain: 'other.example' };
    const users = await makeUsers(service, Math.ceil((2 * seconds * 1000) / EVERY_MS));
    await report('alone', await askForMails(service, users, template.id, seconds / 4));
    const campaignId = await beginCampaign(service, first, recipients);
    await until(
      'it is being sent',
      async () => (await service.api('GET', `/emails/campaigns/${campaignId}/stats`)).body.sent > 500,
      HOUR_MS,
    );
    const asked = await askForMails(service, users, template.id, seconds / 2);
    const otherCampaign = await beginCampaign(service, other, second);
    const more = await askForMails(service, users, template.id, seconds / 2);
    const { body: stats } = await service.api('GET', `/emails/campaigns/${campaignId}/stats`);
    await report(`beside a campaign of ${recipients}`, new Map([...asked, ...more]));
    console.log(`  meanwhile ${stats.sent} of it were sent, and it was ${stats.status}`);
    await until(
      'the other campaign is sent',
      async () =>
        (await service.api('GET', `/emails/campaigns/${otherCampaign}/stats`, undefined, { token: other.token })).body
          .status === 'SENT',
      HOUR_MS,
    );
    const times = [...(await arrivals())];
    const of = (domain: string) => times.filter(([to]) => to.endsWith(domain)).map(([, time]) => time);
    const theirs = of('other.example').sort((a, b) => a - b);
    const beside = of('large.example').filter((time) => time >= theirs[0]! && time <= theirs.at(-1)!).length;
    console.log(
      `  a second tenant's campaign of ${second}: while it was sent, ${theirs.length} of its mails and ${beside} of the first's`,
    );
  } finally {
    await endProcess(worker);
    await service.stop();
    await endProcess(sink);
    await rm(folder, { recursive: true });
  }
});
