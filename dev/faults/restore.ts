import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, realpath, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import type pg from 'pg';
import { createClient, type Client } from '../demo/client.ts';
import { seededRandom } from '../demo/random.ts';
import { pause } from '../process.ts';
import { withClient } from '../stack/postgres.ts';
import { insist } from './insist.ts';
import { ADMIN, startParts, type Parts } from './parts.ts';

/** Nothing that has to happen here takes longer. */
const LIMIT_MS = 10 * 60_000;
/** How many unsubscribe after the copy was taken. */
const OPT_OUTS = 20;
/** How many contacts are made after the copy was taken, and how many after it was put back. */
const STRANGERS = 100;

const print = (line: string): void => void process.stdout.write(`${line}\n`);

interface Accepted {
  to: string;
  messageId: string;
  link: string;
}

interface Run {
  parts: Parts;
  owner: pg.Client;
  client: Client;
  say: (line: string) => void;
}

async function acceptedBy({ parts }: Pick<Run, 'parts'>): Promise<Accepted[]> {
  const log = await readFile(parts.sinkLog, 'utf8').catch(() => '');
  return log
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split(' '))
    .map(([to, messageId, , link]) => ({ to: to!, messageId: messageId!, link: link! }));
}

async function until(what: string, is: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + LIMIT_MS; !(await is().catch(() => false)); await pause(200))
    if (Date.now() > end) throw new Error(`It did not come to this: ${what}`);
}

/** Stores contacts `<name>1@faults.example` and so on; returns their ids. */
async function makeContacts({ owner }: Run, name: string, count: number): Promise<number[]> {
  const { rows } = await owner.query<{ id: string }>(
    `insert into contacts (tenant_id, first_name, last_name, email, email_key)
     select 'default', 'First' || n, 'Last', $1 || n || '@faults.example', $1 || n || '@faults.example'
     from generate_series(1, $2::int) n returning id`,
    [name, count],
  );
  return rows.map(({ id }) => Number(id));
}

/** Begins an email campaign to the contacts whose address begins so. Returns its id. */
async function mail(client: Client, start: string, templateId: number, ratePerMinute?: number): Promise<number> {
  const { id: segmentId } = await client.call('POST', '/contacts/segments', {
    name: start,
    type: 'dynamic',
    filter: { field: 'email', operator: 'startsWith', value: start },
  });
  const { id } = await client.call('POST', '/emails/campaigns', {
    ...{ name: start, templateId, segmentId, scheduleType: 'immediate' },
    ...(ratePerMinute ? { ratePerMinute } : {}),
  });
  return id as number;
}

