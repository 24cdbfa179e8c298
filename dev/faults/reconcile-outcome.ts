import { readFile } from 'node:fs/promises';
import type { Client as Temporal } from '@temporalio/client';
import type pg from 'pg';
import { COMPARED_TYPES, nextOpenRows } from '../../domain/reconciliation/open-rows.ts';
import { connect, engineEm } from '../../db/orm.ts';
import { listOpenWorkflows } from '../../runtime/temporal.ts';
import type { Client } from '../demo/client.ts';
import { pause } from '../process.ts';
import { insist } from './insist.ts';
import type { Parts } from './parts.ts';

export interface Reconciled {
  parts: Parts;
  client: Client;
  owner: pg.Client;
  temporal: Temporal;
  executions: number;
  kills: number;
  say: (line: string) => void;
}

/** Longer than every lease, timeout and round of the service. */
const STALLED_MS = 5 * 60_000;
/** Of the contacts: so many groups are enrolled, and so many are merged, erased, or brought by an import. */
const GROUPS = 10;
const MERGES = 20;
const ERASURES = 10;
const IMPORTS = 6;

/** Makes a campaign of EMAIL, WAIT, EMAIL; the rest is done at random moments until `done` resolves. */
export async function beginCampaign(run: Reconciled, random: () => number): Promise<{ done: Promise<unknown> }> {
  const { owner, client, executions, say } = run;
  const spare = MERGES + ERASURES;
  await owner.query(
    `insert into contacts (tenant_id, first_name, last_name, email, email_key)
     select 'default', 'First' || n, 'Last', 'r' || n || '@faults.example', 'r' || n || '@faults.example'
     from generate_series(1, $1::int) n`,
    [executions + MERGES],
  );
  const { rows } = await owner.query<{ id: string }>('select id from contacts order by id');
  const ids = rows.map(({ id }) => Number(id));
  const [members, targets] = [ids.slice(0, executions), ids.slice(executions)];
  const { id: templateId } = await client.call('POST', '/emails/templates', {
    name: 'Faults',
    subject: 'Hello {{firstName}}',
    content: '<p>Hello {{firstName}}</p>',
  });
  const { id } = await client.call('POST', '/campaigns', {
    name: 'Faults',
    steps: [
      { id: 'first', type: 'EMAIL', config: { templateId } },
      { id: 'pause', type: 'WAIT', config: { waitMinutes: 1 } },
      { id: 'second', type: 'EMAIL', config: { templateId } },
    ],
  });
  const later = async (most: number): Promise<void> => pause(random() * most);
  const size = Math.ceil(executions / GROUPS);
  const lasts = run.kills * 5_000;
  const enrolments = Array.from({ length: GROUPS }, async (_, n) => {
    if (n > 0) await later(lasts);
    await insist(client, `/campaigns/${id}/start`, { contactIds: members.slice(n * size, (n + 1) * size) });
  });
  const touched = members.slice(0, spare);
  const merges = targets.map(async (target, n) => {
    await later(lasts);
    await insist(client, `/contacts/${target}/merge`, { sourceId: touched[n]! }, [404]);
  });
  const erasures = Array.from({ length: ERASURES }, async (_, n) => {
    await later(lasts);
    await insist(client, `/contacts/${touched[MERGES + n]!}/erase`, {}, [404]);
  });
  const imports = Array.from({ length: IMPORTS }, async (_, n) => {
    await later(lasts);
    const lines = Array.from({ length: executions }, (__, row) => `Imported,Row,i${n}-${row}@faults.example`);
    const form = new FormData();
    form.set('file', new Blob([`firstName,lastName,email\n${lines.join('\n')}\n`], { type: 'text/csv' }), `${n}.csv`);
    await insist(client, '/contacts/import', form);
  });
  say(
    `a campaign of ${executions} contacts has begun, with ${MERGES} merges, ${ERASURES} erasures, ${IMPORTS} imports`,
  );
  return { done: Promise.all([...enrolments, ...merges, ...erasures, ...imports]) };
}

/** `executions` and `entered` are of the contacts that are neither merged nor erased: each has to have one. */
async function figures({ owner, executions }: Reconciled): Promise<Record<string, number>> {
  const { rows } = await owner.query<Record<string, string>>(`
    with stay as (
      select c.id from contacts c where c.email in (
        select 'r' || n || '@faults.example' from generate_series(${MERGES + ERASURES + 1}, ${executions}) n))
    select (select count(*) from campaign_executions e join stay s on s.id = e.contact_id) as executions,
      (select count(distinct e.contact_id) from campaign_executions e join stay s on s.id = e.contact_id) as entered,
      (select count(*) from campaign_executions where status = 'RUNNING') as running,
      (select count(*) from campaign_executions where status = 'FAILED') as failed,
      (select count(*) from campaign_enrolments where status in ('PENDING', 'RUNNING')) as enrolments,
      (select count(*) from contact_imports where status <> 'COMPLETED') as imports,
      (select count(*) from erasures where status <> 'COMPLETED') as erasures,
      (select count(*) from emails where status in ('QUEUED', 'SENDING')) as queued,
      (select count(*) from emails where status = 'SENT') as sent,
      (select count(*) from emails where status = 'UNKNOWN') as unknown,
      (select count(*) from campaign_executions e where e.status = 'COMPLETED' and 2 <> (
        select count(*) from emails m where m.execution_id = e.id)) as mailless`);
  return Object.fromEntries(Object.entries(rows[0]!).map(([name, n]) => [name, Number(n)]));
}

