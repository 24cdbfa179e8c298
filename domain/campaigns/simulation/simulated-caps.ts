import type { Channel } from '../../../db/entities/channels.ts';
import type { Cap } from '../../delivery/gates/caps.ts';
import { cappedChannels } from '../execution/send-step.ts';
import type { Traveller } from './traveller.ts';
import type { World } from './world.ts';

const DAY_MS = 86_400_000;

/** The cap of the campaign's entry, which is asked when a step queues something. */
export function entryCapOf({ definition }: Pick<World, 'definition'>): Cap | null {
  const { frequencyCap: cap } = definition.entry;
  return cap && { channels: cappedChannels(cap), max: cap.maxEmails, perDays: cap.perDays };
}

/** All caps that can concern what the campaign sends. */
export function capsOf(world: Pick<World, 'definition' | 'tenantCaps'>): Cap[] {
  const own = entryCapOf(world);
  return [...(own ? [own] : []), ...world.tenantCaps];
}

/** Whether a cap forbids another marketing message of a channel to a contact at this time. */
export function isFull({ channels, max, perDays }: Cap, channel: Channel, to: Traveller, now: Date): boolean {
  if (!channels.includes(channel)) return false;
  const since = now.getTime() - perDays * DAY_MS;
  return (
    to.marketing.filter((one) => channels.includes(one.channel) && (one.at === null || one.at > since)).length >= max
  );
}
