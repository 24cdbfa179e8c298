import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { test } from '@jest/globals';
import { openConnection } from '../../../../worker/senders/smtp-connection.ts';
import { createSmtpPool } from '../../../../worker/senders/smtp-pool.ts';
import type { SmtpSession } from '../../../../worker/senders/smtp-session.ts';
import type { Envelope } from '../../../../worker/senders/smtp-transaction.ts';
import { until } from '../../../support/until.ts';
import { startWireServer, type WireScript, type WireServer } from './wire-server.ts';
import { onTestFinished } from '../../../support/on-test-finished.ts';

const PIPELINING = '250-wire\r\n250-PIPELINING\r\n250 8BITMIME';
const [first, second, third]: Envelope[] = ['ann', 'bob', 'cem'].map((name) => ({
  from: 'news@example.com',
  to: `${name}@example.org`,
})) as [Envelope, Envelope, Envelope];
const message = (name: string): Buffer => Buffer.from(`Subject: ${name}\r\n\r\nHello\r\n`);
/** Too large to be sent together with its dot. */
const large = (name: string): Buffer =>
  Buffer.from(`Subject: ${name}\r\n\r\n${`${'x'.repeat(78)}\r\n`.repeat(300)}Hello\r\n`);
const yes = { beforeDot: () => Promise.resolve(true) };
const before = (next: Envelope | null) => ({ ...yes, following: () => next });
const envelopeOf = ({ from, to }: Envelope): string[] => [`MAIL FROM:<${from}>`, `RCPT TO:<${to}>`, 'DATA'];
const whole = (name: string): string => `${message(name).toString()}.\r\n`;

async function open(
  script: WireScript = {},
): Promise<{ wire: WireServer; session: SmtpSession; commands: () => string[] }> {
  const wire = await startWireServer({ ehlo: PIPELINING, ...script });
  onTestFinished(() => wire.close());
  return {
    wire,
    session: await openConnection(wire.url),
    commands: () => wire.commands.filter((command) => !command.startsWith('EHLO')),
  };
}
const closed = (wire: WireServer): Promise<void> =>
  until('the connection is closed', () => wire.sockets.size === 0).then(() => undefined);

for (const [size, made] of [
  ['small', message],
  ['large', large],
] as const) {
  test(`the envelope of the next message goes with the dot of a ${size} one, in one packet, and is not said again`, async () => {
    const { wire, session, commands } = await open();
    const packets: string[] = [];
    [...wire.sockets][0]!.on('data', (bytes: Buffer) => packets.push(bytes.toString()));
    const beforeDot = async (): Promise<boolean> => {
      // So that the dot is no part of the packet before it.
      if (size === 'large') await until('all but the dot is there', () => wire.messages.at(-1)!.endsWith('Hello\r\n'));
      return true;
    };
    assert.equal((await session.send(first, made('a'), { beforeDot, following: () => second })).kind, 'sent');
    assert.deepEqual([session.usable, session.begun], [true, second]);
    assert.equal((await session.send(second, made('b'), { beforeDot, following: () => third })).kind, 'sent');
    assert.equal((await session.send(third, made('c'), { beforeDot, following: () => null })).kind, 'sent');
    assert.deepEqual([session.usable, session.begun], [true, null]);
    assert.deepEqual(commands(), [first, second, third].flatMap(envelopeOf));
    assert.deepEqual(
      wire.messages,
      ['a', 'b', 'c'].map((name) => `${made(name).toString()}.\r\n`),
    );
    const ends = [second, third].map((next) => `.\r\n${envelopeOf(next).join('\r\n')}\r\n`).concat('.\r\n');
    assert.deepEqual(
      packets.filter((packet) => /^\.\r\n/m.test(packet)),
      size === 'large' ? ends : ends.map((end, n) => `${message('abc'[n]!).toString()}${end}`),
    );
    session.quit();
  });
}

test('without pipelining nothing goes with a dot', async () => {
  const { session, commands } = await open({ ehlo: undefined });
  let asked = false;
  assert.equal(
    (
      await session.send(first, message('a'), {
        ...yes,
        following: () => {
          asked = true;
          return second;
        },
      })
    ).kind,
    'sent',
  );
  assert.deepEqual([asked, session.begun, commands()], [false, null, envelopeOf(first)]);
  session.quit();
});

test('what is not released asks for nothing that follows', async () => {
  const { wire, session, commands } = await open();
  let asked = false;
  const outcome = await session.send(first, message('a'), {
    beforeDot: () => Promise.resolve(false),
    following: () => {
      asked = true;
      return second;
    },
  });
  assert.deepEqual([outcome.kind, asked, commands()], ['not_released', false, envelopeOf(first)]);
  await closed(wire);
  assert.deepEqual(wire.messages, ['']);
});

test('whoever can not say what follows releases nothing', async () => {
  const { wire, session } = await open();
  const outcome = await session.send(first, message('a'), {
    ...yes,
    following: () => {
      throw new Error('no idea');
    },
  });
  assert.equal(outcome.kind, 'not_released');
  await closed(wire);
  assert.deepEqual(wire.messages, ['']);
});

test('a dot that is refused takes nothing from the message that follows', async () => {
  for (const [reply, kind] of [
    ['554 no', 'rejected'],
    ['554 spam', 'retry'],
    ['451 later', 'retry'],
  ] as const) {
    const { wire, session, commands } = await open({ dot: reply });
    assert.equal((await session.send(first, message('a'), before(second))).kind, kind);
    delete wire.script.dot;
    assert.equal((await session.send(second, message('b'), before(null))).kind, 'sent');
    assert.deepEqual(commands(), [first, second].flatMap(envelopeOf));
    session.quit();
  }
});

