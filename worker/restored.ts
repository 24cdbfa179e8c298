/**
 * `npm run restored`: after Postgres was put back to an older copy, shows what may have happened since. With `--apply`
 * it marks that, raises all sequences and releases the service. `--since` names the time of the copy, if the service
 * worked on it before it was held: what was made after it is not marked. Every step can be repeated: after a kill, run
 * it again.
 */
import { parseArgs } from 'node:util';
import { EnvError, readEnv } from '../config/env.ts';
import { startOrExit } from '../config/start-problems.ts';
import { engineEm, inRolledBackTransaction, type EntityManager } from '../db/orm.ts';
import { markSendsRestored } from '../domain/channels/ledger/mark-restored.ts';
import { markCampaignsRestored, type ToldCampaign } from '../domain/email-campaigns/mark-restored.ts';
import { markEmailsRestored, settleAsTold, type ToldEmail } from '../domain/emails/ledger/mark-restored.ts';
import { readGeneration, reasonToHold } from '../domain/installation/generation.ts';
import { passGenerations, raiseSequences } from '../domain/installation/raise-sequences.ts';
import { EVENTS, ensureStreams } from '../transport/streams.ts';
import { createDeps, type Deps } from '../runtime/deps.ts';
import { isPermissionDenied, witnessesOf } from '../runtime/generation-witnesses.ts';
import { noteForgotten, stopMoved } from './restored-journeys.ts';
import { applyOptOuts, eachEvent } from './restored-opt-outs.ts';

/** The clocks of Postgres and the others may differ. */
const CLOCKS_MS = 5_000;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

