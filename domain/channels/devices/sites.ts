import { randomBytes } from 'node:crypto';
import { LockMode } from '@mikro-orm/core';
import { PushSite } from '../../../db/entities/channels.ts';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { appendAudit, type Author } from '../../audit/audit.ts';
import { assertValid, notFound, type Violation } from '../../../lib/checks/errors.ts';
import { byName, commonSort, listPage, type Present } from '../../common/list-page.ts';
import type { ListQuery, Page } from '../../common/paging.ts';
import type { BoxSecrets } from '../../../lib/text/secret-box.ts';
import { isWebUrl } from '../../../lib/addresses/web-url.ts';
import { makeSiteKeys } from '../push/site-keys.ts';
import { notOneWrittenLine } from '../../../lib/checks/schema-check.ts';

export const MOST_ORIGINS = 20;

export interface SiteInput {
  name: string;
  origins: string[];
  subject: string;
  iconUrl?: string | null;
  defaultUrl?: string | null;
}

/** An empty text is none. */
const withoutEmpty = <T extends Partial<SiteInput>>(input: T): T => ({
  ...input,
  ...(input.iconUrl === '' ? { iconUrl: null } : {}),
  ...(input.defaultUrl === '' ? { defaultUrl: null } : {}),
});

const resourceOf = (id: number) => ({ resourceType: 'push_site', resourceId: id });
/** What the audit log has of a site: never its private key. */
const contentOf = ({ name, origins, subject, iconUrl, defaultUrl }: PushSite) => ({
  ...{ name, origins, subject, iconUrl: iconUrl ?? null, defaultUrl: defaultUrl ?? null },
});

/** Service workers need https, except on `http://localhost` with any port. An origin is as browsers write it. */
function isSiteOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return (
    url.origin === text && (url.protocol === 'https:' || (url.protocol === 'http:' && url.hostname === 'localhost'))
  );
}

/** What a push service is told whom to ask about pushes (RFC 8292 section 2.1). */
const isSubject = (text: string): boolean =>
  /^mailto:[^\s@]+@[^\s@]+$/.test(text) || (text.startsWith('https://') && isWebUrl(text));

/** All violations of a site, or of a change of one. */
export function siteViolations({ name, origins, subject, iconUrl, defaultUrl }: Partial<SiteInput>): Violation[] {
  const wrongName = notOneWrittenLine(name);
  const wrongUrl = (field: string, url: string | null | undefined): Violation[] =>
    url === undefined || url === null || url === '' || isWebUrl(url)
      ? []
      : [{ path: `/${field}`, code: 'invalid_url', message: 'must be an http(s) URL' }];
  return [
    ...(wrongName ? [{ path: '/name', ...wrongName }] : []),
    ...(origins ?? []).flatMap((origin, n) => {
      if (typeof origin !== 'string') return [];
      const path = `/origins/${n}`;
      if (!isSiteOrigin(origin))
        return [
          { path, code: 'format', message: 'must be an origin like https://www.example.com, or http://localhost' },
        ];
      return origins!.indexOf(origin) < n ? [{ path, code: 'duplicate', message: 'is listed before' }] : [];
    }),
    ...(subject === undefined || isSubject(subject)
      ? []
      : [{ path: '/subject', code: 'format', message: 'must start with mailto: or https://, and be an address' }]),
    ...wrongUrl('iconUrl', iconUrl),
    ...wrongUrl('defaultUrl', defaultUrl),
  ];
}

/** Creates a site with a key pair of its own. Throws 400 with every violation. */
export async function createSite(
  em: EntityManager,
  env: BoxSecrets,
  author: Author,
  input: SiteInput,
): Promise<PushSite> {
  assertValid(siteViolations(input));
  return em.transactional(async (tx) => {
    const [next] = await rows<{ id: number }>(tx, sql`select nextval('push_sites_id_seq') as id`);
    const key = { tenantId: author.tenantId, id: next!.id };
    const siteKey = randomBytes(18).toString('base64url');
    const site = tx.create(PushSite, { ...withoutEmpty(input), ...key, siteKey, ...makeSiteKeys(env, key) });
    await tx.flush();
    await appendAudit(tx, author, { action: 'push_site.created', ...resourceOf(site.id), after: contentOf(site) });
    return site;
  });
}

