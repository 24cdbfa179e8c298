import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { delimiterOf, readParts, type PartHeader } from '../../../api/middleware/multipart.ts';

interface Part extends PartHeader { content: string }

/** The parts of a body that comes in these pieces. */
async function partsOf(pieces: Iterable<Buffer>, contentType = 'multipart/form-data; boundary=b'): Promise<Part[]> {
  const parts: Part[] = [];
  async function* coming() { yield* pieces; }
  await readParts(coming(), delimiterOf(contentType), {
    begin: (header) => { parts.push({ ...header, content: '' }); },
    take: (piece) => { parts.at(-1)!.content += piece.toString('latin1'); },
    end: () => {},
  });
  return parts;
}

const refused = async (body: string, what: RegExp) => assert.rejects(partsOf([Buffer.from(body)]), (error: Error & { code: string }) => error.code === 'malformed_body' && what.test(error.message));
const field = (name: string, content: string) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${content}\r\n`;

test('parts are what they were, in whatever pieces they come', async () => {
  const content = fc.string({ unit: fc.constantFrom('\r', '\n', '-', 'b', '\r\n--', '\r\n--c', 'x', '\0'), maxLength: 30 }).filter((text) => !text.includes('\r\n--b'));
  const part = fc.record({ name: fc.constantFrom('a', '__proto__', 'constructor', 'ä', ''), content, isFile: fc.boolean() });
  await fc.assert(fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 5 }), fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), async (given, lengths) => {
    const bytes = Buffer.from(`preamble\r\n${given.map((one) => `--b\r\nContent-Disposition: form-data; name="${one.name}"${one.isFile ? '; filename="f"' : ''}\r\n\r\n${one.content}\r\n`).join('')}--b--\r\nepilogue\r\n--b`);
    const pieces: Buffer[] = [];
    for (let at = 0, n = 0; at < bytes.length; at += lengths[n % lengths.length]!, n += 1) pieces.push(bytes.subarray(at, at + lengths[n % lengths.length]!));
    const expected = given.map((one) => ({ name: one.name, fileName: one.isFile ? 'f' : null, mimeType: null, content: one.content }));
    assert.deepEqual(await partsOf(pieces), expected);
  }));
});

test('names and boundaries are read as browsers and programs write them', async () => {
  const only = async (header: string) => (await partsOf([Buffer.from(`--b\r\n${header}\r\n\r\n1\r\n--b--`)]))[0]!;
  assert.equal((await only('content-disposition: form-data; name="a%22b"')).name, 'a"b');
  assert.equal((await only('Content-Disposition: form-data; name="a\\"b"')).name, 'a"b');
  assert.equal((await only('Content-Disposition: form-data; name=plain')).name, 'plain');
  const file = await only('Content-Disposition: form-data; filename="C:\\dir\\ü; name=x.csv"; name="file"\r\nContent-Type: text/csv');
  assert.deepEqual([file.name, file.fileName, file.mimeType], ['file', 'C:\\dir\\ü; name=x.csv', 'text/csv']);
  assert.deepEqual((await partsOf([Buffer.from('--a b\r\nContent-Disposition: form-data; name="x"\r\n\r\n1\r\n--a b--')], 'multipart/form-data; charset=x; boundary="a b"')).map((part) => part.content), ['1']);
  assert.deepEqual(await partsOf([Buffer.from('--b--')]), []);
});

test('what is no multipart is refused with a reason', async () => {
  await refused('', /ends before/);
  await refused(field('a', '1'), /ends before/);
  await refused(`${field('a', '1')}--b`, /ends before/);
  await refused('--bad\r\n', /more on its line/);
  await refused(`--b${' '.repeat(200)}`, /more on its line/);
  await refused('--b\r\nContent-Type: text/plain\r\n\r\n1\r\n--b--', /no name/);
  await refused('--b\r\nnonsense\r\n\r\n1\r\n--b--', /header/);
  await refused(`--b\r\nContent-Disposition: form-data; name="a"\r\nX: ${'y'.repeat(9000)}\r\n\r\n1\r\n--b--`, /longer than/);
  await refused(`--b\r\nContent-Disposition: form-data; name="a"\r\nX: ${'y'.repeat(9000)}`, /longer than/);
  await refused('--b\r\nContent-Disposition: form-data; name="a"\r\nContent-Transfer-Encoding: base64\r\n\r\nMQ==\r\n--b--', /Transfer-Encoding/);
  assert.throws(() => delimiterOf('multipart/form-data'), /boundary/);
});
