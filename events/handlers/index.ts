import type { Deps } from '../../runtime/deps.ts';
import { analyticsHandler } from './analytics.ts';
import { campaignHandler } from './campaigns.ts';
import { contactHandler } from './contacts.ts';
import { emailQueueHandlers } from './emails.ts';
import { scoringHandler } from './scoring.ts';
import type { consumeBatches, EventHandler } from '../consume.ts';

/** The event handlers: one per durable consumer. */
export function eventHandlers(_deps: Deps): EventHandler[] {
  return [contactHandler, scoringHandler, analyticsHandler, campaignHandler];
}

/** The handlers of work queues, whose messages are not events. Creates their durable consumers. */
export async function queueHandlers(deps: Deps): Promise<Parameters<typeof consumeBatches>[1][]> {
  return emailQueueHandlers(deps);
}
