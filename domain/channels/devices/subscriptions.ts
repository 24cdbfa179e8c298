import { LockMode } from '@mikro-orm/core';
import { PushSubscription, type SubscriptionType } from '../../../db/entities/channels.ts';
import { freshTransaction, rows, sql, type EntityManager, type RawBuilder } from '../../../db/orm.ts';
import type { Origin } from '../../../events/outbox.ts';
import { appendAudit, type Author } from '../../audit/audit.ts';
import { assertNoneMissing, invalid, notFound } from '../../../lib/checks/errors.ts';
import { byUpdatedAt, commonSort, listPage, type Present } from '../../common/list-page.ts';
import type { ListQuery, Page } from '../../common/paging.ts';
import { assertNotBeingErased } from '../../contact-values/being-erased.ts';
import type { LedgerKey } from '../queue/refresh-messages.ts';
import { changeDevices, lockOwners } from '../queue/device-owners.ts';
import { isFormer, lockWaiting, replaceSubscription, type Former } from './replace-subscription.ts';
import { subscriptionDigest } from '../push/subscription-digest.ts';

/** A contact receives pushes on this many devices: one more replaces the one that was last heard of longest ago. */
const MOST_DEVICES = 50;

/**
 * A site has so many devices that belong to nobody, whoever subscribed them: anybody can. One more ends the one that was
 * last heard of longest ago. Nothing is sent to them, and one that is linked later is stored anew.
 */
export const MOST_UNLINKED = 1_000;

/** A device that wants pushes, valid. */
export interface DeviceInput {
  type: SubscriptionType;
  /** webpush: the URL of the push service. fcm: the registration token. */
  endpoint: string;
  siteId?: number;
  p256dh?: string;
  auth?: string;
  expiresAt?: Date | null;
  platform?: string | null;
  timezone?: string | null;
  locale?: string | null;
  /** Whom it belongs to; absent: as before. A contact that was merged stands for the one it was merged into. */
  contactId?: number;
  /** Where the request has the contact; what is wrong with it is told there. */
  contactPath: '/contactId' | '/contactToken';
  /** The earlier subscription of the same device: its endpoint, or its id. */
  replaces?: Former;
}

const resourceOf = (id: number) => ({ resourceType: 'push_subscription', resourceId: id });

interface Device {
  id: number;
  contactId: number | null;
  isNew: boolean;
  /** The contact of a known one before. */
  formerContactId: number | null;
}

/**
 * Stores a device, or brings a known one up to date: it is active, and belongs to the given contact from now on. Writes
 * CHANNEL_SUBSCRIBED with a contact's first device, and CHANNEL_UNSUBSCRIBED for one that loses its last one. A
 * contact that does not exist is a 404 at `/contactId`, and a 400 at `/contactToken`; one that is being erased is a 409.
 * `author`: who did it, if it was not the device itself.
 */
export async function saveDevice(
  em: EntityManager,
  origin: Origin,
  device: DeviceInput,
  author?: Author,
): Promise<Pick<Device, 'id' | 'isNew'>> {
  const { tenantId } = origin;
  const { type, endpoint, replaces } = device;
  return freshTransaction(em, async (tx) => {
    const contactId = device.contactId === undefined ? null : await afterMerges(tx, tenantId, device.contactId);
    const known = sql`digest = ${subscriptionDigest(type, endpoint)}`;
    const former = replaces === undefined ? sql`false` : sql`(type = 'webpush' and ${isFormer(replaces)})`;
    const owners = await ownersOfDevices(tx, tenantId, sql`${known} or ${former}`, contactId);
    const found = await lockOwners(tx, owners);
    if (contactId !== null) await assertOwner(tx, tenantId, device, contactId, found);
    const waiting = replaces === undefined ? [] : await lockWaiting(tx, tenantId, replaces);
    return changeDevices(tx, origin, owners, { subscribed: 'device', unsubscribed: 'moved' }, async () => {
      const saved = await upsertDevice(tx, tenantId, { ...device, contactId });
      const inherited =
        replaces === undefined ? null : await replaceSubscription(tx, tenantId, saved.id, replaces, waiting);
      const owner = saved.contactId ?? inherited;
      if (author) await auditSaved(tx, author, device, { ...saved, contactId: owner });
      if (owner !== null) await replaceOldest(tx, tenantId, owner);
      else if (device.siteId !== undefined) await deleteOldestUnlinked(tx, tenantId, device.siteId);
      return saved;
    });
  });
}

