import type { SimulatedContact } from '../../membership/compile/simulated-contact.ts';
import { changeKindsOf } from '../../membership/filter/change-kinds.ts';
import type { Filter } from '../../membership/filter/filter.ts';
import { explainSimulated, leavesOf } from '../../membership/members/explain-membership.ts';
import { verdictOf, type Verdict } from '../execution/judge.ts';
import { contactColumns } from './contact-columns.ts';
import type { Traveller } from './traveller.ts';
import { dependedOn, EXECUTION, type World } from './world.ts';

/**
 * Judges filters for many contacts as they are by now: one statement, and one per level of the dynamic segments that the
 * filters depend on. Event leaves count from `startedAt`.
 */
export async function judgeTravellers(
  world: World,
  travellers: readonly Traveller[],
  filters: readonly Filter[],
  now: Date,
  startedAt: Date,
): Promise<Map<Traveller, Verdict[]>> {
  await refreshSegments(world, travellers, filters, now);
  const asked = filters.map((filter, id) => ({ id, filter, leaves: leavesOf(filter).length }));
  const execution = { id: EXECUTION, startedAt };
  const contacts = asSimulated(travellers, filters);
  const explained = await explainSimulated(world.tx, world.tenantId, contacts, asked, { now, execution });
  return new Map(
    travellers.map((traveller) => {
      const found = explained.get(traveller.contactId);
      return [traveller, asked.map(({ id }) => verdictOf(found?.get(id)))];
    }),
  );
}

/** Decides anew which of the dynamic segments, on which these filters depend, the contacts are in. */
async function refreshSegments(
  world: World,
  travellers: readonly Traveller[],
  filters: readonly Filter[],
  now: Date,
): Promise<void> {
  for (const level of Map.groupBy(dependedOn(world.segments, filters), ({ depth }) => depth).values()) {
    const contacts = asSimulated(
      travellers,
      level.map(({ filter }) => filter),
    );
    const explained = await explainSimulated(world.tx, world.tenantId, contacts, level, { now });
    for (const traveller of travellers) {
      for (const { id } of level) {
        const holds = explained.get(traveller.contactId)?.get(id)?.holds ?? false;
        moveIn(traveller, id, holds);
      }
    }
  }
}

/** Puts a contact into a segment or list, or takes it out. */
export function moveIn({ joined, left }: Traveller, segmentId: number, isMember: boolean): void {
  (isMember ? joined : left).add(segmentId);
  (isMember ? left : joined).delete(segmentId);
}

/** The contacts with those of their changes that these filters depend on. */
function asSimulated(travellers: readonly Traveller[], filters: readonly Filter[]): SimulatedContact[] {
  const kinds = new Set<string>(filters.flatMap((filter) => [...changeKindsOf(filter)]));
  const byFields = kinds.has('contact') || kinds.has('company');
  const byScore = kinds.has('score');
  const byMembership = [...kinds].some((kind) => kind === 'lists' || kind.startsWith('member:'));
  return travellers.map((traveller) => {
    const contact: SimulatedContact = { id: traveller.contactId };
    if (byFields && traveller.fields?.changedAt) {
      contact.columns = contactColumns(traveller.fields);
      if (traveller.newCompany !== null) contact.newCompany = traveller.newCompany;
    }
    if (byScore && traveller.points !== 0) contact.points = traveller.points;
    if (byMembership && traveller.joined.size > 0) contact.joined = [...traveller.joined];
    if (byMembership && traveller.left.size > 0) contact.left = [...traveller.left];
    const events = traveller.events.filter(({ type }) => kinds.has(`event:${type}`));
    if (events.length > 0) contact.events = events;
    return contact;
  });
}
