import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { test } from '@jest/globals';
import { SmtpOpenError, openConnection } from '../../../../worker/senders/smtp-connection.ts';
import type { SmtpTimeouts } from '../../../../worker/senders/smtp-connection.ts';
import { startWireServer } from './wire-server.ts';
import type { WireScript, WireServer } from './wire-server.ts';
import { onTestFinished } from '../../../support/on-test-finished.ts';

const envelope = { from: 'news@example.com', to: 'ann@example.org' };
const message = Buffer.from('Subject: x\r\n\r\nHello\r\n');
/** Too large to be sent together with its dot. */
const large = Buffer.from(`Subject: x\r\n\r\n${`${'x'.repeat(78)}\r\n`.repeat(300)}`);
const yes = { beforeDot: () => Promise.resolve(true) };
const PIPELINING = '250-wire\r\n250-PIPELINING\r\n250 8BITMIME';

async function attempt(script: WireScript, hooks = yes, timeouts: SmtpTimeouts = {}, body = message) {
  const wire = await startWireServer(script);
  onTestFinished(() => wire.close());
  const session = await openConnection(wire.url, { timeouts });
  const outcome = await session.send(envelope, body, hooks);
  return { wire, session, outcome };
}

const dots = (wire: WireServer): number => wire.messages.filter((text) => text.endsWith('\r\n.\r\n')).length;

for (const [how, ehlo] of [
  ['one command at a time', undefined],
  ['pipelined', PIPELINING],
] as const) {
  test(`${how}: accepted`, async () => {
    const { wire, session, outcome } = await attempt({ ehlo });
    assert.deepEqual(outcome, { kind: 'sent', reply: '250 taken', provider: new URL(wire.url).host });
    assert.equal(dots(wire), 1);
    assert.equal(session.usable, true);
    assert.equal((await session.send(envelope, message, yes)).kind, 'sent');
    assert.equal(wire.connections, 1);
    session.quit();
  });

  for (const [step, reply, expected] of [
    ['mail', '550 no', { kind: 'retry', blames: 'provider' }],
    ['mail', '451 later', { kind: 'retry', blames: null }],
    ['rcpt', '550 5.1.1 no such user', { kind: 'rejected' }],
    ['rcpt', '450 later', { kind: 'retry', blames: null }],
    ['rcpt', '530 log in first', { kind: 'retry', blames: 'provider' }],
    ['data', '451 later', { kind: 'retry', blames: null }],
    ['data', '554 no', { kind: 'retry', blames: null }],
    ['dot', '451 later', { kind: 'retry', blames: null }],
    ['dot', '421 closing', { kind: 'retry', blames: null }],
    ['rcpt', '550 5.4.5 Daily user sending limit exceeded', { kind: 'retry', blames: 'provider' }],
    ['rcpt', '554 5.7.1 Relay access denied', { kind: 'retry', blames: 'provider' }],
    ['rcpt', '552 5.2.2 mailbox full', { kind: 'rejected' }],
    ['rcpt', '550 no', { kind: 'rejected' }],
    ['dot', '552 5.3.4 message too big', { kind: 'rejected' }],
    ['dot', '554 5.3.2 shutting down', { kind: 'retry', blames: null }],
    ['dot', '554 spam', { kind: 'retry', blames: 'message' }],
    ['dot', '554 Email address is not verified', { kind: 'retry', blames: 'message' }],
    ['dot', '554 Sending paused for this account', { kind: 'retry', blames: 'provider' }],
    ['rcpt', '550 5.7.1 spam', { kind: 'retry', blames: 'provider' }],
  ] as const) {
    test(`${how}: ${reply} to ${step}`, async () => {
      const { wire, session, outcome } = await attempt({ ehlo, [step]: reply });
      assert.equal(outcome.kind, expected.kind);
      assert.ok('reply' in outcome && outcome.reply?.startsWith(reply), JSON.stringify(outcome));
      if ('blames' in expected) assert.equal('blames' in outcome && outcome.blames, expected.blames);
      if (step === 'dot') assert.equal(dots(wire), 1);
      if (session.usable) session.quit();
    });
  }

  test(`${how}: 421 to RCPT and the connection closes`, async () => {
    const { wire, session, outcome } = await attempt({ ehlo, rcpt: (socket) => socket.end('421 too busy\r\n') });
    assert.equal(outcome.kind, 'retry');
    assert.match(JSON.stringify(outcome), /421 too busy/);
    assert.equal(dots(wire), 0);
    assert.equal(session.usable, false);
  });

  for (const [size, body, received] of [
    ['a small message', message, ''],
    ['a large message', large, large.toString()],
  ] as const) {
    test(`${how}: beforeDot says no to ${size}`, async () => {
      const { wire, session, outcome } = await attempt(
        { ehlo },
        { beforeDot: () => Promise.resolve(false) },
        undefined,
        body,
      );
      assert.equal(outcome.kind, 'not_released');
      assert.equal(session.usable, false);
      while (wire.sockets.size > 0) await once([...wire.sockets][0]!, 'close');
      assert.deepEqual(wire.messages, [received]);
      assert.equal(dots(wire), 0);
    });
  }

  test(`${how}: a large message is accepted`, async () => {
    const { wire, session, outcome } = await attempt({ ehlo }, yes, undefined, large);
    assert.equal(outcome.kind, 'sent');
    assert.deepEqual(wire.messages, [`${large.toString()}.\r\n`]);
    session.quit();
  });
}

