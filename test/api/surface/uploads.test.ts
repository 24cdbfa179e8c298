import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, test } from '@jest/globals';
import { openUploadFolder } from '../../../api/middleware/uploads.ts';
import { startApiProcess, type ApiProcess } from '../../support/api-process.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

let service: Service;
let api: ApiProcess;
let temporary: string;
let folder: string;
let formId: number;
beforeAll(async () => {
  temporary = await mkdtemp(join(tmpdir(), 'perennial-test-'));
  folder = join(temporary, 'uploads');
  service = await startService();
  api = await startApiProcess(service, { UPLOAD_DIR: folder, TMPDIR: temporary, IMPORT_MAX_BYTES: '3000000' });
  formId = (
    await service.api('POST', '/forms', {
      name: 'Uploads',
      fields: [
        { name: 'email', label: 'E', type: 'email' },
        { name: 'note', label: 'N', type: 'text' },
      ],
    })
  ).body.id;
});
afterAll(async () => {
  await api.end('SIGKILL');
  await service.stop();
  await rm(temporary, { recursive: true });
});

/** Files of the folder that a process has open: they have no name any more. */
async function openFiles(pid: number): Promise<string[]> {
  const handles = await readdir(`/proc/${pid}/fd`);
  const links = await Promise.all(handles.map((handle) => readlink(`/proc/${pid}/fd/${handle}`).catch(() => '')));
  return links.filter((link) => link.startsWith(temporary));
}
/** Everything in the temporary folder, however deep. */
const named = async (): Promise<string[]> =>
  (await readdir(temporary, { recursive: true })).filter((name) => name !== 'uploads');
const nothingIsLeft = async (pid = api.pid, after = 'this upload'): Promise<void> => {
  assert.deepEqual(await named(), []);
  await until(`no file of ${after} is open`, async () => (await openFiles(pid)).length === 0);
};

const filePart = (name: string, content: string) =>
  `--b\r\nContent-Disposition: form-data; name="${name}"; filename="a.csv"\r\n\r\n${content}\r\n`;
const field = (name: string, content: string) =>
  `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${content}\r\n`;
const post = (path: string, body: string, type = 'multipart/form-data; boundary=b') =>
  api.api('POST', path, body, { headers: { 'content-type': type } });

/** An upload that has begun and goes no further. */
async function begunUpload(): Promise<Socket> {
  const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.on('error', () => {});
  socket.write(
    `POST /api/v1/contacts/import HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.admin.token}\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 2000000\r\n\r\n` +
      filePart('file', 'email\nsecret@example.com\n'.repeat(1000)).slice(0, -2),
  );
  // Its file has a name for a moment.
  await until('the upload is on its way', async () => {
    const open = await openFiles(api.pid);
    return open.length === 1 && open[0]!.endsWith(' (deleted)');
  });
  return socket;
}

test('the folder is ours alone, and a file on its way in it has no name', async () => {
  assert.equal((await stat(folder)).mode & 0o777, 0o700);
  const socket = await begunUpload();
  assert.deepEqual(await named(), []);
  socket.destroy();
  await nothingIsLeft();
});

test('an upload that stops coming is answered, and its file is closed', async () => {
  const socket = await begunUpload();
  let answer = '';
  socket.on('data', (piece: Buffer) => {
    answer += piece.toString();
  });
  await once(socket, 'close');
  assert.match(answer, /^HTTP\/1\.1 408 /);
  await nothingIsLeft();
});

