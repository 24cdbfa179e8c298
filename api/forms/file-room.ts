import { LRUCache } from 'lru-cache';
import type { Env } from '../../config/env-schema.ts';
import { tenantEm } from '../../db/orm.ts';
import { NoRoomForFiles } from '../../domain/common/kept-files.ts';
import { bytesOfFormFiles } from '../../domain/forms/files/form-files.ts';
import type { Deps } from '../../runtime/deps.ts';

/** A sum is read again after this time, so that a flood of files does not read it for each. */
const FRESH_MS = 10_000;
const MAX_TENANTS = 10_000;

/** How much a tenant has stored: what the database says, and what this process has added since. */
interface Used {
  read: Promise<number>;
  added: number;
}

const usedIn = new WeakMap<Deps, LRUCache<string, Used>>();

const limitOf = ({ FORM_FILES_MAX_BYTES: all, ENABLE_MULTI_TENANT, ...env }: Env): number =>
  env.FORM_FILES_MAX_BYTES_PER_TENANT || (ENABLE_MULTI_TENANT ? all / 10 : all);

/**
 * Takes room for files from what their tenant may store. Several processes together may let through a little more; the
 * limit of all tenants is the store's own. Throws NoRoomForFiles.
 */
export async function takeRoom(deps: Deps, tenantId: string, bytes: number): Promise<void> {
  const limit = limitOf(deps.env);
  if (limit >= deps.env.FORM_FILES_MAX_BYTES) return;
  const all = usedIn.get(deps) ?? new LRUCache<string, Used>({ max: MAX_TENANTS, ttl: FRESH_MS });
  usedIn.set(deps, all);
  const used = all.get(tenantId) ?? { read: bytesOfFormFiles(tenantEm(deps.orm, tenantId), tenantId), added: 0 };
  all.set(tenantId, used, { noUpdateTTL: true });
  const before = await used.read.catch((error: unknown) => {
    all.delete(tenantId);
    throw error;
  });
  if (before + used.added + bytes > limit) {
    deps.log.warn({ tenantId }, 'a tenant has no room for more files of forms (FORM_FILES_MAX_BYTES_PER_TENANT)');
    throw new NoRoomForFiles();
  }
  used.added += bytes;
}
