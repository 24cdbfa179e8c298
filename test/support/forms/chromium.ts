import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { chromium, type Browser } from 'playwright-core';

const run = promisify(execFile);
const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];
/** apt waits for another installation for as long. */
const LOCK_SECONDS = 300;

async function inPath(): Promise<string | null> {
  const folders = [...(process.env.PATH ?? '').split(delimiter).filter(Boolean), '/usr/bin'];
  for (const path of NAMES.flatMap((name) => folders.map((folder) => join(folder, name)))) {
    const found = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (found) return path;
  }
  return null;
}

/** Debian's package, with fonts: without any, the browser draws no letters. Of several test files, one installs it. */
async function install(): Promise<void> {
  const apt = `apt-get -q -o DPkg::Lock::Timeout=${LOCK_SECONDS}`;
  const packages = 'chromium fonts-dejavu-core';
  const script = `command -v chromium || { ${apt} update && ${apt} install --yes --no-install-recommends ${packages}; }`;
  await run('flock', [join(tmpdir(), 'perennial-chromium.lock'), 'sh', '-c', script], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    maxBuffer: 64 * 1024 * 1024,
  });
}

/** The path of a Chromium: one in PATH, else Debian's package, which is installed for it (as root). */
async function findChromium(): Promise<string> {
  const found = await inPath();
  if (found) return found;
  const reason = await install().then(
    () => 'apt-get has installed none',
    (error: Error & { stderr?: string }) => error.stderr?.trim().split('\n').at(-1) ?? error.message,
  );
  const installed = await inPath();
  if (installed) return installed;
  throw new Error(`There is no chromium in PATH, and it could not be installed: ${reason}. Install it and try again.`);
}

/** Starts a browser without a window. The caller must close it. */
export async function startChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: await findChromium(),
    // Its sandbox does not work as root, and shared memory is small in containers.
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
}
