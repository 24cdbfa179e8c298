import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { SmtpOpenError, openConnection } from '../../../../worker/senders/smtp-connection.ts';
import { startProvider } from './provider.ts';
import type { Provider } from './provider.ts';
import { onTestFinished } from '../../../support/on-test-finished.ts';

const envelope = { from: 'news@example.com', to: 'ann@example.org' };
const yes = { beforeDot: () => Promise.resolve(true) };

async function provider(options = {}): Promise<Provider> {
  const started = await startProvider(options);
  onTestFinished(() => started.close());
  return started;
}

test('a message arrives as it was given, dots, 8-bit bytes and a missing last line break included', async () => {
  const server = await provider();
  const session = await openConnection(server.url);
  const body = Buffer.concat([
    Buffer.from('Subject: dots\r\n\r\n.\r\n..\r\n.leading\r\nmiddle.\r\n.\r\nQUIT\r\n'),
    Buffer.from([0xc3, 0xa9, 0xff, 0x80]),
    Buffer.from('\r\n.end without a line break'),
  ]);
  const outcome = await session.send(envelope, body, yes);
  assert.equal(outcome.kind, 'sent');
  assert.deepEqual(server.messages, [Buffer.concat([body, Buffer.from('\r\n')])]);
  assert.deepEqual(server.recipients, ['ann@example.org']);
  session.quit();
});

test('whatever its line breaks are, nothing in a message is taken for its end', async () => {
  const server = await provider();
  const session = await openConnection(server.url);
  const bodies = [
    'S: 1\r\n\r\na\n.\nb\n',
    'S: 2\r\n\r\na\r.\rb\r',
    '\n.\r\nS: 3',
    'S: 4\r\n\r\n\r\n.\r.\n.\r\n..\n',
    '.',
    '\r',
    '\n\r',
  ];
  for (const body of bodies) assert.equal((await session.send(envelope, Buffer.from(body), yes)).kind, 'sent');
  const whole = (body: string): string => `${body.replace(/\r\n|\r|\n/g, '\r\n').replace(/\r\n$/, '')}\r\n`;
  assert.deepEqual(server.messages.map(String), bodies.map(whole));
  session.quit();
});

test('one session sends many messages, also after refusals at RCPT and at the dot', async () => {
  const server = await provider();
  server.rcpt = (address) =>
    address.startsWith('gone') ? [550, 'no such user'] : address.startsWith('full') ? [452, 'mailbox full'] : null;
  server.dot = (message) =>
    Promise.resolve(message.includes('spam') ? [554, 'spam'] : message.includes('busy') ? [451, 'try later'] : null);
  const session = await openConnection(server.url);
  const send = (to: string, text: string) =>
    session.send({ ...envelope, to }, Buffer.from(`Subject: ${text}\r\n\r\n${text}\r\n`), yes);
  assert.equal((await send('gone@example.org', 'a')).kind, 'rejected');
  assert.equal((await send('ann@example.org', 'b')).kind, 'sent');
  assert.equal((await send('full@example.org', 'c')).kind, 'retry');
  assert.equal((await send('bob@example.org', 'd')).kind, 'sent');
  assert.equal((await send('cy@example.org', 'spam')).kind, 'retry');
  assert.equal((await send('di@example.org', 'busy')).kind, 'retry');
  assert.equal((await send('ed@example.org', 'e')).kind, 'sent');
  assert.equal(server.connections, 1);
  assert.deepEqual(
    server.messages.map((message) => message.toString().trim().split('\n').pop()),
    ['b', 'd', 'spam', 'busy', 'e'],
  );
  session.quit();
});

test('a session sends one message at a time', async () => {
  const server = await provider();
  const session = await openConnection(server.url);
  const first = session.send(envelope, Buffer.from('Subject: 1\r\n\r\n1\r\n'), yes);
  assert.equal(session.usable, false);
  await assert.rejects(session.send(envelope, Buffer.from('x'), yes), /not usable/);
  assert.equal((await first).kind, 'sent');
  session.quit();
});

test('beforeDot is asked once per message, before the server has the whole of it', async () => {
  const server = await provider();
  const session = await openConnection(server.url);
  const complete: number[] = [];
  const outcome = await session.send(envelope, Buffer.from('Subject: 1\r\n\r\n1\r\n'), {
    beforeDot: () => Promise.resolve(complete.push(server.messages.length) > 0),
  });
  assert.equal(outcome.kind, 'sent');
  assert.deepEqual(complete, [0]);
  assert.equal(server.messages.length, 1);
  session.quit();
});

test("credentials of the URL log in, also percent-encoded ones; wrong ones are the provider's fault", async () => {
  const logins: (string | undefined)[] = [];
  const server = await provider({
    authOptional: false,
    allowInsecureAuth: true,
    onAuth(
      auth: { username?: string; password?: string },
      _session: unknown,
      done: (error: Error | null, answer?: object) => void,
    ) {
      logins.push(auth.username);
      if (auth.password === 'p@ss:w/rd') done(null, { user: 'sender' });
      else done(Object.assign(new Error('bad credentials'), { responseCode: 535 }));
    },
  });
  const session = await openConnection(`smtp://send%40er:p%40ss%3Aw%2Frd@127.0.0.1:${server.port}`);
  assert.equal((await session.send(envelope, Buffer.from('Subject: 1\r\n\r\n1\r\n'), yes)).kind, 'sent');
  session.quit();
  await assert.rejects(openConnection(`smtp://send%40er:wrong@127.0.0.1:${server.port}`), (error) => {
    assert.ok(error instanceof SmtpOpenError);
    assert.deepEqual([error.outcome.kind, 'blames' in error.outcome && error.outcome.blames], ['retry', 'provider']);
    assert.match(JSON.stringify(error.outcome), /535/);
    assert.doesNotMatch(JSON.stringify(error.outcome), /wrong/);
    return true;
  });
  assert.deepEqual(logins, ['send@er', 'send@er']);
});

test('TLS: smtps, STARTTLS, and a certificate that does not verify', async () => {
  const secure = await provider({ secure: true });
  const startTls = await provider({ hideSTARTTLS: false });
  for (const url of [
    `${secure.url}?tls.rejectUnauthorized=false`,
    `${startTls.url}?requireTLS=true&tls.rejectUnauthorized=false`,
  ]) {
    const session = await openConnection(url);
    assert.equal((await session.send(envelope, Buffer.from('Subject: 1\r\n\r\n1\r\n'), yes)).kind, 'sent');
    const refused = await session.send(envelope, Buffer.from('Subject: 2\r\n\r\n2\r\n'), {
      beforeDot: () => Promise.resolve(false),
    });
    assert.equal(refused.kind, 'not_released');
    session.quit();
  }
  assert.deepEqual([secure.messages.length, startTls.messages.length], [1, 1]);
  await assert.rejects(openConnection(secure.url), SmtpOpenError);
});

test('requireTLS never falls back to plain text', async () => {
  const plain = await provider();
  await assert.rejects(openConnection(`${plain.url}?requireTLS=true`), SmtpOpenError);
});
