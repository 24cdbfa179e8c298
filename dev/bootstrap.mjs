// `node dev/bootstrap.mjs <script.ts> [arguments]`: runs a script of this repository with the Node that belongs to it,
// after installing what is missing. Plain JavaScript without dependencies, for whatever Node the machine has.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MINIMUM_NODE = 20;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const node = join(root, 'node_modules', 'node', 'bin', 'node');
const installing = join(root, '.data', 'installing.pid');
const script = process.argv[2];

if (Number(process.versions.node.split('.')[0]) < MINIMUM_NODE) {
  fail(`Perennial needs Node ${MINIMUM_NODE} or newer; this is ${process.version}.`);
}
if (!script) fail('Usage: node dev/bootstrap.mjs <script.ts> [arguments]');

install()
  .then(() => {
    // Compiled modules are kept: every process of ours loads a third faster from its second start on.
    const kept = { NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'node') };
    const env = Object.assign(kept, process.env, { PERENNIAL_PARENT_PID: String(process.pid) });
    return run(node, [join(root, script)].concat(process.argv.slice(3)), env);
  })
  .then(exitLike, (error) => fail(error.message));

/** Sees to it that node_modules holds what package-lock.json asks for; of commands that start together, one installs. */
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

/** Whether it is ours to install: nobody else is at it, or whoever was has died. */
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

async function runNpm() {
  console.log('Installing the dependencies (npm ci), about a minute …');
  // Below `npm start` the same npm is used again, whatever PATH says.
  const npm = /npm-cli\.c?js$/.test(process.env.npm_execpath || '') ? [process.execPath, process.env.npm_execpath] : ['npm'];
  const args = npm.slice(1).concat(['ci', '--no-audit', '--no-fund', '--loglevel=error']);
  const begin = Date.now();
  const beat = setInterval(() => console.log(`… still installing (${Math.round((Date.now() - begin) / 1000)} s)`), 15000);
  const end = await run(npm[0], args, process.env).catch((error) => {
    throw new Error(error.code === 'ENOENT' ? 'npm is missing: install it (it comes with Node).' : error.message);
  });
  clearInterval(beat);
  if (end.signal) exitLike(end);
  if (end.code !== 0) throw new Error(`npm ci failed (exit code ${end.code}); its reason is above.`);
  if (!existsSync(node)) throw new Error('npm ci left out the package `node`: allow install scripts (ignore-scripts=false).');
}

/**
 * Compares package-lock.json with the record that npm keeps of what it has installed. npm writes that record last, so an
 * interrupted installation has none. Optional packages are those of other platforms.
 */
function isFresh() {
  try {
    const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
    const present = JSON.parse(readFileSync(join(root, 'node_modules', '.package-lock.json'), 'utf8')).packages;
    return (
      existsSync(node) &&
      Object.keys(wanted).every((name) => {
        if (name === '' || wanted[name].optional || wanted[name].devOptional) return true;
        return present[name] !== undefined && present[name].version === wanted[name].version;
      })
    );
  } catch {
    return false;
  }
}

/**
 * Runs a command on our terminal and passes on the signals we get. Ctrl-C reaches the command from the terminal as well;
 * the scripts take signals that come together for one.
 */
function run(command, args, env) {
  const child = spawn(command, args, { cwd: process.cwd(), env, stdio: 'inherit' });
  const pass = (signal) => child.kill(signal);
  for (const signal of SIGNALS) process.on(signal, pass);
  // When npm itself is killed, nobody could stop the command any more.
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

/** Ends as the command has ended: with its exit code, or by its signal. */
function exitLike(end) {
  if (end.signal) process.kill(process.pid, end.signal);
  else process.exit(end.code);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