test('however an upload ends, nothing of it is left', async () => {
  const csv = 'firstName,lastName,email\nA,B,a@example.com\n';
  const ends: [string, string, number][] = [
    ['taken', `${filePart('file', csv)}--b--`, 202],
    ['cut off', filePart('file', csv), 400],
    ['too large', `${filePart('file', csv.repeat(80_000))}--b--`, 413],
    ['of another name', `${filePart('__proto__', csv)}--b--`, 400],
    ['two', `${filePart('__proto__', csv)}${filePart('__proto__', csv)}--b--`, 400],
    ['two of one name', `${filePart('file', csv)}${filePart('file', csv)}--b--`, 400],
    ['named constructor', `${filePart('constructor', csv)}--b--`, 400],
    ['beside a wrong field', `${filePart('file', csv)}${field('surprise', '1')}--b--`, 400],
    ['beside a field __proto__', `${filePart('file', csv)}${field('__proto__', '1')}--b--`, 400],
    ['not of text', `${filePart('file', '\0\0')}--b--`, 400],
    ['followed by no part', `${filePart('file', csv)}--b junk`, 400],
  ];
  for (const [what, body, status] of ends) {
    const answer = await post('/contacts/import', body);
    assert.equal(answer.status, status, `${what} ${JSON.stringify(answer.body)}`);
    await nothingIsLeft(api.pid, what);
  }
});

test('what else stands in the content type calls no other parser', async () => {
  const csv = 'firstName,lastName,email\nA,B,b@example.com\n';
  for (const more of ['octet-stream', 'json', 'urlencoded', 'application/json']) {
    const taken = await post(
      '/contacts/import',
      `${filePart('file', csv)}--b--`,
      `multipart/form-data; boundary=b; x="${more}"`,
    );
    assert.equal(taken.status, 202, `${more} ${JSON.stringify(taken.body)}`);
    const form = await post(
      `/forms/${formId}/submit`,
      `${field('note', 'x')}--b--`,
      `multipart/form-data; boundary=b; x=${more}`,
    );
    assert.equal(form.body.code, 'token_invalid', `${more} ${JSON.stringify(form.body)}`);
    await nothingIsLeft();
  }
});

test('the headers of a part are bounded', async () => {
  const long = `--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\nX: ${'y'.repeat(20_000)}\r\n\r\na\r\n--b--`;
  assert.equal((await post('/contacts/import', long)).status, 413);
  const many = `--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n${'X: yyyy\r\n'.repeat(4_000)}\r\na\r\n--b--`;
  assert.equal((await post('/contacts/import', many)).status, 413);
  await nothingIsLeft();
});

test('a file is named as its client names it', async () => {
  const csv = 'firstName,lastName,email\nA,B,c@example.com\n';
  for (const [given, kept] of [
    ['"a b;c.csv"', 'a b;c.csv'],
    ['plain.csv', 'plain.csv'],
    ['"say \\"hi\\".csv"', 'say "hi".csv'],
    ['"%22hi%22.csv"', '"hi".csv'],
    ['"C:\\people\\new.csv"', 'new.csv'],
    ['"ü.csv"', 'ü.csv'],
    ['""', 'import.csv'],
  ]) {
    const { body } = await post(
      '/contacts/import',
      `--b\r\nContent-Disposition: form-data; name="file"; filename=${given}\r\n\r\n${csv}\r\n--b--`,
    );
    assert.equal(body.fileName, kept, JSON.stringify(body));
  }
});

test('where no file is asked for none is written, and the fields are taken', async () => {
  const { token } = (await api.api('GET', `/forms/${formId}/token`)).body;
  const files = Array.from({ length: 20 }, () => filePart('__proto__', 'x'.repeat(1000)) + filePart('note', 'y')).join(
    '',
  );
  const answer = await post(
    `/forms/${formId}/submit`,
    `${files}${field('email', 'form@example.com')}${field('_token', token)}${field('note', 'mine')}--b--`,
  );
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  const { body } = await api.api('GET', `/forms/${formId}/submissions`);
  assert.deepEqual(body.data[0].submissionData, { email: 'form@example.com', note: 'mine' });
  // No file was made, so none had to be unlinked: the folder was not touched.
  const { mtimeMs } = await stat(folder);
  assert.equal((await post(`/forms/${formId}/submit`, `${files}--b--`)).status, 400);
  assert.equal((await stat(folder)).mtimeMs, mtimeMs);
  await nothingIsLeft();
});

