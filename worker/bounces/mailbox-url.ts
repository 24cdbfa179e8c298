import type { ImapFlowOptions } from 'imapflow';
import { isLoopback } from '../../config/env-checks.ts';

/** The mailbox that receives bounces. */
export interface Mailbox {
  /** user@host:port/folder: its key in the database, without the password. */
  name: string;
  folder: string;
  connection: Pick<ImapFlowOptions, 'host' | 'port' | 'secure' | 'doSTARTTLS' | 'auth'>;
}

/**
 * Parses BOUNCE_IMAP_URL. The password is sent over TLS only: with imaps from the start, else after STARTTLS. Without
 * TLS, only a server on loopback is allowed.
 */
export function readMailboxUrl(text: string): Mailbox {
  const url = new URL(text);
  const secure = url.protocol === 'imaps:';
  const port = Number(url.port) || (secure ? 993 : 143);
  const folder = decodeURIComponent(url.pathname.slice(1)) || 'INBOX';
  const user = decodeURIComponent(url.username);
  return {
    name: `${user}@${url.hostname}:${port}/${folder}`,
    folder,
    connection: {
      host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
      port,
      secure,
      doSTARTTLS: secure || isLoopback(url.hostname) ? undefined : true,
      auth: { user, pass: decodeURIComponent(url.password) },
    },
  };
}
