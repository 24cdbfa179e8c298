import type { ChannelSuppressionReason } from '../../../db/entities/channels.ts';
import { sql, type RawBuilder } from '../../../db/orm.ts';

/** The stricter ones come later; nothing is sent to what is invalid, not even what is transactional. */
export const BY_STRICTNESS: readonly ChannelSuppressionReason[] = ['manual', 'unsubscribed', 'complained', 'invalid'];

/** How strict a reason is, in SQL: stricter ones are greater. */
export const strictnessOf = (reason: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`array_position(${sql.raw(`array['${BY_STRICTNESS.join("', '")}']`)}, ${reason})`;
