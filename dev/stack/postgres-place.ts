import { execFile } from 'node:child_process';
import { access, chmod, cp, mkdir, mkdtemp, readFile, readlink, rename, rm, symlink } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { removeStalePidFile } from './postgres-pid-file.ts';
import { mayUse, type PostgresUser } from './postgres-user.ts';

const run = promisify(execFile);

/**
 * For a start by root in a folder that other users cannot enter: here Postgres's user finds its programs and keeps its
 * data.
 */
const PROGRAMS = '/var/cache/perennial';
const DATA = '/var/lib/perennial';

/**
 * The folder of Postgres's programs: `native` itself, the one in the npm package, or a copy of it that Postgres's user
 * can access. The copy is made once per version; safe to call from several processes at once.
 */
export async function placePrograms(native: string, user: PostgresUser): Promise<string> {
  if (await mayUse(user, join(native, 'bin', 'postgres'))) return native;
  const { version } = JSON.parse(await readFile(join(native, '..', 'package.json'), 'utf8')) as { version: string };
  const folder = join(PROGRAMS, `postgres-${version}`);
  if (!(await exists(folder))) {
    const draft = await makeFolder(PROGRAMS, '.postgres-');
    try {
      await cp(native, draft, { recursive: true, verbatimSymlinks: true });
      await run('chmod', ['-R', 'a+rX', draft]);
      await rename(draft, folder).catch(async (error: unknown) => {
        // Another process has made the copy; use it.
        if (!(await exists(folder))) throw error;
      });
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
  }
  await assertUsable(user, join(folder, 'bin', 'postgres'));
  return folder;
}

/**
 * The folder of Postgres's data: `<dataDir>/postgres`, or one that Postgres's user can access. In that case
 * `<dataDir>/postgres` becomes a link to it, so that it is found again even if the checkout is moved. Existing data in
 * `<dataDir>` is moved there.
 */
export async function placeData(dataDir: string, user: PostgresUser): Promise<string> {
  const folder = join(dataDir, 'postgres');
  if (user.ids) await finishMove(folder);
  const target = await readlink(folder).catch(() => null);
  if (target !== null) {
    const led = resolve(dataDir, target);
    // Before the first start is complete, the data does not exist yet, but its parent folder does.
    if (await exists(dirname(led))) return led;
    throw new Error(
      `${folder} is a link to ${led}, which is not there: bring it back, or remove the link to begin with an empty database.`,
    );
  }
  if (!user.ids) return folder;
  // Others may pass through it but see nothing: everything in it is closed to them.
  await chmod(dataDir, 0o711);
  if (await mayUse(user, dataDir)) return folder;
  const place = await makeFolder(DATA, `${basename(dirname(dataDir))}-`);
  await chmod(place, 0o711);
  await assertUsable(user, place);
  const led = join(place, 'postgres');
  if (await exists(folder)) await move(folder, led);
  else await symlink(led, folder);
  return led;
}

/** Removes a data folder, including its parts elsewhere. */
export async function removeData(dataDir: string): Promise<void> {
  const target = await readlink(join(dataDir, 'postgres')).catch(() => '');
  if (target.startsWith(`${DATA}/`)) await rm(dirname(target), { recursive: true, force: true });
  await rm(dataDir, { recursive: true, force: true });
}

/**
 * Moves data and leaves a link. If it is interrupted at any point, `finishMove` finds either the data in its folder or
 * the link.
 */
async function move(folder: string, target: string): Promise<void> {
  await removeStalePidFile(folder);
  if (await exists(join(folder, 'postmaster.pid'))) throw new Error(`A Postgres runs on ${folder}: stop it first.`);
  await symlink(target, `${folder}.link`);
  try {
    await rename(folder, target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    // The target is on another file system. The source of the copy is removed last.
    await run('cp', ['-a', folder, target]);
    await run('sync');
    await rename(folder, `${folder}.moved`);
  }
  await finishMove(folder);
}

async function finishMove(folder: string): Promise<void> {
  const link = `${folder}.link`;
  const target = await readlink(link).catch(() => null);
  if (target !== null) {
    // As long as the data is in its original folder, a copy is not needed.
    if (await exists(folder)) await Promise.all([rm(dirname(target), { recursive: true, force: true }), rm(link)]);
    else await rename(link, folder);
  }
  await rm(`${folder}.moved`, { recursive: true, force: true });
}

async function makeFolder(parent: string, prefix: string): Promise<string> {
  try {
    await mkdir(parent, { recursive: true });
    await chmod(parent, 0o755);
    return await mkdtemp(join(parent, prefix));
  } catch (error) {
    throw unusable(parent, error);
  }
}

async function assertUsable(user: PostgresUser, path: string): Promise<void> {
  if (!(await mayUse(user, path))) throw unusable(path);
}

function unusable(path: string, cause?: unknown): Error {
  const reason = cause instanceof Error ? ` (${cause.message})` : '';
  return new Error(
    `Postgres does not run as root, and its user can use neither this folder nor ${path}${reason}: ` +
      'move Perennial to a folder that others may enter, start it as another user, or set DATABASE_URL.',
    { cause },
  );
}

export function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
