import type { ImapFlowOptions } from 'imapflow';
import { isLoopback } from '../../config/env-checks.ts';

/** Where bounces are read from. */
export interface Mailbox {
  /** user@host:port/folder: what names it in the database, and holds no password. */
  name: string;
  folder: string;
  connection: Pick<ImapFlowOptions, 'host' | 'port' | 'secure' | 'doSTARTTLS' | 'auth'>;
}

/**
 * Reads BOUNCE_IMAP_URL. The password goes over TLS only: from the start by imaps, else after STARTTLS, without which only a
 * server on loopback is spoken to.
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