/** Runs `npm run restored`; with `killAfterMs` it is killed. Returns its exit code. */
async function restored(parts: Parts, args: string[], killAfterMs?: number): Promise<number | null> {
  const child = spawn(process.execPath, [resolve('worker/restored.ts'), ...args], {
    env: parts.env,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const ended = once(child, 'exit');
  const timer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  const [code] = (await ended) as [number | null];
  clearTimeout(timer);
  return code;
}

/**
 * While an email campaign and journeys are on their way, copies Postgres's data, lets the service go on, and puts the
 * copy back. Then runs `npm run restored`, killed a few times, and lets everything end. Nobody may be mailed twice, what
 * may have gone must be SENT or UNKNOWN, who unsubscribed must stay unsubscribed, and a link of a contact whom the copy
 * does not know must touch nobody. Returns true if all of this holds.
 */
export async function restoreFaults(args: string[], say = print): Promise<boolean> {
  const { values } = parseArgs({
    args,
    options: {
      recipients: { type: 'string', default: '2000' },
      journeys: { type: 'string', default: '600' },
      kills: { type: 'string', default: '3' },
      seed: { type: 'string', default: '1' },
    },
  });
  const [recipients, journeys, kills] = [values.recipients, values.journeys, values.kills].map(Number) as [
    number,
    number,
    number,
  ];
  const random = seededRandom(Number(values.seed));
  const parts = await startParts({ senders: 1, connections: 20, inDoubt: 100, log: say });
  const data = await realpath(join(parts.dataDir, 'postgres'));
  const copy = `${data}.copy`;
  const copyTo = (target: string, source: string) => async (): Promise<void> => {
    await rm(target, { recursive: true, force: true });
    // With its owner, which is Postgres's.
    await promisify(execFile)('cp', ['-a', source, target]);
  };
  /** With a connection of its own, because Postgres is killed in between. */
  const within = <T>(work: (run: Run) => Promise<T>): Promise<T> =>
    withClient(parts.ownerUrl, async (owner) => {
      owner.on('error', () => {});
      const { accessToken } = await createClient(parts.url).call('POST', '/auth/login', ADMIN);
      return work({ parts, owner, client: createClient(parts.url, accessToken as string), say });
    });
  const accepted = (name: string) =>
    acceptedBy({ parts }).then((all) => all.filter(({ to }) => new RegExp(`^${name}\\d`).test(to)));
  try {
    const { campaign, journey, templateId, entrants } = await within(async (run) => {
      await makeContacts(run, 'c', recipients);
      const entrants = await makeContacts(run, 'j', journeys);
      const { id: templateId } = await run.client.call('POST', '/emails/templates', {
        name: 'Faults',
        subject: 'Hello {{firstName}}',
        content: '<p>Hello {{firstName}}</p>',
      });
      const { id: journey } = await run.client.call('POST', '/campaigns', {
        name: 'Faults',
        steps: [
          { id: 'pause', type: 'WAIT', config: { waitMinutes: 1 } },
          { id: 'mail', type: 'EMAIL', config: { templateId } },
        ],
      });
      const third = Math.floor(journeys / 3);
      await run.client.call('POST', `/campaigns/${journey}/start`, { contactIds: entrants.slice(0, third) });
      const campaign = await mail(run.client, 'c', templateId, recipients);
      await until('a quarter is sent', async () => (await accepted('c')).length > recipients / 4);
      await run.client.call('POST', `/campaigns/${journey}/start`, { contactIds: entrants.slice(third, 2 * third) });
      return { campaign, journey, templateId, entrants: { ids: entrants, third } };
    });
    await parts.part('Postgres').kill(copyTo(copy, data));
    say(
      `copied: ${(await accepted('c')).length} of the campaign and ${(await accepted('j')).length} of the journey are sent`,
    );

    const strangers = await within(async (run) => {
      await insist(run.client, `/campaigns/${journey}/start`, { contactIds: entrants.ids.slice(2 * entrants.third) });
      const ids = await makeContacts(run, 's', STRANGERS);
      await mail(run.client, 's', templateId);
      for (const { link } of (await accepted('c')).slice(0, OPT_OUTS)) await unsubscribe(link);
      await until('the strangers are mailed', async () => (await accepted('s')).length === STRANGERS);
      await until('journeys went on', async () => (await accepted('j')).length > entrants.third * 1.5);
      await until('more of the campaign is sent', async () => (await accepted('c')).length > 0.6 * recipients);
      return ids;
    });
    const optedOut = (await accepted('c')).slice(0, OPT_OUTS).map(({ to }) => to);
    const crashesBefore = parts.crashes();
    await parts.part('Postgres').kill(copyTo(data, copy));
    const health = async () => (await createClient(parts.url).call('GET', '/health')).components;
    await until('it is held', async () => (await health()).restore.status === 'DEGRADED');
    // The worker may have been at its last emails.
    await pause(5_000);
    const atLoss = await acceptedBy({ parts });
    say(`put back: ${atLoss.length} were accepted by then; ${(await health()).restore.detail}`);
    await pause(20_000);
    const whileHeld = (await acceptedBy({ parts })).length - atLoss.length;

    let code = await restored(parts, []);
    for (let n = 0; n < kills; n += 1) await restored(parts, ['--apply'], 1_000 + random() * 3_000);
    code ||= await restored(parts, ['--apply']);
    await until('it is released', async () => (await health()).restore.status === 'UP');

    return await within(async (run) => {
      const { owner, client } = run;
      const number = async (query: string, values: unknown[] = []): Promise<number> =>
        Number((await owner.query<{ n: string }>(`select count(*) as n ${query}`, values)).rows[0]!.n);
      const fresh = await makeContacts(run, 'f', STRANGERS);
      await insist(client, `/campaigns/${journey}/start`, { contactIds: fresh });
      // Whom the journey has mailed or may have mailed does not enter it again.
      await insist(client, `/campaigns/${journey}/start`, { contactIds: entrants.ids });
      await until('the campaign has ended', async () => {
        const { status } = await client.call('GET', `/emails/campaigns/${campaign}`);
        return status === 'SENT';
      });
      await until(
        'no journey is under way',
        async () =>
          (await number(`from campaign_enrolments where status in ('PENDING', 'RUNNING')`)) +
            (await number(`from campaign_executions where status = 'RUNNING'`)) +
            (await number(`from emails where status in ('QUEUED', 'SENDING')`)) ===
          0,
      );
      for (const { link } of await accepted('s')) await unsubscribe(link);
      await until('health is UP again', async () => (await health()).workflows.status === 'UP');
      const all = await acceptedBy({ parts });
      const times = Map.groupBy(all, ({ to }) => to);
      const to = [...times.keys()].filter((address) => !address.startsWith('s'));
      /** Of whom it is known, or said to be unknown, that they were mailed. */
      const { rows: known } = await owner.query<{ email: string }>(
        `select c.email from emails e join contacts c on c.id = e.contact_id where e.status in ('SENT', 'UNKNOWN')
         union select c.email from campaign_executions e join contacts c on c.id = e.contact_id
         where e.status = 'STOPPED' and e.exit_reason = 'restored'`,
      );
      const told = new Set(known.map(({ email }) => email));
      const { rows: out } = await owner.query<{ email: string }>(`select email from contacts where status <> 'active'`);
      const left = out.map(({ email }) => email).sort();
      const verdicts: [string, number | string, boolean][] = [
        ['exit code of restored', code ?? 'killed', code === 0],
        ['processes that ended by themselves before', crashesBefore, crashesBefore === 0],
        ['emails accepted while it was held', whileHeld, whileHeld === 0],
        ['recipients of more than one email', ...no([...times].filter(([, of]) => of.length > 1).map(([who]) => who))],
        ['accepted, but neither SENT nor UNKNOWN nor of a stopped journey', ...no(to.filter((who) => !told.has(who)))],
        ['UNKNOWN', await number(`from emails where status = 'UNKNOWN'`), true],
        [
          'UNKNOWN that were accepted',
          await number(
            `from emails e join contacts c on c.id = e.contact_id
          where e.status = 'UNKNOWN' and c.email = any($1)`,
            [to],
          ),
          true,
        ],
        [
          'recipients of the campaign without a state',
          ...no(
            (
              await owner.query<{ email: string }>(
                `select email from contacts c where email like 'c%' and not exists (
            select 1 from emails e where e.contact_id = c.id and e.campaign_id = $1)`,
                [campaign],
              )
            ).rows.map(({ email }) => email),
          ),
        ],
        ['ids given twice', ...no(fresh.filter((id) => strangers.includes(id)).map(String))],
        [
          'new entrants who were not mailed',
          ...no(fresh.map((_, n) => `f${n + 1}@faults.example`).filter((who) => !times.has(who))),
        ],
        ['unsubscribed, but not as clicked', ...no(different(left, optedOut))],
      ];
      for (const [what, value, holds] of verdicts) say(`${holds ? '  ' : '! '}${what}: ${value}`);
      const good = verdicts.every(([, , holds]) => holds);
      say(good ? 'nobody was mailed twice, and what may have gone is said' : 'NOT AS PROMISED');
      return good;
    });
  } finally {
    await parts.stop();
    await rm(copy, { recursive: true, force: true });
  }
}

const no = (found: string[]): [string, boolean] => [
  `${found.length} ${found.slice(0, 5).join(' ')}`,
  found.length === 0,
];

const different = (a: string[], b: string[]): string[] => [
  ...a.filter((one) => !b.includes(one)),
  ...b.filter((one) => !a.includes(one)),
];

/** As a mailbox provider does it for one click (RFC 8058). */
async function unsubscribe(link: string): Promise<void> {
  const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' });
  for (let tries = 1; ; tries += 1) {
    const answer = await fetch(link, { method: 'POST', body }).catch(() => null);
    if (answer && answer.status < 500) return;
    if (tries === 100) throw new Error(`${link}: ${answer?.status ?? 'no answer'}`);
    await pause(500);
  }
}
