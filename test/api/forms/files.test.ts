import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, test } from '@jest/globals';
import { rows, sql, tenantEm } from '../../../db/orm.ts';
import { KEPT_FILES } from '../../../transport/streams.ts';
import { removeFiles } from '../../../runtime/kept-files.ts';
import { newTenant } from '../../support/accounts.ts';
import { HTML, PDF, PNG, PROGRAM, SVG, zipOf } from '../../support/sample-files.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

const LIMIT = 1_000_000;
let service: Service;
let number = 0;
beforeAll(async () => {
  service = await startService({ env: { FORM_FILE_MAX_BYTES: String(LIMIT) } });
});
afterAll(() => service.stop());

const BROWSER = 'text/html,application/xhtml+xml,*/*;q=0.8';
const email = { name: 'email', label: 'Email', type: 'email' };
const cv = { name: 'cv', label: 'CV', type: 'file' };
const address = (): string => `sender${(number += 1)}@example.com`;
const query = <T>(statement: ReturnType<typeof sql>): Promise<T[]> =>
  tenantEm(service.deps.orm, 'default').transactional((tx) => rows<T>(tx, statement));

async function make(fields: object[] = [email, cv], more: object = {}): Promise<number> {
  const answer = await service.api('POST', '/forms', { name: 'Apply', fields, ...more });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body.id;
}
const tokenOf = async (id: number): Promise<string> =>
  (await service.api('GET', `/forms/${id}/token`, undefined, { token: null })).body.token;

type Part = [field: string, value: string | Buffer, fileName?: string];
/** A multipart submission, with a token and an address unless it has its own. */
async function send(id: number, parts: Part[], headers: Record<string, string> = {}): Promise<Answer> {
  const form = new FormData();
  const names = new Set(parts.map(([field]) => field));
  if (!names.has('email')) form.set('email', address());
  if (!names.has('_token')) form.set('_token', await tokenOf(id));
  for (const [field, value, fileName] of parts) {
    if (fileName === undefined) form.append(field, String(value));
    else form.append(field, new Blob([new Uint8Array(Buffer.from(value))], { type: 'application/pdf' }), fileName);
  }
  return service.api('POST', `/forms/${id}/submit`, form, { token: null, headers: { accept: '*/*', ...headers } });
}
const errorsOf = ({ body }: Answer): string[] =>
  body.errors.map(({ field, code }: Record<string, string>) => `${field} ${code}`);
const submissionsOf = async (id: number): Promise<Answer['body'][]> =>
  (await service.api('GET', `/forms/${id}/submissions?sort=id`)).body.data;
/** Everything that is stored of files: the keys in the store, the rows, and what is to be removed. */
async function stored(): Promise<{ objects: number; rows: number; removals: number }> {
  const { state } = await service.deps.nats.jsm.streams.info(KEPT_FILES, { subjects_filter: '>' });
  const keys = new Set(Object.keys(state.subjects ?? {}).map((subject) => subject.split('.')[1]));
  const [found] = await query<{ rows: number; removals: number }>(
    sql`select (select count(*) from form_files) as rows, (select count(*) from file_removals) as removals`,
  );
  return { objects: keys.size, ...found! };
}
/** Runs `work`, which must store no file, whatever it answers. */
async function storesNothing<T>(work: () => Promise<T>): Promise<T> {
  const before = await stored();
  const result = await work();
  assert.deepEqual(await stored(), before);
  return result;
}

interface Downloaded {
  status: number;
  headers: Headers;
  bytes: Buffer;
}
async function fetchPath(path: string, token: string | null = service.admin.token): Promise<Downloaded> {
  const answer = await fetch(`${service.url}/api/v1${path}`, {
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
  });
  return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) };
}
/** Sends a file and downloads it. */
async function roundTrip(content: Buffer, fileName: string): Promise<Downloaded & { value: Answer['body'] }> {
  const id = await make();
  const answer = await send(id, [['cv', content, fileName]]);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  const value = (await submissionsOf(id))[0].submissionData.cv;
  return {
    ...(await fetchPath(`/forms/${id}/submissions/${answer.body.submissionId}/files/${value.fileId}`)),
    value,
  };
}

