import type { FilterEvent } from '../../../events/contracts.ts';
import type { Traveller } from './traveller.ts';
import type { World } from './world.ts';

/**
 * Something happens to a contact because of its journey. It is noticed when the contact next waits. Events that no filter
 * of the campaign counts are not kept.
 */
export function happens(
  world: Pick<World, 'watched'>,
  traveller: Traveller,
  now: Date,
  type: FilterEvent,
  data: Record<string, unknown>,
): void {
  if (world.watched.has(type)) traveller.arriving.push({ type, at: now.toISOString(), data });
}
