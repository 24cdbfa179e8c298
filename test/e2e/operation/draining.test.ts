import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, test } from '@jest/globals';
import pg from 'pg';
import { waiting } from '../../support/accounts.ts';
import { startApiProcess } from '../../support/api-process.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { onTestFinished } from '../../support/on-test-finished.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

interface Line {
  socket: Socket;
  /** All that has come over it. */
  heard: () => string;
  closed: Promise<unknown>;
}

async function open(url: string): Promise<Line> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let heard = '';
  socket.on('data', (part) => {
    heard += part.toString('latin1');
  });
  // To be cut off is what silent connections are for.
  socket.on('error', () => {});
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await once(socket, 'connect');
  return { socket, heard: () => heard, closed };
}

const answers = (line: Line): number => line.heard().split('HTTP/1.1 ').length - 1;
const ask = (line: Line, path: string, more = ''): void => {
  line.socket.write(
    `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${service.admin.token}\r\n${more}\r\n`,
  );
};

test('SIGTERM: what is at work is answered as the last of its connection; idle, silent and half asked ones are closed; code 0', async () => {
  const api = await startApiProcess(service);
  onTestFinished(() => api.end('SIGKILL'));
  const owner = new pg.Client({ connectionString: service.slot.env['DATABASE_MIGRATION_URL']! });
  await owner.connect();
  onTestFinished(() => owner.end());
  const [idle, silent, half, busy] = await Promise.all([open(api.url), open(api.url), open(api.url), open(api.url)]);
  ask(idle, '/api/v1/auth/profile');
  await until('it is answered', () => answers(idle) === 1);
  assert.match(idle.heard(), /^HTTP\/1\.1 200[\s\S]+connection: keep-alive/i);
  half.socket.write('GET /api/v1/health HTTP/1.1\r\nHost:');
  await owner.query('begin');
  await owner.query('lock table companies in access exclusive mode');
  ask(busy, '/api/v1/contacts/companies');
  await until('it waits for the lock', () => waiting(owner));

  const ended = api.end('SIGTERM');
  await Promise.all([idle.closed, silent.closed, half.closed]);
  assert.deepEqual([answers(silent), answers(half), answers(busy)], [0, 0, 0]);
  await assert.rejects(fetch(api.url));
  await owner.query('commit');
  await Promise.all([busy.closed, ended]);
  assert.match(busy.heard(), /^HTTP\/1\.1 200[\s\S]+connection: close/i);
});

test('SIGTERM under connections that go on asking: each is told that it ends, and nothing is cut off', async () => {
  const api = await startApiProcess(service);
  onTestFinished(() => api.end('SIGKILL'));
  const lines = await Promise.all(Array.from({ length: 16 }, () => open(api.url)));
  let asked = 0;
  for (const line of lines) {
    const next = (): void => {
      asked += 1;
      ask(line, '/api/v1/health');
    };
    line.socket.on('data', (part) => {
      if (/connection: keep-alive/i.test(part.toString('latin1'))) next();
    });
    next();
  }
  await until('they are in the middle', () => asked > 200);
  await api.end('SIGTERM');
  await Promise.all(lines.map((line) => line.closed));
  for (const line of lines) assert.equal(line.heard().match(/connection: close/gi)?.length, 1);
  assert.equal(
    lines.reduce((sum, line) => sum + answers(line), 0),
    asked,
  );
});
