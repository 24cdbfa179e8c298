import { rows, sql } from '../../../db/orm.ts';
import { applyValues } from '../../contact-values/apply-values.ts';
import { checkContactValues, type ContactInput, type ContactValues } from '../../contact-values/contact-values.ts';
import { companyNameKey } from '../../contact-values/find-or-create-company.ts';
import { AppError } from '../../../lib/checks/errors.ts';
import { hasLiquid } from '../../../lib/text/liquid.ts';
import type { Filter } from '../../membership/filter/filter.ts';
import { liquidIn } from '../../campaign-definitions/steps/liquid.ts';
import { withoutLiquid } from '../../campaign-definitions/steps/update-contact.ts';
import type { Effect } from '../execution/advance.ts';
import { assertSegments } from '../execution/assert-segments.ts';
import { awaited, branched, divided, reachedGoal, scored, updated } from '../execution/perform-effect.ts';
import { success, type Performed } from '../execution/performed.ts';
import { readFields } from './contact-columns.ts';
import { judgeTravellers, moveIn } from './judge-travellers.ts';
import { send, sendByFirstChannel } from './simulated-sends.ts';
import { happens } from './simulated-events.ts';
import type { Failed, Traveller } from './traveller.ts';
import type { World } from './world.ts';

/** What an effect does for contacts that are at the same step. Changes the contacts, and writes nothing. */
export async function performSimulated(
  world: World,
  travellers: readonly Traveller[],
  effect: Effect,
  now: Date,
): Promise<Map<Traveller, Performed | Failed>> {
  const each = (performed: (traveller: Traveller) => Performed | Failed) =>
    new Map(travellers.map((traveller) => [traveller, performed(traveller)]));
  switch (effect.effect) {
    case 'none':
      return each(() => success);
    case 'wait':
      return each(() => ({ result: { kind: 'wait', until: effect.until }, recorded: 'wait', reason: null }));
    case 'email':
      return send(world, travellers, { channel: 'email', templateId: effect.templateId }, now);
    case 'message':
      return send(world, travellers, effect, now);
    case 'choose':
      return sendByFirstChannel(world, travellers, effect, now);
    case 'membership':
      return moveMembers(world, travellers, effect, now);
    case 'evaluate': {
      const failure = await missingSegment(world, effect.filters);
      if (failure) return each(() => failure);
      const verdicts = await judgeTravellers(world, travellers, effect.filters, now, world.at);
      return each((traveller) => branched(verdicts.get(traveller)!));
    }
    case 'await': {
      const performed = new Map<Traveller, Performed>();
      for (const [since, group] of Map.groupBy(travellers, ({ enteredAt }) => enteredAt)) {
        const verdicts = await judgeTravellers(world, group, [effect.event], now, new Date(since));
        for (const [traveller, [verdict]] of verdicts) performed.set(traveller, awaited(verdict!, effect.until));
      }
      return performed;
    }
    case 'goal': {
      const failure = await missingSegment(world, [effect.filter]);
      if (failure) return each(() => failure);
      const verdicts = await judgeTravellers(world, travellers, [effect.filter], now, world.at);
      return each((traveller) => reachedGoal(verdicts.get(traveller)![0]!));
    }
    case 'split': {
      const { tenantId, campaignId, definition } = world;
      return each(({ contactId, position }) =>
        divided({ tenantId, campaignId, contactId, stepId: definition.steps[position.stepIndex]!.id }, effect.weights),
      );
    }
    case 'update':
      return update(world, travellers, effect.set, now);
    case 'score':
      return score(world, travellers, effect, now);
    default:
      // Whatever a step does to others: it succeeds.
      return each(() => ({ ...success, reason: 'not sent in a simulation' }));
  }
}

async function missingSegment({ tx, tenantId }: World, filters: readonly Filter[]): Promise<Failed | null> {
  try {
    await assertSegments(tx, tenantId, filters);
    return null;
  } catch (error) {
    if (error instanceof AppError) return { failure: error.message };
    throw error;
  }
}