/** The contacts of devices, read without a lock, and `contactId`. */
async function ownersOfDevices(
  tx: EntityManager,
  tenantId: string,
  which: RawBuilder<unknown>,
  contactId: number | null,
): Promise<LedgerKey[]> {
  const found = await rows<{ id: number }>(
    tx,
    sql`
    select contact_id as id from push_subscriptions where tenant_id = ${tenantId} and contact_id is not null and (${which})`,
  );
  const ids = new Set([...found.map(({ id }) => id), ...(contactId === null ? [] : [contactId])]);
  return [...ids].map((id) => ({ tenantId, id }));
}

/** A new device, or a known one that belongs to somebody else now. Never the endpoint: who knows it can send to it. */
async function auditSaved(
  tx: EntityManager,
  author: Author,
  device: DeviceInput,
  { id, isNew, contactId, formerContactId }: Device,
): Promise<void> {
  const { type, siteId = null, platform = null } = device;
  await appendAudit(
    tx,
    author,
    isNew
      ? { action: 'push_subscription.created', ...resourceOf(id), after: { type, contactId, siteId, platform } }
      : {
          ...{ action: 'push_subscription.linked', ...resourceOf(id) },
          ...{ before: { contactId: formerContactId }, after: { contactId } },
        },
  );
}

/** The contact that stands for this one: it may have been merged. */
async function afterMerges(tx: EntityManager, tenantId: string, contactId: number): Promise<number> {
  const [merged] = await rows<{ id: number }>(
    tx,
    sql`select merged_into as id from merged_contacts where tenant_id = ${tenantId} and contact_id = ${contactId}`,
  );
  return merged?.id ?? contactId;
}

async function assertOwner(
  tx: EntityManager,
  tenantId: string,
  { contactPath }: Pick<DeviceInput, 'contactPath'>,
  contactId: number,
  found: ReadonlySet<number>,
): Promise<void> {
  if (!found.has(contactId)) {
    if (contactPath === '/contactId') assertNoneMissing([{ path: contactPath, what: 'contact', id: contactId }]);
    // A page gives a token, not an id: what is wrong is the token.
    throw invalid([{ path: contactPath, code: 'not_found', message: 'stands for no contact' }]);
  }
  await assertNotBeingErased(tx, tenantId, [contactId]);
}

async function upsertDevice(
  tx: EntityManager,
  tenantId: string,
  device: Omit<DeviceInput, 'contactId'> & { contactId: number | null },
): Promise<Device> {
  const { type, endpoint, siteId = null, p256dh = null, auth = null, expiresAt = null, contactId } = device;
  const { platform = null, timezone = null, locale = null } = device;
  const [saved] = await rows<Device>(
    tx,
    sql`
    insert into push_subscriptions as p (tenant_id, type, contact_id, site_id, endpoint, digest, p256dh, auth, expires_at, platform, timezone, locale)
    values (${tenantId}, ${type}, ${contactId}, ${siteId}, ${endpoint}, ${subscriptionDigest(type, endpoint)}, ${p256dh}, ${auth},
      ${expiresAt}, ${platform}, ${timezone}, ${locale})
    on conflict (tenant_id, digest) do update set status = 'active', replaced_by = null,
      contact_id = coalesce(excluded.contact_id, p.contact_id), site_id = excluded.site_id, p256dh = excluded.p256dh, auth = excluded.auth,
      expires_at = excluded.expires_at, platform = coalesce(excluded.platform, p.platform),
      timezone = coalesce(excluded.timezone, p.timezone), locale = coalesce(excluded.locale, p.locale), updated_at = now()
    returning p.id, p.contact_id as "contactId", p.xmax = 0 as "isNew", old.contact_id as "formerContactId"`,
  );
  return saved!;
}

/** Keeps at most MOST_DEVICES active devices of a contact. */
const replaceOldest = (tx: EntityManager, tenantId: string, contactId: number) =>
  rows(
    tx,
    sql`
    update push_subscriptions set status = 'replaced', updated_at = now()
    where tenant_id = ${tenantId} and id in (
      select id from push_subscriptions where tenant_id = ${tenantId} and contact_id = ${contactId} and status = 'active'
      order by updated_at desc, id desc offset ${MOST_DEVICES})`,
  );