/** The rows without their workflow, and the workflows without their row. */
async function disagreeing({ parts, temporal }: Reconciled): Promise<{ rows: string[]; workflows: string[] }> {
  const listed = new Set<string>();
  for await (const page of listOpenWorkflows(temporal, COMPARED_TYPES)) for (const { id } of page) listed.add(id);
  const orm = await connect(parts.env['DATABASE_URL']!);
  const missing: string[] = [];
  try {
    for (const type of COMPARED_TYPES)
      for (let after: string | null = null; ;) {
        const page = await nextOpenRows(engineEm(orm), type, { after, before: new Date(), limit: 1000 });
        for (const { workflowId } of page) if (!listed.delete(workflowId)) missing.push(workflowId);
        if (page.length < 1000) break;
        after = page.at(-1)!.key;
      }
  } finally {
    await orm.close();
  }
  return { rows: missing, workflows: [...listed] };
}

/** Waits until everything has ended; false if nothing moves any more. */
export async function untilSettled(run: Reconciled): Promise<boolean> {
  for (let last = '', since = Date.now(); ;) {
    const { running, enrolments, imports, erasures, queued, ...others } = await figures(run);
    if (running! + enrolments! + imports! + erasures! + queued! === 0) return true;
    const now = JSON.stringify({ running, enrolments, imports, erasures, queued, ...others });
    if (now !== last) [last, since] = [now, Date.now()];
    if (Date.now() - since > STALLED_MS) {
      run.say(now);
      return false;
    }
    await pause(1_000);
  }
}

/**
 * Prints what was found, and returns whether it is as promised: everybody has ended, no row is without its workflow and
 * no workflow without its row, everybody who went through was mailed once by each step or is UNKNOWN.
 */
export async function checkReconciled(run: Reconciled): Promise<boolean> {
  const found = await figures(run);
  const open = await disagreeing(run);
  const lines = (await readFile(run.parts.sinkLog, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');
  const messageIds = new Set(lines.map((line) => line.split(' ')[1]));
  const got = Map.groupBy(lines, (line) => line.split(' ')[0]!);
  const twice = [...got.values()].filter((of) => of.length > 2).length;
  const { components } = await run.client.call('GET', '/health');
  const { workflows } = components as Record<string, { status: string }>;
  const staying = run.executions - MERGES - ERASURES;
  const verdicts: [string, number | string, boolean][] = [
    ['processes that ended without being killed', run.parts.crashes(), run.parts.crashes() === 0],
    ['executions of contacts that stay', found['executions']!, found['executions'] === staying],
    ['different contacts', found['entered']!, found['entered'] === staying],
    ['RUNNING', found['running']!, found['running'] === 0],
    ['FAILED', found['failed']!, found['failed'] === 0],
    [
      'enrolments, imports, erasures that did not end',
      found['enrolments']! + found['imports']! + found['erasures']!,
      found['enrolments']! + found['imports']! + found['erasures']! === 0,
    ],
    ['rows without a workflow', open.rows.length, open.rows.length === 0],
    ['workflows without a row', open.workflows.join(' ') || 0, open.workflows.length === 0],
    ['COMPLETED without an email for each step', found['mailless']!, found['mailless'] === 0],
    ['emails that are not sent yet', found['queued']!, found['queued'] === 0],
    ['UNKNOWN', found['unknown']!, found['unknown']! <= run.kills * run.parts.inDoubt],
    [
      'emails that the sink accepted',
      lines.length,
      lines.length >= found['sent']! && lines.length <= found['sent']! + found['unknown']! + 2 * ERASURES,
    ],
    ['accepted Message-IDs that are not different', lines.length - messageIds.size, messageIds.size === lines.length],
    ['recipients of more than two emails', twice, twice === 0],
    ['health of workflows', workflows!.status, workflows!.status === 'UP'],
  ];
  for (const [what, value, holds] of verdicts) run.say(`${holds ? '  ' : '! '}${what}: ${value}`);
  const good = verdicts.every(([, , holds]) => holds);
  run.say(good ? 'rows and workflows agree, and everybody was mailed once or is UNKNOWN' : 'NOT AS PROMISED');
  return good;
}
