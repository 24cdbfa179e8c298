import { LRUCache } from 'lru-cache';
import { rows, sql, type EntityManager } from '../../db/orm.ts';
import { AppError } from '../../lib/checks/errors.ts';
import { inThread } from '../threads/in-thread.ts';
import type { TemplateLink } from '../emails/rendering/template-links.ts';

const MAX_LINKS = 200;

/** The links of the versions of templates that a campaign sent. */
type LinksOfVersions = readonly (TemplateLink & { templateId: number; contentVersion: number })[];

export interface ClickedLink {
  url: string;
  clicks: number;
  uniqueClicks: number;
}

/** Content versions never change. */
const kept = new LRUCache<string, readonly TemplateLink[]>({ max: 200 });

const clicksOf = (tenantId: string, campaignId: number) => sql`
  email_events v join emails e on e.tenant_id = v.tenant_id and e.id = v.email_id and e.lane = 'bulk'
  where v.tenant_id = ${tenantId} and v.campaign_id = ${campaignId} and v.type = 'CLICK' and not v.automated`;

/**
 * The links of the templates whose emails were clicked, found in threads, which no transaction may wait for. Those of a
 * template for which there is no time now are missing.
 */
export async function readTemplateLinks(
  em: EntityManager,
  tenantId: string,
  campaignId: number,
): Promise<LinksOfVersions> {
  const versions = await em.transactional((tx) =>
    rows<{ templateId: number; contentVersion: number; html: string }>(
      tx,
      sql`
      select t.template_id as "templateId", t.content_version as "contentVersion", coalesce(t.compiled_html, t.content) as html
      from (select distinct e.template_id, e.content_version from ${clicksOf(tenantId, campaignId)}) c
      join email_template_versions t on t.tenant_id = ${tenantId} and t.template_id = c.template_id and t.content_version = c.content_version`,
    ),
  );
  const found = [];
  for (const { templateId, contentVersion, html } of versions) {
    const key = `${tenantId}/${templateId}/${contentVersion}`;
    const links = kept.get(key) ?? (await linksOf(tenantId, html));
    if (!links) continue;
    kept.set(key, links);
    found.push(...links.map((link) => ({ ...link, templateId, contentVersion })));
  }
  return found;
}

async function linksOf(tenantId: string, html: string): Promise<readonly TemplateLink[] | null> {
  try {
    return await inThread<TemplateLink[]>(tenantId, { name: 'listTemplateLinks', args: [html] });
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

/** Pages of the service, which are stored without the token of a person. */
const OWN_PAGE = '/api/v1/(?:emails/(?:view|preferences|unsubscribe)|forms/[0-9]+/page)$';
/** In a path: an address, or what looks like an id or token of a person. */
const PERSONAL = '[^/]*(?:@|%40)[^/]*|(?<=/)(?:[A-Za-z0-9_=]{20,}|[0-9a-f]{8}-[0-9a-f-]{27})(?=/|$)';

/**
 * The clicks of a campaign by the links of its templates, so that those with Liquid in them are one link for all
 * recipients, and no URL names a person. A URL that no template has is shown without its query, and without what in its
 * path may name a person.
 */
export const readClickedLinks = (
  tx: EntityManager,
  tenantId: string,
  campaignId: number,
  links: LinksOfVersions,
): Promise<ClickedLink[]> =>
  rows<ClickedLink>(
    tx,
    sql`
    with clicks as (select v.url, v.email_id, e.template_id, e.content_version from ${clicksOf(tenantId, campaignId)}),
    urls as (select distinct url, template_id, content_version from clicks),
    links as (select * from jsonb_to_recordset(${JSON.stringify(links)}::jsonb)
      as l("templateId" bigint, "contentVersion" int, link text, pattern text, weight int)),
    named as (
      select u.*, coalesce(
        case when u.url ~ ${OWN_PAGE} then u.url end,
        (select l.link from links l where l."templateId" = u.template_id and l."contentVersion" = u.content_version and u.url like l.pattern
          order by l.weight desc, l.link limit 1),
        regexp_replace(split_part(split_part(u.url, '#', 1), '?', 1), ${PERSONAL}, '…', 'g')) as link
      from urls u
    )
    select n.link as url, count(*) as clicks, count(distinct c.email_id) as "uniqueClicks"
    from clicks c join named n on n.url = c.url and n.template_id = c.template_id and n.content_version is not distinct from c.content_version
    group by 1 order by clicks desc, 1 limit ${MAX_LINKS}`,
  );
