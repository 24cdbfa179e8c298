import { Contact } from '../../../db/entities/contacts.ts';
import { isLockTimeout, retried } from '../../../db/errors.ts';
import { freshTransaction, rows, sql, type EntityManager } from '../../../db/orm.ts';
import { appendEvents, type NewEvent } from '../../../events/outbox.ts';
import { moveContact } from '../../analytics/contacts/sets.ts';
import { appendAudit, type Author } from '../../audit/audit.ts';
import { moveAwaited } from '../../campaigns/execution/awaited-events.ts';
import { stopExecutions } from '../../campaigns/execution/stop-executions.ts';
import { copyChoices, copyTextOptOut } from '../../channels/people/copy-choices.ts';
import { moveChannels } from '../../channels/people/move-channels.ts';
import { assertValid, notFound, type Violation } from '../../../lib/checks/errors.ts';
import { endMemberships, movedAt, movePastMemberships } from '../../membership/members/past-members.ts';
import { refreshMemberships } from '../../membership/members/refresh-memberships.ts';
import { applyValues } from '../../contact-values/apply-values.ts';
import type { ContactStatus, ContactValues } from '../../contact-values/contact-values.ts';
import { assertNotBeingErased } from '../../contact-values/being-erased.ts';
import { addressDigest } from '../../addresses/digest.ts';
import { creationIdSql } from '../../../events/creation-id.ts';
import { CONTACT_LIMITS } from '../../common/fields.ts';
import { lockContacts } from '../../contact-values/lock-contacts.ts';
import { mergeScores } from './merge-scores.ts';
import { lockMerges, noteMerge } from './merged-contacts.ts';
import { shownContact, type ShownContact } from '../../contact-values/read-contact.ts';
import { suppressUnsubscribed } from '../../contact-values/suppressed-statuses.ts';
import { appendWorkflow } from '../../../events/outbox.ts';
import { moveEmails } from '../../emails/ledger/move-emails.ts';
import { OPTIONAL_NAMES } from '../../contact-values/optional-fields.ts';
import { moveStoredEvents } from '../../webhooks/content/stored-events.ts';
import { timeline } from '../../contact-values/timeline.ts';

/** The longest pause before a merge tries again to get its locks; it doubles with each attempt. */
const PAUSE_MS = 250;

/** From the least to the most restrictive for sending. */
const STRICTNESS: readonly ContactStatus[] = ['active', 'pending', 'archived', 'unsubscribed', 'bounced', 'complained'];
const stricter = (a: ContactStatus, b: ContactStatus): ContactStatus =>
  STRICTNESS.indexOf(a) >= STRICTNESS.indexOf(b) ? a : b;

/** The violations of a merge, for the ids that are given. */
export const mergeViolations = (targetId?: number, sourceId?: number): Violation[] =>
  sourceId !== undefined && targetId === sourceId
    ? [{ path: '/sourceId', code: 'conflict', message: 'must not be the contact itself' }]
    : [];

/**
 * Merges the source into the target and deletes the source. The target keeps its id, address and own values, and gets
 * the source's values where it has none, the stricter status, all tags and custom fields, and everything that refers
 * to the source. If both are in the same campaign, the source's running executions there are STOPPED (`merged`);
 * others continue for the target. `check` gets the target's current version and may throw. Throws `not_found`,
 * `conflict` if one of them is being erased, `validation_failed` if both are the same.
 */
