import { followMerges } from '../../domain/contacts/people/merged-contacts.ts';
import type { Deps } from '../../runtime/deps.ts';
import { analyticsHandler } from './analytics.ts';
import { campaignHandler } from './campaigns.ts';
import { contactHandler } from './contacts.ts';
import { emailQueueHandlers } from './emails.ts';
import { scoringHandler } from './scoring.ts';
import type { consumeBatches, EventHandler } from '../consume.ts';

/** A handler to which events of merged contacts come as events of those they were merged into. */
const followingMerges = ({ handle, afterCommit, ...handler }: EventHandler): EventHandler => ({
  ...handler,
  handle: async (tx, events) => handle(tx, await followMerges(tx, events)),
  ...(afterCommit && { afterCommit: async (tx, events) => afterCommit(tx, await followMerges(tx, events)) }),
});

/** The event handlers: one per durable consumer. */
export function eventHandlers(_deps: Deps): EventHandler[] {
  return [contactHandler, scoringHandler, analyticsHandler, campaignHandler].map(followingMerges);
}

/** The handlers of work queues, whose messages are not events. Creates their durable consumers. */
export async function queueHandlers(deps: Deps): Promise<Parameters<typeof consumeBatches>[1][]> {
  return emailQueueHandlers(deps);
}