test('a small message and its dot are one packet', async () => {
  const chunks: string[] = [];
  const wire = await startWireServer({});
  onTestFinished(() => wire.close());
  const session = await openConnection(wire.url);
  [...wire.sockets][0]!.on('data', (bytes: Buffer) => chunks.push(bytes.toString()));
  assert.equal((await session.send(envelope, message, yes)).kind, 'sent');
  assert.equal(chunks.at(-1), `${message.toString()}.\r\n`);
  session.quit();
});

test('beforeDot throws: as if it had said no', async () => {
  const { wire, outcome } = await attempt({}, { beforeDot: () => Promise.reject(new Error('the database is away')) });
  assert.equal(outcome.kind, 'not_released');
  assert.equal(dots(wire), 0);
});

test('the connection closes before the dot', async () => {
  const { wire, outcome } = await attempt(
    { firstBytes: (socket) => socket.destroy() },
    { beforeDot: () => new Promise(() => undefined) },
    undefined,
    large,
  );
  assert.equal(outcome.kind, 'retry');
  assert.equal(dots(wire), 0);
});

test('a lease that is confirmed after the connection was lost releases nothing', async () => {
  let confirm = (_: boolean): void => undefined;
  const { wire, session, outcome } = await attempt(
    { firstBytes: (socket) => socket.destroy() },
    {
      beforeDot: () => new Promise((resolve) => (confirm = resolve)),
    },
    undefined,
    large,
  );
  assert.equal(outcome.kind, 'retry');
  confirm(true);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(session.usable, false);
  assert.equal(dots(wire), 0);
});

test('the connection closes after the dot, before the reply', async () => {
  const { wire, outcome } = await attempt({ dot: (socket) => socket.destroy() });
  assert.equal(outcome.kind, 'unknown');
  assert.equal(dots(wire), 1);
});

test('a reply cut off in the middle says nothing', async () => {
  const { outcome } = await attempt({ dot: (socket) => socket.end('550 mailbox f') });
  assert.equal(outcome.kind, 'unknown');
});

test('no answer to the dot', async () => {
  const { wire, session, outcome } = await attempt({ dot: null }, yes, { silenceMs: 150 });
  assert.equal(outcome.kind, 'unknown');
  assert.equal(dots(wire), 1);
  assert.equal(session.usable, false);
});

test('an answer that never ends is cut off by the time for a message', async () => {
  const trickle = (socket: Socket): void => {
    const timer = setInterval(() => socket.write('250-still thinking\r\n'), 10);
    socket.on('close', () => clearInterval(timer));
  };
  const { outcome } = await attempt({ dot: trickle }, yes, { messageMs: 200 });
  assert.equal(outcome.kind, 'unknown');
});

test('no answer to RCPT', async () => {
  const { wire, outcome } = await attempt({ rcpt: null }, yes, { silenceMs: 150 });
  assert.equal(outcome.kind, 'retry');
  assert.equal(dots(wire), 0);
});

