import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from '@jest/globals';
import { EnvError, readEnv, readMigrationEnv, secretSettings } from '../../../config/env.ts';
import { envSettings } from '../../../config/env-schema.ts';
import { tempDir } from '../dev/temp-dir.ts';

const given = {
  DATABASE_URL: 'postgres://app@localhost/perennial',
  TEMPORAL_ADDRESS: 'localhost:7233',
  NATS_URL: 'nats://user:password@nats.example.com:4222',
  SMTP_URL: 'smtp://localhost:1025',
  JWT_SECRET: 'j'.repeat(32),
  LINK_SECRET: 'l'.repeat(32),
};
/** The lines of the error. */
function problems(overrides: Record<string, string | undefined>): string[] {
  try {
    readEnv({ ...given, ...overrides });
  } catch (error) {
    assert.ok(error instanceof EnvError);
    return error.message.split('\n').sort();
  }
  return [];
}

test('what is not set has the defaults of the contract', () => {
  const env = readEnv(given);
  assert.deepEqual([env.PORT, env.TEMPORAL_NAMESPACE, env.EVENTS_MAX_AGE, env.TRUST_PROXY], [8080, 'default', '7d', 0]);
  assert.deepEqual([env.JWT_EXPIRATION_MS, env.JWT_REFRESH_EXPIRATION_MS], [86_400_000, 604_800_000]);
  assert.deepEqual(
    [env.ENABLE_REGISTRATION, env.ENABLE_EMAIL_VERIFICATION, env.ENABLE_MULTI_TENANT],
    [false, false, false],
  );
  assert.deepEqual([env.BODY_MAX_BYTES, env.IMPORT_MAX_BYTES], [5_242_880, 1_073_741_824]);
  assert.deepEqual([env.ADMIN_USERNAME, env.CORS_ALLOWED_ORIGINS, env.JWT_SECRET_PREVIOUS], ['admin', '', '']);
});

test('numbers and booleans are read from their text, an empty value counts as unset', () => {
  const env = readEnv({
    ...given,
    PORT: '0',
    JWT_EXPIRATION_MS: '60000',
    ENABLE_REGISTRATION: 'true',
    ENABLE_MULTI_TENANT: 'false',
    TRUST_PROXY: '',
    MAIL_FROM: '',
  });
  assert.deepEqual(
    [env.PORT, env.JWT_EXPIRATION_MS, env.ENABLE_REGISTRATION, env.ENABLE_MULTI_TENANT, env.TRUST_PROXY],
    [0, 60_000, true, false, 0],
  );
  assert.match(env.MAIL_FROM, /@/);
});

test('what the service does not know is left alone', () => {
  assert.ok(!('HOME' in readEnv({ ...given, HOME: '/somewhere', PATH: '/bin' })));
});

test('every missing setting is a line', () => {
  const lines = problems(Object.fromEntries(Object.keys(given).map((name) => [name, undefined])));
  assert.deepEqual(
    lines.map((line) => line.split(' ')[0]),
    Object.keys(given).sort(),
  );
  for (const line of lines) assert.match(line, /^[A-Z_]+ is not set \(.+\)$/);
  assert.deepEqual(problems({ JWT_SECRET: '' }).length, 1);
});

test('every bad setting is a line that names it', () => {
  const bad = {
    PORT: '65536',
    JWT_SECRET: 'j'.repeat(31),
    LINK_SECRET: 'short',
    JWT_EXPIRATION_MS: 'a day',
    JWT_REFRESH_EXPIRATION_MS: '-1',
    ENABLE_REGISTRATION: 'yes',
    TRUST_PROXY: '11',
    EVENTS_MAX_AGE: '1 week',
    NATS_URL: 'nats://nats.example.com',
    SMTP_URL: 'http://one.example.com,http://two.example.com',
    PUBLIC_URL: 'perennial.example.com',
    LOG_LEVEL: 'loud',
    BODY_MAX_BYTES: '1',
    DATABASE_POOL_MAX: '1',
    ADMIN_USERNAME: 'a'.repeat(51),
  };
  const lines = problems(bad);
  assert.deepEqual(
    lines.map((line) => line.split(' ')[0]),
    Object.keys(bad).sort(),
  );
});