test('a file is stored as it came, found in its submission, and downloaded as an attachment', async () => {
  const big = Buffer.concat([PNG, randomBytes(700_000)]);
  const id = await make([email, cv, { name: 'photo', label: 'Photo', type: 'file', accept: ['image/*'] }]);
  const answer = await send(id, [
    ['photo', big, 'me.png'],
    ['cv', PDF, 'Lebenslauf Grüße "1".pdf'],
  ]);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  const { submissionId } = answer.body;
  const [submission] = await submissionsOf(id);
  const { cv: one, photo: two } = submission.submissionData;
  assert.deepEqual(one, {
    fileId: one.fileId,
    fileName: 'Lebenslauf Grüße "1".pdf',
    mediaType: 'application/pdf',
    size: PDF.length,
  });
  assert.deepEqual(two, { fileId: two.fileId, fileName: 'me.png', mediaType: 'image/png', size: big.length });
  const path = (fileId: number) => `/forms/${id}/submissions/${submissionId}/files/${fileId}`;
  const photo = await fetchPath(path(two.fileId));
  assert.equal(photo.status, 200);
  assert.ok(photo.bytes.equals(big));
  const { headers, bytes } = await fetchPath(path(one.fileId));
  assert.ok(bytes.equals(PDF));
  assert.deepEqual(
    [
      'content-type',
      'content-length',
      'content-disposition',
      'x-content-type-options',
      'content-security-policy',
      'cache-control',
    ].map((name) => headers.get(name)),
    [
      'application/pdf',
      String(PDF.length),
      `attachment; filename="Lebenslauf Gr??e \\"1\\".pdf"; filename*=UTF-8''Lebenslauf%20Gr%C3%BC%C3%9Fe%20%221%22.pdf`,
      'nosniff',
      "sandbox; default-src 'none'",
      'private, no-store',
    ],
  );
  const audit = await query<{ after: object }>(
    sql`select after from audit_log where action = 'form.file_downloaded' and resource_id = ${String(id)} order by id`,
  );
  assert.deepEqual(
    audit.map(({ after }) => after),
    [two, one].map(({ fileId }) => ({ submissionId, fileId })),
  );
  const [row] = await query<{ sha256: string }>(sql`select sha256 from form_files where id = ${two.fileId}`);
  assert.equal(row!.sha256, createHash('sha256').update(big).digest('hex'));
  assert.match(
    (await service.api('GET', `/forms/${id}/submissions/export`)).body,
    /,"Lebenslauf Grüße ""1"".pdf",me\.png\r\n$/,
  );
});

test('what a browser could run is served as bytes, whatever the client says it is', async () => {
  for (const [content, name, mediaType] of [
    [SVG, 'logo.svg', 'image/svg+xml'],
    [HTML, 'page.html', 'text/html'],
    [HTML, 'page', 'text/html'],
    [Buffer.from('<?xml version="1.0"?><x/>'), 'x.xml', 'application/xml'],
    [PROGRAM, 'setup.exe', 'application/x-msdownload'],
  ] as const) {
    const { headers, bytes, value } = await roundTrip(content, name);
    assert.equal(value.mediaType, mediaType);
    assert.deepEqual(
      ['content-type', 'content-security-policy', 'x-content-type-options'].map((header) => headers.get(header)),
      ['application/octet-stream', "sandbox; default-src 'none'", 'nosniff'],
    );
    assert.match(headers.get('content-disposition')!, /^attachment; /);
    assert.ok(bytes.equals(content));
  }
  const plain = await roundTrip(Buffer.from('hello'), 'notes.txt');
  assert.equal(plain.headers.get('content-type'), 'text/plain; charset=utf-8');
});

test('a file that lies about its type is refused with what it is, and kept nowhere', async () => {
  const id = await make([email, cv, { name: 'photo', label: 'Photo', type: 'file', accept: ['image/png'] }]);
  await storesNothing(async () => {
    const answer = await send(id, [
      ['cv', HTML, 'cv.pdf'],
      ['photo', PROGRAM, 'me'],
    ]);
    assert.equal(answer.status, 422);
    assert.deepEqual(errorsOf(answer), ['cv file_type', 'photo file_type']);
    assert.match(answer.body.errors[0].message, /\.pdf.*HTML \(text\/html\)/);
    assert.match(answer.body.errors[1].message, /program.*accepted are image\/png/);
    assert.deepEqual(errorsOf(await send(id, [['photo', PROGRAM, 'me.png']])), ['photo file_type']);
    // One good file beside a bad one is not kept either.
    assert.deepEqual(
      errorsOf(
        await send(id, [
          ['photo', PNG, 'me.png'],
          ['cv', HTML, 'cv.pdf'],
        ]),
      ),
      ['cv file_type'],
    );
  });
  assert.deepEqual(await submissionsOf(id), []);
});