for (const early of ['250 fine', '552 too big', '451 tired']) {
  test(`a reply before the end of the message (${early}) is not one to the dot, and no dot follows`, async () => {
    let confirm = (_: boolean): void => undefined;
    const { wire, session, outcome } = await attempt(
      { firstBytes: early },
      {
        beforeDot: () => new Promise((resolve) => (confirm = resolve)),
      },
      undefined,
      large,
    );
    assert.equal(outcome.kind, 'retry');
    assert.equal(session.usable, false);
    confirm(true);
    while (wire.sockets.size > 0) await once([...wire.sockets][0]!, 'close');
    assert.equal(dots(wire), 0);
  });
}

test('the whole of a large body has left before the lease is asked for', async () => {
  const body = Buffer.from(`Subject: big\r\n\r\n${`${'x'.repeat(960)}\r\n`.repeat(4000)}`);
  const wire = await startWireServer({});
  onTestFinished(() => wire.close());
  const session = await openConnection(wire.url);
  let received = 0;
  const outcome = await session.send(envelope, body, {
    beforeDot: async () => {
      // What is still on its way is in the kernel, not with us: it arrives although we write no more.
      while ((received = wire.messages[0]?.length ?? 0) < body.length)
        await new Promise((resolve) => setImmediate(resolve));
      return true;
    },
  });
  assert.equal(outcome.kind, 'sent');
  assert.equal(received, body.length);
  session.quit();
});

test('a server that stops reading in the middle of a message is never asked to take its end', async () => {
  const body = Buffer.from(`Subject: big\r\n\r\n${`${'x'.repeat(960)}\r\n`.repeat(20_000)}`);
  let asked = false;
  const hooks = { beforeDot: () => Promise.resolve((asked = true)) };
  const { outcome } = await attempt({ firstBytes: (socket) => void socket.pause() }, hooks, { silenceMs: 300 }, body);
  assert.equal(outcome.kind, 'retry');
  assert.equal(asked, false);
});

for (const [step, refusal, kind] of [
  ['mail', '550 not you', 'retry'],
  ['rcpt', '550 5.1.1 no such user', 'rejected'],
] as const) {
  test(`pipelined: a server that takes DATA though it has refused ${step} gets nothing more, least of all a dot`, async () => {
    const { wire, session, outcome } = await attempt({ ehlo: PIPELINING, [step]: refusal });
    assert.equal(outcome.kind, kind);
    assert.equal(session.usable, false);
    while (wire.sockets.size > 0) await once([...wire.sockets][0]!, 'close');
    assert.deepEqual(wire.messages, ['']);
  });
}

for (const reply of ['354 go on', '199 what']) {
  test(`${reply} to the dot says nothing of the message`, async () => {
    const { session, outcome } = await attempt({ dot: reply });
    assert.equal(outcome.kind, 'unknown');
    assert.equal(session.usable, false);
  });
}

test('a server that says what is no reply after the dot has said nothing', async () => {
  const { outcome } = await attempt({ dot: (socket) => void socket.write('HTTP/1.1 200 OK\r\n\r\n') });
  assert.equal(outcome.kind, 'unknown');
});

test('what a server says unasked ends an idle session, and is no answer to the next message', async () => {
  const { wire, session, outcome } = await attempt({
    dot: (socket) => void socket.write('250 taken\r\n250 taken again\r\n'),
  });
  assert.equal(outcome.kind, 'sent');
  while (wire.sockets.size > 0) await once([...wire.sockets][0]!, 'close');
  assert.equal(session.usable, false);
});

for (const [how, ehlo] of [
  ['one command at a time', undefined],
  ['pipelined', PIPELINING],
] as const) {
  for (const count of [1, 2]) {
    test(`${how}: of ${count} answers too many to a dot, that come once the next message has begun, none accepts it`, async () => {
      let mails = 0;
      const { wire, session, outcome } = await attempt({
        ehlo,
        mail: (socket) =>
          void socket.write((mails += 1) === 1 ? '250 ok\r\n' : `${'250 taken again\r\n'.repeat(count)}250 ok\r\n`),
        // What is sent as the second message is not wanted.
        dot: (socket) => void socket.write(mails === 1 ? '250 taken\r\n' : '554 spam\r\n'),
      });
      assert.equal(outcome.kind, 'sent');
      assert.equal((await session.send(envelope, message, yes)).kind, 'retry');
      assert.equal(session.usable, false);
      assert.equal(dots(wire), 1);
    });
  }
}

