import { LRUCache } from 'lru-cache';
import { preparedHint, rows, sql, type EntityManager } from '../../../db/orm.ts';
import type { AnyEvent } from '../../../events/contracts.ts';
import { referencesOfEvents, type EmailReferences } from '../../emails/ledger/event-emails.ts';
import type { FieldLeaf } from '../../membership/filter/filter.ts';
import { matchesWhere } from '../../membership/filter/match-where.ts';

/** What decides whether an endpoint wants an event of a type. */
interface Wish {
  id: number;
  filter: FieldLeaf[] | null;
}

interface TenantWishes {
  version: number;
  /** About how much memory it takes, in characters. */
  size: number;
  byType: Map<string, Wish[]>;
  ofAll: Wish[];
}

/** An event, and the endpoints that want it, by id. */
export interface Match {
  event: AnyEvent;
  endpointIds: number[];
}

/** Events of which one transaction cannot make the deliveries: each has to be handled in one of its own. */
export class TooManyDeliveriesError extends Error {
  override readonly name = 'TooManyDeliveriesError';
}

/** For how long numbering them locks lanes has to be far less than a lease, and their memory far less than there is. */
const MOST_AT_ONCE = 200_000;
const KEPT_CHARACTERS = 30_000_000;
/** What an endpoint takes without its filter. */
const ENDPOINT_CHARACTERS = 100;
/** Fields that a filter can name although an event about an email may not have them: they are looked up. */
const OF_EMAILS: readonly string[] = ['templateId', 'campaignId'];

/**
 * Which endpoints want which events, by tenant. Nothing stale is used: each call reads the version of the tenants'
 * endpoints in the caller's transaction.
 */
export class EndpointCache {
  readonly #kept = new LRUCache<string, TenantWishes>({
    maxSize: KEPT_CHARACTERS,
    sizeCalculation: ({ size }) => size,
  });
  readonly #mostAtOnce: number;

  constructor(mostAtOnce = MOST_AT_ONCE) {
    this.#mostAtOnce = mostAtOnce;
  }

  /**
   * The events that some endpoint wants, in order, in the engine transaction `tx`. Throws TooManyDeliveriesError if they
   * want them too often; never for a single event.
   */
  async matches(tx: EntityManager, events: readonly AnyEvent[]): Promise<Match[]> {
    const wishes = await this.#wishes(tx, [...new Set(events.map(({ tenantid }) => tenantid))]);
    if (wishes.size === 0) return [];
    const candidates = events.flatMap((event) => {
      const of = wishes.get(event.tenantid);
      // Not put together: that would be 10,000 for each event.
      const found = of ? [of.byType.get(event.type) ?? [], of.ofAll] : [];
      return found.some(({ length }) => length > 0) ? [{ event, found }] : [];
    });
    const isAsked = candidates.some(({ found }) =>
      found.some((some) => some.some(({ filter }) => filter?.some(({ field }) => OF_EMAILS.includes(field)))),
    );
    const referenceOf = isAsked
      ? await referencesOfEvents(
          tx,
          candidates.map(({ event }) => event),
        )
      : (): EmailReferences => ({});
    let deliveries = 0;
    return candidates.flatMap(({ event, found }) => {
      const data = { ...referenceOf(event), ...event.data };
      const wanting = found.flatMap((some) =>
        some.filter(({ filter }) => filter === null || matchesWhere(filter, data)),
      );
      deliveries += wanting.length;
      if (deliveries > this.#mostAtOnce && events.length > 1)
        throw new TooManyDeliveriesError(`${events.length} events are wanted more than ${this.#mostAtOnce} times`);
      return wanting.length > 0 ? [{ event, endpointIds: wanting.map(({ id }) => id) }] : [];
    });
  }

  /** The endpoints of those tenants that have any. */
  async #wishes(tx: EntityManager, tenants: readonly string[]): Promise<Map<string, TenantWishes>> {
    const versions = await rows<{ tenant_id: string; version: number }>(
      tx,
      sql`${preparedHint}select tenant_id, version from webhook_tenants where tenant_id = any(${[...tenants]}::text[])`,
    );
    const found = new Map<string, TenantWishes>();
    for (const { tenant_id: tenant, version } of versions) {
      const kept = this.#kept.get(tenant);
      const wishes = kept?.version === version ? kept : await readWishes(tx, tenant, version);
      this.#kept.set(tenant, wishes);
      if (wishes.ofAll.length + wishes.byType.size > 0) found.set(tenant, wishes);
    }
    return found;
  }
}

async function readWishes(tx: EntityManager, tenantId: string, version: number): Promise<TenantWishes> {
  const all = await rows<Wish & { types: string[]; characters: number }>(
    tx,
    sql`
    select id, types, filter, coalesce(length(filter::text), 0) as characters from webhook_endpoints
    where tenant_id = ${tenantId} order by id`,
  );
  const byType = new Map<string, Wish[]>();
  let size = ENDPOINT_CHARACTERS;
  for (const { id, types, filter, characters } of all) {
    const wish = { id, filter };
    for (const type of types) (byType.get(type) ?? byType.set(type, []).get(type)!).push(wish);
    size += ENDPOINT_CHARACTERS + characters;
  }
  const ofAll = byType.get('*') ?? [];
  byType.delete('*');
  return { version, size, byType, ofAll };
}
