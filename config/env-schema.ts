import { Type, type Static } from 'typebox';

const DAY_MS = 86_400_000;
const url = (description: string) => Type.String({ description, minLength: 1 });

/**
 * Every setting of the service, with its default. This schema is the table of the README.
 * Numbers and booleans are read from their text.
 */
export const envSchema = Type.Object({
  PORT: Type.Integer({ default: 8080, minimum: 0, maximum: 65535, description: 'Port of the API' }),
  HOST: Type.String({ default: '127.0.0.1', description: 'Address the API listens on' }),
  PUBLIC_URL: Type.String({
    default: 'http://localhost:8080',
    description: 'Where recipients and browsers reach the API; links in mails start with it',
  }),
  DATABASE_URL: url('Postgres as the application role (no superuser, no BYPASSRLS)'),
  DATABASE_MIGRATION_URL: Type.String({
    default: '',
    description: 'Postgres as the owner of the schema; only migrations use it',
  }),
  DATABASE_POOL_MAX: Type.Integer({ default: 15, minimum: 2, maximum: 500, description: 'Connections of one process' }),
  TEMPORAL_ADDRESS: url('Temporal frontend, host:port'),
  TEMPORAL_NAMESPACE: Type.String({ default: 'default', description: 'Temporal namespace' }),
  NATS_URL: url('NATS with credentials, nats://user:password@host:port'),
  NATS_LISTENERS: Type.String({
    default: '',
    description:
      "Comma-separated NATS accounts of programs that listen to events: each gets a copy of them; `account:tenant` = of that tenant's alone",
  }),
  SMTP_URL: url(
    'Mail provider, smtp://user:password@host:port; a comma-separated list is a failover order. `?ratePerMinute=` limits what all sender processes together send by it, `?connections=` its connections of each',
  ),
  MAIL_FROM: Type.String({
    default: 'Perennial <no-reply@example.com>',
    description: 'Sender where a template names none',
  }),
  MAIL_POSTAL_ADDRESS: Type.String({
    default: '',
    description: 'Postal address in the footer of marketing mail; most laws on such mail ask for one',
  }),
  BOUNCE_ADDRESS: Type.String({
    default: '',
    description:
      'Return path of all mail, such as bounces@example.com: each mail has an address of its own, bounces+…@example.com; empty = the sender',
  }),
  BOUNCE_IMAP_URL: Type.String({
    default: '',
    description: 'Mailbox that bounces come to, imaps://user:password@host:port/folder; read continuously',
  }),
  WEBHOOK_SES_TOPICS: Type.String({
    default: '',
    description: 'Comma-separated ARNs of the SNS topics that Amazon SES tells of bounces on; empty = none is believed',
  }),
  WEBHOOK_SENDGRID_PUBLIC_KEY: Type.String({
    default: '',
    description: "Verification key of SendGrid's signed event webhook (base64)",
  }),
  WEBHOOK_MAILGUN_SIGNING_KEY: Type.String({ default: '', description: 'HTTP webhook signing key of Mailgun' }),
  WEBHOOK_POSTMARK_SECRET: Type.String({
    default: '',
    description: 'user:password that Postmark sends by HTTP Basic, or whole as X-Webhook-Secret',
  }),
  JWT_SECRET: Type.String({ description: 'Signs access tokens (HS256); 32 characters or more' }),
  JWT_SECRET_PREVIOUS: Type.String({ default: '', description: 'Still verifies while the secret is rotated' }),
  JWT_EXPIRATION_MS: Type.Integer({
    default: DAY_MS,
    minimum: 1000,
    maximum: 3650 * DAY_MS,
    description: 'Lifetime of access tokens',
  }),
  JWT_REFRESH_EXPIRATION_MS: Type.Integer({
    default: 7 * DAY_MS,
    minimum: 1000,
    maximum: 3650 * DAY_MS,
    description: 'Lifetime of refresh tokens',
  }),
  LINK_SECRET: Type.String({
    description: 'Signs tracking, unsubscribe, form and account tokens; encrypts TOTP secrets and DKIM keys',
  }),
  LINK_SECRET_PREVIOUS: Type.String({
    default: '',
    description: 'Still verifies and decrypts; links in mails live for years',
  }),
  ENABLE_REGISTRATION: Type.Boolean({ default: false, description: 'Whether anyone may register' }),
  ENABLE_EMAIL_VERIFICATION: Type.Boolean({
    default: false,
    description: 'Whether a new user must confirm the address',
  }),
  ENABLE_MULTI_TENANT: Type.Boolean({
    default: false,
    description: 'Whether a registration opens a tenant of its own',
  }),
  CORS_ALLOWED_ORIGINS: Type.String({
    default: '',
    description: 'Comma-separated origins that browsers may call the API from',
  }),
  TRUST_PROXY: Type.Integer({ default: 0, minimum: 0, maximum: 10, description: 'Hops of X-Forwarded-For to believe' }),
  ENABLE_RATE_LIMITING: Type.Boolean({
    default: true,
    description:
      'Whether requests are limited per user, API key or address; here and below, the IPv6 addresses of one /64 are one',
  }),
  RATE_LIMIT_PER_MINUTE: Type.Integer({
    default: 60,
    minimum: 1,
    maximum: 1_000_000_000,
    description: 'Requests a minute that a caller may make for long',
  }),
  RATE_LIMIT_BURST: Type.Integer({
    default: 100,
    minimum: 1,
    maximum: 1_000_000_000,
    description: 'Requests that a caller may make at once',
  }),
  RATE_LIMIT_PUBLIC_PER_MINUTE: Type.Integer({
    default: 120_000,
    minimum: 1,
    maximum: 1_000_000_000,
    description:
      'Requests a minute of one address to health, tracking, unsubscribe and form endpoints, at each process; a sixth of it at once',
  }),
  CONNECTIONS_PER_ADDRESS: Type.Integer({
    default: 1000,
    minimum: 0,
    maximum: 1_000_000,
    description:
      'Connections of one address to one API process; for one more, the oldest that waits for a request gives way. 0 = any number; not counted with TRUST_PROXY',
  }),
  BODY_MAX_BYTES: Type.Integer({
    default: 5 * 1024 * 1024,
    minimum: 1024,
    maximum: 100 * 1024 * 1024,
    description: "Largest JSON body with a token; without one it is 64 KiB, or what a form's fields can need",
  }),
  IMPORT_MAX_BYTES: Type.Integer({
    default: 1024 ** 3,
    minimum: 1024,
    maximum: 1024 ** 4,
    description: 'Largest import file',
  }),
  UPLOAD_DIR: Type.String({
    default: '',
    description:
      "Folder of the API's own user for files that are being uploaded, of up to IMPORT_MAX_BYTES each; made where it is missing, closed to others (mode 0700). Empty = one among the system's temporary files",
  }),
  EVENTS_MAX_AGE: Type.String({ default: '7d', description: 'How long JetStream keeps events' }),
  METRICS_TOKEN: Type.String({ default: '', description: 'Bearer token that /metrics asks for, when set' }),
  ADMIN_USERNAME: Type.String({
    default: 'admin',
    maxLength: 50,
    description: 'Admin made at start while there is no user',
  }),
  ADMIN_EMAIL: Type.String({ default: '', maxLength: 100, description: 'Its address' }),
  ADMIN_PASSWORD: Type.String({ default: '', description: 'Its password' }),
  OTEL_EXPORTER_OTLP_ENDPOINT: Type.String({
    default: '',
    description:
      'OpenTelemetry collector that takes OTLP over HTTP, such as http://localhost:4318; the SDK reads the other standard `OTEL_` variables itself',
  }),
  LOG_LEVEL: Type.String({ default: 'info', description: 'Least severe level that is logged' }),
  SEND_CONNECTIONS: Type.Integer({
    default: 20,
    minimum: 1,
    maximum: 500,
    description: 'SMTP connections of one sender process and provider',
  }),
  SEND_CONNECTIONS_PER_DOMAIN: Type.Integer({
    default: 0,
    minimum: 0,
    maximum: 500,
    description: 'How many of them may be sending to addresses of one domain; 0 = all',
  }),
  WORKER_HEALTH_PORT: Type.Integer({
    default: 0,
    minimum: 0,
    maximum: 65535,
    description: "Port of the worker's own /metrics; 0 = none",
  }),
});

export type Env = Static<typeof envSchema>;
export const envSettings = envSchema.properties;
