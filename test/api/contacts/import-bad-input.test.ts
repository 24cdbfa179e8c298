import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readdir, readlink, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, test } from '@jest/globals';
import { gzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { FILES } from '../../../transport/streams.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { importer } from './import-support.ts';

let service: Service;
let uploads: string;
let { upload, run } = {} as ReturnType<typeof importer>;
beforeAll(async () => {
  uploads = await mkdtemp(join(tmpdir(), 'perennial-test-'));
  service = await startService({ worker: ['temporal', 'relay'], env: { UPLOAD_DIR: uploads } });
  ({ upload, run } = importer(service));
});
afterAll(async () => {
  await service.stop();
  await rm(uploads, { recursive: true });
});

const contactBy = async (email: string) =>
  (await service.api('GET', `/contacts?email=${encodeURIComponent(email)}`)).body.data[0];
const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16();

async function errorsOf(id: number): Promise<string[][]> {
  return parse((await service.api('GET', `/contacts/imports/${id}/errors`)).body, {
    relax_column_count: true,
  });
}

test('files are read in the encoding and with the line ends they have', async () => {
  const text = (name: string, end: string) =>
    ['firstName,lastName,email', `Zoë,Müller,${name}1@example.com`, `Ana,Peña,${name}2@example.com`].join(end) + end;
  const files: Record<string, Uint8Array> = {
    utf8: Buffer.from(text('utf8', '\n')),
    bom: Buffer.from(`\uFEFF${text('bom', '\r\n')}`),
    utf16le: Buffer.from(`\uFEFF${text('utf16le', '\r\n')}`, 'utf16le'),
    utf16be: utf16be(`\uFEFF${text('utf16be', '\n')}`),
    nomark: utf16be(text('nomark', '\n')),
    windows1252: Buffer.from(text('windows1252', '\r\n'), 'latin1'),
    cr: Buffer.from(text('cr', '\r')),
    mixed: Buffer.from(text('mixed', '\r').replace('\r', '\n').replace(/\r$/, '\r\n')),
  };
  for (const [name, file] of Object.entries(files)) {
    const { created, rejected } = await run(file);
    assert.deepEqual(
      [name, created, rejected, (await contactBy(`${name}1@example.com`))?.lastName],
      [name, 2, 0, 'Müller'],
    );
  }
});

test('bad rows are rejected, each with its reason, and no other', async () => {
  const file = Buffer.concat([
    Buffer.from(
      'firstName,lastName,email,jobTitle\nGood,One,good1@example.com,\n"Un,closed,unclosed@example.com,\nGood,Two,good2@example.com,\nN\0l,Nul,nul@example.com,\nBad,By',
    ),
    Buffer.from([0xff, 0xfe]),
    Buffer.from(
      `te,byte@example.com,\nSur,Plus,surplus@example.com,a,b\nHu,Ge,huge@example.com,${'x'.repeat(2_000_000)}\nGood,Three,good3@example.com,\nCut,Off,cut@exam`,
    ),
  ]);
  const job = await run(file);
  assert.deepEqual([job.created, job.rejected], [3, 6]);
  assert.deepEqual(
    (await errorsOf(job.id)).slice(1).map(([row, column, code]) => [row, column, code].join(' ')),
    [
      '3  unclosed_quote',
      '5 firstName invalid_character',
      '6 lastName invalid_encoding',
      '7  surplus_cells',
      '8  cell_too_long',
      '10 email invalid_email',
    ],
  );
});

test('rejected rows come back as a file that can be mended and imported again', async () => {
  const job = await run(
    'firstName;lastName;email;jobTitle\nMe,nd;Ed;mend.ed.example.com;"a ""b""; c"\nNo;Name;;\nFi;Ne;fine@example.com;\n',
  );
  assert.deepEqual([job.created, job.rejected], [1, 2]);
  const [header, ...rejected] = await errorsOf(job.id);
  assert.deepEqual(header, ['row', 'column', 'code', 'message', 'firstName', 'lastName', 'email', 'jobTitle']);
  rejected[0]![6] = 'mended@example.com';
  rejected[1]![6] = 'noname@example.com';
  const again = await run(stringify([header, ...rejected]));
  assert.deepEqual([again.created, again.rejected, again.ignoredColumns], [2, 0, ['row', 'column', 'code', 'message']]);
  const mended = await contactBy('mended@example.com');
  assert.deepEqual([mended.firstName, mended.jobTitle], ['Me,nd', 'a "b"; c']);
});

test('headers that mean nothing, or something to JavaScript, are columns like others', async () => {
  const job = await run('__proto__,constructor,,email,lastName,toString\nPro,x,y,proto@example.com,To,z\n', {
    mapping: '{"__proto__": "firstName"}',
  });
  assert.deepEqual([job.created, job.ignoredColumns], [1, ['constructor', '(column 3)', 'toString']]);
  assert.equal((await contactBy('proto@example.com')).firstName, 'Pro');
  assert.equal(({} as { firstName?: string }).firstName, undefined);
  for (const [file, code] of [
    ['email,E-Mail,firstName,lastName\na@example.com,b@example.com,A,B\n', 'duplicate_column'],
    [',,\na@example.com,A,B\n', 'no_email_column'],
    ['a@example.com,A,B\n', 'no_email_column'],
    [gzipSync('firstName,lastName,email\nA,B,c@example.com\n'), 'binary_file'],
    [' \r\n\n', 'empty_file'],
  ] as const) {
    const { status, body } = await upload(file);
    assert.deepEqual(
      [status, body['code'], (body['errors'] as { code: string }[])[0]!.code],
      [400, 'unsupported_file', code],
    );
  }
});

test('a file of a header alone is an import of nothing', async () => {
  const { status, totalRows, processedRows } = await run('firstName,lastName,email\n');
  assert.deepEqual([status, totalRows, processedRows], ['COMPLETED', 0, 0]);
});

test('addresses that differ in case or in the spelling of their domain are one, emoji domains too', async () => {
  const job = await run(
    [
      'firstName,lastName,email',
      'A,One,case@example.com',
      'A,Two,CASE@Example.COM',
      'B,One,post@münchen.example',
      'B,Two,post@xn--mnchen-3ya.example',
      'C,One,hi@💌.example',
      'C,Two,hi@xn--rr8h.example',
      'D,One,jörg@example.com',
      'D,Two,JÖRG@example.com',
      'E,One,💌@example.com',
    ].join('\n'),
  );
  assert.deepEqual([job.created, job.duplicates, job.rejected], [4, 4, 1]);
  assert.deepEqual(
    (await errorsOf(job.id)).slice(1).map(([row, , code]) => [row, code]),
    [['10', 'invalid_email']],
  );
  assert.equal((await contactBy('jörg@example.com')).lastName, 'Two');
  assert.equal((await run('firstName,lastName,email\nB,Two,post@MÜNCHEN.example\n')).updated, 1, 'as it is written');
});

test("of a file's name control characters are left out, and no character is cut in two", async () => {
  for (const [given, kept] of [
    ['nul\0name\t.csv', 'nulname.csv'],
    [`${'x'.repeat(254)}😀😀.csv`, `${'x'.repeat(254)}😀`],
    ['\0', 'import.csv'],
  ] as const) {
    const response = await fetch(`${service.url}/api/v1/contacts/import`, {
      method: 'POST',
      body: `--b\r\nContent-Disposition: form-data; name="file"; filename="${given}"\r\n\r\nemail\r\n--b--\r\n`,
      headers: { authorization: `Bearer ${service.admin.token}`, 'content-type': 'multipart/form-data; boundary=b' },
    });
    const job = (await response.json()) as { id: number; fileName: string };
    assert.deepEqual([response.status, job.fileName], [202, kept]);
    assert.equal((await service.api('GET', `/contacts/imports/${job.id}`)).body.fileName, kept);
  }
});

test('an upload that is cut off leaves nothing behind', async () => {
  const kept = async () => (await service.deps.nats.jsm.streams.info(FILES)).state.messages;
  const jobs = async () => (await service.api('GET', '/contacts/imports?includeTotal=true')).body.page.total;
  // Uploads have no names: they are known by the process that has them open.
  const handles = async () =>
    Promise.all((await readdir('/proc/self/fd')).map((handle) => readlink(`/proc/self/fd/${handle}`).catch(() => '')));
  const temporary = async () => (await handles()).filter((path) => path.startsWith(uploads)).length;
  await until('the files of other imports are gone', async () => (await kept()) === 0);
  const [jobsBefore, filesBefore] = [await jobs(), await temporary()];
  const { port } = new URL(service.url);
  const socket = connect(Number(port), '127.0.0.1');
  await once(socket, 'connect');
  const part = `--b\r\nContent-Disposition: form-data; name="file"; filename="cut.csv"\r\n\r\nfirstName,lastName,email\n${'Cut,Off,cut-off@example.com\n'.repeat(20_000)}Mid,Ro`;
  socket.write(
    `POST /api/v1/contacts/import HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.admin.token}\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 9999999\r\n\r\n${part}`,
  );
  await until('the upload is on its way', async () => (await temporary()) > filesBefore);
  socket.destroy();
  await until('its temporary file is gone', async () => (await temporary()) <= filesBefore);
  assert.deepEqual([await jobs(), await kept()], [jobsBefore, 0]);
  const unfinished = await fetch(`${service.url}/api/v1/contacts/import`, {
    method: 'POST',
    body: part,
    headers: { authorization: `Bearer ${service.admin.token}`, 'content-type': 'multipart/form-data; boundary=b' },
  });
  assert.equal(unfinished.status, 400);
  assert.deepEqual([await jobs(), await kept()], [jobsBefore, 0]);
});
