import { sql, type RawBuilder } from '../../../db/orm.ts';

/** The cap on email alone, from the caps of a row of channel_settings: `{maxEmails, perDays}` as jsonb; null if there is none. */
export const emailCapSql = (caps: RawBuilder<unknown>): RawBuilder<unknown> => sql`(
  select jsonb_build_object('maxEmails', cap -> 'max', 'perDays', cap -> 'perDays')
  from jsonb_array_elements(${caps}) cap where cap -> 'channels' = '["email"]' limit 1)`;
