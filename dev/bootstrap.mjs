// `node dev/bootstrap.mjs [--omit=dev] <script> [arguments]`: installs missing packages and runs a script of this
// repository with a Node that is new enough; with --omit=dev the devDependencies are not needed. Plain JavaScript
// without dependencies, so that any Node can run it.
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findNode } from './binaries.mjs';
import { processStart } from './process-start.mjs';

const MINIMUM_NODE = 20;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const installing = join(root, '.data', 'installing.pid');
const runFile = join(root, '.data', 'run.json');
const needsDev = process.argv[2] !== '--omit=dev';
const [script, ...scriptArguments] = process.argv.slice(needsDev ? 2 : 3);

if (Number(process.versions.node.split('.')[0]) < MINIMUM_NODE) {
  fail(`Perennial needs Node ${MINIMUM_NODE} or newer; this is ${process.version}.`);
}
if (!script) fail('Usage: node dev/bootstrap.mjs [--omit=dev] <script> [arguments]');

install()
  .then(() => findNode({ log: (line) => console.log(line) }))
  .then((node) => {
    // Cache compiled modules: all our processes load a third faster from their second start on.
    const kept = { NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'node') };
    const env = Object.assign(kept, process.env, { PERENNIAL_PARENT_PID: String(process.pid) });
    return run(node, [join(root, script), ...scriptArguments], env);
  })
  .then(exitLike, (error) => fail(error.message));

/**
 * Ensures that node_modules contains what this command needs. If several commands start together, only one installs at
 * a time.
 */
async function install() {
  let told = false;
  while (!isFresh()) {
    if (takeTurn()) {
      try {
        return await runNpm();
      } finally {
        rmSync(installing, { force: true });
      }
    }
    if (!told) console.log('Another command is installing the dependencies; waiting …');
    told = true;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

/** Takes the installation lock. True if it was free or its holder has died. */
function takeTurn() {
  mkdirSync(dirname(installing), { recursive: true });
  try {
    writeFileSync(installing, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  try {
    process.kill(Number(readFileSync(installing, 'utf8')), 0);
  } catch (error) {
    if (error.code !== 'EPERM') rmSync(installing, { force: true });
  }
  return false;
}

/**
 * Installs with npm. Keeps what others need: devDependencies that are installed, and, if only devDependencies are
 * missing, everything else, because a service may be running on it.
 */
async function runNpm() {
  const { wanted, present } = readLocks();
  const add = missing() === 'dev';
  if (add) {
    // Leftovers of an interrupted installation would be mistaken for complete packages.
    for (const name of Object.keys(wanted))
      if (wanted[name].dev && !present[name]) rmSync(join(root, name), { recursive: true, force: true });
  }
  const pid = add ? null : runningService();
  if (pid)
    throw new Error(
      `Perennial runs (process ${pid}) on dependencies that are to be installed anew: stop it first (Ctrl-C, or kill ${pid}).`,
    );
  const keepDev = Object.values(present).some(({ dev }) => dev);
  const command = add
    ? ['install', '--no-save', '--include=dev']
    : ['ci', needsDev || keepDev ? '--include=dev' : '--omit=dev'];
  const shown = `npm ${command.join(' ')}`;
  console.log(`Installing the dependencies (${shown}), a minute or two …`);
  // When run by `npm start`, use the same npm, whatever PATH says.
  const npm = /npm-cli\.c?js$/.test(process.env.npm_execpath || '')
    ? [process.execPath, process.env.npm_execpath]
    : ['npm'];
  const args = npm.slice(1).concat(command, ['--no-audit', '--no-fund', '--loglevel=error']);
  const begin = Date.now();
  const beat = setInterval(
    () => console.log(`… still installing (${Math.round((Date.now() - begin) / 1000)} s)`),
    15000,
  );
  const end = await run(npm[0], args, process.env).catch((error) => {
    throw new Error(error.code === 'ENOENT' ? 'npm is missing: install it (it comes with Node).' : error.message);
  });
  clearInterval(beat);
  if (end.signal) exitLike(end);
  if (end.code !== 0) throw new Error(`${shown} failed (exit code ${end.code}); its reason is above.`);
  removeForeignBinaries();
}

/**
 * The pid of the `npm start` that uses node_modules (dev/run-file.ts): `npm ci` would delete the programs of its
 * running Postgres.
 */
function runningService() {
  try {
    const { pid, start } = JSON.parse(readFileSync(runFile, 'utf8')).owner;
    return processStart(pid) === start ? pid : null;
  } catch {
    return null;
  }
}

/** Removes other systems' binaries from Temporal's package, which has a library of 25 MB for each of five platforms. */
function removeForeignBinaries() {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const releases = join(root, 'node_modules', '@temporalio', 'core-bridge', 'releases');
  let names = [];
  try {
    names = readdirSync(releases);
  } catch {
    // No binary for this system: remove nothing.
  }
  if (!names.some((name) => name.includes(system))) return;
  for (const name of names) if (!name.includes(system)) rmSync(join(releases, name), { recursive: true, force: true });
}

/**
 * The packages in package-lock.json, and npm's record of what it has installed, which is missing after an interrupted
 * `npm ci`.
 */
function readLocks() {
  const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  try {
    return {
      wanted,
      present: JSON.parse(readFileSync(join(root, 'node_modules', '.package-lock.json'), 'utf8')).packages,
    };
  } catch {
    return { wanted, present: {} };
  }
}

/**
 * What is missing in node_modules: 'nothing', only devDependencies ('dev'), or more ('all'). npm writes its record
 * last. Optional packages are skipped: they are for other platforms.
 */
function missing() {
  const { wanted, present } = readLocks();
  const lacking = Object.keys(wanted).filter((name) => {
    if (name === '' || wanted[name].optional || wanted[name].devOptional) return false;
    return present[name] === undefined || present[name].version !== wanted[name].version;
  });
  if (lacking.length === 0) return 'nothing';
  return lacking.every((name) => wanted[name].dev) ? 'dev' : 'all';
}

/** Whether everything that this command needs is installed. */
function isFresh() {
  const lacking = missing();
  return lacking === 'nothing' || (lacking === 'dev' && !needsDev);
}

/**
 * Runs a command in our terminal and forwards our signals to it. With Ctrl-C, the command also gets the terminal's
 * signal; the scripts treat signals that arrive together as one.
 */
function run(command, args, env) {
  const child = spawn(command, args, { cwd: process.cwd(), env, stdio: 'inherit' });
  const pass = (signal) => child.kill(signal);
  for (const signal of SIGNALS) process.on(signal, pass);
  // If npm itself is killed, nobody could stop the command any more.
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.env.npm_lifecycle_event && process.ppid !== parent) {
      clearInterval(watch);
      child.kill('SIGTERM');
    }
  }, 1000);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve({ code, signal }));
  }).finally(() => {
    clearInterval(watch);
    for (const signal of SIGNALS) process.removeListener(signal, pass);
  });
}

/** Ends like the command: with its exit code or by its signal. */
function exitLike(end) {
  if (end.signal) process.kill(process.pid, end.signal);
  else process.exit(end.code);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
