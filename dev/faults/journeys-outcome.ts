import { readFile } from 'node:fs/promises';
import type { Client as Temporal } from '@temporalio/client';
import type pg from 'pg';
import type { Client } from '../demo/client.ts';
import type { Parts } from './parts.ts';

/** A campaign that runs, and the ways to look at it. */
export interface Run {
  parts: Parts;
  client: Client;
  owner: pg.Client;
  temporal: Temporal;
  campaignId: number;
  executions: number;
  /** How many emails may be UNKNOWN after the kills. */
  unknownAllowed: number;
  say: (line: string) => void;
}

/** The steps of the campaign, in order, and the result of each that every execution must have once. */
export const STEPS = [
  ['first', 'EMAIL', 'success'],
  ['pause', 'WAIT', 'success'],
  ['fork', 'CONDITION', 'then'],
  ['second', 'EMAIL', 'success'],
] as const;
const EMAILS = STEPS.filter(([, type]) => type === 'EMAIL').map(([id]) => id);

/** What was found, and whether it is as promised. */
type Verdict = [what: string, found: number | string, holds: boolean];

/** The workflows of the campaign's executions in a state, as Temporal's visibility counts them. */
async function countWorkflows({ temporal, campaignId }: Run, status: 'Running' | 'Completed'): Promise<number> {
  const query = `WorkflowType = 'campaignExecution' AND ExecutionStatus = '${status}' AND CampaignId = ${campaignId}`;
  return (await temporal.workflow.count(query)).count;
}

export const openWorkflows = (run: Run): Promise<number> => countWorkflows(run, 'Running');

/**
 * Prints what was found, and returns whether it is as promised: every execution is COMPLETED with each of its steps
 * once, each email is in the ledger and in the sink's log once (at most `unknownAllowed` are UNKNOWN, and may be
 * missing there), the API's statistics are what the rows add up to, and no workflow is left.
 */
export async function checkJourneys(run: Run): Promise<boolean> {
  const verdicts: Verdict[] = [
    ['processes that ended without being killed', run.parts.crashes(), run.parts.crashes() === 0],
    ...(await checkExecutions(run)),
    ...(await checkEmails(run)),
    ...(await checkStatistics(run)),
  ];
  for (const [what, found, holds] of verdicts) run.say(`${holds ? '  ' : '! '}${what}: ${found}`);
  const good = verdicts.every(([, , holds]) => holds);
  run.say(
    good ? `every execution ended once; at most ${run.unknownAllowed} emails could be UNKNOWN` : 'NOT AS PROMISED',
  );
  return good;
}

async function figures<Name extends string>({ owner }: Run, text: string, values: unknown[]) {
  const { rows } = await owner.query<Record<Name, string>>(text, values);
  return Object.fromEntries(Object.entries<string>(rows[0]!).map(([name, n]) => [name, Number(n)])) as Record<
    Name,
    number
  >;
}

async function checkExecutions(run: Run): Promise<Verdict[]> {
  const { campaignId, executions } = run;
  const found = await figures<'all' | 'contacts' | 'completed' | 'running'>(
    run,
    `select count(*) as all, count(distinct contact_id) as contacts, count(*) filter (where status = 'COMPLETED') as completed,
       count(*) filter (where status = 'RUNNING') as running
     from campaign_executions where campaign_id = $1`,
    [campaignId],
  );
  const expected = JSON.stringify(STEPS.map(([stepId, type, result]) => [stepId, type, 1, result]));
  const { strange } = await figures<'strange'>(
    run,
    `select count(*) as strange from (
       select e.id, jsonb_agg(jsonb_build_array(s.step_id, s.type, s.visit, s.result) order by s.seq) as steps
       from campaign_executions e left join campaign_step_executions s on s.tenant_id = e.tenant_id and s.execution_id = e.id
       where e.campaign_id = $1 group by e.id) x where steps <> $2::jsonb`,
    [campaignId, expected],
  );
  const [open, completed] = [await countWorkflows(run, 'Running'), await countWorkflows(run, 'Completed')];
  return [
    ['executions', found.all, found.all === executions],
    ['different contacts', found.contacts, found.contacts === executions],
    ['COMPLETED', found.completed, found.completed === executions],
    ['RUNNING', found.running, found.running === 0],
    ['executions without each of their steps once, in order', strange, strange === 0],
    ['workflows that run', open, open === 0],
    ['workflows that are completed', completed, completed === executions],
  ];
}

