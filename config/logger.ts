import { pino, type Logger } from 'pino';

export type { Logger };

const secretKeys = [
  'password', 'currentPassword', 'newPassword', 'token', 'accessToken', 'refreshToken', 'key', 'secret', 'privateKey', 'authorization', 'cookie',
  'JWT_SECRET', 'LINK_SECRET', 'DATABASE_URL', 'NATS_URL', 'SMTP_URL', 'BOUNCE_IMAP_URL', 'WEBHOOK_MAILGUN_SIGNING_KEY', 'WEBHOOK_POSTMARK_SECRET',
];

/** A JSON logger; secrets are redacted by key, one and two levels deep. */
export function createLogger(level: string, name: string): Logger {
  return pino({
    level,
    base: { service: `perennial-${name}` },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: { paths: [...secretKeys, ...secretKeys.map((key) => `*.${key}`), 'req.headers.authorization', 'req.headers.cookie'], censor: '[redacted]' },
  });
}
