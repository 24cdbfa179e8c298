import { LRUCache } from 'lru-cache';
import { CampaignVersion } from '../../db/entities/campaigns.ts';
import type { EntityManager } from '../../db/orm.ts';
import type { Definition, PublishedDefinition } from './definition.ts';
import type { Names } from './names.ts';

const MAX_CACHED = 500;

export interface VersionRef {
  tenantId: string;
  campaignId: number;
  version: number;
}

/** Loads a published definition in the transaction `tx`. Throws if it does not exist. */
export type LoadDefinition = (tx: EntityManager, ref: VersionRef) => Promise<PublishedDefinition>;

/** A published definition with its names, as its executions use it. */
export const withNames = (definition: Definition, names: Names | null | undefined): PublishedDefinition =>
  names ? { ...definition, names } : definition;

/** Loads published definitions and caches the most recently used ones, since they never change. */
export function definitionCache(): LoadDefinition {
  const cache = new LRUCache<string, PublishedDefinition>({ max: MAX_CACHED });
  return async (tx, { tenantId, campaignId, version }) => {
    const key = `${tenantId}/${campaignId}/${version}`;
    const cached = cache.get(key);
    if (cached) return cached;
    const found = await tx.findOne(CampaignVersion, { tenantId, campaignId, version });
    if (!found) throw new Error(`Campaign ${campaignId} has no version ${version}`);
    const definition = withNames(found.definition as Definition, found.names as Names | null);
    cache.set(key, definition);
    return definition;
  };
}
