import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** How to run a Postgres program: `[...prefix, program, ...args]` under this user. */
export interface PostgresUser {
  prefix: string[];
  uid?: number;
  gid?: number;
}

/**
 * The user that Postgres runs as. Postgres refuses to be root, so root hands it to the owner of an existing data folder,
 * else to the system's user `postgres`, else to `nobody`; no user is created. setpriv (util-linux) lets that user pass
 * through folders that only root may enter, such as a checkout below /root, and read nothing more than root would.
 */
export async function postgresUser(dataDir: string): Promise<PostgresUser> {
  if (process.getuid?.() !== 0) return { prefix: [] };
  const owner = await stat(dataDir).catch(() => null);
  const ids = owner && owner.uid !== 0 ? owner : ((await idsOf('postgres')) ?? (await idsOf('nobody')));
  if (!ids) throw new Error('Postgres does not run as root: there must be a user `postgres` or `nobody`, or set DATABASE_URL.');
  const setpriv = ['setpriv', `--reuid=${ids.uid}`, `--regid=${ids.gid}`, '--clear-groups'];
  const passing = [...setpriv, '--inh-caps=+dac_read_search', '--ambient-caps=+dac_read_search'];
  for (const prefix of [passing, setpriv]) {
    const [command, ...args] = prefix as [string, ...string[]];
    if (await succeeds(command, [...args, 'true'])) return { prefix, uid: ids.uid, gid: ids.gid };
  }
  throw new Error('Postgres does not run as root, and `setpriv` (package util-linux) is missing: install it, or set DATABASE_URL.');
}

async function idsOf(name: string): Promise<{ uid: number; gid: number } | null> {
  const id = (flag: string) => run('id', [flag, name]).then(({ stdout }) => Number(stdout));
  return Promise.all([id('-u'), id('-g')]).then(
    ([uid, gid]) => ({ uid, gid }),
    () => null,
  );
}

function succeeds(command: string, args: string[]): Promise<boolean> {
  return run(command, args).then(
    () => true,
    () => false,
  );
}
