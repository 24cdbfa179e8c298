import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { test } from '@jest/globals';
import { judgeContent } from '../../../../domain/forms/files/judge-content.ts';
import { HTML, PDF, PNG, PROGRAM, SVG, zipOf } from '../../../support/sample-files.ts';

/** The content in pieces of `size` bytes. */
async function* pieces(content: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size);
}
const typeOf = async (content: Buffer | string, size = 512 * 1024): Promise<string> =>
  (await judgeContent(pieces(Buffer.from(content), size))).mediaType;

test('a signature tells what a file is', async () => {
  const docx = await zipOf({
    '[Content_Types].xml': `<Override ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/>`,
    'word/document.xml': '<w/>',
  });
  const found = await Promise.all(
    [
      PNG,
      PDF,
      PROGRAM,
      Buffer.from('\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0'),
      Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46]),
      gzipSync('anything'),
      await zipOf({ 'a.txt': 'a' }),
      docx,
      Buffer.from('{\\rtf1 text}'),
      Buffer.from('BEGIN:VCARD\r\nEND:VCARD'),
    ].map((content) => typeOf(content)),
  );
  assert.deepEqual(found, [
    'image/png',
    'application/pdf',
    'application/x-msdownload',
    'application/x-elf',
    'image/jpeg',
    'application/gzip',
    'application/zip',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    'application/rtf',
    'text/vcard',
  ]);
});

test('text is plain, unless a browser would see a page in it', async () => {
  const plain = [
    'Grüße',
    '\ufeffname;age\r\nA;1',
    '1 < 2 and a<b, c>d',
    '# Title\n\nSome `<b>` text, <br> and <img src=x>',
    '{"a": "</b>"}',
    // What starts like a bitmap, a program, a picture, a recording.
    'BMW is a maker of cars',
    'MZ',
    'GIF89a',
    'FORM 7',
    'ID3 is a format of tags',
  ];
  for (const text of plain) assert.equal(await typeOf(text), 'text/plain', text);
  const pages = [
    HTML,
    '<html>',
    ' \n\t<!-- a -- b --><p >hi',
    '<!--',
    '\ufeff<script src=x>',
    'hello <SCRIPT>alert(1)</SCRIPT>',
    'hello <img src=x\nonerror = alert(1)>',
    '<a\nhref=x>',
    '<?xml version="1.0"?><x:html xmlns:x="http://www.w3.org/1999/xhtml"/>',
    'text <svg/onload=alert(1)>',
  ];
  for (const text of pages) assert.equal(await typeOf(text), 'text/html', String(text));
  for (const text of [SVG, '<svg>', '<!DOCTYPE svg PUBLIC "x" "y"><svg/>', '<!-- a --><svg\nxmlns="x"/>'])
    assert.equal(await typeOf(text), 'image/svg+xml', String(text));
  assert.equal(await typeOf('<?xml version="1.0"?><feed/>'), 'application/xml');
});

test('the rest is of no known type', async () => {
  for (const bytes of [
    Buffer.from('caf\xe9', 'latin1'),
    Buffer.from('<html>caf\xe9', 'latin1'),
    Buffer.from('text\0'),
    Buffer.from([1, 2, 3]),
    // A character that is cut off.
    Buffer.from('ü').subarray(0, 1),
  ])
    assert.equal(await typeOf(bytes), 'application/octet-stream', bytes.toString('hex'));
});

test('it does not matter where a file is cut into pieces', async () => {
  const text = Buffer.from(`${'ü'.repeat(700)}<script>${'ü'.repeat(700)}`);
  const far = Buffer.from(`${'-'.repeat(700_000)}<iframe src=x>`);
  for (const size of [1, 7, 1401, 1403]) assert.equal(await typeOf(text, size), 'text/html', String(size));
  for (const size of [350_003, 700_003]) assert.equal(await typeOf(far, size), 'text/html', String(size));
  assert.equal(await typeOf('ü'.repeat(1000), 3), 'text/plain');
  const { sha256 } = await judgeContent(pieces(far, 1000));
  assert.equal(sha256, createHash('sha256').update(far).digest('hex'));
});

test('a bomb is not opened, and nothing makes a judgement slow', async () => {
  const zeros = Buffer.alloc(50 * 1024 * 1024);
  assert.equal(await typeOf(gzipSync(zeros)), 'application/gzip');
  assert.equal(await typeOf(await zipOf({ zeros })), 'application/zip');
  // A quadratic search in one of these would take longer than this test may.
  for (const part of ['<a ', '<!--', ' on', '<a onaaa', '<?', '<', ' \n', '<a\ton=', '-'])
    await typeOf(part.repeat(1024 ** 2 / part.length));
  assert.equal(await typeOf(`<a on${'a'.repeat(1024 ** 2)}`), 'text/html');
});
