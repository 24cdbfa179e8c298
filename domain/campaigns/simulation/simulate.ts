import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { readMarketing } from '../../emails/ledger/frequency-cap.ts';
import { entryRefusal } from '../enrolment/entry-refusal.ts';
import { Interpreter } from './interpreter.ts';
import { happens } from './simulated-events.ts';
import { Tally, type SimulationResult } from './tally.ts';
import { capsOf } from './simulated-caps.ts';
import { newTraveller, type Marketing, type Traveller } from './traveller.ts';
import { walk } from './walk.ts';
import { readWorld, type Plan, type World } from './world.ts';

const PAGE = 2000;
const DAY_MS = 86_400_000;

/** The contacts to simulate: ids in ascending order, or the members of a segment or list. */
export type SimulatedAudience = { contactIds: number[] } | { segmentId: number };

/** What a simulation calls while it runs. */
export interface SimulationProgress {
  /** After each page, with the number of contacts done so far. */
  onPage: (done: number) => Promise<void>;
  /** Before each simulated time of a page. Ends the simulation by throwing. */
  onTime: () => void;
}

/** Simulates a campaign for contacts as they are now, page by page, each in a read-only transaction. */
export async function simulate(
  em: EntityManager,
  plan: Plan,
  audience: SimulatedAudience,
  paths: number,
  { onPage, onTime }: Partial<SimulationProgress> = {},
): Promise<SimulationResult> {
  const tally = new Tally(plan.definition, paths);
  let done = 0;
  for (let after: number | null = 0; after !== null;) {
    const from: number = after;
    const ids = await em.transactional(async (tx) => {
      await rows(tx, sql`set transaction read only`);
      const page = await nextPage(tx, plan.tenantId, audience, from);
      if (page.length > 0) await simulatePage(await readWorld(tx, plan, tally), page, onTime);
      return page;
    });
    done += ids.length;
    if (ids.length > 0) await onPage?.(done);
    after = ids.length < PAGE ? null : ids.at(-1)!;
  }
  return tally.result();
}

async function nextPage(
  tx: EntityManager,
  tenantId: string,
  audience: SimulatedAudience,
  after: number,
): Promise<number[]> {
  if ('contactIds' in audience) {
    const from = audience.contactIds.findIndex((id) => id > after);
    return from < 0 ? [] : audience.contactIds.slice(from, from + PAGE);
  }
  const members = await rows<{ id: number }>(
    tx,
    sql`
    select contact_id as id from segment_members where tenant_id = ${tenantId} and segment_id = ${audience.segmentId}
      and contact_id > ${after} order by contact_id limit ${PAGE}`,
  );
  return members.map(({ id }) => id);
}

async function simulatePage(
  world: World,
  contactIds: readonly number[],
  onTime: (() => void) | undefined,
): Promise<void> {
  const { tally, at, definition } = world;
  const judged = await judgeEntries(world, contactIds);
  const entering = judged.filter(({ refusal }) => refusal === null);
  // Deleted since the request.
  const gone = contactIds.slice(judged.length).map(() => 'contact_deleted');
  tally.seen(contactIds.length, [...judged.flatMap(({ refusal }) => refusal ?? []), ...gone]);
  const marketing = await marketingTo(
    world,
    entering.map(({ id }) => id),
  );
  const interpreter = new Interpreter(definition, at);
  const travellers: Traveller[] = [];
  for (const { id, timezone } of entering) {
    const outcome = interpreter.begin(timezone);
    if ('end' in outcome) {
      const { status, exitReason: reason } = outcome.end;
      const traveller = newTraveller(id, timezone, { stepIndex: 0, visits: [], waitUntil: null }, at.getTime());
      tally.entered(traveller);
      tally.ended(traveller, { status, reason, at: at.toISOString() });
      continue;
    }
    const traveller = newTraveller(id, timezone, outcome.position, at.getTime());
    traveller.marketing = marketing.get(id) ?? [];
    happens(world, traveller, at, 'CAMPAIGN_TRIGGERED', { campaignId: world.campaignId });
    tally.entered(traveller);
    travellers.push(traveller);
  }
  await walk(world, travellers, onTime ?? (() => {}));
}

interface Entry {
  id: number;
  timezone: string | null;
  refusal: string | null;
}

async function judgeEntries(world: World, contactIds: readonly number[]): Promise<Entry[]> {
  const { tx, tenantId, campaignId, definition, at } = world;
  const refusal = entryRefusal(definition.entry, { tenantId, campaignId, at: sql`${at}::timestamptz` });
  return rows<Entry>(
    tx,
    sql`
    select c.id, c.timezone, ${refusal} as refusal from contacts c
    where c.tenant_id = ${tenantId} and c.id = any(${[...contactIds]}::bigint[]) order by c.id`,
  );
}

/** The emails and messages that the caps count, if there are any. */
async function marketingTo(world: World, contactIds: readonly number[]): Promise<Map<number, Marketing[]>> {
  const { tx, tenantId, at } = world;
  const caps = capsOf(world);
  const found = new Map<number, Marketing[]>();
  if (caps.length === 0) return found;
  const days = Math.max(...caps.map(({ perDays }) => perDays));
  // They are read back from now, and count back from a simulated time that may be earlier.
  const earlier = Math.max(0, Math.ceil((Date.now() - at.getTime()) / DAY_MS));
  for (const channel of new Set(caps.flatMap(({ channels }) => channels))) {
    const sent = await readMarketing(tx, tenantId, contactIds, days + earlier, channel);
    for (const [id, times] of sent)
      found.set(id, [...(found.get(id) ?? []), ...times.map((time) => ({ channel, at: time }))]);
  }
  return found;
}