test('secrets are never repeated in the lines', () => {
  const secret = 'hunter2-hunter2';
  assert.ok(
    !problems({ JWT_SECRET: secret, LINK_SECRET: secret, NATS_URL: secret, PORT: 'x' }).join('\n').includes('hunter2'),
  );
});

test('the HS256 secret counts characters, not bytes', () => {
  assert.deepEqual(problems({ JWT_SECRET: 'ä'.repeat(32) }), []);
  assert.equal(problems({ JWT_SECRET: 'ä'.repeat(31) }).length, 1);
});

test('an unauthenticated NATS is taken on loopback only', () => {
  for (const address of [
    'nats://localhost:4222',
    'nats://127.0.0.1:4222',
    'nats://[::1]:4222',
    'nats://a:b@nats.example.com:4222',
  ])
    assert.deepEqual(problems({ NATS_URL: address }), [], address);
  for (const address of [
    'nats://nats.example.com:4222',
    'nats://10.0.0.1:4222',
    'nats://a:b@one.example.com,nats://two.example.com',
    'nats://127.evil.example.com:4222',
    'no url',
  ]) {
    const lines = problems({ NATS_URL: address });
    assert.equal(lines.length, 1, address);
    assert.match(lines[0]!, /^NATS_URL must /);
  }
});

test('OUTBOUND_ALLOW is a list of address ranges', () => {
  for (const ranges of ['', '10.1.2.0/24', '10.1.2.3/32, fd00::/8'])
    assert.deepEqual(problems({ OUTBOUND_ALLOW: ranges }), [], ranges);
  for (const ranges of ['10.1.2.3', 'localhost', '10.0.0.0/8 fd00::/8', '10.0.0.0/40'])
    assert.match(
      problems({ OUTBOUND_ALLOW: ranges }).join(),
      /^OUTBOUND_ALLOW must be a list of address ranges/,
      ranges,
    );
});

test('CORS_ALLOWED_ORIGINS is a list of what browsers send', () => {
  for (const list of [
    'https://app.example.com',
    'http://localhost:5173, https://app.example.com',
    'app://-',
    'https://xn--bcher-kva.example:8443',
    'http://[::1]:3000',
  ])
    assert.deepEqual(problems({ CORS_ALLOWED_ORIGINS: list }), [], list);
  for (const list of [
    '*',
    'https://*.example.com',
    'https://app.example.com/',
    'app.example.com',
    'https://app.example.com;https://b.example.com/x',
    'https://App.example.com',
  ]) {
    assert.match(problems({ CORS_ALLOWED_ORIGINS: list }).join(), /^CORS_ALLOWED_ORIGINS must /, list);
  }
});

test('a former secret is as long as the present one', () => {
  for (const name of ['JWT_SECRET_PREVIOUS', 'LINK_SECRET_PREVIOUS']) {
    assert.deepEqual(problems({ [name]: 'p'.repeat(32) }), []);
    assert.deepEqual(problems({ [name]: 'p'.repeat(31) }), [
      `${name} must have 32 characters or more, not counting leading and trailing blanks`,
    ]);
  }
});

test('SMTP_URL is a list of smtp and smtps addresses', () => {
  assert.deepEqual(problems({ SMTP_URL: 'smtp://a:b@one.example.com:587, smtps://two.example.com' }), []);
  for (const address of [
    'one.example.com',
    'http://one.example.com',
    'smtp://one.example.com,',
    'smtp://one.example.com;smtp://two.example.com,x',
  ]) {
    assert.deepEqual(
      problems({ SMTP_URL: address }),
      ['SMTP_URL must be a comma-separated list of smtp:// or smtps:// URLs'],
      address,
    );
  }
});

test('a migration needs its two addresses and nothing else', () => {
  const two = { DATABASE_URL: 'postgres://app@localhost/x', DATABASE_MIGRATION_URL: 'postgres://owner@localhost/x' };
  assert.deepEqual(readMigrationEnv(two), two);
  assert.throws(() => readMigrationEnv({ ...two, DATABASE_MIGRATION_URL: '' }), EnvError);
});