/** Changes the given fields; `check` gets the current site, locked. Throws 400, 404. */
export async function updateSite(
  em: EntityManager,
  author: Author,
  id: number,
  input: Partial<SiteInput>,
  check: (current: PushSite) => void,
): Promise<PushSite> {
  return em.transactional(async (tx) => {
    const site = await lockSite(tx, id);
    check(site);
    assertValid(siteViolations(input));
    const before = contentOf(site);
    tx.assign(site, withoutEmpty(input));
    await tx.flush();
    await appendAudit(tx, author, {
      ...{ action: 'push_site.updated' as const, ...resourceOf(id) },
      ...{ before, after: contentOf(site) },
    });
    return site;
  });
}

/**
 * Deletes a site with its keys. Without them nothing reaches its browsers ever again, so their subscriptions are `gone`.
 * Throws 404.
 */
export async function deleteSite(
  em: EntityManager,
  author: Author,
  id: number,
  check: (current: PushSite) => void,
): Promise<void> {
  await em.transactional(async (tx) => {
    const site = await lockSite(tx, id);
    check(site);
    const ended = await rows(
      tx,
      sql`
      update push_subscriptions set site_id = null, updated_at = now(), status = case when status = 'active' then 'gone' else status end
      where tenant_id = ${author.tenantId} and site_id = ${id} returning 1`,
    );
    await tx.remove(site).flush();
    await appendAudit(tx, author, {
      ...{ action: 'push_site.deleted' as const, ...resourceOf(id) },
      before: { ...contentOf(site), subscriptions: ended.length },
    });
  });
}

/** Throws 404. */
export async function readSite(em: EntityManager, id: number): Promise<PushSite> {
  const site = await em.findOne(PushSite, { id });
  if (!site) throw notFound('push site', id);
  return site;
}

async function lockSite(tx: EntityManager, id: number): Promise<PushSite> {
  const site = await tx.findOne(PushSite, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!site) throw notFound('push site', id);
  return site;
}

/** A page of the tenant's sites. Throws `validation_failed` for a wrong cursor. */
export const listSites = <T>(em: EntityManager, query: ListQuery, present: Present<PushSite, T>): Promise<Page<T>> =>
  listPage(
    em,
    PushSite,
    query,
    { from: sql`push_sites t`, sortable: { ...commonSort, name: byName }, where: [] },
    present,
  );

/** What a browser's call needs of its site. */
export interface CalledSite {
  id: number;
  tenantId: string;
  origins: string[];
  publicKey: string;
}

/** The site of a key, of whatever tenant; null if there is none. Engine `em`. */
export async function findSite(em: EntityManager, siteKey: string): Promise<CalledSite | null> {
  const [site] = await em.transactional((tx) =>
    rows<CalledSite>(
      tx,
      sql`select id, tenant_id as "tenantId", origins, public_key as "publicKey" from push_sites where site_key = ${siteKey}`,
    ),
  );
  return site ?? null;
}

/** Whether a site of any tenant lists an origin. Engine `em`. */
export async function isOriginOfAnySite(em: EntityManager, origin: string): Promise<boolean> {
  const found = await em.transactional((tx) =>
    rows(tx, sql`select 1 from push_sites where origins @> ${[origin]}::text[] limit 1`),
  );
  return found.length > 0;
}

/** The origins of the site that a browser subscribed at; null if it has none. Engine `em`. */
export async function originsOfSubscription(
  em: EntityManager,
  { tenantId, id }: { tenantId: string; id: number },
): Promise<string[] | null> {
  const [site] = await em.transactional((tx) =>
    rows<{ origins: string[] }>(
      tx,
      sql`
      select p.origins from push_subscriptions d join push_sites p on p.tenant_id = d.tenant_id and p.id = d.site_id
      where d.tenant_id = ${tenantId} and d.id = ${id}`,
    ),
  );
  return site?.origins ?? null;
}
