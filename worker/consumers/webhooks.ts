import { EndpointCache } from '../../domain/webhooks/deliveries/endpoint-cache.ts';
import { recordDeliveries } from '../../domain/webhooks/deliveries/record-deliveries.ts';
import { followMerges } from '../../domain/contacts/people/merged-contacts.ts';
import { contactOf, eventTypes } from '../../events/contracts.ts';
import type { EventHandler } from '../../transport/event-handler.ts';

/**
 * Numbers the events that endpoints want, in the order in which they happened, and makes their deliveries: about
 * `mostAtOnce` in a transaction. Events that want more are handled one by one.
 */
export function webhookHandler(mostAtOnce?: number): EventHandler {
  const cache = new EndpointCache(mostAtOnce);

  return {
    name: 'webhooks',
    types: eventTypes,
    inOrder: 'webhooks',
    select: async (tx, events) => (await cache.matches(tx, events)).map(({ event }) => event),
    handle: async (tx, events) => {
      const matches = await cache.matches(tx, events);
      // They are told as they happened, but belong to the contacts of now, as those do that were recorded before a merge.
      const followed = await followMerges(
        tx,
        matches.map(({ event }) => event),
      );
      await recordDeliveries(
        tx,
        matches.map((match, index) => ({ ...match, contactId: contactOf(followed[index]!) })),
      );
    },
  };
}
