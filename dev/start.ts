/** `npm start`: the whole service on this machine, until Ctrl-C. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { EnvError } from '../config/env.ts';
import { onStopRequest } from '../config/stop-signal.ts';
import { createPerennial, type Perennial } from './perennial.ts';
import { signal } from './process.ts';
import { claimDataDir, type RunFile } from './run-file.ts';
import type { Service } from './service.ts';
import { readStartSettings } from './settings.ts';

const root = join(import.meta.dirname, '..');
const dataDir = join(root, '.data');
const processes: Service[] = [];
let run: RunFile | undefined;
let perennial: Perennial | undefined;
let starting: Promise<void> = Promise.resolve();
let ending = false;

onStopRequest((reason) => void end(0, `Stopping (${reason}) …`), kill);
// Do not stop because the reader of our output is gone (`npm start | head`).
process.stdout.on('error', () => {});
process.on('uncaughtException', (error) => void end(1, String(error.stack)));
starting = start();
starting.catch((error: unknown) => end(error instanceof EnvError ? 2 : 1, messageOf(error)));

async function start(): Promise<void> {
  const begin = performance.now();
  const envFile = join(root, '.env');
  if (existsSync(envFile)) process.loadEnvFile(envFile);
  const settings = readStartSettings(process.env);
  run = await claimDataDir(dataDir, say);
  const spawned = (service: Service) => {
    processes.push(service);
    run?.add(service);
  };
  const refused = (message: string) => void end(2, message);
  if (ending) return;
  say('Starting the parts …');
  perennial = createPerennial({ root, dataDir, settings, log: say, spawned, refused });
  await perennial.startParts();
  if (ending) return;
  await perennial.startProcesses();
  if (ending) return;
  run.share(perennial.shared());
  const rows = perennial.table().map(([name, value]) => `  ${name.padEnd(15)}${value}\n`);
  const took = ((performance.now() - begin) / 1000).toFixed(1);
  process.stdout.write(`\nPerennial is running (${took} s).\n\n${rows.join('')}\n`);
  process.stdout.write('Ctrl-C stops everything; the data stays.\n');
}

/** Stops everything in order and exits; what is just starting is stopped when it has started. */
async function end(code: number, message: string): Promise<void> {
  if (ending) return;
  ending = true;
  process.stderr.write(`${message}\n`);
  if (code !== 0 && perennial?.adminShown()) say(`Admin login, if it was made: ${perennial.adminShown()}`);
  try {
    run?.stopping();
  } catch (error) {
    say(`The stop could not be noted: ${messageOf(error)}`);
  }
  // A start that waits for the health of a stopping service ends when its processes end.
  await Promise.allSettled([starting, perennial?.stop()]);
  await perennial?.stop();
  run?.remove();
  if (code === 0) say('Stopped.');
  process.exit(code);
}

/** On a Ctrl-C more than 2 s after the first: kills everything without waiting. */
function kill(): void {
  for (const service of processes) if (!service.hasEnded()) signal(service.pid, 'SIGKILL');
  process.stderr.write('Killed.\n');
  process.exit(130);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
