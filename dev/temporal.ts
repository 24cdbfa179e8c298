/**
 * `npm run temporal -- <arguments>`: the Temporal CLI of the version that `npm start` uses. It reads TEMPORAL_ADDRESS and
 * TEMPORAL_NAMESPACE itself.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findBinary } from './binaries.mjs';

const envFile = join(import.meta.dirname, '..', '.env');
if (existsSync(envFile)) process.loadEnvFile(envFile);
const { TEMPORAL_ADDRESS, TEMPORAL_PORT } = process.env;
const address = TEMPORAL_ADDRESS || (TEMPORAL_PORT ? `127.0.0.1:${TEMPORAL_PORT}` : '');
const temporal = await findBinary('temporal', { log: (line) => process.stderr.write(`${line}\n`) });
const { status } = spawnSync(temporal, process.argv.slice(2), {
  stdio: 'inherit',
  env: { ...process.env, ...(address ? { TEMPORAL_ADDRESS: address } : {}) },
});
process.exitCode = status ?? 1;