test('a bomb is only stored', async () => {
  const bomb = await zipOf({ zeros: Buffer.alloc(200 * 1024 * 1024) });
  assert.ok(bomb.length < LIMIT);
  const { bytes, value } = await roundTrip(bomb, 'bomb.zip');
  assert.equal(value.mediaType, 'application/zip');
  assert.ok(bytes.equals(bomb));
});

test('a name leads nowhere and hides nothing', async () => {
  for (const [given, kept] of [
    ['../../etc/passwd', 'passwd'],
    ['C:\\temp\\a.txt', 'a.txt'],
    ['a%0d%0aSet-Cookie: x=1.txt', 'a%0d%0aSet-Cookie: x=1.txt'],
    ['evil\u202etxt.exe', 'eviltxt.exe'],
    [`${'x'.repeat(300)}.pdf`, 'x'.repeat(255)],
    ['.', '.'],
  ] as const) {
    const { headers, value } = await roundTrip(Buffer.from('text'), given);
    assert.equal(value.fileName, kept);
    assert.match(headers.get('content-disposition')!, /^attachment; filename=/);
    assert.equal(headers.get('set-cookie'), null);
  }
  // Raw line ends and control characters in a name, which no client library sends.
  const id = await make();
  const part = (disposition: string, content: string) =>
    `--b\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`;
  const raw = `${part('name="email"', address())}${part('name="_token"', await tokenOf(id))}${part('name="cv"; filename="a\x07\tb.txt"', 'text')}--b--\r\n`;
  const answer = await service.api('POST', `/forms/${id}/submit`, raw, {
    token: null,
    headers: { 'content-type': 'multipart/form-data; boundary=b', accept: '*/*' },
  });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  assert.equal((await submissionsOf(id))[0].submissionData.cv.fileName, 'ab.txt');
});

test('only the file fields of this form take files, one each', async () => {
  const id = await make([email, cv, { name: 'note', label: 'Note', type: 'text' }]);
  await storesNothing(async () => {
    assert.deepEqual(
      errorsOf(
        await send(id, [
          ['cv', PDF, 'a.pdf'],
          ['cv', PDF, 'b.pdf'],
        ]),
      ),
      ['cv too_many'],
    );
    const others: Part[] = [
      ['note', PDF, 'note.pdf'],
      ['__proto__', PDF, 'a.pdf'],
      ['constructor', PDF, 'a.pdf'],
      ['email', PDF, 'email.pdf'],
      ['other', PDF, 'other.pdf'],
    ];
    const answer = await send(id, [['email', address()], ...others]);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    assert.deepEqual(Object.keys((await submissionsOf(id))[0].submissionData), ['email']);
    // A text is no file, in any encoding.
    for (const value of ['a.pdf', { fileId: 1 }, 7]) {
      const json = await service.api('POST', `/forms/${id}/submit`, { email: address(), cv: value }, { token: null });
      assert.deepEqual([json.status, errorsOf(json)], [422, ['cv type']]);
    }
    const _token = await tokenOf(id);
    const encoded = await service.api(
      'POST',
      `/forms/${id}/submit`,
      new URLSearchParams({ email: address(), cv: 'a.pdf', _token }),
      { token: null },
    );
    assert.deepEqual([encoded.status, errorsOf(encoded)], [422, ['cv type']]);
    assert.deepEqual(errorsOf(await send(id, [['cv', 'a.pdf']])), ['cv type']);
    for (const nothing of [null, '']) {
      const json = await service.api('POST', `/forms/${id}/submit`, { email: address(), cv: nothing }, { token: null });
      assert.equal(json.status, 200);
    }
  });
});