async function moveMembers(
  world: World,
  travellers: readonly Traveller[],
  { action, listId }: Extract<Effect, { effect: 'membership' }>,
  now: Date,
): Promise<Map<Traveller, Performed | Failed>> {
  const { tx, tenantId, lists } = world;
  if (!lists.has(listId)) return new Map(travellers.map((one) => [one, { failure: `There is no list ${listId}` }]));
  const found = await rows<{ id: number }>(
    tx,
    sql`
    select contact_id as id from segment_members where tenant_id = ${tenantId} and segment_id = ${listId}
      and contact_id = any(${travellers.map(({ contactId }) => contactId)}::bigint[])`,
  );
  const stored = new Set(found.map(({ id }) => id));
  for (const traveller of travellers) {
    const { joined, left, contactId } = traveller;
    const isMember = joined.has(listId) || (stored.has(contactId) && !left.has(listId));
    if (isMember === (action === 'add')) continue;
    moveIn(traveller, listId, !isMember);
    happens(world, traveller, now, isMember ? 'SEGMENT_LEFT' : 'SEGMENT_ENTERED', { segmentId: listId });
  }
  return new Map(travellers.map((traveller) => [traveller, success]));
}

async function update(
  world: World,
  travellers: readonly Traveller[],
  whole: ContactInput,
  now: Date,
): Promise<Map<Traveller, Performed | Failed>> {
  // What Liquid prints is not known here.
  const set = knownFields(whole);
  const { values, violations } = checkContactValues(set, world.customFields);
  if (violations.length > 0) {
    const failure = violations.map(({ path, message }) => `${path} ${message}`).join('; ');
    return new Map(travellers.map((one) => [one, { failure }]));
  }
  await readFields(world.tx, world.tenantId, travellers);
  const { source: _ofNewOnes, company, ...rest } = values;
  const wanted: ContactValues = rest;
  if (company === null) wanted.companyId = null;
  else if (company !== undefined) wanted.companyId = await companyId(world, company);
  return new Map(
    travellers.map((traveller) => {
      const fields = traveller.fields!;
      const changed = applyValues(fields, wanted);
      if (changed.length > 0) {
        fields.changedAt = now.toISOString();
        if (changed.includes('companyId'))
          traveller.newCompany = (wanted.companyId ?? 0) < 0 ? company!.trim().normalize('NFC') : null;
        happens(world, traveller, now, 'CONTACT_UPDATED', { changed });
      }
      return [traveller, updated(changed)];
    }),
  );
}

/** The fields whose values do not depend on Liquid. */
function knownFields(set: ContactInput): ContactInput {
  const named = liquidIn(set).map(({ path }) => path.split('/')[1]!);
  const known = withoutLiquid(set);
  const customFields = Object.entries(known.customFields ?? {}).filter(([name]) => !hasLiquid(set.customFields![name]));
  return {
    ...known,
    ...(named.includes('tags') ? { tags: undefined } : {}),
    ...(named.includes('customFields') ? { customFields: Object.fromEntries(customFields) } : {}),
  };
}

/** The id of the company of this name; a negative one for a company that would be made. */
async function companyId({ tx, tenantId, companies }: World, name: string): Promise<number> {
  const key = companyNameKey(name);
  const known = companies.get(key);
  if (known !== undefined) return known;
  const [found] = await rows<{ id: number }>(
    tx,
    sql`select id from companies where tenant_id = ${tenantId} and name_key = ${key} order by id limit 1`,
  );
  const id = found?.id ?? -1 - companies.size;
  companies.set(key, id);
  return id;
}

async function score(
  world: World,
  travellers: readonly Traveller[],
  { points, reason }: Extract<Effect, { effect: 'score' }>,
  now: Date,
): Promise<Map<Traveller, Performed>> {
  const found = await rows<{ id: number; total: number }>(
    world.tx,
    sql`
    select subject_id as id, total::float8 as total from score_totals where tenant_id = ${world.tenantId} and subject = 'contact'
      and subject_id = any(${travellers.map(({ contactId }) => contactId)}::bigint[])`,
  );
  const stored = new Map(found.map(({ id, total }) => [id, total]));
  return new Map(
    travellers.map((traveller) => {
      traveller.points += points;
      happens(world, traveller, now, 'SCORE_UPDATED', {});
      return [traveller, scored(reason, (stored.get(traveller.contactId) ?? 0) + traveller.points)];
    }),
  );
}