for (const [step, reply, kind] of [
  ['rcpt', '550 5.1.1 nobody', 'rejected'],
  ['rcpt', '450 later', 'retry'],
  ['mail', '550 not you', 'retry'],
] as const) {
  test(`${reply} to ${step} of the message that follows is its own, and the connection goes on`, async () => {
    const { wire, session, commands } = await open({ data: (socket) => answerData(wire, socket) });
    const refuse = {
      ...yes,
      following: () => {
        wire.script[step] = reply;
        return second;
      },
    };
    assert.equal((await session.send(first, message('a'), refuse)).kind, 'sent');
    assert.equal((await session.send(second, message('b'), before(null))).kind, kind);
    delete wire.script[step];
    assert.equal(session.usable, true);
    assert.equal((await session.send(third, message('c'), before(null))).kind, 'sent');
    assert.deepEqual(commands(), [...envelopeOf(first), ...envelopeOf(second), 'RSET', ...envelopeOf(third)]);
    assert.deepEqual(wire.messages, ['a', 'c'].map(whole));
    session.quit();
  });
}

/** As a sound server: no DATA without a recipient. */
function answerData(wire: WireServer, socket: Socket): void {
  if (wire.script.mail ?? wire.script.rcpt) return void socket.write('503 no valid recipients\r\n');
  wire.takeMessage(socket);
}

test('a server that closes with its answer to the dot has the message, and what follows is not begun any more', async () => {
  const { wire, session } = await open({ dot: (socket) => socket.end('250 taken\r\n') });
  assert.equal((await session.send(first, message('a'), before(second))).kind, 'sent');
  await closed(wire);
  await until('the session has heard of it', () => !session.usable);
  await assert.rejects(session.send(second, message('b'), yes), /not usable/);
});

for (const [what, dot, kind] of [
  ['421', '421 closing', 'retry'],
  ['no answer, and the end', (socket: Socket) => socket.destroy(), 'unknown'],
  ['what is no answer', '354 go on', 'unknown'],
] as const) {
  test(`${what} to the dot: ${kind}, and nothing goes over the connection any more`, async () => {
    const { wire, session } = await open({ dot });
    assert.equal((await session.send(first, message('a'), before(second))).kind, kind);
    assert.equal(session.usable, false);
    await closed(wire);
    assert.equal(wire.messages.filter((text) => text.endsWith('.\r\n')).length, 1);
  });
}

for (const extra of [1, 2]) {
  test(`${extra} answers too many to a dot accept nothing that follows`, async () => {
    let dots = 0;
    const { wire, session } = await open({
      dot: (socket) => void socket.write('250 taken\r\n'.repeat((dots += 1) === 1 ? 1 + extra : 0) || '554 spam\r\n'),
    });
    assert.equal((await session.send(first, message('a'), before(second))).kind, 'sent');
    await closed(wire);
    await until('the session has heard of it', () => !session.usable);
    assert.equal(dots, 1);
  });
}

test('a message that was begun goes next or none does: the connection ends without a QUIT in the middle of it', async () => {
  const { wire, session, commands } = await open();
  assert.equal((await session.send(first, message('a'), before(second))).kind, 'sent');
  await until('the next has begun', () => wire.messages.length === 2);
  await assert.rejects(session.send(third, message('c'), yes), /not usable/);
  session.quit();
  await closed(wire);
  assert.deepEqual(commands(), [first, second].flatMap(envelopeOf));
  assert.deepEqual(wire.messages, [whole('a'), '']);
});

test('a message that was begun and is not awaited any more is not sent over it', async () => {
  const { wire, session } = await open();
  assert.equal((await session.send(first, message('a'), before(second))).kind, 'sent');
  await until('the next has begun', () => wire.messages.length === 2);
  [...wire.sockets][0]!.write('451 too slow\r\n');
  await closed(wire);
  await until('the session has heard of it', () => !session.usable);
  assert.deepEqual(wire.messages, [whole('a'), '']);
});

test('an envelope that would be more than one is not begun', async () => {
  const { session, commands } = await open();
  const eve = { from: 'news@example.com', to: 'ann@example.org>\r\nRCPT TO:<eve@example.org' };
  assert.equal((await session.send(first, message('a'), before(eve))).kind, 'sent');
  assert.equal(session.begun, null);
  assert.equal((await session.send(eve, message('b'), yes)).kind, 'retry');
  assert.deepEqual(commands(), envelopeOf(first));
  session.quit();
});

test('a pool gives no connection to others over which a message was begun, and asks for none after the last', async () => {
  const wire = await startWireServer({ ehlo: PIPELINING });
  const pool = createSmtpPool({ url: wire.url, size: 1, maxMessages: 2 });
  onTestFinished(async () => {
    await pool.close();
    await wire.close();
  });
  const [slot] = await pool.acquire(1);
  assert.equal((await slot!.send(first, message('a'), before(second))).kind, 'sent');
  assert.equal((await slot!.send(third, message('c'), before(second))).kind, 'sent', 'over a connection of its own');
  assert.equal(wire.connections, 2);
  assert.equal(
    (await slot!.send(second, message('b'), before(third))).kind,
    'sent',
    'the last that this connection takes',
  );
  assert.deepEqual([wire.connections, slot!.usable], [2, false]);
  slot!.release();
  const [other] = await pool.acquire(1);
  assert.equal((await other!.send(first, message('a'), before(second))).kind, 'sent');
  other!.release();
  const [next] = await pool.acquire(1);
  assert.equal((await next!.send(second, message('b'), yes)).kind, 'sent');
  assert.equal(wire.connections, 4, 'what was begun was not gone on with');
  next!.release();
  assert.deepEqual(
    wire.messages.filter((text) => text.endsWith('.\r\n')),
    ['a', 'c', 'b', 'a', 'b'].map(whole),
  );
});
