import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { startService, type Service } from '../../support/service.ts';
import { startVariant, type Variant } from '../../support/variant.ts';

let service: Service;
let small: Variant;
let formId: number;
beforeAll(async () => {
  service = await startService();
  small = await startVariant(service, { IMPORT_MAX_BYTES: 400_000, BODY_MAX_BYTES: 300_000 });
  formId = (
    await service.api('POST', '/forms', { name: 'Early', fields: [{ name: 'email', label: 'E', type: 'email' }] })
  ).body.id;
});
afterAll(async () => {
  await small.stop();
  await service.stop();
});

/** A connection as a plain client has it: what it was sent so far, and whether the other side has ended. */
interface Line {
  socket: Socket;
  text: () => string;
  ended: boolean;
  broken: Error | null;
}

async function open(url: string): Promise<Line> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  const got: Buffer[] = [];
  const line: Line = { socket, text: () => Buffer.concat(got).toString('latin1'), ended: false, broken: null };
  socket
    .on('data', (piece) => got.push(piece))
    .on('end', () => {
      line.ended = true;
    })
    .on('error', (error) => {
      line.broken = error;
    });
  await once(socket, 'connect');
  return line;
}

async function waitFor(what: string, line: Line, condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!condition()) {
    if (Date.now() > deadline)
      throw new Error(
        `${what}: waited in vain; so far ${JSON.stringify(line.text().slice(0, 400))}, ended ${line.ended}, broken ${line.broken?.message}`,
      );
    await sleep(10);
  }
}

/** The final answers so far (a 100 is none), by status; the last one may not be whole. */
const answers = (line: Line): string[] =>
  line
    .text()
    .split(/(?=HTTP\/1\.1 \d{3})/)
    .filter((one) => one.startsWith('HTTP/1.1') && !one.startsWith('HTTP/1.1 100'));
const isWhole = (answer: string): boolean => {
  const end = answer.indexOf('\r\n\r\n');
  return end > 0 && answer.length - end - 4 >= Number(/content-length: (\d+)/i.exec(answer)?.[1] ?? 0);
};
const statusOf = (answer: string): number => Number(answer.slice(9, 12));
const wholeAnswers = (line: Line): number => answers(line).filter(isWhole).length;

const NEXT = 'GET /api/v1/emails/tracking/open/x HTTP/1.1\r\nHost: x\r\n\r\n';

interface Case {
  what: string;
  path: string;
  type: string;
  status: readonly number[];
  start?: string;
  unit?: string;
  token?: boolean;
  method?: string;
  headers?: string;
}
const part = (header: string) => `--b\r\nContent-Disposition: form-data; ${header}\r\n\r\n`;
const CASES: Case[] = [
  {
    what: 'JSON too large',
    path: '/auth/login',
    type: 'application/json',
    status: [413],
    start: '{"username":"',
    unit: 'x',
  },
  {
    what: 'JSON with too much in it',
    path: '/contacts',
    type: 'application/json',
    status: [400, 413],
    start: '[',
    unit: '{},',
    token: true,
  },
  {
    what: 'a form too large',
    path: '/emails/preferences/x',
    type: 'application/x-www-form-urlencoded',
    status: [413],
    start: 'topic=',
    unit: '1',
  },
  {
    what: 'multipart too large',
    path: '/emails/preferences/x',
    type: 'multipart/form-data; boundary=b',
    status: [413],
    start: part('name="topic"'),
    unit: 'x',
  },
  {
    what: 'a file too large',
    path: '/contacts/import',
    type: 'multipart/form-data; boundary=b',
    status: [413],
    start: part('name="file"; filename="a.csv"'),
    unit: 'email\n',
    token: true,
  },
  {
    what: 'a file for a form',
    path: '/forms/FORM/submit',
    type: 'multipart/form-data; boundary=b',
    status: [400, 413],
    start: part('name="file"; filename="a.csv"'),
    unit: 'x',
  },
  {
    what: 'multipart that is none',
    path: '/contacts/import',
    type: 'multipart/form-data; boundary=b',
    status: [400, 413],
    start: '--bad',
    unit: 'x',
    token: true,
  },
  {
    what: 'multipart without a boundary',
    path: '/contacts/import',
    type: 'multipart/form-data',
    status: [400, 413],
    unit: 'x',
    token: true,
  },
  { what: 'another type', path: '/auth/login', type: 'text/plain', status: [415], unit: 'x' },
  {
    what: 'a compressed body',
    path: '/auth/login',
    type: 'application/json',
    status: [415],
    unit: 'x',
    headers: 'Content-Encoding: gzip\r\n',
  },
  { what: 'no token', path: '/contacts', type: 'application/json', status: [401], unit: 'x' },
  { what: 'nothing there', path: '/nothing', type: 'application/json', status: [404], unit: 'x' },
  { what: 'another method', path: '/contacts', type: 'application/json', status: [405], unit: 'x', method: 'PATCH' },
  {
    what: 'a body that nobody reads',
    path: '/emails/tracking/open/x',
    type: 'text/plain',
    status: [200],
    unit: 'x',
    method: 'GET',
  },
];

