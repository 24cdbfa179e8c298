import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from '@jest/globals';
import { adminLogin, localDefaults, readStartSettings } from '../../../dev/settings.ts';
import { portsOf } from '../../../dev/stack/stack.ts';
import { tempDir } from './temp-dir.ts';

test('without settings the ports are the documented ones, and every part is started', () => {
  const { apiPort, ports, external } = readStartSettings({});
  assert.equal(apiPort, 8080);
  const expected = { postgres: 55_432, nats: 4222, temporal: 7233, temporalUi: 8233, smtp: 1025, mailPage: 1080 };
  assert.deepEqual(ports, expected);
  assert.deepEqual(
    portsOf({ ports, external })
      .map((use) => use.port)
      .sort(),
    Object.values(expected).sort(),
  );
});

test('an empty value counts as unset, a given address replaces its part', () => {
  const { ports, external, given } = readStartSettings({ PORT: '', NATS_URL: '', SMTP_URL: 'smtp://mail.example.com' });
  assert.deepEqual(given, { SMTP_URL: 'smtp://mail.example.com' });
  const settings = portsOf({ ports, external }).map((use) => use.setting);
  assert.deepEqual(settings, ['POSTGRES_PORT', 'NATS_PORT', 'TEMPORAL_PORT', 'TEMPORAL_UI_PORT']);
});

test('a part whose address is in a file is replaced too, and its processes get the address itself', () => {
  const file = join(tempDir(), 'smtp');
  writeFileSync(file, 'smtp://mail.example.com\n');
  const { external, given } = readStartSettings({ SMTP_URL_FILE: file });
  assert.equal(external.SMTP_URL, 'smtp://mail.example.com');
  assert.deepEqual(given, { SMTP_URL: 'smtp://mail.example.com' });
  const unread = () => readStartSettings({ JWT_SECRET_FILE: `${file}.none` });
  assert.throws(
    unread,
    /^EnvError: JWT_SECRET is missing: the file that JWT_SECRET_FILE names cannot be read \(ENOENT\)$/,
  );
});

test('the API is shown where it listens', () => {
  const url = (HOST: string) => readStartSettings({ HOST, PORT: '81' }).url;
  for (const host of ['', '127.0.0.1', '::1', '0.0.0.0', '::', 'localhost'])
    assert.equal(url(host), 'http://localhost:81', host);
  assert.deepEqual(['192.0.2.7', '2001:db8::7', 'mill.example'].map(url), [
    'http://192.0.2.7:81',
    'http://[2001:db8::7]:81',
    'http://mill.example:81',
  ]);
  assert.throws(() => url('not an address'), /^EnvError: HOST must /);
});

test('each bad setting is a line', () => {
  const env = { PORT: '0', NATS_PORT: '70000', SMTP_PORT: 'x', DATABASE_URL: 'postgres://db.example.com/perennial' };
  assert.throws(
    () => readStartSettings(env),
    (error: Error) => {
      const names = error.message.split('\n').map((line) => line.split(' ')[0]);
      assert.deepEqual(names.sort(), ['DATABASE_URL', 'NATS_PORT', 'PORT', 'SMTP_PORT']);
      return true;
    },
  );
});

test('the first Admin gets a new random password, which is shown; a given one is not shown', () => {
  const made = adminLogin({});
  assert.equal(made.env.ADMIN_USERNAME, 'admin');
  assert.ok((made.env.ADMIN_PASSWORD ?? '').length >= 12);
  assert.ok(made.shown.includes(made.env.ADMIN_PASSWORD as string));
  assert.notEqual(adminLogin({}).env.ADMIN_PASSWORD, made.env.ADMIN_PASSWORD);
  const given = adminLogin({
    ADMIN_USERNAME: 'root',
    ADMIN_PASSWORD: 'correct horse',
    ADMIN_EMAIL: 'root@example.org',
  });
  assert.deepEqual(given.env, {
    ADMIN_USERNAME: 'root',
    ADMIN_EMAIL: 'root@example.org',
    ADMIN_PASSWORD: 'correct horse',
  });
  assert.ok(given.shown.startsWith('root'));
  assert.ok(!given.shown.includes('correct horse'));
});

test('marketing mail of the local stack has a postal address, a made-up one', () => {
  assert.match(localDefaults('http://localhost:8080').MAIL_POSTAL_ADDRESS, /Example/);
});
