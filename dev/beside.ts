/**
 * `node dev/beside.ts <script> [arguments]`: runs a process of the service (`npm run api`, `worker`, `restored`) with the
 * settings of the environment and of `.env`, and for those that are missing with those of the `npm start` that runs in
 * this checkout. Beside it, a port that is in use and was not set for this process is replaced by the next free one.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { startOrExit } from '../config/start-problems.ts';
import { settingsBeside } from './settings-beside.ts';

const root = join(import.meta.dirname, '..');
const script = process.argv[2] ?? '';
const port = { 'api/server.ts': 'PORT', 'worker/main.ts': 'WORKER_HEALTH_PORT' }[script];
const isPortSet = port !== undefined && Boolean(process.env[port]);
const envFile = join(root, '.env');
// `npm start` reads it too, so its ports are those that `npm start` has taken.
if (existsSync(envFile)) process.loadEnvFile(envFile);
const beside = await startOrExit(() => settingsBeside(join(root, '.data'), process.env));
if (beside) {
  Object.assign(process.env, beside.settings);
  if (port && !isPortSet) process.env.PERENNIAL_NEXT_PORT = '1';
  const names = Object.keys(beside.settings).length;
  process.stderr.write(`Using ${names} settings of the \`npm start\` that runs here (process ${beside.pid}).\n`);
}
// The script reads its arguments where it would find them if it had been started itself.
process.argv.splice(1, 2, join(root, script));
await import(join(root, script));
