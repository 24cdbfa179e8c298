import { Type, type Static } from 'typebox';

const DAY_MS = 86_400_000;
const url = (description: string) => Type.String({ description, minLength: 1 });

/**
 * Every setting of the service, with its default. The table in `docs/settings.md` must equal this schema. Numbers and
 * booleans are parsed from text.
 */
export const envSchema = Type.Object({
  PORT: Type.Integer({ default: 8080, minimum: 0, maximum: 65535, description: 'Port of the API' }),
  HOST: Type.String({ default: '127.0.0.1', description: 'Address the API listens on' }),
  PUBLIC_URL: Type.String({
    default: 'http://localhost:8080',
    description: 'URL where recipients and browsers reach the API; links in emails start with it',
  }),
  DATABASE_URL: url('Postgres URL with the application role (not a superuser, no BYPASSRLS)'),
  DATABASE_MIGRATION_URL: Type.String({
    default: '',
    description: 'Postgres URL with the owner of the schema; used only by migrations',
  }),
  DATABASE_POOL_MAX: Type.Integer({
    default: 15,
    minimum: 2,
    maximum: 500,
    description: 'Maximum Postgres connections per process, at which tenants take turns',
  }),
  TEMPORAL_ADDRESS: url('Address of the Temporal frontend, host:port'),
  TEMPORAL_NAMESPACE: Type.String({ default: 'default', description: 'Temporal namespace' }),
  TEMPORAL_DEPLOYMENT: Type.String({
    default: '',
    description:
      'Name of the Worker Deployment, so that Temporal tells the builds of the workflows apart; empty = off. With it, workflows run only after a build has been made current',
  }),
  TEMPORAL_BUILD_ID: Type.String({
    default: '',
    description: 'Name of this build in TEMPORAL_DEPLOYMENT; empty = a hash of its workflow code',
  }),
  TEMPORAL_VERSIONING_BEHAVIOR: Type.String({
    default: 'AUTO_UPGRADE',
    description:
      'With TEMPORAL_DEPLOYMENT: whether workflows that this build runs move to the current build (AUTO_UPGRADE) or end on this one (PINNED)',
  }),
  NATS_URL: url('NATS URL with credentials, nats://user:password@host:port'),
  NATS_LISTENERS: Type.String({
    default: '',
    description:
      'Comma-separated NATS accounts of programs that consume events; each gets a copy of the events. `account:tenant` = only the events of that tenant',
  }),
  SMTP_URL: url(
    'Mail provider, smtp://user:password@host:port; a comma-separated list is a failover order. `?ratePerMinute=` limits the rate of all sender processes together, `?connections=` the connections of each sender process',
  ),
  MAIL_FROM: Type.String({
    default: 'Perennial <no-reply@example.com>',
    description: 'Default sender, for templates without one',
  }),
  MAIL_POSTAL_ADDRESS: Type.String({
    default: '',
    description: 'Postal address in the footer of marketing email; most laws on such email require one',
  }),
  PAGE_LOGO_URL: Type.String({
    default: '',
    description:
      'Logo on the pages for recipients and on the hosted pages of forms, an https URL; empty = the name in MAIL_FROM',
  }),
  PAGE_PRIVACY_URL: Type.String({
    default: '',
    description: 'Privacy notice that these pages link to, an http or https URL',
  }),
  BOUNCE_ADDRESS: Type.String({
    default: '',
    description:
      'Return path of all email, such as bounces@example.com; each email gets its own variant, bounces+…@example.com. Empty = the sender address',
  }),
  BOUNCE_IMAP_URL: Type.String({
    default: '',
    description: 'Mailbox that receives bounces, imaps://user:password@host:port/folder; read continuously',
  }),
  WEBHOOK_SES_TOPICS: Type.String({
    default: '',
    description:
      'Comma-separated ARNs of the SNS topics to which Amazon SES publishes bounces; empty = SES webhooks are disabled',
  }),
  WEBHOOK_SENDGRID_PUBLIC_KEY: Type.String({
    default: '',
    description: "Verification key of SendGrid's signed event webhook (base64)",
  }),
  WEBHOOK_MAILGUN_SIGNING_KEY: Type.String({ default: '', description: 'HTTP webhook signing key of Mailgun' }),
  WEBHOOK_POSTMARK_SECRET: Type.String({
    default: '',
    description: 'user:password that Postmark sends as HTTP Basic credentials, or as the header X-Webhook-Secret',
  }),
  JWT_SECRET: Type.String({ description: 'Signs access tokens (HS256); 32 characters or more' }),
  JWT_SECRET_PREVIOUS: Type.String({
    default: '',
    description: 'Previous JWT_SECRET; still verifies tokens during rotation',
  }),
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
    description:
      'Signs tracking, unsubscribe, form and account tokens, and webhooks; encrypts TOTP secrets and DKIM keys',
  }),
  LINK_SECRET_PREVIOUS: Type.String({
    default: '',
    description:
      'Previous LINK_SECRET; still verifies and decrypts. Keep it for long: links in emails are used for years',
  }),
  ENABLE_REGISTRATION: Type.Boolean({ default: false, description: 'Whether anyone may register' }),
  ENABLE_EMAIL_VERIFICATION: Type.Boolean({
    default: false,
    description: 'Whether new users must confirm their email address',
  }),
  ENABLE_MULTI_TENANT: Type.Boolean({
    default: false,
    description: 'Whether each registration creates a new tenant',
  }),
  CORS_ALLOWED_ORIGINS: Type.String({
    default: '',
    description: 'Comma-separated origins from which browsers may call the API',
  }),
  TRUST_PROXY: Type.Integer({
    default: 0,
    minimum: 0,
    maximum: 10,
    description: 'Number of trusted proxy hops in X-Forwarded-For',
  }),
  ENABLE_RATE_LIMITING: Type.Boolean({
    default: true,
    description:
      'Whether requests are rate limited per user, API key or client address; here and below, all IPv6 addresses of a /64 count as one address',
  }),
  RATE_LIMIT_PER_MINUTE: Type.Integer({
    default: 60,
    minimum: 1,
    maximum: 1_000_000_000,
    description: 'Sustained requests per minute per caller',
  }),
  RATE_LIMIT_BURST: Type.Integer({
    default: 100,
    minimum: 1,
    maximum: 1_000_000_000,
    description: 'Maximum burst of requests per caller',
  }),
  RATE_LIMIT_PUBLIC_PER_MINUTE: Type.Integer({
    default: 120_000,
    minimum: 1,
    maximum: 1_000_000_000,
    description:
      'Requests per minute per client address to health, tracking, unsubscribe, form and visit endpoints, in each process; the burst is a sixth of it',
  }),
  FORM_SUBMISSIONS_PER_MINUTE: Type.Integer({
    default: 3000,
    minimum: 1,
    maximum: 1_000_000_000,
    description:
      'Submissions of one form per minute per client address, over all processes; the burst is twice that. All addresses together may make ten times as many',
  }),
  CAPTCHA_PROVIDER: Type.Union([Type.Literal('altcha'), Type.Literal('hcaptcha'), Type.Literal('turnstile')], {
    default: 'altcha',
    description:
      'Who checks the CAPTCHA of forms with `enableCaptcha`: `altcha` (the service itself), `hcaptcha` or `turnstile`',
  }),
  CAPTCHA_DIFFICULTY: Type.Integer({
    default: 100_000,
    minimum: 1000,
    maximum: 100_000_000,
    description: 'ALTCHA: the hashes that a browser has to compute at most; half of them on average',
  }),
  CAPTCHA_SITE_KEY: Type.String({ default: '', description: 'hCaptcha, Turnstile: the public key of the site' }),
  CAPTCHA_SECRET: Type.String({ default: '', description: 'hCaptcha, Turnstile: the secret key' }),
  CAPTCHA_VERIFY_URL: Type.String({
    default: '',
    description: "hCaptcha, Turnstile: where solutions are checked, if it is not the provider's own address",
  }),
  CONNECTIONS_PER_ADDRESS: Type.Integer({
    default: 1000,
    minimum: 0,
    maximum: 1_000_000,
    description:
      'Maximum connections per client address to one API process; one more closes the oldest idle connection. 0 = unlimited; not enforced with TRUST_PROXY',
  }),
  BODY_MAX_BYTES: Type.Integer({
    default: 5 * 1024 * 1024,
    minimum: 1024,
    maximum: 100 * 1024 * 1024,
    description:
      'Maximum size of a JSON body with a token; without a token, the limit is 64 KiB, or more if the fields of a form require it',
  }),
  IMPORT_MAX_BYTES: Type.Integer({
    default: 1024 ** 3,
    minimum: 1024,
    maximum: 1024 ** 4,
    description: 'Maximum size of an import file',
  }),
  FORM_FILE_MAX_BYTES: Type.Integer({
    default: 10 * 1024 * 1024,
    minimum: 1024,
    maximum: 1024 ** 3,
    description: 'Maximum size of a file in a form submission; a field of a form can have a lower limit',
  }),
  FORM_FILES_MAX_BYTES: Type.Integer({
    default: 2 * 1024 ** 3,
    minimum: 1024 ** 2,
    maximum: 1024 ** 5,
    description:
      "Maximum size of all files of form submissions together, which is reserved in JetStream's storage; when it is reached, submissions with files are refused",
  }),
  FORM_FILES_MAX_BYTES_PER_TENANT: Type.Integer({
    default: 0,
    minimum: 0,
    maximum: 1024 ** 5,
    description:
      'The same for the files of one tenant; 0 = FORM_FILES_MAX_BYTES, or a tenth of it with ENABLE_MULTI_TENANT',
  }),
  UPLOAD_DIR: Type.String({
    default: '',
    description:
      "Directory for files being uploaded, up to IMPORT_MAX_BYTES or FORM_FILE_MAX_BYTES each. Must belong to the API's user and be closed to others (mode 0700); created if missing. Empty = a directory among the system's temporary files",
  }),
  EVENTS_MAX_AGE: Type.String({ default: '7d', description: 'How long JetStream stores events' }),
  ANALYTICS_EVENTS_DAYS: Type.Integer({
    default: 400,
    minimum: 31,
    maximum: 36_500,
    description:
      'Days for which analytics store single events; whole months are dropped after that. Figures stay, of periods that consist of whole hours',
  }),
  METRICS_TOKEN: Type.String({
    default: '',
    description: 'Bearer token required by /metrics; empty = no token required',
  }),
  ADMIN_USERNAME: Type.String({
    default: 'admin',
    maxLength: 50,
    description: 'Username of the Admin that is created at start if there is no user yet',
  }),
  ADMIN_EMAIL: Type.String({ default: '', maxLength: 100, description: 'Email address of that Admin' }),
  ADMIN_PASSWORD: Type.String({ default: '', description: 'Password of that Admin' }),
  OUTBOUND_ALLOW: Type.String({
    default: '',
    description:
      'Comma-separated address ranges (CIDR), such as 10.1.2.0/24, that requests to URLs of users (webhooks) may reach although they are not public; over http too',
  }),
  PUSH_HOSTS: Type.String({
    default: 'fcm.googleapis.com,*.push.services.mozilla.com,*.push.apple.com,*.notify.windows.com,*.wns.windows.com',
    description:
      'Comma-separated hosts of push services that browsers may subscribe at; `*.` stands for all names below a domain',
  }),
  SHORT_URL: Type.String({
    default: '',
    description:
      'Base of the links in text messages and pushes, to which requests must lead as they do to `PUBLIC_URL` + `/r`; empty = that',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: Type.String({
    default: '',
    description:
      'OpenTelemetry collector (OTLP over HTTP), such as http://localhost:4318; the SDK also reads the other standard `OTEL_` variables',
  }),
  LOG_LEVEL: Type.String({ default: 'info', description: 'Minimum severity that is logged' }),
  SEND_CONNECTIONS: Type.Integer({
    default: 20,
    minimum: 1,
    maximum: 500,
    description: 'Maximum SMTP connections per sender process and provider',
  }),
  SEND_IN_DOUBT: Type.Integer({
    default: 100,
    minimum: 1,
    maximum: 10_000,
    description:
      'Maximum emails per sender process that are started and not settled yet: as many may become UNKNOWN if it is killed',
  }),
  SEND_CONNECTIONS_PER_DOMAIN: Type.Integer({
    default: 0,
    minimum: 0,
    maximum: 500,
    description: 'How many of these connections may send to one recipient domain at a time; 0 = unlimited',
  }),
  MESSAGE_CONNECTIONS: Type.Integer({
    default: 100,
    minimum: 1,
    maximum: 10_000,
    description:
      'Maximum text messages and pushes on their way at once, per sender process: as many may become UNKNOWN if it is killed',
  }),
  WEBHOOK_CONNECTIONS: Type.Integer({
    default: 400,
    minimum: 4,
    maximum: 10_000,
    description:
      'Maximum requests of outbound webhooks on their way at once, per deliverer process; slow and failing endpoints share a quarter of them',
  }),
  WORKER_HEALTH_PORT: Type.Integer({
    default: 0,
    minimum: 0,
    maximum: 65535,
    description: "Port of the worker's /metrics and /health; 0 = off",
  }),
  WORKER_HEALTH_HOST: Type.String({
    default: '127.0.0.1',
    description: "Address on which the worker's /metrics and /health listen",
  }),
});

export type Env = Static<typeof envSchema>;
export const envSettings = envSchema.properties;
