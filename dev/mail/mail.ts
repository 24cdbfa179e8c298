import { mkdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startService, untilReady, type Service } from '../service.ts';

export interface MailOptions {
  /** Called as soon as the process exists, long before it is ready. */
  spawned?: (service: Service) => void;
  /** Holds the folders `mail` and `logs`. */
  dataDir: string;
  port: number;
  pagePort: number;
}

/** Starts the mail catcher on loopback; it keeps its mails as files. Ready when its page is up and SMTP has greeted. */
export async function startMail({ dataDir, port, pagePort, spawned }: MailOptions): Promise<Service> {
  const folder = join(dataDir, 'mail');
  await mkdir(folder, { recursive: true });
  const service = await startService({
    name: 'The mail catcher',
    command: process.execPath,
    args: [fileURLToPath(new URL('catcher.ts', import.meta.url)), folder, String(port), String(pagePort)],
    logFile: join(dataDir, 'logs', 'mail.log'),
    graceMs: 5_000,
    spawned,
  });
  try {
    await untilReady(service, () => greeting(port));
  } catch (error) {
    await service.stop();
    throw error;
  }
  return service;
}

/** Resolves when the server greets with 220 (RFC 5321, 3.1). */
function greeting(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.setTimeout(2_000, () => socket.destroy(new Error('no greeting')));
    socket.once('error', reject);
    socket.once('data', (data) => {
      socket.end('QUIT\r\n');
      if (data.toString().startsWith('220')) resolve();
      else reject(new Error(`greeted with ${data}`));
    });
  });
}
