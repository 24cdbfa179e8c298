import { LRUCache } from 'lru-cache';
import type { PushSite } from '../../db/entities/channels.ts';
import { engineEm, rows, sql } from '../../db/orm.ts';
import { openSiteKeys, type SiteKeys } from '../../domain/channels/push/site-keys.ts';
import type { Deps } from '../../runtime/deps.ts';

/** How long a site is used as it was read. */
const FRESH_MS = 5_000;
const MOST_KEPT = 1_000;

/** The sites whose pushes this process sends, with their keys. */
export class Sites {
  readonly #deps: Deps;
  readonly #known = new LRUCache<string, Promise<SiteKeys | 'none'>>({ max: MOST_KEPT, ttl: FRESH_MS });

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** The keys of a site. Throws if it cannot be read. */
  get(tenantId: string, id: number | null): Promise<SiteKeys | 'none'> {
    if (id === null) return Promise.resolve('none');
    const key = `${tenantId}/${id}`;
    let site = this.#known.get(key);
    if (!site) {
      this.#known.set(key, (site = this.#read(tenantId, id)));
      // A failed read is repeated by the next push.
      site.catch(() => this.#known.delete(key));
    }
    return site;
  }

  async #read(tenantId: string, id: number): Promise<SiteKeys | 'none'> {
    const [site] = await engineEm(this.#deps.orm).transactional((tx) =>
      rows<Pick<PushSite, 'id' | 'tenantId' | 'subject' | 'publicKey' | 'privateKey' | 'iconUrl' | 'defaultUrl'>>(
        tx,
        sql`
      select id, tenant_id as "tenantId", subject, public_key as "publicKey", private_key as "privateKey", icon_url as "iconUrl", default_url as "defaultUrl"
      from push_sites where tenant_id = ${tenantId} and id = ${id}`,
      ),
    );
    return site ? openSiteKeys(this.#deps.env, site) : 'none';
  }
}
