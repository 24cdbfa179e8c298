import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { instant } from '../../common/list-page.ts';
import { withinTime } from '../../common/within-time.ts';
import { findEndpoint } from '../endpoints/endpoints.ts';
import { KEPT_DAYS } from './expire-deliveries.ts';
import { deliveriesOf, isBefore, isSince, shownStatus } from './list-deliveries.ts';

/** What became of everything that an endpoint was to be told in a period. */
export interface Proof {
  from: Date;
  to: Date;
  /** Counted by the numbers, which have no gaps; the others by the deliveries. So a lost one would show. */
  matched: number;
  delivered: number;
  /** Those that are on their way too. */
  pending: number;
  failed: number;
  held: number;
  firstSequence: number | null;
  lastSequence: number | null;
}

const TOO_LONG = 'It takes too long to count these deliveries: ask for a shorter period, with `from` and `to`';

/**
 * The proof for a period, by default for as long as deliveries are kept. Throws 404, 400 for a wrong time, and 503 if it
 * takes too long to count.
 */
export async function readProof(
  em: EntityManager,
  endpointId: number,
  { from, to }: { from?: string; to?: string },
): Promise<Proof> {
  return withinTime(em, TOO_LONG, async (tx) => {
    const endpoint = await findEndpoint(tx, endpointId);
    const begin = from === undefined ? sql`now() - make_interval(days => ${KEPT_DAYS})` : instant('from', from);
    const end = to === undefined ? sql`'infinity'::timestamptz` : instant('to', to);
    const [proof] = await rows<Proof>(
      tx,
      sql`
      select ${begin} as "from", least(${end}, now()) as "to",
        coalesce(max(sequence) - min(sequence) + 1, 0) as matched,
        count(*) filter (where status = 'DELIVERED') as delivered, count(*) filter (where status in ('PENDING', 'SENDING')) as pending,
        count(*) filter (where status = 'FAILED') as failed, count(*) filter (where status = 'HELD') as held,
        min(sequence) as "firstSequence", max(sequence) as "lastSequence"
      from ${deliveriesOf(endpoint, sql`d.sequence, d.at, d.day, ${shownStatus} as status`)}
      where ${isSince('t', begin)} and ${isBefore('t', end)}`,
    );
    return proof!;
  });
}
