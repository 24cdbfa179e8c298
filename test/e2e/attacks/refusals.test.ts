import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, test } from '@jest/globals';
import { startApiProcess, type ApiProcess } from '../../support/api-process.ts';
import { startService, type Service } from '../../support/service.ts';

let service: Service;
let api: ApiProcess;
beforeAll(async () => {
  service = await startService();
  api = await startApiProcess(service);
});
afterAll(async () => {
  await api.end();
  await service.stop();
});

/** What comes back for bytes on a connection of their own, until the server closes it. */
async function exchange(
  bytes: string,
): Promise<{ status: string; headers: string; body: { code: string; requestId: string; status: number } }> {
  const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
  socket.write(bytes);
  const [head, body] = (await text(socket)).split('\r\n\r\n') as [string, string];
  const [status = '', ...headers] = head.split('\r\n');
  return {
    status,
    headers: headers.join('\n').toLowerCase(),
    body: JSON.parse(body) as { code: string; requestId: string; status: number },
  };
}

test('what is not read as a request is refused with the body of every error', async () => {
  for (const [bytes, status, code] of [
    [
      `GET /api/v1/health HTTP/1.1\r\nHost: x\r\nCookie: ${'a'.repeat(20_000)}\r\n\r\n`,
      '431 Request Header Fields Too Large',
      'headers_too_large',
    ],
    [
      `GET /api/v1/contacts?cursor=${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
      '431 Request Header Fields Too Large',
      'headers_too_large',
    ],
    ['EHLO mail.example.com\r\n\r\n', '400 Bad Request', 'malformed_request'],
    [
      'POST /api/v1/contacts HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      '400 Bad Request',
      'malformed_request',
    ],
    ['GET / HTTP/1.1\r\nHost: x\r\nBad Header: 1\r\n\r\n', '400 Bad Request', 'malformed_request'],
  ] as const) {
    const answer = await exchange(bytes);
    assert.equal(answer.status, `HTTP/1.1 ${status}`);
    assert.deepEqual([answer.body.code, answer.body.status], [code, Number(status.slice(0, 3))]);
    assert.match(answer.headers, /^content-type: application\/problem\+json$/m);
    assert.match(answer.headers, new RegExp(`^x-request-id: ${answer.body.requestId}$`, 'm'));
  }
  assert.equal((await fetch(`${api.url}/api/v1/openapi.json`)).status, 200);
});
