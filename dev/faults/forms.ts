import { parseArgs } from 'node:util';
import type pg from 'pg';
import { createClient } from '../demo/client.ts';
import { pause } from '../process.ts';
import { withClient } from '../stack/postgres.ts';
import { ADMIN, startParts, type Parts } from './parts.ts';

const VICTIMS = ['api', 'Postgres'];
const VISITORS = 20;
const PEOPLE = 500;
const STALLED_MS = 3 * 60_000;

const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** Submissions by their texts: the id that was answered, or null if there was no answer or an error. */
type Sent = Map<string, number | null>;

/**
 * Submits a form from twenty visitors at once while the API and Postgres are killed with kill -9 in turn, and then
 * compares what was answered with what is stored: each submission that was answered with 200 is there, none is there
 * twice, and each that is there has one event, by which the timeline and the statistics are counted. Returns true if all
 * agree.
 */
export async function formFaults(args: string[], say = print): Promise<boolean> {
  const { values } = parseArgs({
    args,
    options: { submissions: { type: 'string', default: '20000' }, kills: { type: 'string', default: '10' } },
  });
  const [count, kills] = [Number(values.submissions), Number(values.kills)];
  const parts = await startParts({ senders: 1, connections: 5, inDoubt: 100, log: say });
  try {
    const { accessToken } = await createClient(parts.url).call('POST', '/auth/login', ADMIN);
    const client = createClient(parts.url, accessToken as string);
    const { id: formId } = await client.call('POST', '/forms', {
      name: 'Faults',
      fields: [
        { name: 'email', label: 'Email', type: 'email' },
        { name: 'text', label: 'Text', type: 'text' },
      ],
    });
    const sent: Sent = new Map();
    const submitting = Promise.all(Array.from({ length: VISITORS }, () => visit(parts, formId as number, sent, count)));
    for (let kill = 1; kill <= kills; kill += 1) {
      while (sent.size < (count * kill) / (kills + 1)) await Promise.race([pause(50), submitting]);
      const victim = VICTIMS[kill % VICTIMS.length]!;
      await parts.part(victim).kill();
      say(`kill ${kill}, of ${victim}: ${sent.size} submissions were sent`);
    }
    await submitting;
    return await withClient(parts.ownerUrl, async (owner) => {
      await untilCounted(owner, say);
      const stats = await client.call('GET', `/forms/${formId as number}/stats`);
      return check(parts, owner, sent, (stats as { submissions: number }).submissions, say);
    });
  } finally {
    await parts.stop();
  }
}

/** Submits as long as others do too; waits a moment after each failure. */
async function visit({ url }: Parts, formId: number, sent: Sent, count: number): Promise<void> {
  while (sent.size < count) {
    const text = `t${sent.size}`;
    sent.set(text, null);
    const email = `v${sent.size % PEOPLE}@faults.example`;
    const answer = await fetch(`${url}/api/v1/forms/${formId}/submit`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, text }),
    })
      .then(async (response) =>
        response.status === 200 ? ((await response.json()) as { submissionId: number }) : null,
      )
      .catch(() => null);
    if (answer) sent.set(text, answer.submissionId);
    else await pause(100);
  }
}

const numberOf = async (owner: pg.Client, statement: string): Promise<number> =>
  Number((await owner.query<{ n: string }>(`select count(*) as n from ${statement}`)).rows[0]!.n);

/** Waits until the consumers have seen all events. */
async function untilCounted(owner: pg.Client, say: (line: string) => void): Promise<void> {
  for (let last = -1, since = Date.now(); ;) {
    const left = await numberOf(
      owner,
      `form_submissions s where not exists (
        select 1 from contact_activities a where a.type = 'FORM_SUBMITTED' and a.data ->> 'submissionId' = s.id::text)`,
    );
    if (left === 0) return;
    if (left !== last) [last, since] = [left, Date.now()];
    if (Date.now() - since > STALLED_MS) {
      say(`${left} submissions have no event`);
      return;
    }
    await pause(500);
  }
}

async function check(
  parts: Parts,
  owner: pg.Client,
  sent: Sent,
  counted: number,
  say: (line: string) => void,
): Promise<boolean> {
  const { rows: stored } = await owner.query<{ id: string; text: string }>(
    `select id, submission_data ->> 'text' as text from form_submissions`,
  );
  const idOf = new Map(stored.map(({ id, text }) => [text, Number(id)]));
  const answered = [...sent].filter(([, id]) => id !== null);
  const activities = `contact_activities where type = 'FORM_SUBMITTED'`;
  const found: [string, number, boolean][] = [
    ['processes that ended without being killed', parts.crashes(), parts.crashes() === 0],
    ['submissions that were sent', sent.size, true],
    ['of these answered with 200', answered.length, answered.length > sent.size / 2],
    ['stored', stored.length, stored.length >= answered.length],
    ['stored more than once', stored.length - idOf.size, stored.length === idOf.size],
  ];
  const lost = answered.filter(([text, id]) => idOf.get(text) !== id).length;
  found.push(['answered with 200 and not stored with that id', lost, lost === 0]);
  const invented = stored.filter(({ text }) => !sent.has(text)).length;
  found.push(['stored and never sent', invented, invented === 0]);
  const events = await numberOf(owner, activities);
  const different = await numberOf(owner, `(select distinct data ->> 'submissionId' from ${activities}) d`);
  found.push(['events in timelines', events, events === stored.length && different === stored.length]);
  found.push(['submissions in the statistics', counted, counted === stored.length]);
  const [contacts, addresses] = [
    await numberOf(owner, `contacts where email_key like '%@faults.example'`),
    await numberOf(owner, `(select distinct email_key from contacts where email_key like '%@faults.example') d`),
  ];
  found.push(['contacts', contacts, contacts === addresses && contacts <= PEOPLE]);
  for (const [what, number, isRight] of found) say(`  ${what}: ${number}${isRight ? '' : '   <- NOT AS PROMISED'}`);
  return found.every(([, , isRight]) => isRight);
}
