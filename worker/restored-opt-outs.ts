import { engineEm } from '../db/orm.ts';
import { refuseAsTold } from '../domain/choices/preferences/refuse-as-told.ts';
import { recordToldBounces, type ToldBounce } from '../domain/emails/bounces/bounces-as-told.ts';
import { activeAmong, type ChangedContact } from '../domain/choices/subscription/active-among.ts';
import { unsubscribe } from '../domain/choices/subscription/unsubscribe.ts';
import type { AnyEvent } from '../events/contracts.ts';
import { decodeText, readMessages } from '../transport/nats.ts';
import { EVENTS } from '../transport/streams.ts';
import type { Deps } from '../runtime/deps.ts';

const READ = 500;
const NOBODY = { requestId: null, ip: null, userAgent: null };

/** Calls `work` with the events since a time, in batches. */
export async function eachEvent(deps: Deps, since: Date, work: (events: AnyEvent[]) => Promise<void>): Promise<void> {
  for (let from: number | Date = since; ;) {
    const { messages, more }: Awaited<ReturnType<typeof readMessages>> = await readMessages(
      deps.nats,
      EVENTS,
      from,
      'events.>',
      READ,
    );
    await work(messages.map(({ data }) => JSON.parse(decodeText(data)) as AnyEvent));
    if (!more || messages.length === 0) return;
    from = messages.at(-1)!.seq + 1;
  }
}

/** How many events told that somebody may not be written to any more, by what they told. */
export interface OptOuts {
  unsubscribed: number;
  bounced: number;
  refused: number;
  /** Contacts that are active in the copy, and were not any more, for a reason that no event names. */
  changed: number;
}

/**
 * Takes in what the stream tells of those who may not be written to any more. Contacts that the copy does not know are
 * left alone: it has no address of theirs, and somebody else may have their id by now.
 */
export async function applyOptOuts(deps: Deps, since: Date, apply: boolean): Promise<OptOuts> {
  const em = engineEm(deps.orm);
  const counts = { unsubscribed: 0, bounced: 0, refused: 0 };
  const changes = new Map<string, ChangedContact>();
  const explained = new Set<string>();
  await eachEvent(deps, since, async (events) => {
    const bounces: ToldBounce[] = [];
    for (const { id, type, time, data } of events) {
      const { tenantId } = data;
      if (type === 'CONTACT_UNSUBSCRIBED') {
        counts.unsubscribed += 1;
        explained.add(`${tenantId}/${data.contactId}`);
        const subject = { tenantId, emailId: data.emailId ?? null, contactId: data.contactId, madeAt: new Date(time) };
        if (apply) await unsubscribe(em, subject, NOBODY);
      } else if (type === 'EMAIL_BOUNCED') {
        counts.bounced += 1;
        if (data.hard) explained.add(`${tenantId}/${data.contactId}`);
        bounces.push({ tenantId, emailId: data.emailId, contactId: data.contactId, hard: data.hard, id, at: time });
      } else if (type === 'CHANNEL_UNSUBSCRIBED') {
        counts.refused += 1;
        const { contactId, channel, reason } = data;
        if (apply) await em.transactional((tx) => refuseAsTold(tx, { tenantId, contactId, channel, reason, at: time }));
      } else if (type === 'CONTACT_UPDATED' && data.changed.includes('status')) {
        const key = `${tenantId}/${data.contactId}`;
        const { times = [] } = changes.get(key) ?? {};
        changes.set(key, { tenantId, id: data.contactId, times: [...times, time] });
      }
    }
    if (apply) await em.transactional((tx) => recordToldBounces(tx, bounces));
  });
  // A complaint has no event of its own.
  const left = [...changes].flatMap(([key, one]) => (explained.has(key) ? [] : [one]));
  const changed = await em.transactional((tx) => activeAmong(tx, left));
  if (apply)
    for (const { tenantId, id, times } of changed)
      await unsubscribe(em, { tenantId, emailId: null, contactId: id, madeAt: new Date(times.at(-1)!) }, NOBODY);
  return { ...counts, changed: changed.length };
}