test('settings of bounces that can not work are refused, sound ones are taken', () => {
  const key = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .publicKey.export({ format: 'der', type: 'spki' })
    .toString('base64');
  const sound = {
    BOUNCE_ADDRESS: `${'b'.repeat(26)}@example.com`,
    BOUNCE_IMAP_URL: 'imaps://bounces%40example.com:p%2Fw@imap.example.com/INBOX/Bounces',
    WEBHOOK_SENDGRID_PUBLIC_KEY: key,
    WEBHOOK_SES_TOPICS: 'arn:aws:sns:eu-west-1:123456789012:a, arn:aws-cn:sns:cn-north-1:123456789012:b',
    WEBHOOK_POSTMARK_SECRET: 'user:pass:word',
  };
  assert.deepEqual(problems(sound), []);
  const wrong = {
    BOUNCE_ADDRESS: ['bounces', `${'b'.repeat(27)}@example.com`, 'Bounces <b@example.com>'],
    BOUNCE_IMAP_URL: ['https://u:p@x/', 'imaps://imap.example.com', 'imaps://user@imap.example.com', 'x'],
    WEBHOOK_SES_TOPICS: ['bounces', 'arn:aws:sqs:eu-west-1:123456789012:a'],
    WEBHOOK_SENDGRID_PUBLIC_KEY: ['x', 'a'.repeat(124)],
    WEBHOOK_POSTMARK_SECRET: ['secret', 'user:'],
  };
  for (const [name, values] of Object.entries(wrong)) {
    for (const value of values) {
      const lines = problems({ [name]: value });
      assert.ok(lines.length === 1 && lines[0]!.startsWith(name), `${name} ${value}: ${lines.join()}`);
    }
  }
});

test('each of these settings is one line that names it, and nothing of what it holds', () => {
  const wrong: Record<string, string[]> = {
    DATABASE_URL: [
      'garbage',
      'mysql://app:Secret-7@localhost/x',
      'postgres://app:%zz@localhost/x',
      'postgres:',
      'postgres://app@localhost',
      'postgres://Secret-7%00@localhost/x',
    ],
    DATABASE_MIGRATION_URL: ['Secret-7', 'http://localhost'],
    TEMPORAL_ADDRESS: ['http://localhost:7233', 'localhost:seven', 'localhost:99999', 'a b'],
    TEMPORAL_NAMESPACE: ['default\nother'],
    TEMPORAL_DEPLOYMENT: ['two words', 'a.b', '-a', 'a'.repeat(101)],
    TEMPORAL_BUILD_ID: ['two words', 'a:b', '.a'],
    TEMPORAL_VERSIONING_BEHAVIOR: ['pinned', 'AUTO'],
    NATS_URL: ['garbage', 'http://a:Secret-7@localhost:4222', 'nats://a:%zz@localhost'],
    SMTP_URL: [
      'garbage',
      'smtp://user:%zz@localhost',
      'smtp://localhost\n',
      'smtp:mail.example.com',
      'smtp://user:Secret-7%0d@localhost',
    ],
    PUBLIC_URL: [
      'garbage',
      'ftp://localhost',
      'https://mail.example.com/\nX: y',
      'https://a:Secret-7@mail.example.com',
      'https://mail.example.com/?a=b',
      'http://',
      'http:localhost:8080',
      'http://x/ y',
      'https://mail.example.com/"',
      'https://mail.example.com\\x',
    ],
    MAIL_FROM: [
      'Perennial',
      'Perennial <no-reply@example.com>\nBcc: Secret-7@example.com',
      'a@example.com, b@example.com',
      'a@example.com\r',
      'nobody@',
      '\u202eten <no-reply@example.com>',
    ],
    MAIL_POSTAL_ADDRESS: ['1 Example Street\n12345 Example', 'a\u2028b', ' ', '1 Example \u2066Street'],
    PAGE_LOGO_URL: ['logo.png', 'http://www.example.com/logo.png', 'https://', 'https://a:b@example.com/l.png'],
    PAGE_PRIVACY_URL: ['javascript:alert(1)', 'privacy', 'https://example.com/a b'],
    METRICS_TOKEN: ['two words', 'Schlüssel', 'Secret-7\n'],
    OTEL_EXPORTER_OTLP_ENDPOINT: ['localhost:4318', 'http://', 'http://x/ y'],
    JWT_SECRET: [' '.repeat(40), `${'Secret-7'.repeat(3)}${' '.repeat(40)}`],
    LINK_SECRET: ['\t'.repeat(40)],
    LINK_SECRET_PREVIOUS: [' '.repeat(40)],
    BODY_MAX_BYTES: ['1e308', '104857601'],
    IMPORT_MAX_BYTES: ['9e99', '1e13'],
    FORM_FILE_MAX_BYTES: ['1023', '1073741825'],
    FORM_FILES_MAX_BYTES: ['1048575', '1e16'],
    FORM_FILES_MAX_BYTES_PER_TENANT: ['-1', '1e16'],
    UPLOAD_DIR: [' '],
    WEBHOOK_MAILGUN_SIGNING_KEY: [' ', 'Secret-7\n', ' Secret 7'],
    HOST: ['127.0.0.1\n', '[::1]', 'http://localhost'],
    ADMIN_USERNAME: ['ad\tmin'],
    BOUNCE_IMAP_URL: ['imaps://a:%zz@imap.example.com'],
  };
  for (const [name, values] of Object.entries(wrong)) {
    for (const value of values) {
      const lines = problems({ [name]: value });
      assert.ok(
        lines.length === 1 && lines[0]!.startsWith(`${name} must `),
        `${name}=${JSON.stringify(value)}: ${lines.join(' | ')}`,
      );
      assert.ok(!lines[0]!.includes('Secret-7'));
    }
  }
});

