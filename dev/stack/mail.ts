import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makePrivate, startService, untilReady, type Service } from '../service.ts';

export interface MailOptions {
  /** Called as soon as the process exists, long before it is ready. */
  spawned?: (service: Service) => void;
  /** Contains the folders `mail` and `logs`. */
  dataDir: string;
  port: number;
  pagePort: number;
}

/** The oldest emails are deleted first. Each takes about 20 kB of the catcher's memory. */
const MAX_MAILS = 100_000;

/**
 * Starts the mail catcher on loopback, with its emails stored as files. Ready when SMTP has sent its greeting. Its page
 * is available once the stored emails are loaded, which takes about a second per thousand. Links open in a new tab.
 */
export async function startMail({ dataDir, port, pagePort, spawned }: MailOptions): Promise<Service> {
  const folder = join(dataDir, 'mail');
  makePrivate(folder);
  const entry = fileURLToPath(import.meta.resolve('maildev'));
  const service = await startService({
    name: 'The mail catcher',
    command: process.execPath,
    args: [
      ...[
        '--import',
        new URL('mail-links.ts', import.meta.url).href,
        join(dirname(entry), 'bin', 'maildev.js'),
        '--silent',
        '--mail-directory',
        folder,
        '--max-emails',
        String(MAX_MAILS),
      ],
      ...['--ip', '127.0.0.1', '--smtp', String(port), '--web-ip', '127.0.0.1', '--web', String(pagePort)],
    ],
    cwd: folder,
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

/** The number of earlier emails that the catcher loads before it shows its page. */
export async function keptMails(dataDir: string): Promise<number> {
  const files = await readdir(join(dataDir, 'mail'));
  return files.filter((file) => file.endsWith('.eml')).length;
}

/** Resolves when the server greets with 220 (RFC 5321, 3.1). */
function greeting(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.setTimeout(2_000, () => socket.destroy(new Error('no greeting')));
    socket.once('error', reject);
    // Without this, a connection that is closed before the greeting would be waited for without end.
    socket.once('close', () => reject(new Error('closed before its greeting')));
    socket.once('data', (data) => {
      socket.end('QUIT\r\n');
      if (data.toString().startsWith('220')) resolve();
      else reject(new Error(`greeted with ${data.toString()}`));
    });
  });
}
