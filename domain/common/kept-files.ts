import { rows, sql, type EntityManager, type RawBuilder } from '../../db/orm.ts';
import { AppError } from '../../lib/checks/errors.ts';

/**
 * Kept files are stored outside the database, so a transaction cannot store or remove one. The table `file_removals`
 * holds what no row refers to: a file is announced there before it is stored (`announceFiles`), and claimed in the
 * transaction that refers to it (`claimFiles`). What is not claimed within an hour, or given up, is removed from the
 * store, and so is what a transaction releases. A crash at any point leaves no file without a row in either place.
 */
const CLAIM_WITHIN = sql`interval '1 hour'`;

/** Thrown when no more files may be stored. */
export class NoRoomForFiles extends AppError {
  constructor(cause?: unknown) {
    super('no_room_for_files', 'There is no room for more files: leave them out, or try again later', {
      headers: { 'Retry-After': '3600' },
      cause,
    });
  }
}

/** Announces files that will be stored. Must be committed before they are. */
export async function announceFiles(tx: EntityManager, tenantId: string, keys: readonly string[]): Promise<void> {
  await rows(
    tx,
    sql`
    insert into file_removals (tenant_id, object_key, remove_after)
    select ${tenantId}, key, now() + ${CLAIM_WITHIN} from unnest(${[...keys]}::text[]) key`,
  );
}

/**
 * Claims announced files for rows that are written in the same transaction. Throws `unavailable` if one of them was
 * given up.
 */
export async function claimFiles(tx: EntityManager, tenantId: string, keys: readonly string[]): Promise<void> {
  const claimed = await rows(
    tx,
    sql`
    delete from file_removals where tenant_id = ${tenantId} and object_key = any(${[...keys]}::text[]) and not removing returning 1`,
  );
  if (claimed.length < keys.length) throw new AppError('unavailable', 'Storing the files took too long; try again');
}

/**
 * Gives up announced files: from now on they cannot be claimed. Returns those that nothing has claimed, waiting for a
 * transaction that is about to, even if its client no longer knows how it ended.
 */
export async function giveUpFiles(tx: EntityManager, tenantId: string, keys: readonly string[]): Promise<string[]> {
  const unclaimed = await rows<{ key: string }>(
    tx,
    sql`
    update file_removals set removing = true where tenant_id = ${tenantId} and object_key = any(${[...keys]}::text[]) returning object_key as key`,
  );
  return unclaimed.map(({ key }) => key);
}

/**
 * Releases the files of rows that no longer refer to them. `gone` is a statement that deletes or changes these rows and
 * returns `tenant_id` and `object_key` (null: there was none). Returns how many files there were.
 */
export async function releaseFiles(tx: EntityManager, gone: RawBuilder<unknown>): Promise<number> {
  const released = await rows(
    tx,
    sql`
    with gone as (${gone})
    insert into file_removals (tenant_id, object_key, remove_after, removing)
    select tenant_id, object_key, now(), true from gone where object_key is not null returning 1`,
  );
  return released.length;
}

/** Deletes rows of `form_files` and releases their files. Returns how many. */
export const removeFormFiles = (tx: EntityManager, tenantId: string, where: RawBuilder<unknown>): Promise<number> =>
  releaseFiles(
    tx,
    sql`delete from form_files where tenant_id = ${tenantId} and ${where} returning tenant_id, object_key`,
  );

/** A file to be removed from the store. */
export interface FileToRemove {
  tenantId: string;
  key: string;
}

/**
 * The next files to remove, of one tenant or of all (then `em` is the engine's), at most `limit`. They can no longer be
 * claimed.
 */
export async function filesToRemove(
  em: EntityManager,
  tenantId: string | null,
  limit: number,
): Promise<FileToRemove[]> {
  const of = tenantId === null ? sql`true` : sql`tenant_id = ${tenantId}`;
  return em.transactional(async (tx) => {
    await rows(tx, sql`update file_removals set removing = true where not removing and remove_after < now() and ${of}`);
    return rows<FileToRemove>(
      tx,
      sql`
      select tenant_id as "tenantId", object_key as key from file_removals where removing and ${of}
      order by remove_after limit ${limit}`,
    );
  });
}

/** Called when files are gone from the store. */
export async function filesRemoved(em: EntityManager, files: readonly FileToRemove[]): Promise<void> {
  await em.transactional((tx) =>
    rows(
      tx,
      sql`
      delete from file_removals r using unnest(${files.map(({ tenantId }) => tenantId)}::text[], ${files.map(({ key }) => key)}::text[]) g(tenant_id, key)
      where r.tenant_id = g.tenant_id and r.object_key = g.key and r.removing`,
    ),
  );
}
