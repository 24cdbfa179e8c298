import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { erasedKey } from '../../addresses/digest.ts';

interface Decision {
  status: string;
  byText: boolean;
}

/** The last decision about texts to a number. */
async function lastDecision(tx: EntityManager, tenantId: string, number: string): Promise<Decision | undefined> {
  const keys = [number, erasedKey(tenantId, number)];
  const [last] = await rows<Decision>(
    tx,
    sql`
    select status, by_text as "byText" from text_consents where tenant_id = ${tenantId} and address = any(${keys}::text[])
    order by id desc limit 1`,
  );
  return last;
}

const decide = (tx: EntityManager, tenantId: string, number: string, status: string, text: string) =>
  rows(
    tx,
    sql`
    insert into text_consents (tenant_id, address, status, source, by_text, text)
    values (${tenantId}, ${number}, ${status}, 'text', true, ${text})`,
  );

/**
 * Opts a number out of marketing texts, because it said so in a text. What has opted it out before, otherwise than by
 * a text, stays: no text can undo that. Returns whether it was not opted out before.
 */
export async function optOutByText(
  tx: EntityManager,
  tenantId: string,
  number: string,
  text: string,
): Promise<boolean> {
  const last = await lastDecision(tx, tenantId, number);
  if (last?.status === 'unsubscribed') return false;
  await decide(tx, tenantId, number, 'unsubscribed', text);
  return true;
}

/**
 * Undoes the opt-out of a number by a text, also where the provider keeps a list of such. Any other opt-out stays.
 * Returns whether there was one.
 */
export async function undoOptOutByText(
  tx: EntityManager,
  tenantId: string,
  number: string,
  text: string,
): Promise<boolean> {
  const last = await lastDecision(tx, tenantId, number);
  const isOut = last?.status === 'unsubscribed';
  if (isOut && !last.byText) return false;
  const lifted = await rows(
    tx,
    sql`
    delete from channel_suppressions where tenant_id = ${tenantId} and channel = 'sms'
      and address = any(${[number, erasedKey(tenantId, number)]}::text[])
      and reason = 'unsubscribed' and source = 'provider' returning id`,
  );
  if (isOut) await decide(tx, tenantId, number, 'subscribed', text);
  return isOut || lifted.length > 0;
}