test('of a form only what its file fields are named is written, and nothing of it is left', async () => {
  const fields = ['cv', 'photo'].map((name) => ({ name, label: name, type: 'file' }));
  const { id } = (
    await service.api('POST', '/forms', {
      name: 'Files',
      fields: [{ name: 'email', label: 'E', type: 'email' }, ...fields],
    })
  ).body;
  const others = ['__proto__', 'constructor', 'email', 'cv2'].map((name) => filePart(name, 'x'.repeat(1000))).join('');
  const before = await stat(folder);
  // No file was chosen in `photo`: browsers send it empty.
  const refused = await post(`/forms/${id}/submit`, `${others}${filePart('photo', '')}--b--`);
  assert.equal(refused.body.code, 'token_invalid');
  assert.equal((await stat(folder)).mtimeMs, before.mtimeMs);
  const wanted = filePart('cv', 'x'.repeat(100_000)) + filePart('cv', 'y') + filePart('photo', 'z');
  const { token } = (await api.api('GET', `/forms/${id}/token`)).body;
  const ends: [string, string, number][] = [
    ['without a token', `${wanted}--b--`, 400],
    ['with two of one name', `${wanted}${field('_token', token)}--b--`, 422],
    ['cut off', wanted, 400],
    ['taken', `${filePart('cv', 'x')}${field('email', 'a@example.com')}${field('_token', token)}--b--`, 200],
  ];
  for (const [what, body, status] of ends) {
    const answer = await post(`/forms/${id}/submit`, body);
    assert.equal(answer.status, status, `${what} ${JSON.stringify(answer.body)}`);
    assert.notEqual((await stat(folder)).mtimeMs, before.mtimeMs);
    await nothingIsLeft(api.pid, what);
  }
});

test('after a wrong token or a filled honeypot no file of a form is written', async () => {
  const { id } = (
    await service.api('POST', '/forms', {
      name: 'Robots',
      fields: [
        { name: 'email', label: 'E', type: 'email' },
        { name: 'cv', label: 'CV', type: 'file' },
      ],
    })
  ).body;
  const { token } = (await api.api('GET', `/forms/${id}/token`)).body;
  const before = await stat(folder);
  const file = `${field('email', 'robot@example.com')}${filePart('cv', 'x'.repeat(100_000))}--b--`;
  const wrong = await post(`/forms/${id}/submit`, `${field('_token', `${token}x`)}${file}`);
  assert.equal(wrong.body.code, 'token_invalid');
  const told = await post(`/forms/${id}/submit`, `${field('_token', token)}${field('_website', 'x')}${file}`);
  assert.deepEqual([told.status, told.body.submissionId], [200, null]);
  assert.equal((await stat(folder)).mtimeMs, before.mtimeMs);
  assert.equal((await post(`/forms/${id}/submit`, `${field('_token', token)}${file}`)).status, 200);
  assert.notEqual((await stat(folder)).mtimeMs, before.mtimeMs);
  await nothingIsLeft();
});

test('an API process that is killed in an upload leaves nothing', async () => {
  const socket = await begunUpload();
  await api.end('SIGKILL');
  assert.deepEqual(await named(), []);
  socket.destroy();
  api = await startApiProcess(service, { UPLOAD_DIR: folder, TMPDIR: temporary });
});

test('what was killed between making a file and taking its name away is swept at the next start, and nothing else', async () => {
  const socket = await begunUpload();
  await writeFile(join(folder, 'left.upload'), '');
  await writeFile(join(folder, 'other'), '');
  openUploadFolder(folder);
  assert.deepEqual(await readdir(folder), ['other']);
  assert.equal((await openFiles(api.pid)).length, 1, 'that of another process goes on');
  socket.destroy();
  await rm(join(folder, 'other'));
  await nothingIsLeft();
});

test('a folder that others may open, a link and a file are refused', async () => {
  const open = join(temporary, 'open');
  await mkdir(open);
  await chmod(open, 0o755);
  assert.throws(() => openUploadFolder(open), /UPLOAD_DIR/);
  await symlink(folder, join(temporary, 'link'));
  assert.throws(() => openUploadFolder(join(temporary, 'link')), /UPLOAD_DIR/);
  await writeFile(join(temporary, 'file'), '');
  assert.throws(() => openUploadFolder(join(temporary, 'file')));
});
