/**
 * `npm run restored`: after Postgres was put back to an older copy, shows what may have happened since. With `--apply`
 * it marks that, raises all sequences and releases the service. Every step can be repeated: after a kill, run it again.
 */
import { parseArgs } from 'node:util';
import { EnvError, readEnv } from '../config/env.ts';
import { startOrExit } from '../config/start-problems.ts';
import { engineEm, inRolledBackTransaction, type EntityManager } from '../db/orm.ts';
import { markSendsRestored } from '../domain/channels/ledger/mark-restored.ts';
import { markCampaignsRestored } from '../domain/emails/campaigns/mark-restored.ts';
import { markEmailsRestored, settleAsTold, type ToldEmail } from '../domain/emails/ledger/mark-restored.ts';
import { unsubscribe } from '../domain/emails/subscription/unsubscribe.ts';
import { readGeneration, reasonToHold } from '../domain/installation/generation.ts';
import { passGenerations, raiseSequences } from '../domain/installation/raise-sequences.ts';
import type { AnyEvent } from '../events/contracts.ts';
import { decodeText, readMessages } from '../events/nats.ts';
import { EVENTS, ensureStreams } from '../events/streams.ts';
import { createDeps, type Deps } from '../runtime/deps.ts';
import { witnessesOf } from '../runtime/generation-witnesses.ts';
import { noteLost, stopMoved } from './restored-journeys.ts';

const READ = 500;
/** The clocks of Postgres and the others may differ. */
const CLOCKS_MS = 5_000;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

function readArguments(): { apply: boolean } {
  try {
    return { apply: parseArgs({ options: { apply: { type: 'boolean' } } }).values.apply ?? false };
  } catch (error) {
    throw new EnvError((error as Error).message.split('\n')[0], { cause: error });
  }
}

/** Runs `work` in a transaction, which is undone unless changes are to be applied. */
type Transact = <T>(work: (tx: EntityManager) => Promise<T>) => Promise<T>;

/** Calls `work` with the events since a time, in batches. */
async function eachEvent(deps: Deps, since: Date, work: (events: AnyEvent[]) => Promise<void>): Promise<void> {
  for (let from: number | Date = since; ;) {
    const { messages, more }: Awaited<ReturnType<typeof readMessages>> = await readMessages(
      deps.nats,
      EVENTS,
      from,
      'events.>',
      READ,
    );
    await work(messages.map(({ data }) => JSON.parse(decodeText(data)) as AnyEvent));
    if (!more || messages.length === 0) return;
    from = messages.at(-1)!.seq + 1;
  }
}

/** Takes in what the stream tells: what was sent, who unsubscribed. Returns the campaigns of which it tells. */
async function applyEvents(deps: Deps, since: Date, transact: Transact, apply: boolean) {
  const counts = new Map<string, { count: number; first: string; last: string }>();
  const campaigns = new Map<string, { tenantId: string; id: number }>();
  let settled = 0;
  await eachEvent(deps, since, async (events) => {
    const told: ToldEmail[] = [];
    for (const { type, time, data } of events) {
      const { count = 0, first = time } = counts.get(type) ?? {};
      counts.set(type, { count: count + 1, first, last: time });
      const { tenantId } = data;
      if (type === 'EMAIL_SENT') {
        told.push({ tenantId, id: data.emailId, status: data.status as ToldEmail['status'], at: time });
        if (data.campaignId) campaigns.set(`${tenantId}/${data.campaignId}`, { tenantId, id: data.campaignId });
      }
      // Unknown contacts are left alone: the copy has no address of theirs.
      if (type === 'CONTACT_UNSUBSCRIBED' && apply)
        await unsubscribe(
          engineEm(deps.orm),
          { tenantId, emailId: null, contactId: data.contactId },
          { requestId: null, ip: null, userAgent: null },
        );
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

async function run(deps: Deps, apply: boolean): Promise<void> {
  const witnesses = witnessesOf(deps.nats, () => deps.temporal);
  await ensureStreams(deps.nats.jsm, deps.env);
  const others = (await Promise.all(witnesses.map(({ read }) => read()))).filter((one) => one !== null);
  const own = await readGeneration(engineEm(deps.orm));
  if (others.every((other) => reasonToHold(own, other, '') === null))
    return say('Postgres is not behind JetStream and Temporal: there is nothing to do.');
  const isForeign = others.some(({ id }) => id !== own.id);
  const transact: Transact = (work) => {
    const em = engineEm(deps.orm);
    return apply ? em.transactional(work) : inRolledBackTransaction(em, work);
  };
  const since = new Date(Date.parse(own.movedAt) - CLOCKS_MS);
  say(`Postgres is a copy of about ${own.movedAt}; the others know of ${others.map((one) => one.movedAt).join(', ')}.`);
  say(
    isForeign
      ? 'They belong to another installation: their events are no evidence.'
      : 'The stream tells of since then:',
  );
  // First: whatever is written below has an id that nobody was given.
  const raised = await transact((tx) =>
    raiseSequences(
      tx,
      others.map(({ highest }) => highest),
    ),
  );
  const { settled, campaigns } = isForeign
    ? { settled: 0, campaigns: [] }
    : await applyEvents(deps, since, transact, apply);
  const marked = await transact((tx) => markCampaignsRestored(tx, campaigns));
  const emails = await markAll(transact, markEmailsRestored);
  const sends = await markAll(transact, markSendsRestored);
  const began = isForeign ? 0 : await noteLost(deps, since, apply);
  const moved = isForeign ? 0 : await stopMoved(deps, since, apply);
  say(`Emails that the stream tells were sent or failed: ${settled}.`);
  say(`Emails that may have been sent, UNKNOWN with the reason restored: ${emails - (apply ? 0 : settled)}.`);
  say(`Texts and pushes that may have been sent, UNKNOWN with the reason restored: ${sends}.`);
  say(`Email campaigns whose further recipients become UNKNOWN: ${marked}.`);
  say(`Journeys that went on since, STOPPED with the reason restored: ${moved}; that began since: ${began}.`);
  say(`Sequences raised: ${raised}.`);
  if (!apply) return say('Nothing was changed. Run it again with --apply to apply this and release the service.');
  await engineEm(deps.orm).transactional((tx) =>
    passGenerations(
      tx,
      others.map(({ counter }) => counter),
    ),
  );
  const released = await readGeneration(engineEm(deps.orm));
  for (const { write } of witnesses) await write(released);
  say('Released: the service goes on by itself.');
}

const { apply, deps } = await startOrExit(async () => {
  const read = { ...readArguments(), env: readEnv() };
  return { apply: read.apply, deps: await createDeps(read.env, 'restored') };
});
try {
  await run(deps, apply);
} finally {
  await deps.close();
}
