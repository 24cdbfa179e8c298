import type { Socket } from 'node:net';
import type { NodemailerError } from 'nodemailer/lib/errors';
import { parseConnectionUrl } from 'nodemailer/lib/shared';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { Outcome } from './smtp-outcome.ts';
import { Session, type SmtpSession } from './smtp-session.ts';

export interface SmtpTimeouts {
  /** Maximum time from the DNS lookup to the end of the TLS handshake. Default 15 s. */
  connectMs?: number;
  /**
   * Maximum wait for the greeting; connectMs + greetingMs also bounds the time until the session is ready. Default 30
   * s.
   */
  greetingMs?: number;
  /**
   * Maximum time without any byte in either direction; RFC 5321 section 4.5.3.2 wants 10 min after the dot. Default
   * that.
   */
  silenceMs?: number;
  /** Maximum time to transmit a message up to its final dot; until then its outcome is not in doubt. Default 30 s. */
  handoverMs?: number;
  /** Maximum time for one whole message, in case the server replies very slowly. Default 15 min. */
  messageMs?: number;
}

/** A connection that could not be opened; its outcome is always a retry that is the provider's fault. */
export class SmtpOpenError extends Error {
  override readonly name = 'SmtpOpenError';
  readonly outcome: Outcome;

  constructor(error: NodemailerError, provider: string) {
    super(error.message, { cause: error });
    this.outcome = {
      kind: 'retry',
      reply: error.response || null,
      error: error.message,
      blames: 'provider',
      provider,
    };
  }
}

/** Parses `smtp://user:password@host:port?requireTLS=true` like nodemailer; parameters `tls.…` are TLS options. */
export function readUrl(url: string) {
  const { auth, ...options } = parseConnectionUrl(url);
  const port = options.port ?? (options.secure ? 465 : 587);
  return { auth, options: { ...options, port }, provider: `${options.host ?? 'localhost'}:${port}` };
}

/**
 * Opens one connection to the provider of an SMTP URL, with TLS as the URL and the server require, and logs in if the
 * URL has credentials and the server offers it. Rejects with SmtpOpenError.
 */
export function openConnection(
  url: string,
  { timeouts = {}, ...named }: { timeouts?: SmtpTimeouts; provider?: string } = {},
): Promise<SmtpSession> {
  const { auth, options, provider: address } = readUrl(url);
  const { provider = address } = named;
  const { connectMs = 15_000, greetingMs = 30_000, handoverMs = 30_000, messageMs = 900_000 } = timeouts;
  const connection = new SMTPConnection({
    ...options,
    connectionTimeout: connectMs,
    greetingTimeout: greetingMs,
    socketTimeout: timeouts.silenceMs ?? 600_000,
    // Destroy at once: the server could take an orderly close in the middle of a message for the message's end.
    socketCloseTimeout: 0,
    logger: false,
  });
  return new Promise((resolve, reject) => {
    let open = false;
    const refuse = (error: NodemailerError): void => {
      // Once the connection is open, the session handles its errors.
      if (open) return;
      clearTimeout(deadline);
      reject(new SmtpOpenError(error, provider));
      connection.close();
    };
    const ready = (ehlo: string): void => {
      open = true;
      clearTimeout(deadline);
      const socket = connection._socket as Socket;
      // From here on only the session reads replies. nodemailer keeps its timeout and close listeners, which do no
      // harm.
      socket.removeAllListeners('data');
      resolve(new Session(socket, { provider, ehlo, handoverMs, messageMs }));
    };
    const deadline = setTimeout(() => refuse(new Error('the session was not ready in time')), connectMs + greetingMs);
    connection.on('error', refuse);
    connection.once('end', () => refuse(new Error('the connection ended before it was ready')));
    connection.connect((error) => {
      if (error) return refuse(error);
      const ehlo = connection.lastServerResponse || '';
      if (!auth || !connection.allowsAuth) return ready(ehlo);
      connection.login(auth, (loginError) => (loginError ? refuse(loginError) : ready(ehlo)));
    });
  });
}
