import { sql } from '../../../db/orm.ts';

/** The `next_attempt_at` of an email of a campaign that was not requested yet: no sender and no reconciler takes it. */
export const HELD_UNTIL = sql`'9999-12-31T00:00:00Z'::timestamptz`;