export async function mergeContacts(
  em: EntityManager,
  author: Author,
  targetId: number,
  sourceId: number,
  check: (version: number) => void,
): Promise<ShownContact> {
  assertValid(mergeViolations(targetId, sourceId));
  const { tenantId, requestId } = author;
  // Consumers wait while an attempt does (LOCK_TIMEOUT). In the pauses they go on.
  const repeated = (work: (tx: EntityManager) => Promise<ShownContact>): Promise<ShownContact> =>
    retried(() => freshTransaction(em, work), isLockTimeout, PAUSE_MS);
  return repeated(async (tx) => {
    await lockMerges(tx, tenantId);
    const [target, source] = await lockBoth(tx, tenantId, targetId, sourceId);
    check(target.version);
    await assertNotBeingErased(tx, tenantId, [targetId, sourceId]);
    // Let a later erasure of the target find the source's address and number.
    const sourceDigest = addressDigest(tenantId, source.emailKey);
    const { phoneE164: number } = source;
    const sourceNumberDigest = number ? addressDigest(tenantId, number) : null;
    await stopDuplicateExecutions(tx, tenantId, targetId, sourceId);
    await moveAddresses(tx, tenantId, targetId, sourceId);
    const changed = applyValues(target, mergedValues(target, source));
    await noteMerge(tx, tenantId, { from: sourceId, to: targetId });
    await moveAll(tx, tenantId, targetId, sourceId);
    const lists = await moveLists(tx, tenantId, targetId, sourceId);
    await copyChoices(tx, tenantId, source.emailKey, target.emailKey);
    const textsRefused = await copyTextOptOut(tx, tenantId, number ?? null, target.phoneE164 ?? null);
    await endMemberships(tx, tenantId, [sourceId]);
    await rows(tx, sql`delete from contacts where tenant_id = ${tenantId} and id = ${sourceId}`);
    await movePastMemberships(tx, tenantId, { from: sourceId, to: targetId });
    // Moving other rows to the target counts as a change of the contact too.
    target.updatedAt = new Date();
    await tx.flush();
    const optedOut = changed.includes('status') && target.status === 'unsubscribed';
    if (optedOut) await suppressUnsubscribed(tx, tenantId, [target.emailKey]);
    await appendEvents(tx, { tenantId, requestId }, [
      { type: 'CONTACT_UPDATED', data: { contactId: targetId, version: target.version, changed } },
      ...(optedOut ? [{ type: 'CONTACT_UNSUBSCRIBED', data: { contactId: targetId, reason: 'merge' } } as const] : []),
      ...textsRefused.map((contactId): NewEvent => ({
        type: 'CHANNEL_UNSUBSCRIBED',
        data: { contactId, channel: 'sms', reason: 'merge' },
      })),
      ...lists.map((segmentId): NewEvent => ({
        type: 'SEGMENT_ENTERED',
        data: { segmentId, contactId: targetId },
      })),
    ]);
    await mergeScores(tx, { tenantId, requestId }, targetId, sourceId);
    await refreshMemberships(tx, tenantId, [targetId], { requestId });
    await appendAudit(tx, author, {
      action: 'contact.merged',
      resourceType: 'contact',
      resourceId: targetId,
      after: { sourceId, sourceDigest, sourceNumberDigest, changed },
    });
    return shownContact(tx, target);
  });
}

/**
 * Locks running executions, then the contacts, in the same order as a step. Locks for update, so that neither contact
 * can enter a campaign now.
 */
async function lockBoth(
  tx: EntityManager,
  tenantId: string,
  targetId: number,
  sourceId: number,
): Promise<[Contact, Contact]> {
  const ids = [targetId, sourceId];
  await rows(
    tx,
    sql`
    select id from campaign_executions where tenant_id = ${tenantId} and contact_id = any(${ids}::bigint[]) and status = 'RUNNING' order by id for no key update`,
  );
  await lockContacts(tx, tenantId, ids);
  const there = await rows<{ id: number }>(
    tx,
    sql`
    select id from contacts where tenant_id = ${tenantId} and id = any(${ids}::bigint[]) order by id for update`,
  );
  for (const id of ids) if (!there.some((row) => row.id === id)) throw notFound('contact', id);
  const found = await tx.find(Contact, { tenantId, id: { $in: ids } }, { refresh: true });
  return [found.find(({ id }) => id === targetId)!, found.find(({ id }) => id === sourceId)!];
}

async function stopDuplicateExecutions(
  tx: EntityManager,
  tenantId: string,
  targetId: number,
  sourceId: number,
): Promise<void> {
  const campaignIds = await stopExecutions(
    tx,
    tenantId,
    sql`e.contact_id = ${sourceId} and exists (
    select 1 from campaign_executions t where t.tenant_id = e.tenant_id and t.campaign_id = e.campaign_id and t.contact_id = ${targetId})`,
    'merged',
  );
  if (campaignIds.length > 0)
    await appendWorkflow(tx, 'campaignStop', { tenantId, campaignIds, cause: `merge-${sourceId}` });
}

