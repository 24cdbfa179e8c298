import type { Deps } from '../../runtime/deps.ts';
import { analyticsHandler } from './analytics.ts';
import { campaignHandler } from './campaigns.ts';
import { contactHandler } from './contacts.ts';
import { emailQueueHandlers } from './emails.ts';
import { scoringHandler } from './scoring.ts';
import type { consumeBatches, EventHandler } from '../consume.ts';

/** What is done with events: one entry per durable consumer. */
export function eventHandlers(_deps: Deps): EventHandler[] {
  return [contactHandler, scoringHandler, analyticsHandler, campaignHandler];
}

/** What is done with the messages of work queues, which are no events. Makes their durable consumers. */
export async function queueHandlers(deps: Deps): Promise<Parameters<typeof consumeBatches>[1][]> {
  return emailQueueHandlers(deps);
}
