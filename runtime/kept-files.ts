import { randomUUID } from 'node:crypto';
import { engineEm, tenantEm } from '../db/orm.ts';
import {
  announceFiles,
  filesRemoved,
  filesToRemove,
  giveUpFiles,
  NoRoomForFiles,
} from '../domain/common/kept-files.ts';
import { eraseFile, KEPT, putFile } from '../transport/file-store.ts';
import { isFull } from '../transport/nats.ts';
import { KEPT_FILES } from '../transport/streams.ts';
import type { Deps } from './deps.ts';

type Part = Pick<Deps, 'orm' | 'nats' | 'log'>;

const AT_ONCE = 100;

/**
 * Stores files and returns their keys, for `claimFiles`. If one cannot be stored, none is. The caller discards them if
 * its transaction fails. Throws NoRoomForFiles if the store is full.
 */
export async function keepFiles(
  deps: Part,
  tenantId: string,
  files: readonly AsyncIterable<Uint8Array>[],
): Promise<string[]> {
  const keys = files.map(() => randomUUID());
  await tenantEm(deps.orm, tenantId).transactional((tx) => announceFiles(tx, tenantId, keys));
  try {
    for (const [index, file] of files.entries()) await putFile(deps.nats, keys[index]!, file, KEPT);
  } catch (error) {
    discardFiles(deps, tenantId, keys);
    throw isFull(error) ? new NoRoomForFiles(error) : error;
  }
  return keys;
}

/**
 * Removes what was stored for a transaction that failed, in the background: the store may be what failed. Leaves files
 * that were claimed. What cannot be removed now, or arrives late, is removed by the next `removeFiles`.
 */
export function discardFiles(deps: Part, tenantId: string, keys: readonly string[]): void {
  const discard = async (): Promise<void> => {
    const unclaimed = await tenantEm(deps.orm, tenantId).transactional((tx) => giveUpFiles(tx, tenantId, keys));
    for (const key of unclaimed) await eraseFile(deps.nats, key);
  };
  discard().catch((error: unknown) => deps.log.warn({ err: error }, 'could not remove the files of a failed request'));
}

/** Removes all files that are due from the store: those of one tenant, or of all. May run in many processes at once. */
export async function removeFiles(deps: Part, tenantId: string | null = null): Promise<void> {
  const em = tenantId === null ? engineEm(deps.orm) : tenantEm(deps.orm, tenantId);
  for (;;) {
    const files = await filesToRemove(em, tenantId, AT_ONCE);
    if (files.length === 0) return;
    for (const { key } of files) await eraseFile(deps.nats, key);
    await filesRemoved(em, files);
  }
}

const NEARLY_FULL = 0.8;

/** Measures how full the store is, for the metrics, and warns before it refuses files. */
export async function watchFileStore({ nats, log, metrics }: Pick<Deps, 'nats' | 'log' | 'metrics'>): Promise<void> {
  const { config, state } = await nats.jsm.streams.info(KEPT_FILES);
  const full = state.bytes / config.max_bytes;
  metrics.formFilesFull.set(full);
  if (full >= NEARLY_FULL)
    log.warn({ bytes: state.bytes, most: config.max_bytes }, 'the store of files of forms is nearly full');
}
