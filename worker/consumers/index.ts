import { followMerges, OF_THE_SOURCE_ALONE } from '../../domain/contacts/people/merged-contacts.ts';
import type { Deps } from '../../runtime/deps.ts';
import { analyticsHandler } from './analytics.ts';
import { campaignHandler } from './campaigns.ts';
import { contactHandler } from './contacts.ts';
import { emailQueueHandlers } from './emails.ts';
import { scoringHandler } from './scoring.ts';
import { webhookHandler } from './webhooks.ts';
import type { consumeBatches } from '../../transport/consume.ts';
import type { EventHandler } from '../../transport/event-handler.ts';
import type { EventType } from '../../events/contracts.ts';

/**
 * A handler to which events of merged contacts come as events of those they were merged into, but for those that are of
 * the merged contact alone and the types in `more`.
 */
const followingMerges = (
  { handle, afterCommit, ...handler }: EventHandler,
  more: readonly EventType[] = [],
): EventHandler => {
  const except = [...OF_THE_SOURCE_ALONE, ...more];
  return {
    ...handler,
    handle: async (tx, events) => handle(tx, await followMerges(tx, events, except)),
    ...(afterCommit && { afterCommit: async (tx, events) => afterCommit(tx, await followMerges(tx, events, except)) }),
  };
};

/** The event handlers: one per durable consumer. Those in order have a lock each (`inOrder`). */
export function eventHandlers(): EventHandler[] {
  return [
    // The merge itself moves the creation of the source to the target's timeline.
    followingMerges(contactHandler, ['CONTACT_CREATED']),
    followingMerges(scoringHandler),
    followingMerges(analyticsHandler),
    // The target is not new, and it has unsubscribed only if the merge says so.
    followingMerges(campaignHandler, ['CONTACT_CREATED', 'CONTACT_UNSUBSCRIBED']),
    webhookHandler(),
  ];
}

/** The handlers of work queues, whose messages are not events. Creates their durable consumers. */
export async function queueHandlers(deps: Deps): Promise<Parameters<typeof consumeBatches>[1][]> {
  return emailQueueHandlers(deps);
}