test('a file within the limit is taken, one over it refused; an empty one is none', async () => {
  const id = await make([email, { ...cv, required: true }, { name: 'small', label: 'S', type: 'file', maxBytes: 5 }]);
  const exact = await send(id, [
    ['cv', Buffer.alloc(LIMIT, 'x'), 'a.txt'],
    ['small', '12345', 'b.txt'],
  ]);
  assert.equal(exact.status, 200, JSON.stringify(exact.body));
  await storesNothing(async () => {
    const over = await send(id, [
      ['cv', Buffer.alloc(LIMIT + 1, 'x'), 'a.txt'],
      ['small', '123456', 'b.txt'],
    ]);
    assert.deepEqual([over.status, errorsOf(over)], [422, ['cv too_large', 'small too_large']]);
    assert.match(over.body.errors[1].message, /larger than 5 bytes/);
    assert.equal((await send(id, [['cv', Buffer.alloc(3 * LIMIT, 'x'), 'a.txt']])).status, 413);
    assert.deepEqual(errorsOf(await send(id, [['cv', '', 'a.txt']])), ['cv required']);
    assert.deepEqual(errorsOf(await send(id, [])), ['cv required']);
  });
  const { body } = await service.api('GET', `/forms/${id}/fields`, undefined, { token: null });
  assert.deepEqual(
    body.fields.map(({ maxBytes }: { maxBytes: number | null }) => maxBytes),
    [null, LIMIT, 5],
  );
});

test('a request that stores nothing keeps no file', async () => {
  const id = await make([email, cv, { name: 'job', label: 'Job', type: 'text', mapTo: 'jobTitle' }]);
  await storesNothing(async () => {
    assert.equal(
      (
        await send(id, [
          ['_token', 'wrong'],
          ['cv', PDF, 'a.pdf'],
        ])
      ).body.code,
      'token_invalid',
    );
    assert.equal(
      (
        await send(id, [
          ['_website', 'spam'],
          ['cv', PDF, 'a.pdf'],
        ])
      ).body.submissionId,
      null,
    );
    assert.deepEqual(
      errorsOf(
        await send(id, [
          ['email', 'nobody'],
          ['cv', PDF, 'a.pdf'],
        ]),
      ),
      ['email format'],
    );
    assert.equal(
      (
        await send(999_999, [
          ['cv', PDF, 'a.pdf'],
          ['_token', 'x'],
        ])
      ).status,
      404,
    );
    assert.equal(
      (await service.api('POST', '/forms/no/submit', new FormData(), { token: null, headers: { accept: '*/*' } }))
        .status,
      400,
    );
  });
  // The contact's own rules refuse it, when the file is already stored.
  const late = await send(id, [
    ['job', 'x'.repeat(5000)],
    ['cv', PDF, 'a.pdf'],
  ]);
  assert.deepEqual([late.status, errorsOf(late)], [422, ['job too_long']]);
  await until('the file is removed', async () => (await stored()).objects === (await stored()).rows);
  await removeFiles(service.deps);
  assert.equal((await stored()).removals, 0);
});

test('nobody downloads without a token, from another tenant, or by the address of something else', async () => {
  const id = await make();
  const other = await make();
  const { submissionId } = (await send(id, [['cv', PDF, 'a.pdf']])).body;
  const { submissionId: otherSubmission } = (await send(other, [['cv', PNG, 'a.png']])).body;
  const fileOf = async (form: number): Promise<number> => (await submissionsOf(form))[0].submissionData.cv.fileId;
  const [fileId, otherFile] = [await fileOf(id), await fileOf(other)];
  const path = (...ids: number[]) => `/forms/${ids[0]}/submissions/${ids[1]}/files/${ids[2]}`;
  assert.equal((await fetchPath(path(id, submissionId, fileId))).status, 200);
  assert.equal((await fetchPath(path(id, submissionId, fileId), null)).status, 401);
  const stranger = await newTenant(service);
  assert.equal((await fetchPath(path(id, submissionId, fileId), stranger.token)).status, 404);
  for (const ids of [
    [other, submissionId, fileId],
    [id, otherSubmission, fileId],
    [id, submissionId, otherFile],
    [id, submissionId, 999_999],
  ])
    assert.equal((await fetchPath(path(...ids))).status, 404, ids.join());
});

