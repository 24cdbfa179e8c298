import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** How to run a Postgres program as this user: `[...prefix, program, ...args]`. */
export interface PostgresUser {
  prefix: string[];
  /** Set if it is another user than ours. */
  ids?: { uid: number; gid: number };
}

/**
 * The user that Postgres runs as. Postgres refuses to run as root, so root uses the owner of an existing data folder,
 * else the system's user `postgres`, else `nobody`; no user is created. That user gets no additional rights: for
 * folders that it cannot access, see postgres-place.ts.
 */
export async function postgresUser(folder: string): Promise<PostgresUser> {
  if (process.getuid?.() !== 0) return { prefix: [] };
  const owner = await stat(folder).catch(() => null);
  const ids = owner && owner.uid !== 0 ? owner : ((await idsOf('postgres')) ?? (await idsOf('nobody')));
  if (!ids)
    throw new Error('Postgres does not run as root: there must be a user `postgres` or `nobody`, or set DATABASE_URL.');
  const { uid, gid } = ids;
  const user = { prefix: ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'], ids: { uid, gid } };
  if (await succeeds(user, 'true')) return user;
  throw new Error(
    'Postgres does not run as root, and `setpriv` (package util-linux) is missing: install it, or set DATABASE_URL.',
  );
}

/** Whether the user can run this program or pass through this folder. */
export function mayUse(user: PostgresUser, path: string): Promise<boolean> {
  return user.ids ? succeeds(user, 'test', '-x', path) : Promise.resolve(true);
}

async function idsOf(name: string): Promise<{ uid: number; gid: number } | null> {
  const id = (flag: string) => run('id', [flag, name]).then(({ stdout }) => Number(stdout));
  return Promise.all([id('-u'), id('-g')]).then(
    ([uid, gid]) => ({ uid, gid }),
    () => null,
  );
}

function succeeds(user: PostgresUser, ...program: string[]): Promise<boolean> {
  const [command, ...args] = [...user.prefix, ...program] as [string, ...string[]];
  return run(command, args, { cwd: '/' }).then(
    () => true,
    () => false,
  );
}