test('what follows an answer in the same packet takes nothing from it', async () => {
  for (const [answer, kind] of [
    ['250 taken', 'sent'],
    ['550 5.7.1 no', 'retry'],
    ['550 5.6.0 no', 'rejected'],
  ] as const) {
    const { session, outcome } = await attempt({
      dot: (socket) => void socket.write(`${answer}\r\nHTTP/1.1 200 OK\r\n`),
    });
    assert.equal(outcome.kind, kind);
    assert.equal(session.usable, false);
  }
});

test('beforeDot throws at once: as if it had said no', async () => {
  const { wire, outcome } = await attempt(
    {},
    {
      beforeDot: () => {
        throw new Error('the database is away');
      },
    },
  );
  assert.equal(outcome.kind, 'not_released');
  assert.equal(dots(wire), 0);
});

test('SMTPUTF8 is asked for where an address needs it and the server has it', async () => {
  for (const [ehlo, to, command] of [
    ['250-wire\r\n250 SMTPUTF8', 'jürgen@example.org', 'MAIL FROM:<news@example.com> SMTPUTF8'],
    ['250-wire\r\n250 SMTPUTF8', 'ann@example.org', 'MAIL FROM:<news@example.com>'],
    ['250-wire\r\n250 SIZE 1000', 'jürgen@example.org', 'MAIL FROM:<news@example.com>'],
  ] as const) {
    const wire = await startWireServer({ ehlo });
    onTestFinished(() => wire.close());
    const session = await openConnection(wire.url);
    assert.equal((await session.send({ from: envelope.from, to }, message, yes)).kind, 'sent');
    assert.ok(wire.commands.includes(command), wire.commands.join(' | '));
    assert.ok(wire.commands.includes(`RCPT TO:<${Buffer.from(to).toString('latin1')}>`));
    session.quit();
  }
});

test('an address that would be more than one goes nowhere', async () => {
  for (const to of [
    'ann@example.org>\r\nRCPT TO:<eve@example.org',
    'ann@example.org\nDATA',
    'a<b@example.org',
    'ann\0@example.org',
  ]) {
    const wire = await startWireServer({ ehlo: PIPELINING });
    onTestFinished(() => wire.close());
    const session = await openConnection(wire.url);
    assert.equal((await session.send({ ...envelope, to }, message, yes)).kind, 'retry');
    assert.deepEqual(
      wire.commands.filter((command) => !command.startsWith('EHLO')),
      [],
    );
    assert.equal((await session.send(envelope, message, yes)).kind, 'sent');
    session.quit();
  }
});

for (const [what, script, timeouts] of [
  ['a greeting of 554', { greeting: '554 go away' }, {}],
  ['a greeting of 421', { greeting: '421 busy' }, {}],
  ['no greeting', { greeting: null }, { greetingMs: 100 }],
  ['a connection that closes at once', { greeting: (socket: Socket) => void socket.destroy() }, {}],
  ['a connection that closes after EHLO', { ehlo: (socket: Socket) => void socket.destroy() }, {}],
  ['no answer to EHLO', { ehlo: null }, { connectMs: 100, greetingMs: 50 }],
] as [string, WireScript, SmtpTimeouts][]) {
  test(`${what} is a retry and the provider's fault`, async () => {
    const wire = await startWireServer(script);
    onTestFinished(() => wire.close());
    await assert.rejects(openConnection(wire.url, { timeouts }), (error) => {
      assert.ok(error instanceof SmtpOpenError);
      assert.equal(error.outcome.kind, 'retry');
      assert.equal('blames' in error.outcome && error.outcome.blames, 'provider');
      if (typeof script.greeting === 'string')
        assert.equal('reply' in error.outcome && error.outcome.reply, script.greeting);
      return true;
    });
  });
}

test('nobody listens', async () => {
  const wire = await startWireServer({});
  await wire.close();
  await assert.rejects(
    openConnection(wire.url),
    (error) => error instanceof SmtpOpenError && error.outcome.kind === 'retry',
  );
});
