/** `npm run restored`: runs `worker/restored.ts` with the settings of a worker, or with those of the `npm start` beside it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { startOrExit } from '../config/start-problems.ts';
import { settingsBeside } from './settings-beside.ts';

const root = join(import.meta.dirname, '..');
const envFile = join(root, '.env');
if (existsSync(envFile)) process.loadEnvFile(envFile);
Object.assign(process.env, await startOrExit(() => settingsBeside(join(root, '.data'), process.env)));
await import('../worker/restored.ts');
