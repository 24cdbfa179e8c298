import { IsolationLevel } from '@mikro-orm/core';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { Email } from '../../../db/entities/emails.ts';
import { notFound } from '../../../lib/checks/errors.ts';

const MAX_EVENTS = 1000;

export interface TrackedEvent {
  type: 'OPEN' | 'CLICK' | 'UNSUBSCRIBE';
  at: Date;
  url: string | null;
  ip: string | null;
  user_agent: string | null;
  automated: boolean;
  first: boolean;
  inferred: boolean;
}

interface Figures {
  opens: number;
  clicks: number;
  first_opened_at: Date | null;
  last_opened_at: Date | null;
  first_clicked_at: Date | null;
}

/**
 * Opens and clicks of an email; figures do not count automated ones, but inferred opens. `events` are the latest 1000, oldest first.
 * Throws 404.
 */
export async function readTracking(
  em: EntityManager,
  id: number,
): Promise<{ email: Email; figures: Figures; events: TrackedEvent[] }> {
  return em.transactional(
    async (tx) => {
      const email = await tx.findOne(Email, { id });
      if (!email) throw notFound('email', id);
      const of = sql`tenant_id = ${email.tenantId} and email_id = ${id}`;
      const [figures] = await rows<Figures>(
        tx,
        sql`
      select count(*) filter (where type = 'OPEN') as opens, count(*) filter (where type = 'CLICK') as clicks,
             min(at) filter (where type = 'OPEN') as first_opened_at, max(at) filter (where type = 'OPEN') as last_opened_at,
             min(at) filter (where type = 'CLICK') as first_clicked_at
      from email_events where ${of} and not automated`,
      );
      const events = await rows<TrackedEvent>(
        tx,
        sql`
      select type, at, url, ip, user_agent, automated, first, inferred from email_events
      where ${of} and automated is not null order by at desc, id desc limit ${MAX_EVENTS}`,
      );
      return { email, figures: figures!, events: events.reverse() };
      // In one snapshot, so that the figures match the events.
    },
    { isolationLevel: IsolationLevel.REPEATABLE_READ },
  );
}