test('what works is taken', () => {
  const right: Record<string, string[]> = {
    DATABASE_URL: [
      'postgresql://app:p%2Fw@db.example.com:5432/perennial?sslmode=require',
      'postgres://app@%2Fvar%2Frun%2Fpostgresql/x',
      'postgres:///x',
    ],
    TEMPORAL_ADDRESS: ['localhost', '10.0.0.1:7233', '[::1]:7233', 'temporal-frontend.ns.svc:7233'],
    TEMPORAL_DEPLOYMENT: ['perennial', 'acme_mail-2'],
    TEMPORAL_BUILD_ID: ['0.1.0', '2027-03.1'],
    TEMPORAL_VERSIONING_BEHAVIOR: ['AUTO_UPGRADE', 'PINNED'],
    HOST: ['::1', 'localhost', '0.0.0.0'],
    NATS_LISTENERS: ['LISTENERS', 'LISTENERS,ACME:acme'],
    EVENTS_MAX_AGE: ['36h'],
    LOG_LEVEL: ['silent'],
    BODY_MAX_BYTES: ['104857600'],
    WEBHOOK_POSTMARK_SECRET: ['user:a b'],
    NATS_URL: [
      'tls://a:b@nats.example.com',
      'nats://a:b@one.example.com, nats://a:b@two.example.com',
      'nats://a:b@one.example.com:4222,nats://a:b@two.example.com:4222',
    ],
    PUBLIC_URL: ['https://mail.example.com', 'https://mail.example.com/marketing/', 'http://[::1]:8080'],
    MAIL_FROM: [
      'a@example.com',
      '"News, daily" <a@bücher.example>',
      'נוער <a@example.com>',
      'می‌خواهم <a@example.com>',
    ],
    METRICS_TOKEN: ['a1-._~+/='],
    LINK_SECRET: [`${'l'.repeat(32)}\n`],
  };
  for (const [name, values] of Object.entries(right))
    for (const value of values) assert.deepEqual(problems({ [name]: value }), [], `${name}=${value}`);
});

test('what is asked for is told in words, with an example', () => {
  const lines = problems({
    LOG_LEVEL: 'loud',
    EVENTS_MAX_AGE: '1 week',
    WEBHOOK_POSTMARK_SECRET: 'secret',
    NATS_LISTENERS: 'LISTENERS;ACME',
    MAIL_POSTAL_ADDRESS: ' ',
  });
  assert.deepEqual(lines, [
    'EVENTS_MAX_AGE must be a number of days or hours up to 99999, like 7d or 36h',
    'LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent',
    'MAIL_POSTAL_ADDRESS must not be blank',
    'NATS_LISTENERS must be a list of NATS accounts, each optionally with a tenant, like LISTENERS,ACME:acme',
    'WEBHOOK_POSTMARK_SECRET must be the credentials that Postmark sends, like user:password',
  ]);
  for (const [name, { minimum, maximum }] of Object.entries(
    envSettings as Record<string, { minimum?: number; maximum?: number }>,
  )) {
    assert.equal(minimum === undefined, maximum === undefined, `${name} has bounds on both sides`);
  }
});

