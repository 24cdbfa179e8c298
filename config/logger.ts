import { pino, type Logger } from 'pino';
import { errorForLog } from './error-for-log.ts';

export type { Logger };

const secretKeys = [
  'password',
  'currentPassword',
  'newPassword',
  'token',
  'accessToken',
  'refreshToken',
  'key',
  'secret',
  'privateKey',
  'authorization',
  'cookie',
  'JWT_SECRET',
  'LINK_SECRET',
  'DATABASE_URL',
  'NATS_URL',
  'SMTP_URL',
  'BOUNCE_IMAP_URL',
  'WEBHOOK_MAILGUN_SIGNING_KEY',
  'WEBHOOK_POSTMARK_SECRET',
];

/** pino's isoTime, computed once per millisecond, because many lines share it under load. */
function createClock(): () => string {
  let at = 0;
  let member = '';
  return () => {
    const now = Date.now();
    if (now !== at) [at, member] = [now, `,"time":"${new Date(now).toISOString()}"`];
    return member;
  };
}

const HELD_CHARS = 4_096;
const FLUSH_MS = 100;
/** While they cannot be written (a full disk), lines beyond this are lost. */
const MOST_UNWRITTEN = 1024 * 1024;

/**
 * Writes lines in batches, at the latest after a tenth of a second or at exit: writing each line separately took as
 * long as formatting it. The last lines before a kill -9 are lost. The destination's own `minLength` re-counts its
 * whole buffer for each line, which took as long too.
 */
function createOutput(): { write: (line: string) => void; flushSync: () => void } {
  const destination = pino.destination({ sync: true, maxLength: MOST_UNWRITTEN });
  // What cannot be logged is no reason to end. The lines are written with the next ones.
  destination.on('error', () => {});
  let held = '';
  const flushSync = (): void => {
    if (held === '') return;
    const lines = held;
    held = '';
    destination.write(lines);
  };
  setInterval(flushSync, FLUSH_MS).unref();
  process.on('exit', flushSync);
  return {
    write(line) {
      held += line;
      if (held.length >= HELD_CHARS) flushSync();
    },
    // pino calls this after a fatal line.
    flushSync,
  };
}
const output = createOutput();

/** A JSON logger. Redacts secrets by key, one and two levels deep, and logs errors without data. */
export function createLogger(level: string, name: string): Logger {
  return pino(
    {
      level,
      base: { service: `perennial-${name}` },
      timestamp: createClock(),
      serializers: { err: (error: unknown) => errorForLog(error) },
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: [
          ...secretKeys,
          ...secretKeys.map((key) => `*.${key}`),
          'req.headers.authorization',
          'req.headers.cookie',
        ],
        censor: '[redacted]',
      },
    },
    output,
  );
}
