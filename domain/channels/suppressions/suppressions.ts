import { LockMode } from '@mikro-orm/core';
import {
  ChannelSuppression,
  type ChannelSuppressionReason,
  type MessageChannel,
} from '../../../db/entities/channels.ts';
import { freshTransaction, rows, sql, type EntityManager } from '../../../db/orm.ts';
import { erasedKey } from '../../addresses/digest.ts';
import { appendAudit, type Author } from '../../audit/audit.ts';
import { assertValid, invalid, notFound, type Violation } from '../../../lib/checks/errors.ts';
import { normaliseEmail } from '../../../lib/addresses/email.ts';
import { commonSort, listPage, type Present } from '../../common/list-page.ts';
import type { ListQuery, Page } from '../../common/paging.ts';
import { phoneE164 } from '../../../lib/addresses/phone.ts';
import { isViolation } from '../../../lib/checks/violation.ts';
import { BY_STRICTNESS } from '../../delivery/gates/strictness.ts';

/** The form in which a channel's addresses are compared: numbers in E.164; pushes go by the email address. */
function readAddress(channel: MessageChannel, address: string): string | Omit<Violation, 'path'> {
  if (channel === 'sms')
    return (
      phoneE164(address) ?? { code: 'format', message: 'must be a valid phone number in E.164, such as +442079460958' }
    );
  const email = normaliseEmail(address);
  return isViolation(email) ? email : email.emailKey;
}

/** The violations of an address. */
export function addressViolations(channel: MessageChannel, address: string): Violation[] {
  const read = readAddress(channel, address);
  return typeof read === 'string' ? [] : [{ path: '/address', ...read }];
}

/** Throws `validation_failed`. */
function keyOf(channel: MessageChannel, address: string): string {
  assertValid(addressViolations(channel, address));
  return readAddress(channel, address) as string;
}

/** The same for a search, which may name no channel. Throws `validation_failed`. */
function keyToFind(channel: MessageChannel | undefined, address: string): string {
  if (channel !== undefined) return keyOf(channel, address);
  const read = [readAddress('sms', address), readAddress('push', address)].find((key) => typeof key === 'string');
  if (read !== undefined) return read;
  const message = 'must be an email address, or a valid phone number in E.164, such as +442079460958';
  throw invalid([{ path: '/address', code: 'format', message }]);
}

/**
 * Suppresses an address of a channel. An existing suppression keeps its reason unless the new one is stricter; `made`
 * tells whether it was created. The audit log does not contain the address. Throws 400.
 */
export async function addChannelSuppression(
  em: EntityManager,
  author: Author,
  input: { channel: MessageChannel; address: string; reason: ChannelSuppressionReason },
): Promise<{ suppression: ChannelSuppression; made: boolean }> {
  const { channel, reason } = input;
  const address = keyOf(channel, input.address);
  const { tenantId } = author;
  const milder = BY_STRICTNESS.slice(0, BY_STRICTNESS.indexOf(reason));
  return freshTransaction(em, async (tx) => {
    // The first transaction inserts it; concurrent ones wait here, and then read the reason before changing it.
    const [made] = await rows<{ id: number }>(
      tx,
      sql`
      insert into channel_suppressions (tenant_id, channel, address, reason, source)
      values (${tenantId}, ${channel}, ${address}, ${reason}, 'api') on conflict do nothing returning id`,
    );
    const where = { tenantId, channel, address };
    const suppression = await tx.findOneOrFail(ChannelSuppression, where, { lockMode: LockMode.PESSIMISTIC_WRITE });
    const before = made ? undefined : { reason: suppression.reason };
    if (!made && !milder.includes(suppression.reason)) return { suppression, made: false };
    tx.assign(suppression, { reason, source: 'api' });
    await tx.flush();
    await appendAudit(tx, author, {
      action: 'channel_suppression.created',
      resourceType: 'channel_suppression',
      resourceId: suppression.id,
      ...(before ? { before } : {}),
      after: { channel, reason },
    });
    return { suppression, made: made !== undefined };
  });
}

/** Lets messages go to an address again, as far as its consent and other choices do. Throws `not_found`. */
export async function removeChannelSuppression(em: EntityManager, author: Author, id: number): Promise<void> {
  await em.transactional(async (tx) => {
    const suppression = await tx.findOne(ChannelSuppression, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!suppression) throw notFound('suppression', id);
    const { channel, reason, source } = suppression;
    await tx.remove(suppression).flush();
    await appendAudit(tx, author, {
      action: 'channel_suppression.deleted',
      resourceType: 'channel_suppression',
      resourceId: id,
      before: { channel, reason, source },
    });
  });
}

interface SuppressionQuery extends ListQuery {
  channel?: MessageChannel;
  address?: string;
  reason?: string;
}

/** A page of the tenant's suppressions. Throws `validation_failed`. */
export function listChannelSuppressions<T>(
  em: EntityManager,
  tenantId: string,
  query: SuppressionQuery,
  present: Present<ChannelSuppression, T>,
): Promise<Page<T>> {
  const { channel, address, reason } = query;
  const key = address === undefined ? undefined : keyToFind(channel, address);
  return listPage(
    em,
    ChannelSuppression,
    query,
    {
      from: sql`channel_suppressions t`,
      sortable: commonSort,
      where: [
        channel !== undefined && sql`t.channel = ${channel}`,
        // The suppression of an erased address has a hash as its key.
        key !== undefined &&
          sql`t.tenant_id = ${tenantId} and t.address = any(${[key, erasedKey(tenantId, key)]}::text[])`,
        reason !== undefined && sql`t.reason = ${reason}`,
      ],
    },
    present,
  );
}
