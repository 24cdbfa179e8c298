/** What bounds the files that anybody can send: the store, their tenant's share, and how many come at once. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir, readlink } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, test } from '@jest/globals';
import { engineEm, rows, sql, tenantEm } from '../../../db/orm.ts';
import { makeFormToken } from '../../../api/forms/form-token.ts';
import { encode, publishAll } from '../../../transport/nats.ts';
import { ensureStreams, KEPT_FILES, TRACKING_HITS, TRACKING_SUBJECT } from '../../../transport/streams.ts';
import { removeFiles, watchFileStore } from '../../../runtime/kept-files.ts';
import { newTenant } from '../../support/accounts.ts';
import { onTestFinished } from '../../support/on-test-finished.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

const ROOM = 1024 ** 2;
const SHARE = 500_000;
const BROWSER = 'text/html,application/xhtml+xml,*/*;q=0.8';
/** The store is small. */
let full: Service;
/** A tenant may have a part of the store, and an address is limited. */
let shared: Service;
let number = 0;
beforeAll(async () => {
  full = await startService({ env: { FORM_FILES_MAX_BYTES: String(ROOM) } });
  shared = await startService({
    env: {
      FORM_FILES_MAX_BYTES_PER_TENANT: String(SHARE),
      ENABLE_RATE_LIMITING: 'true',
      RATE_LIMIT_BURST: '100000',
      FORM_SUBMISSIONS_PER_MINUTE: '20',
      TRUST_PROXY: '1',
    },
  });
});
afterAll(async () => {
  await full.stop();
  await shared.stop();
});

async function make(service: Service, token?: string): Promise<number> {
  const fields = [
    { name: 'email', label: 'Email', type: 'email' },
    { name: 'cv', label: 'CV', type: 'file' },
  ];
  const answer = await service.api('POST', '/forms', { name: 'Apply', fields }, token ? { token } : {});
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body.id;
}
/** Begins a submission whose file never ends. */
async function beginFile(service: Service, id: number, address: string): Promise<Socket> {
  const { socket } = await begin(service, id, address);
  socket.write('--b\r\nContent-Disposition: form-data; name="cv"; filename="a.txt"\r\n\r\n');
  socket.write('x'.repeat(10_000));
  return socket;
}
const tokenOf = (service: Service, id: number): string => makeFormToken(service.deps.links, id, new Date()).token;

/** Sends a submission with a file of so many bytes, or without one. */
function send(service: Service, id: number, bytes: number, headers: Record<string, string> = {}): Promise<Answer> {
  const form = new FormData();
  form.set('_token', tokenOf(service, id));
  form.set('email', `sender${(number += 1)}@example.com`);
  if (bytes > 0) form.set('cv', new Blob([new Uint8Array(Buffer.alloc(bytes, 'x'))]), 'a.txt');
  return service.api('POST', `/forms/${id}/submit`, form, { token: null, headers: { accept: '*/*', ...headers } });
}
const stored = async (service: Service, id: number): Promise<number> =>
  (await service.api('GET', `/forms/${id}/submissions?includeTotal=true`)).body.page.total;
const removals = (service: Service): Promise<object[]> =>
  tenantEm(service.deps.orm, 'default').transactional((tx) => rows(tx, sql`select 1 from file_removals`));

/** Sends the start of a submission with a file; its answer so far is in `said`. */
async function begin(service: Service, id: number, address: string): Promise<{ socket: Socket; said: () => string }> {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  await once(socket, 'connect');
  let said = '';
  socket.on('error', () => {});
  socket.on('data', (piece: Buffer) => {
    said += piece.toString();
  });
  onTestFinished(() => socket.destroy());
  socket.write(
    `POST /api/v1/forms/${id}/submit HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${address}\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 300000\r\n\r\n`,
  );
  return { socket, said: () => said };
}

/** How many files of uploads this process has open: they have no name any more. */
async function filesOnTheirWay(): Promise<number> {
  const handles = await readdir('/proc/self/fd');
  const links = await Promise.all(handles.map((handle) => readlink(`/proc/self/fd/${handle}`).catch(() => '')));
  return links.filter((link) => link.endsWith('.upload (deleted)')).length;
}

