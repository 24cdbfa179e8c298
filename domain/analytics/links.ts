import { rows, sql, type EntityManager } from '../../db/orm.ts';

interface Link {
  tenantId: string;
  url: string;
}

const keyOf = ({ tenantId, url }: Link): string => `${tenantId} ${url}`;

/** Returns a function from links to their ids; new links get one. Engine transaction `tx`. */
export async function idsOfLinks(tx: EntityManager, links: readonly Link[]): Promise<(link: Link) => number> {
  const ids = new Map<string, number>();
  const wanted = [...new Map(links.map((link) => [keyOf(link), link])).values()];
  const read = async (some: readonly Link[]): Promise<void> => {
    const found = await rows<{ tenant_id: string; url: string; id: number }>(
      tx,
      sql`
      select l.tenant_id, w.url, l.id
      from unnest(${some.map(({ tenantId }) => tenantId)}::text[], ${some.map(({ url }) => url)}::text[]) w(tenant_id, url)
      join analytics_links l on l.tenant_id = w.tenant_id and l.url_hash = encode(sha256(convert_to(w.url, 'UTF8')), 'hex')`,
    );
    for (const { tenant_id: tenantId, url, id } of found) ids.set(keyOf({ tenantId, url }), id);
  };
  if (wanted.length > 0) await read(wanted);
  const fresh = wanted.filter((link) => !ids.has(keyOf(link)));
  if (fresh.length > 0) {
    await rows(
      tx,
      sql`
      insert into analytics_links (tenant_id, url, url_hash)
      select tenant_id, url, encode(sha256(convert_to(url, 'UTF8')), 'hex')
      from unnest(${fresh.map(({ tenantId }) => tenantId)}::text[], ${fresh.map(({ url }) => url)}::text[]) l(tenant_id, url)
      order by 1, 3 on conflict (tenant_id, url_hash) do nothing`,
    );
    await read(fresh);
  }
  return (link) => ids.get(keyOf(link))!;
}
