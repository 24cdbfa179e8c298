import type { Segment } from '../../../db/entities/contacts.ts';
import { sql, type EntityManager, type RawBuilder } from '../../../db/orm.ts';
import { assertValid } from '../../../lib/checks/errors.ts';
import { parseDateTime } from '../../../lib/time/instants.ts';
import { buildWindows } from './build-windows.ts';

/** From when on it is known who was in a segment. */
export const knownSince = ({ createdAt, historySince }: Segment): Date =>
  historySince && historySince > createdAt ? historySince : createdAt;

/**
 * A condition on `contacts t`: members of the segment at a moment. While a segment is being built, its members are those
 * of before. Throws `validation_failed` at `/at` for a moment of which that is not known.
 */
export async function memberAt(
  tx: EntityManager,
  segment: Segment,
  at: string,
  now = new Date(),
): Promise<RawBuilder<unknown>> {
  const moment = parseDateTime(at);
  const since = knownSince(segment);
  if (moment === null || moment < since || moment > now) {
    const message = `must be between ${since.toISOString()}, since when the members are known, and now`;
    assertValid([{ path: '/at', code: 'out_of_range', message }]);
  }
  const last = await lastCounted(tx, segment, moment!);
  return sql`exists (
    select 1 from (
      select m.tenant_id, m.contact_id from segment_members m
      where m.segment_id = ${segment.id} and m.added_at <= ${last}::timestamptz
      union all
      select p.tenant_id, p.contact_id from segment_past_members p
      where p.segment_id = ${segment.id} and p.added_at <= ${last}::timestamptz and p.left_at > ${last}::timestamptz
    ) m where m.tenant_id = t.tenant_id and m.contact_id = t.id)`;
}

/** The last moment whose moves count at `moment`: during a build, the one right before it began. */
async function lastCounted(tx: EntityManager, segment: Segment, moment: Date): Promise<Date> {
  const windows = await buildWindows(tx, segment.tenantId, segment.id, { from: moment, to: moment });
  const current = windows.find(({ to }) => to === null || to > moment);
  return current ? new Date(current.from.getTime() - 1) : moment;
}