test('a full store refuses files with a clear error, and nothing else', async () => {
  const id = await make(full);
  for (let n = 0; n < 3; n += 1) assert.equal((await send(full, id, 300_000)).status, 200);
  const refused = await send(full, id, 300_000);
  assert.deepEqual([refused.status, refused.body.code], [503, 'no_room_for_files']);
  assert.match(refused.body.detail, /no room for more files/);
  assert.equal(refused.headers.get('retry-after'), '3600');
  const page = await send(full, id, 300_000, { accept: BROWSER });
  assert.equal(page.status, 503);
  assert.match(page.body, /role="alert"[^>]*><p>Not sent: there is no room for files/);
  assert.match(page.body, /value="sender\d+@example\.com"/);
  assert.equal((await send(full, id, 0)).status, 200);
  await publishAll(full.deps.nats, [{ subject: TRACKING_SUBJECT, data: encode({ hits: [] }) }]);
  await full.deps.nats.jsm.streams.purge(TRACKING_HITS);
  assert.equal(await stored(full, id), 4);
  await until('what was refused is gone', async () => {
    await removeFiles(full.deps);
    return (await removals(full)).length === 0;
  });
  await watchFileStore(full.deps);
  assert.match(await full.deps.metrics.registry.metrics(), /^perennial_form_files_full_ratio 0\.8[5-9]/m);

  // When files are removed, others have room.
  assert.equal((await full.api('DELETE', `/forms/${id}`)).status, 204);
  await removeFiles(full.deps);
  assert.equal((await send(full, await make(full), 300_000)).status, 200);
});

test('a store that is there already gets the limit at the next start, and keeps what it has', async () => {
  const { jsm } = full.deps.nats;
  await jsm.streams.update(KEPT_FILES, { max_bytes: -1 });
  await send(full, await make(full), 600_000);
  const { state } = await jsm.streams.info(KEPT_FILES);
  await ensureStreams(jsm, { ...full.deps.env, FORM_FILES_MAX_BYTES: 100_000 });
  const after = await jsm.streams.info(KEPT_FILES);
  assert.deepEqual([after.config.max_bytes, after.config.discard], [100_000, 'new']);
  assert.deepEqual([after.state.messages, after.state.bytes], [state.messages, state.bytes]);
  assert.equal((await send(full, await make(full), 10)).status, 503);
  await assert.rejects(
    ensureStreams(jsm, { ...full.deps.env, FORM_FILES_MAX_BYTES: 1024 ** 5 }),
    /^EnvError: FORM_FILES_MAX_BYTES must be lower/,
  );
  await ensureStreams(jsm, full.deps.env);
});

test('a tenant that has used its share takes no files, and others do', async () => {
  const id = await make(shared);
  for (let n = 0; n < 2; n += 1) assert.equal((await send(shared, id, 200_000)).status, 200);
  const refused = await send(shared, id, 200_000);
  assert.deepEqual([refused.status, refused.body.code], [503, 'no_room_for_files']);
  assert.match(refused.body.detail, /no room for more files/);
  assert.equal((await send(shared, id, 0)).status, 200);
  assert.deepEqual(await removals(shared), [], 'nothing was stored');
  const other = await newTenant(shared);
  assert.equal((await send(shared, await make(shared, other.token), 200_000)).status, 200);
});

test('an address that sends too much, or another site, is refused before its body is read', async () => {
  const id = await make(shared);
  const answers: number[] = [];
  for (let n = 0; n < 50 && answers.at(-1) !== 429; n += 1) answers.push((await send(shared, id, 0)).status);
  assert.equal(answers.at(-1), 429, String(answers));
  const { said } = await begin(shared, id, '127.0.0.1');
  await until('it is answered', () => said().includes('\r\n\r\n'));
  assert.match(said(), /^HTTP\/1\.1 429 [^]*"code":"too_many_requests"/);
  const page = await send(shared, id, 10, { accept: BROWSER });
  assert.deepEqual([page.status, page.headers.get('content-type')], [429, 'text/html; charset=utf-8']);
  assert.match(page.body, /role="alert"[^>]*><p>Not sent: there are too many requests\.<\/p>/);

  const form = (await shared.api('GET', `/forms/${id}`)).body;
  await shared.api('PUT', `/forms/${id}`, { ...form, allowedOrigins: ['https://www.example.com'] });
  const foreign = await send(shared, id, 10, { origin: 'https://evil.example.org', 'x-forwarded-for': '192.0.2.1' });
  assert.deepEqual([foreign.status, foreign.body.code], [403, 'origin_not_allowed']);
});