async function checkEmails(run: Run): Promise<Verdict[]> {
  const { owner, campaignId, executions, parts, unknownAllowed } = run;
  const wanted = EMAILS.length * executions;
  const { rows: emails } = await owner.query<{ sendKey: string; email: string; status: string }>(
    `select m.send_key as "sendKey", c.email, m.status
     from emails m left join contacts c on c.tenant_id = m.tenant_id and c.id = m.contact_id`,
  );
  const { rows: keys } = await owner.query<{ sendKey: string }>(
    `select 'execution:' || e.id || ':' || step || ':1' as "sendKey"
     from campaign_executions e, unnest($2::text[]) step where e.campaign_id = $1`,
    [campaignId, EMAILS],
  );
  const sendKeys = new Set(emails.map(({ sendKey }) => sendKey));
  const withoutEmail = keys.filter(({ sendKey }) => !sendKeys.has(sendKey)).length;
  const of = (status: string) => emails.filter((email) => email.status === status);
  const [sent, unknown] = [of('SENT').length, of('UNKNOWN')];
  const lines = (await readFile(parts.sinkLog, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');
  const messageIds = new Set(lines.map((line) => line.split(' ')[1]));
  const accepted = countEach(lines.map((line) => line.split(' ')[0]!));
  const inDoubt = countEach(unknown.map(({ email }) => email));
  const recipients = [...new Set([...emails.map(({ email }) => email), ...accepted.keys()])];
  // Whoever has no email in doubt got exactly two; nobody got more.
  const wrong = recipients.filter((email) => {
    const [got, doubt] = [accepted.get(email) ?? 0, inDoubt.get(email) ?? 0];
    return got > EMAILS.length || got < EMAILS.length - doubt;
  });
  return [
    ['emails in the ledger', emails.length, emails.length === wanted],
    ['different send keys', sendKeys.size, sendKeys.size === wanted],
    ['EMAIL steps without their email', withoutEmail, withoutEmail === 0],
    ['SENT', sent, sent + unknown.length === wanted],
    ['UNKNOWN', unknown.length, unknown.length <= unknownAllowed],
    ['emails that the sink accepted', lines.length, lines.length >= sent && lines.length <= wanted],
    ['recipients', recipients.length, recipients.length === executions],
    [`recipients that did not get ${EMAILS.length} emails, without those in doubt`, wrong.length, wrong.length === 0],
    ['accepted Message-IDs that are not different', lines.length - messageIds.size, messageIds.size === lines.length],
  ];
}

function countEach(values: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

/** Compares the API's statistics with what the rows of executions, steps and emails add up to. */
async function checkStatistics(run: Run): Promise<Verdict[]> {
  const { client, owner, campaignId } = run;
  const stats = await client.call('GET', `/campaigns/${campaignId}/stats`);
  const executions = await figures(
    run,
    `select count(*) filter (where status = 'RUNNING') as running, count(*) filter (where status = 'COMPLETED') as completed,
       count(*) filter (where status = 'STOPPED') as stopped, count(*) filter (where status = 'FAILED') as failed
     from campaign_executions where campaign_id = $1`,
    [campaignId],
  );
  const { rows: steps } = await owner.query(
    `select step.id as "stepId",
       (count(s.step_id) + count(*) filter (where e.status in ('RUNNING', 'STOPPED') and e.current_step_id = step.id))::int as entered,
       count(*) filter (where e.status = 'RUNNING' and e.current_step_id = step.id)::int as waiting,
       count(*) filter (where s.result not in ('failed', 'skipped'))::int as completed,
       count(*) filter (where s.result = 'suppressed')::int as suppressed,
       count(*) filter (where s.result = 'failed')::int as failed
     from unnest($2::text[]) with ordinality as step(id, n)
     cross join campaign_executions e
     left join campaign_step_executions s on s.tenant_id = e.tenant_id and s.execution_id = e.id and s.step_id = step.id
     where e.campaign_id = $1 group by step.id, step.n order by step.n`,
    [campaignId, STEPS.map(([id]) => id)],
  );
  const emails = await figures(
    run,
    `select count(*) filter (where status in ('QUEUED', 'SENDING')) as queued, count(*) filter (where status = 'SENT') as sent,
       count(*) filter (where status = 'FAILED') as failed, count(*) filter (where status = 'SUPPRESSED') as suppressed,
       count(*) filter (where status = 'UNKNOWN') as unknown
     from emails where campaign_id = $1`,
    [campaignId],
  );
  const compared: [string, unknown, unknown][] = [
    ['executions', stats.executions, executions],
    ...steps.map((step, n): [string, unknown, unknown] => [`step ${step.stepId}`, stats.steps[n], step]),
    ['emails', stats.emails, emails],
  ];
  return compared.map(([what, told, counted]) => {
    const differences = Object.entries(counted as Record<string, unknown>)
      .map(([name, value]) => [name, (told as Record<string, unknown> | undefined)?.[name], value])
      .filter(([, one, other]) => one !== other)
      .map(([name, one, other]) => `${String(name)} ${String(one)} instead of ${String(other)}`);
    return [`statistics of ${what}`, differences.join(', ') || 'as counted', differences.length === 0];
  });
}