test('a migration names the settings that can not work', () => {
  const two = { DATABASE_URL: 'postgres://app@localhost/x', DATABASE_MIGRATION_URL: 'postgres://owner@localhost/x' };
  assert.throws(
    () => readMigrationEnv({ ...two, DATABASE_MIGRATION_URL: 'garbage' }),
    /^EnvError: DATABASE_MIGRATION_URL must be a URL/,
  );
  assert.throws(
    () => readMigrationEnv({ ...two, DATABASE_URL: 'postgres://localhost/x' }),
    /^EnvError: DATABASE_URL must contain the login/,
  );
});

/** A file that holds a text. */
function fileWith(text: string): string {
  const file = join(tempDir(), 'secret');
  writeFileSync(file, text);
  return file;
}

test('a secret may come from a file, without the line feed at its end', () => {
  const { JWT_SECRET, ...rest } = given;
  assert.equal(readEnv({ ...rest, JWT_SECRET_FILE: fileWith(`${JWT_SECRET}\n`) }).JWT_SECRET, JWT_SECRET);
  assert.equal(readEnv({ ...rest, JWT_SECRET: '', JWT_SECRET_FILE: fileWith(JWT_SECRET) }).JWT_SECRET, JWT_SECRET);
  assert.ok(!('JWT_SECRET_FILE' in readEnv({ ...rest, JWT_SECRET_FILE: fileWith(JWT_SECRET) })));
  const [app, owner] = ['postgres://app@localhost/x', 'postgres://owner@localhost/x'];
  const files = {
    DATABASE_URL_FILE: fileWith(app),
    DATABASE_MIGRATION_URL_FILE: fileWith(owner),
    JWT_SECRET_FILE: '/none',
  };
  assert.deepEqual(readMigrationEnv(files), { DATABASE_URL: app, DATABASE_MIGRATION_URL: owner });
});

test('all that has a secret in it may come from a file', () => {
  const told = Object.keys(envSettings).filter((name) =>
    /SECRET|PASSWORD|TOKEN|SIGNING_KEY|(DATABASE|MIGRATION|NATS|SMTP|IMAP)_URL/.test(name),
  );
  assert.deepEqual([...secretSettings].sort(), told.sort());
});

test('a file that is not there, is empty or holds what does not do is one line that names the setting', () => {
  const missing = join(tempDir(), 'none');
  for (const name of secretSettings) {
    assert.deepEqual(problems({ [name]: undefined, [`${name}_FILE`]: missing }), [
      `${name} is missing: the file that ${name}_FILE names cannot be read (ENOENT)`,
    ]);
    assert.deepEqual(problems({ [name]: undefined, [`${name}_FILE`]: fileWith('\n') }), [
      `${name} is missing: the file that ${name}_FILE names is empty`,
    ]);
    const both = problems({ [name]: given[name as keyof typeof given] ?? 'a:b', [`${name}_FILE`]: missing });
    assert.deepEqual(both, [`${name} must not be set together with ${name}_FILE`]);
  }
  assert.deepEqual(problems({ JWT_SECRET: undefined, JWT_SECRET_FILE: tempDir() }), [
    'JWT_SECRET is missing: the file that JWT_SECRET_FILE names cannot be read (EISDIR)',
  ]);
  assert.deepEqual(problems({ JWT_SECRET: undefined, JWT_SECRET_FILE: fileWith('Secret-7') }), [
    'JWT_SECRET must have 32 characters or more, not counting leading and trailing blanks',
  ]);
  assert.throws(
    () => readMigrationEnv({ DATABASE_URL_FILE: missing }),
    /^EnvError: DATABASE_URL is missing: the file that DATABASE_URL_FILE names cannot be read/,
  );
});
