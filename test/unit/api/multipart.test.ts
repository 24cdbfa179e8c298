import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, test } from '@jest/globals';
import fc from 'fast-check';
import Koa from 'koa';
import { readParts, type PartHeader } from '../../../api/middleware/multipart.ts';
import type { AppError } from '../../../lib/checks/errors.ts';

interface Part extends PartHeader {
  content: string;
}
type Outcome = { parts: Part[] } | { code: string; message: string };

const MOST = 64 * 1024;
let port: number;
/** How long a body may take. */
let withinMs = Infinity;
let stop: () => void;
/** What the taker does with a piece before it keeps it. */
let taking: () => void | Promise<void> = () => {};
beforeAll(async () => {
  const app = new Koa();
  app.use(async (ctx) => {
    const parts: Part[] = [];
    ctx.body = await readParts(
      ctx,
      { maxBytes: MOST, withinMs },
      {
        begin: (header) => {
          parts.push({ ...header, content: '' });
        },
        take: async (piece) => {
          await taking();
          parts.at(-1)!.content += piece.toString('latin1');
        },
        end: () => {},
      },
    ).then(
      () => ({ parts }),
      (error: AppError) => ({ code: error.code, message: error.message }),
    );
  });
  const listener = app.callback();
  const server = createServer((request, response) => void listener(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
  stop = () => {
    server.close();
    server.closeAllConnections();
  };
});
afterAll(() => stop());

/** What becomes of a body that comes in these pieces. */
async function send(
  pieces: Iterable<Buffer> | AsyncIterable<Buffer>,
  contentType = 'multipart/form-data; boundary=b',
): Promise<Outcome> {
  const socket = connect(port, '127.0.0.1').setNoDelay(true);
  let answer = '';
  socket.on('data', (part: Buffer) => {
    answer += part.toString();
  });
  const closed = once(socket, 'close');
  await once(socket, 'connect');
  socket.write(
    `POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: ${contentType}\r\nTransfer-Encoding: chunked\r\n\r\n`,
  );
  for await (const piece of pieces)
    socket.write(Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]));
  socket.write('0\r\n\r\n');
  await closed;
  return JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)) as Outcome;
}

const refused = async (body: string, code: string, contentType?: string) => {
  const outcome = await send([Buffer.from(body)], contentType);
  assert.equal('code' in outcome && outcome.code, code, JSON.stringify(outcome));
};
const field = (name: string, content: string) =>
  `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${content}\r\n`;

test('parts are what they were, in whatever pieces they come', async () => {
  const content = fc
    .string({ unit: fc.constantFrom('\r', '\n', '-', 'b', '\r\n--', '\r\n--c', 'x', '\0'), maxLength: 30 })
    .filter((text) => !text.includes('\r\n--b'));
  const part = fc.record({
    name: fc.constantFrom('a', '__proto__', 'constructor', 'hasOwnProperty', 'ä'),
    content,
    isFile: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(part, { minLength: 1, maxLength: 5 }),
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
      async (given, lengths) => {
        const bytes = Buffer.from(
          `${given.map((one) => `--b\r\nContent-Disposition: form-data; name="${one.name}"${one.isFile ? '; filename="ü.csv"\r\nContent-Type: text/csv' : ''}\r\n\r\n${one.content}\r\n`).join('')}--b--\r\n`,
        );
        const pieces: Buffer[] = [];
        for (let at = 0, n = 0; at < bytes.length; at += lengths[n % lengths.length]!, n += 1)
          pieces.push(bytes.subarray(at, at + lengths[n % lengths.length]!));
        const expected = given.map((one) => ({
          name: one.name,
          fileName: one.isFile ? 'ü.csv' : null,
          mimeType: one.isFile ? 'text/csv' : null,
          content: one.content,
        }));
        assert.deepEqual(await send(pieces), { parts: expected });
      },
    ),
    { numRuns: 50 },
  );
});

test('what is no multipart is refused', async () => {
  await refused('--b\r\nContent-Disposition: form-data; name="a"', 'malformed_body');
  await refused('nonsense', 'malformed_body');
  await refused('--b\r\nContent-Type: text/plain\r\n\r\n1\r\n--b--', 'malformed_body');
  await refused(`${field('a', '1')}--b--`, 'malformed_body', 'multipart/form-data');
});

test('more than the limit is refused, wherever it is', async () => {
  await refused(`${field('a', 'x'.repeat(MOST))}--b--`, 'payload_too_large');
  await refused(
    `--b\r\nContent-Disposition: form-data; name="a"\r\nX: ${'y'.repeat(MOST)}\r\n\r\n1\r\n--b--`,
    'payload_too_large',
  );
  await refused(
    `${Array.from({ length: MOST / 40 }, (_, n) => field(`n${n}`, '')).join('')}--b--`,
    'payload_too_large',
  );
});

test('what its taker throws, at once or later, is what it throws', async () => {
  const refusal = Object.assign(new Error('enough'), { code: 'conflict' });
  for (const take of [
    () => {
      throw refusal;
    },
    async () => {
      await new Promise(setImmediate);
      throw refusal;
    },
  ]) {
    taking = take;
    await refused(`${field('a', '1')}${field('b', 'x'.repeat(1000))}--b--`, 'conflict');
  }
  taking = () => {};
  await refused('nonsense', 'malformed_body');
});

test('a taker that is slow is waited for', async () => {
  taking = () =>
    new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
  const pieces = [
    Buffer.from('--b\r\nContent-Disposition: form-data; name="a"; filename="f"\r\n\r\n'),
    ...Array.from({ length: 50 }, () => Buffer.from('x'.repeat(1000))),
    Buffer.from('\r\n--b--\r\n'),
  ];
  const outcome = await send(pieces);
  taking = () => {};
  assert.equal('parts' in outcome && outcome.parts[0]!.content.length, 50_000);
});

test('a body that takes too long is refused, however steadily it comes', async () => {
  withinMs = 50;
  async function* pieces(): AsyncGenerator<Buffer> {
    for (const piece of [field('a', '1'), field('b', '2'), '--b--\r\n']) {
      yield Buffer.from(piece);
      await sleep(withinMs);
    }
  }
  const outcome = await send(pieces());
  withinMs = Infinity;
  assert.equal('code' in outcome && outcome.code, 'request_timeout', JSON.stringify(outcome));
});