const roomOrEnd = (line: Line): Promise<unknown> =>
  Promise.race(['drain', 'close'].map((event) => once(line.socket, event).catch(() => undefined)));

/** Sends a request whose body is larger than whatever is taken, without looking at what comes back. */
async function sendAll(
  line: Line,
  { path, type, method = 'POST', token, start = '', unit = 'x', headers = '' }: Case,
  size: number,
  mode: string,
): Promise<void> {
  const body = start + unit.repeat(Math.floor((size - start.length) / unit.length));
  const isChunked = mode.includes('chunked');
  line.socket.write(
    `${method} /api/v1${path.replace('FORM', String(formId))} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\n${token ? `Authorization: Bearer ${service.admin.token}\r\n` : ''}${headers}` +
      `${mode.includes('expect') ? 'Expect: 100-continue\r\n' : ''}${isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`}\r\n\r\n`,
  );
  if (mode.includes('expect')) await waitFor('a word to go on, or the answer', line, () => line.text().length > 0);
  for (let at = 0; at < body.length && !line.broken; at += 64 * 1024) {
    const piece = body.slice(at, at + 64 * 1024);
    const room = line.socket.write(isChunked ? `${piece.length.toString(16)}\r\n${piece}\r\n` : piece, 'latin1');
    if (!room) await roomOrEnd(line);
  }
  if (isChunked && !line.broken) line.socket.write('0\r\n\r\n');
}

for (const mode of ['length', 'chunked', 'length, expect', 'chunked, expect']) {
  for (const one of CASES) {
    test(`${one.what} (${mode}): the client gets its answer, and the connection goes on or ends`, async () => {
      for (const size of [70_000, 1_000_000, 6_000_000]) {
        // Small enough to be taken.
        if (size < 100_000 && (one.path === '/contacts/import' || one.path === '/contacts') && one.unit !== 'x')
          continue;
        const line = await open(small.url);
        const about = `${one.what}, ${mode}, ${size}`;
        await sendAll(line, one, size, mode);
        await waitFor(about, line, () => wholeAnswers(line) === 1);
        const [answer] = answers(line);
        assert.ok(one.status.includes(statusOf(answer!)), `${about} ${answer}`);
        if (/^connection: close/im.test(answer!)) {
          await waitFor(`${about}: the end`, line, () => line.ended);
          line.socket.end();
        } else {
          line.socket.write(NEXT);
          await waitFor(`${about}: the next answer`, line, () => wholeAnswers(line) === 2);
          assert.equal(statusOf(answers(line)[1]!), 200, about);
        }
        assert.equal(line.broken, null, about);
        line.socket.destroy();
      }
    });
  }
}

test('a client that never sends what it announced is let go after its answer', async () => {
  for (const length of [1_000, 10_000_000]) {
    const line = await open(service.url);
    line.socket.write(
      `POST /api/v1/contacts HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n{`,
    );
    await waitFor('the answer', line, () => wholeAnswers(line) === 1);
    assert.equal(statusOf(answers(line)[0]!), 401);
    await waitFor('the end', line, () => line.socket.closed || line.ended);
    line.socket.destroy();
  }
});

test('a client that sends without end is cut off', async () => {
  const line = await open(service.url);
  line.socket.write(
    'POST /api/v1/contacts HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
  );
  const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
  let sent = 0;
  for (; sent < 64 * 1024 * 1024 && !line.broken && !line.socket.closed; sent += chunk.length) {
    if (!line.socket.write(chunk)) await roomOrEnd(line);
  }
  await waitFor('the end', line, () => line.broken !== null || line.socket.closed);
  assert.ok(sent < 64 * 1024 * 1024);
  assert.equal(statusOf(answers(line)[0]!), 401);
});

test('many early answers over one connection are all given', async () => {
  const line = await open(service.url);
  const warnings: Error[] = [];
  const warned = (warning: Error): void => {
    warnings.push(warning);
  };
  process.on('warning', warned);
  for (let n = 1; n <= 30; n += 1) {
    line.socket.write(
      `POST /api/v1/contacts HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n${'x'.repeat(50_000)}`,
    );
    await waitFor(`answer ${n}`, line, () => wholeAnswers(line) === n);
    line.socket.write('x'.repeat(50_000));
  }
  line.socket.write(NEXT);
  await waitFor('the next answer', line, () => wholeAnswers(line) === 31);
  process.off('warning', warned);
  assert.deepEqual(warnings, []);
  line.socket.destroy();
});