function mergedValues(target: Contact, source: Contact): ContactValues {
  const tags = [...new Set([...target.tags, ...source.tags])].slice(
    0,
    Math.max(CONTACT_LIMITS.tags, target.tags.length),
  );
  const own = target as unknown as Record<string, unknown>;
  const filled = (['firstName', 'lastName', 'phone', 'companyId', ...OPTIONAL_NAMES] as const)
    .filter((name) => (own[name] ?? '') === '' && (source[name] ?? '') !== '')
    .map((name) => [name, source[name]] as const);
  return {
    ...Object.fromEntries(filled),
    phoneE164: source.phoneE164 ?? null,
    tags,
    status: stricter(target.status, source.status),
    customFields: { ...source.customFields, ...target.customFields } as NonNullable<ContactValues['customFields']>,
  };
}

async function moveAll(tx: EntityManager, tenantId: string, targetId: number, sourceId: number): Promise<void> {
  for (const table of ['contact_activities', 'opt_ins']) {
    await rows(
      tx,
      sql`update ${sql.table(table)} set contact_id = ${targetId} where tenant_id = ${tenantId} and contact_id = ${sourceId}`,
    );
  }
  // One of them made the source, but not the target: who sends it again must not get the target's token.
  await rows(
    tx,
    sql`
    update form_submissions set contact_id = ${targetId}, made_contact = false
    where tenant_id = ${tenantId} and contact_id = ${sourceId}`,
  );
  await rows(
    tx,
    sql`
    insert into contact_activities (id, tenant_id, contact_id, type, occurred_at, event_id, data)
    select id, tenant_id, ${targetId}::bigint, type, occurred_at, ${sql.raw(creationIdSql('tenant_id', 'contact_id'))}, data from ${timeline} t
    where tenant_id = ${tenantId} and contact_id = ${sourceId} and type = 'CONTACT_CREATED'`,
  );
  await moveEmails(tx, tenantId, { from: sourceId, to: targetId });
  await moveChannels(tx, tenantId, { from: sourceId, to: targetId });
  // Entries are numbered after the target's, and keep their entry key unless the target has one with the same key.
  await rows(
    tx,
    sql`
    update campaign_executions e set contact_id = ${targetId}, entry_no = n.entry_no,
      entry_key = case when n.taken then 'merged/' || e.id else e.entry_key end, updated_at = now()
    from (
      select s.id, coalesce(max(t.entry_no), 0) + row_number() over (partition by s.campaign_id order by s.entry_no) as entry_no,
        coalesce(bool_or(t.entry_key = s.entry_key), false) as taken
      from campaign_executions s
      left join campaign_executions t on t.tenant_id = s.tenant_id and t.campaign_id = s.campaign_id and t.contact_id = ${targetId}
      where s.tenant_id = ${tenantId} and s.contact_id = ${sourceId} group by s.id, s.campaign_id, s.entry_no
    ) n where e.tenant_id = ${tenantId} and e.id = n.id`,
  );
  await moveAwaited(tx, tenantId, { from: sourceId, to: targetId });
  await moveContact(tx, tenantId, { from: sourceId, to: targetId });
  await moveStoredEvents(tx, tenantId, { from: sourceId, to: targetId });
}

/** The addresses that the source has and had are former ones of the target. */
async function moveAddresses(tx: EntityManager, tenantId: string, targetId: number, sourceId: number): Promise<void> {
  await rows(
    tx,
    sql`
    insert into former_addresses (tenant_id, contact_id, address, left_at)
    select tenant_id, ${targetId}::bigint, address, left_at from former_addresses where tenant_id = ${tenantId} and contact_id = ${sourceId}
    union all
    select c.tenant_id, ${targetId}::bigint, a.address, now() from contacts c, lateral (values (c.email), (c.phone_e164)) a(address)
    where c.tenant_id = ${tenantId} and c.id = ${sourceId} and a.address is not null
    on conflict do nothing`,
  );
}

/** Adds the target to the static lists of the source. Returns the lists that are new for it. */
async function moveLists(tx: EntityManager, tenantId: string, targetId: number, sourceId: number): Promise<number[]> {
  const moved = await rows<{ segment_id: number }>(
    tx,
    sql`
    insert into segment_members (tenant_id, segment_id, contact_id, added_at)
    select m.tenant_id, m.segment_id, ${targetId}::bigint, ${movedAt} from segment_members m
    join segments s on s.tenant_id = m.tenant_id and s.id = m.segment_id and s.type = 'static'
    where m.tenant_id = ${tenantId} and m.contact_id = ${sourceId} order by m.segment_id
    on conflict do nothing returning segment_id`,
  );
  return moved.map((row) => row.segment_id);
}
