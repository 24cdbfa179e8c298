import { LRUCache } from 'lru-cache';
import { CampaignVersion } from '../../../db/entities/campaigns.ts';
import type { EntityManager } from '../../../db/orm.ts';
import type { Definition } from './definition.ts';

const MAX_CACHED = 500;

export interface VersionRef {
  tenantId: string;
  campaignId: number;
  version: number;
}

/** Loads a published definition in the transaction `tx`. Throws if it does not exist. */
export type LoadDefinition = (tx: EntityManager, ref: VersionRef) => Promise<Definition>;

/** Loads published definitions and caches the most recently used ones, since they never change. */
export function definitionCache(): LoadDefinition {
  const cache = new LRUCache<string, Definition>({ max: MAX_CACHED });
  return async (tx, { tenantId, campaignId, version }) => {
    const key = `${tenantId}/${campaignId}/${version}`;
    const cached = cache.get(key);
    if (cached) return cached;
    const found = await tx.findOne(CampaignVersion, { tenantId, campaignId, version });
    if (!found) throw new Error(`Campaign ${campaignId} has no version ${version}`);
    const definition = found.definition as Definition;
    cache.set(key, definition);
    return definition;
  };
}