test('the page asks for files in the right encoding, and again when it is shown again', async () => {
  const id = await make([
    email,
    { ...cv, required: true, accept: ['application/pdf', 'image/*'] },
    { name: 'photo', label: 'Photo', type: 'file' },
  ]);
  const page = (await service.api('GET', `/forms/${id}/page`, undefined, { token: null })).body as string;
  assert.match(page, /<form method="post" [^>]*enctype="multipart\/form-data"/);
  const input = /<input [^>]*name="cv"[^>]*>/.exec(page)![0];
  for (const each of ['type="file"', 'accept="application/pdf,image/*"', 'required']) assert.ok(input.includes(each));
  assert.ok(!page.includes('choose the file again'));
  const { code } = (await service.api('GET', `/forms/${id}/embed?type=html`)).body;
  assert.ok(code.includes('enctype="multipart/form-data"') && code.includes('type="file"'));
  const wrong = await send(
    id,
    [
      ['email', 'nobody'],
      ['cv', PDF, 'a.pdf'],
    ],
    { accept: BROWSER },
  );
  assert.equal(wrong.status, 422);
  assert.match(
    wrong.body,
    new RegExp(
      `name="cv"[^>]*aria-describedby="f${id}-cv-hint"[^>]*><p class="hint" id="f${id}-cv-hint">Please choose the file again`,
    ),
  );
  assert.ok(!wrong.body.includes('-photo-hint'));
  const refused = await send(id, [['cv', HTML, 'a.pdf']], { accept: BROWSER });
  assert.match(refused.body, /aria-describedby="(f\d+-cv)-error \1-hint"[^>]*aria-invalid="true"/);
  assert.match(refused.body, /id="f\d+-cv-error">CV: is not what its name ends with/);
  const unknown = await send(
    id,
    [
      ['_token', ''],
      ['cv', PDF, 'a.pdf'],
    ],
    { accept: BROWSER },
  );
  assert.ok(unknown.status === 200 && unknown.body.includes('-cv-hint'));
  const text = await make([email]);
  assert.ok(!(await service.api('GET', `/forms/${text}/page`)).body.includes('enctype'));
});

test('files go with their form', async () => {
  const id = await make();
  for (const name of ['a.pdf', 'b.pdf']) await send(id, [['cv', PDF, name]]);
  const before = await stored();
  assert.equal((await service.api('DELETE', `/forms/${id}`)).status, 204);
  await removeFiles(service.deps);
  assert.deepEqual(await stored(), { objects: before.objects - 2, rows: before.rows - 2, removals: 0 });
});

test('a form says what its file fields accept, and what makes no sense is refused', async () => {
  const file = { ...cv, accept: ['application/pdf'], maxBytes: 1000 };
  const id = await make([email, file]);
  const form = (await service.api('GET', `/forms/${id}`)).body;
  assert.deepEqual([form.fields[1].accept, form.fields[1].maxBytes], [['application/pdf'], 1000]);
  assert.deepEqual([form.fields[0].accept, form.fields[0].maxBytes], [null, null]);
  assert.equal((await service.api('PUT', `/forms/${id}`, form)).status, 200, 'what is read can be written back');
  // A form from before there were files.
  await query(
    sql`update forms set fields = (select jsonb_agg(f - 'accept' - 'maxBytes') from jsonb_array_elements(fields) f) where id = ${id}`,
  );
  for (const path of [`/forms/${id}`, `/forms/${id}/fields`]) {
    const { body } = await service.api('GET', path);
    assert.deepEqual([body.fields[0].accept, body.fields[0].maxBytes, body.fields[1].accept], [null, null, null]);
  }
  assert.equal((await send(id, [['cv', PDF, 'a.pdf']])).status, 200);
  const problems = async (...fields: object[]): Promise<string[]> =>
    ((await service.api('POST', '/forms', { name: 'F', fields: [email, ...fields] })).body.errors ?? []).map(
      ({ path, code }: Record<string, string>) => `${path} ${code}`,
    );
  const files = Array.from({ length: 11 }, (_, n) => ({ name: `f${n}`, label: 'F', type: 'file' }));
  assert.deepEqual(await problems({ ...cv, type: 'text', accept: ['a/b'], maxBytes: 1 }), [
    '/fields/1/accept not_allowed',
    '/fields/1/maxBytes not_allowed',
  ]);
  assert.deepEqual(await problems({ ...cv, mapTo: 'phone' }), ['/fields/1/mapTo not_allowed']);
  assert.deepEqual(await problems(...files), ['/fields/11/type too_many']);
  for (const accept of [['.pdf'], ['*/*'], ['Image/png'], ['image'], ['a/b;c=d'], Array(51).fill('a/b')])
    assert.equal((await problems({ ...cv, accept })).length, 1, JSON.stringify(accept));
  assert.equal((await problems({ ...cv, maxBytes: 0 })).length, 1);
  // A file called like a contact field fills none.
  const named = await make([email, { name: 'phone', label: 'Phone bill', type: 'file' }]);
  const { contactId } = (await send(named, [['phone', PDF, 'a.pdf']])).body;
  assert.equal((await service.api('GET', `/contacts/${contactId}`)).body.phone, null);
});