test('only so many submissions with files are received at once, fewer from one address; the next waits for a place', async () => {
  const id = await make(shared);
  const one = '192.0.2.10';
  const begun: Socket[] = [];
  const fill = async (): Promise<void> => {
    while (begun.length < 10) {
      begun.push(await beginFile(shared, id, one));
    }
    await until('all of them are received', async () => (await filesOnTheirWay()) === 10);
  };
  await fill();
  const ended: string[] = [];
  const from = (address: string): Promise<Answer> =>
    send(shared, id, 10, { 'x-forwarded-for': address }).then((answer) => {
      ended.push(address);
      return answer;
    });
  const eleventh = from(one);
  for (const other of ['192.0.2.11', '192.0.2.12', '192.0.2.13']) assert.equal((await from(other)).status, 200);
  assert.ok(!ended.includes(one), 'it waits');
  assert.equal((await send(shared, id, 0, { 'x-forwarded-for': one })).status, 200, 'what has no file needs no place');
  assert.ok(!ended.includes(one), 'it still waits');
  begun.pop()!.destroy();
  assert.equal((await eleventh).status, 200);
  // Nobody leaves: it is refused.
  await fill();
  const refused = await from(one);
  assert.deepEqual([refused.status, refused.body.code], [503, 'unavailable']);
  const page = await send(shared, id, 10, { accept: BROWSER, 'x-forwarded-for': one });
  assert.deepEqual([page.status, page.headers.get('content-type')], [503, 'text/html; charset=utf-8']);
  assert.match(page.body, /role="alert"[^>]*><p>Not sent: there are too many requests\.<\/p>/);
});

test('a form whose places are all taken leaves places to others', async () => {
  const [id, other] = [await make(shared), await make(shared)];
  const before = await filesOnTheirWay();
  for (let n = 0; n < 25; n += 1) await beginFile(shared, id, `192.0.2.${20 + (n % 5)}`);
  await until('all of them are received', async () => (await filesOnTheirWay()) === before + 25);
  const refused = await send(shared, id, 10, { 'x-forwarded-for': '192.0.2.30' });
  assert.deepEqual([refused.status, refused.body.code], [503, 'unavailable']);
  assert.equal((await send(shared, other, 10, { 'x-forwarded-for': '192.0.2.20' })).status, 200);
});

test('what nobody judges counts for its address, not for its form', async () => {
  const id = await make(shared);
  const post = async (fields: Record<string, string>): Promise<Answer> => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    form.set('cv', new Blob(['text']), 'a.txt');
    return shared.api('POST', `/forms/${id}/submit`, form, { token: null, headers: { accept: BROWSER } });
  };
  const counted = async (): Promise<string[]> =>
    (
      await engineEm(shared.deps.orm).transactional((tx) =>
        rows<{ bucket: string }>(
          tx,
          sql`select bucket from rate_buckets where bucket = ${`form/${id}`} or bucket like ${`form/${id}/%`}`,
        ),
      )
    ).map(({ bucket }) => bucket);
  const email = 'visitor@example.com';
  const robot = await post({ _token: tokenOf(shared, id), email, _website: 'filled' });
  const plain = await post({ email });
  assert.deepEqual([robot.status, plain.status], [200, 200]);
  assert.match(plain.body, /value="visitor@example\.com"/);
  assert.equal(await stored(shared, id), 0);
  assert.equal((await counted()).length, 1);
  assert.match((await counted())[0]!, /^form\/\d+\/127/);
  assert.equal((await post({ _token: tokenOf(shared, id), email })).status, 200);
  assert.equal(await stored(shared, id), 1);
  assert.equal((await counted()).length, 2);
});