/** Keeps at most MOST_UNLINKED devices of a site that belong to nobody. Locks only those that it deletes. */
const deleteOldestUnlinked = (tx: EntityManager, tenantId: string, siteId: number) =>
  rows(
    tx,
    sql`
    delete from push_subscriptions where tenant_id = ${tenantId} and contact_id is null and id in (
      select id from push_subscriptions where tenant_id = ${tenantId} and contact_id is null and id = any(array(
        select id from push_subscriptions where tenant_id = ${tenantId} and site_id = ${siteId} and contact_id is null
        order by updated_at desc, id desc offset ${MOST_UNLINKED})) order by id for update skip locked)`,
  );

/**
 * Links a device to another contact, or to none; `check` gets the device, locked. Throws 404 for either, 409 while the
 * contact is being erased.
 */
export async function linkDevice(
  em: EntityManager,
  author: Author,
  id: number,
  contactId: number | null,
  check: (current: PushSubscription) => void,
): Promise<PushSubscription> {
  const { tenantId } = author;
  return em.transactional(async (tx) => {
    const owners = await ownersOfDevices(tx, tenantId, sql`id = ${id}`, contactId);
    const found = await lockOwners(tx, owners);
    if (contactId !== null) await assertOwner(tx, tenantId, { contactPath: '/contactId' }, contactId, found);
    return changeDevices(tx, author, owners, { subscribed: 'api', unsubscribed: 'moved' }, async () => {
      const device = await tx.findOne(PushSubscription, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (!device) throw notFound('push subscription', id);
      check(device);
      const was = device.contactId ?? null;
      if (was === contactId) return device;
      device.contactId = contactId;
      device.updatedAt = new Date();
      await tx.flush();
      await appendAudit(tx, author, {
        ...{ action: 'push_subscription.linked' as const, ...resourceOf(id) },
        ...{ before: { contactId: was }, after: { contactId } },
      });
      if (contactId !== null) await replaceOldest(tx, tenantId, contactId);
      return device;
    });
  });
}

/**
 * Deletes a device; no push goes to it any more. Writes CHANNEL_UNSUBSCRIBED with the last active device of a contact.
 * `author`: who did it, if it was not the device itself. Throws 404.
 */
export async function deleteDevice(em: EntityManager, origin: Origin, id: number, author?: Author): Promise<void> {
  const { tenantId } = origin;
  const who = author ? 'api' : 'device';
  await em.transactional(async (tx) => {
    const owners = await ownersOfDevices(tx, tenantId, sql`id = ${id}`, null);
    await lockOwners(tx, owners);
    await changeDevices(tx, origin, owners, { subscribed: who, unsubscribed: who }, async () => {
      const [deleted] = await rows<{ contactId: number | null }>(
        tx,
        sql`
        delete from push_subscriptions where tenant_id = ${tenantId} and id = ${id} returning contact_id as "contactId"`,
      );
      if (!deleted) throw notFound('push subscription', id);
      if (author)
        await appendAudit(tx, author, {
          ...{ action: 'push_subscription.deleted' as const, ...resourceOf(id) },
          before: { contactId: deleted.contactId },
        });
    });
  });
}

/** Throws 404. */
export async function readDevice(em: EntityManager, id: number): Promise<PushSubscription> {
  const found = await em.findOne(PushSubscription, { id }, { refresh: true });
  if (!found) throw notFound('push subscription', id);
  return found;
}

interface DeviceQuery extends ListQuery {
  contactId?: number;
  siteId?: number;
  type?: string;
  status?: string;
}

/** A page of the tenant's devices. Throws `validation_failed` for a wrong cursor. */
export const listDevices = <T>(
  em: EntityManager,
  query: DeviceQuery,
  present: Present<PushSubscription, T>,
): Promise<Page<T>> =>
  listPage(
    em,
    PushSubscription,
    query,
    {
      from: sql`push_subscriptions t`,
      sortable: { ...commonSort, updatedAt: byUpdatedAt },
      where: [
        query.contactId !== undefined && sql`t.contact_id = ${query.contactId}`,
        query.siteId !== undefined && sql`t.site_id = ${query.siteId}`,
        query.type !== undefined && sql`t.type = ${query.type}`,
        query.status !== undefined && sql`t.status = ${query.status}`,
      ],
    },
    present,
  );
