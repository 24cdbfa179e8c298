import { eventContracts, type AnyEvent } from '../../../events/contracts.ts';

export const contactSubject = (contactId: number): string => `contact/${contactId}`;

/**
 * What an event is about, for the order of webhooks: its contact, given by id (it may have been merged into another one
 * since), or else the first thing that its data names.
 */
export function subjectOf({ type, data }: AnyEvent, contactId: number | null): string | null {
  if (contactId !== null) return contactSubject(contactId);
  for (const name of Object.keys(eventContracts[type].properties)) {
    const id = name.endsWith('Id') ? (data as Record<string, unknown>)[name] : null;
    if (Number.isSafeInteger(id)) return `${name.slice(0, -2)}/${String(id)}`;
  }
  return null;
}