interface Arguments {
  apply: boolean;
  /** When the copy was taken, if the operator knows better. */
  since: Date | null;
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

function readArguments(): Arguments {
  const options = { apply: { type: 'boolean' }, since: { type: 'string' } } as const;
  let values: { apply?: boolean; since?: string };
  try {
    ({ values } = parseArgs({ options }));
  } catch (error) {
    throw new EnvError((error as Error).message.split('\n')[0], { cause: error });
  }
  const since = values.since === undefined ? null : new Date(values.since);
  if (since && !(TIME.test(values.since!) && since.getTime() <= Date.now()))
    throw new EnvError('--since must be a time of the past such as 2026-11-28T14:00:00Z');
  return { apply: values.apply ?? false, since };
}

/** Runs `work` in a transaction, which is undone unless changes are to be applied. */
type Transact = <T>(work: (tx: EntityManager) => Promise<T>) => Promise<T>;

/** Takes in what the stream tells was sent. Returns how many emails that were, and the campaigns of which it tells. */
async function applySent(deps: Deps, since: Date, transact: Transact) {
  const counts = new Map<string, { count: number; first: string; last: string }>();
  const campaigns = new Map<string, ToldCampaign>();
  let settled = 0;
  await eachEvent(deps, since, async (events) => {
    const told: ToldEmail[] = [];
    for (const { type, time, data } of events) {
      const { count = 0, first = time } = counts.get(type) ?? {};
      counts.set(type, { count: count + 1, first, last: time });
      const { tenantId } = data;
      if (type !== 'EMAIL_SENT') continue;
      told.push({ tenantId, id: data.emailId, status: data.status as ToldEmail['status'], at: time });
      if (data.campaignId) campaigns.set(`${tenantId}/${data.campaignId}`, { tenantId, id: data.campaignId, at: time });
    }
    if (told.length > 0) settled += await transact((tx) => settleAsTold(tx, told));
  });
  for (const [type, { count, first, last }] of [...counts].sort())
    say(`  ${type.padEnd(24)} ${String(count).padStart(9)}   ${first} to ${last}`);
  return { settled, campaigns: [...campaigns.values()] };
}

async function markAll(
  transact: Transact,
  mark: (tx: EntityManager, after: number) => Promise<{ marked: number; last: number | null }>,
): Promise<number> {
  let total = 0;
  for (let after = 0; ;) {
    const { marked, last } = await transact((tx) => mark(tx, after));
    total += marked;
    if (last === null) return total;
    after = last;
  }
}

/** Says what the stream and Temporal can not tell, because they do not keep it for so long. */
async function sayReach(deps: Deps, since: Date): Promise<void> {
  const { state, created } = await deps.nats.jsm.streams.info(EVENTS);
  const reach = state.first_seq <= 1 ? new Date(created) : state.messages > 0 ? new Date(state.first_ts) : new Date();
  if (reach > since)
    say(
      `WARNING: the stream does not reach back so far, but to ${reach.toISOString()} (EVENTS_MAX_AGE). Who unsubscribed, ` +
        'bounced or was mailed between is not known: compare with the reports of your mail provider before you apply this.',
    );
  const { namespace } = deps.temporal.options;
  const described = await deps.temporal.workflowService.describeNamespace({ namespace }).catch((error: unknown) => {
    if (isPermissionDenied(error)) return null;
    throw error;
  });
  if (!described)
    return say(
      'WARNING: how long Temporal keeps what has ended is not known, because it does not let this login describe its ' +
        'namespace. If that is less than the time since the copy, people may enter again journeys that began and ended since.',
    );
  const { config } = described;
  const kept = new Date(Date.now() - Number(config?.workflowExecutionRetentionTtl?.seconds ?? Infinity) * 1000);
  if (kept > since)
    say(
      `WARNING: Temporal keeps what has ended since ${kept.toISOString()} (the retention of its namespace). Journeys that ` +
        'began and ended before are not known: their people may enter them again.',
    );
}

async function run(deps: Deps, { apply, since: given }: Arguments): Promise<void> {
  const witnesses = witnessesOf(deps.nats, () => deps.temporal);
  await ensureStreams(deps.nats.jsm, deps.env);
  const others = (await Promise.all(witnesses.map(({ read }) => read()))).filter((one) => one !== null);
  const own = await readGeneration(engineEm(deps.orm));
  const isBehind = others.some((other) => reasonToHold(own, other, '') !== null);
  if (!isBehind && !given)
    return say(
      'Postgres is not behind JetStream and Temporal: there is nothing to do. If it was put back all the same, name the ' +
        'time of the copy with --since.',
    );
  const isForeign = others.some(({ id }) => id !== own.id);
  const transact: Transact = (work) => {
    const em = engineEm(deps.orm);
    return apply ? em.transactional(work) : inRolledBackTransaction(em, work);
  };
  const since = given ?? new Date(Date.parse(own.movedAt) - CLOCKS_MS);
  say(
    `Postgres is a copy of about ${given ? `${given.toISOString()}, as you say` : own.movedAt}; ` +
      (others.length > 0
        ? `the others know of ${others.map((one) => one.movedAt).join(', ')}.`
        : 'the others know nothing.'),
  );
  if (isForeign) say('They belong to another installation: their events are no evidence.');
  else {
    if (!given) say('If the copy is older, name its time: --since 2026-11-28T14:00:00Z.');
    await sayReach(deps, since);
    say('The stream tells of since then:');
  }
  // First: whatever is written below has an id that nobody was given.
  const raised = await transact((tx) =>
    raiseSequences(
      tx,
      others.map(({ highest }) => highest),
    ),
  );
  const { settled, campaigns } = isForeign ? { settled: 0, campaigns: [] } : await applySent(deps, since, transact);
  const marked = await transact((tx) => markCampaignsRestored(tx, campaigns, given));
  const emails = await markAll(transact, (tx, after) => markEmailsRestored(tx, after, given));
  const sends = await markAll(transact, (tx, after) => markSendsRestored(tx, after, given));
  const began = isForeign ? 0 : await noteForgotten(deps, since, apply);
  const moved = isForeign ? 0 : await stopMoved(deps, since, given, apply);
  // Last: they suppress what is QUEUED, and what may have been sent is not any more.
  const optOuts = isForeign ? null : await applyOptOuts(deps, since, apply);
  say(`Emails that the stream tells were sent or failed: ${settled}.`);
  say(`Emails that may have been sent, UNKNOWN with the reason restored: ${emails - (apply ? 0 : settled)}.`);
  say(`Texts and pushes that may have been sent, UNKNOWN with the reason restored: ${sends}.`);
  say(`Email campaigns whose further recipients become UNKNOWN: ${marked}.`);
  say(`Journeys that went on since, STOPPED with the reason restored: ${moved}; that began since: ${began}.`);
  if (optOuts) {
    const { unsubscribed, bounced, refused, changed } = optOuts;
    say(`Unsubscribed since: ${unsubscribed}; bounced: ${bounced}; refused texts or pushes: ${refused}.`);
    say(`Contacts that were no longer active for a reason that no event names, such as a complaint: ${changed}.`);
  }
  say(`Sequences raised: ${raised}.`);
  if (!apply) return say('Nothing was changed. Run it again with --apply to apply this and release the service.');
  await engineEm(deps.orm).transactional((tx) =>
    passGenerations(
      tx,
      others.map(({ counter }) => counter),
    ),
  );
  const released = await readGeneration(engineEm(deps.orm));
  for (const { name, write } of witnesses)
    await write(released).catch((error: Error) => {
      // What it keeps, if anything, is passed: only that of another installation still holds.
      if (!isPermissionDenied(error) || isForeign) throw error;
      say(`${name} does not let this login keep the generation (${error.message}).`);
    });
  say('Released: the service goes on by itself.');
}

const { read, deps } = await startOrExit(async () => {
  const read = readArguments();
  return { read, deps: await createDeps(readEnv(), 'restored') };
});
try {
  await run(deps, read);
} finally {
  await deps.close();
}
