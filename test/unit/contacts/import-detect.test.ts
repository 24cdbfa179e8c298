import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from '@jest/globals';
import { gzipSync } from 'node:zlib';
import { detectFormat, HEAD_BYTES } from '../../../domain/contacts/import/csv/detect.ts';
import { headOf, inspect, refusals } from './csv-support.ts';

const TEXT = 'email,firstName,lastName\njose@example.com,José,Muñoz\nzoe@example.com,Zoë,Weiß\n';
const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16();

function detect(bytes: string | Buffer, options = {}): string {
  const found = detectFormat(headOf(Buffer.from(bytes)), options);
  return 'code' in found ? `! ${found.code}` : `${found.encoding} ${found.delimiter} ${found.bomBytes}`;
}

test('encodings are told by their mark, by their bytes, or by the option', () => {
  const cases: [Buffer, string][] = [
    [Buffer.from(TEXT), 'utf-8 , 0'],
    [Buffer.from(`\uFEFF${TEXT}`), 'utf-8 , 3'],
    [Buffer.from(`\uFEFF${TEXT}`, 'utf16le'), 'utf-16le , 2'],
    [utf16be(`\uFEFF${TEXT}`), 'utf-16be , 2'],
    [Buffer.from(TEXT, 'utf16le'), 'utf-16le , 0'],
    [utf16be(TEXT), 'utf-16be , 0'],
    [Buffer.from(TEXT, 'latin1'), 'windows-1252 , 0'],
    [Buffer.from('email\nann@example.com\n'), 'utf-8 , 0'],
  ];
  for (const [bytes, expected] of cases) assert.equal(detect(bytes), expected);
  assert.equal(detect(Buffer.from(TEXT, 'latin1'), { encoding: 'ISO-8859-2' }), 'iso-8859-2 , 0');
  assert.equal(detect(Buffer.from(TEXT, 'latin1'), { encoding: 'utf8' }), 'utf-8 , 0');
  assert.equal(detect(TEXT, { encoding: 'latin1' }), 'windows-1252 , 0');
  for (const encoding of ['utf-7', 'shift_jis', 'gbk', 'replacement', '', '__proto__']) {
    assert.equal(detect(TEXT, { encoding }), '! invalid_option', encoding);
  }
});

test('bad bytes do not make a UTF-8 file a Windows-1252 one', () => {
  assert.equal(detect(Buffer.concat([Buffer.from(TEXT), Buffer.from([0xe9, 0x2c])])), 'utf-8 , 0');
  assert.equal(
    detect(Buffer.concat([Buffer.from('email\na'), Buffer.from([0xff]), Buffer.from('b@example.com')])),
    'utf-8 , 0',
  );
  const cutInsideTheOnlyOne = `${'email\n'.padEnd(HEAD_BYTES - 1, 'x')}é`;
  assert.equal(detect(cutInsideTheOnlyOne), 'utf-8 , 0');
});

test('delimiters are told by how evenly they part the records, outside quotes, or by the option', () => {
  const cases: [string, string][] = [
    ['a,b\n1,2\n', ','],
    ['a;b\n"1,5";2\n"2,5";3\n', ';'],
    ['a\tb\n1, 2\t3\n', '\t'],
    ['a|b|c\n1|2|3\n', '|'],
    ['email\nann@example.com\n', ','],
    ['name, given;name, family;email\nA;B;c@example.com\nA, X;B;c@example.com\n', ';'],
    ['"a;b;c;d",email,x\n"1;2",2,3\n', ','],
    ['a;b', ';'],
    ['\n\n a;b\n', ';'],
    ['email,a;b;c;d\nx@example.com,1\ny@example.com,2\n', ','],
    ['a;b\n1;2\n3,"4', ';'],
  ];
  for (const [text, delimiter] of cases) assert.equal(detect(text), `utf-8 ${delimiter} 0`, text);
  assert.equal(detect('a,b;c\n', { delimiter: ';' }), 'utf-8 ; 0');
  assert.equal(detect('a,b\n', { delimiter: 'tab' }), 'utf-8 \t 0');
  assert.equal(detect('a,b\n', { delimiter: '\t' }), 'utf-8 \t 0');
  for (const delimiter of ['', ',,', '"', '\n', 'a', '1', '@', 'ä', '\0'])
    assert.equal(detect('a,b\n', { delimiter }), '! invalid_option', delimiter);
});

test('files that are no CSV are told so', () => {
  const pdf = Buffer.from('%PDF-1.7\n%âãÏÓ\n');
  for (const bytes of [
    gzipSync(TEXT),
    Buffer.from('PK\x03\x04rest', 'latin1'),
    Buffer.from('PK\x05\x06', 'latin1'),
    pdf,
  ]) {
    assert.equal(detect(bytes), '! binary_file');
    assert.deepEqual(refusals(bytes), ['binary_file']);
  }
  assert.equal(detect(Buffer.from(TEXT, 'utf16le'), { encoding: 'utf-8' }), '! binary_file');
  for (let n = 0; n < 50; n++) assert.notDeepEqual(refusals(randomBytes(4_096)), []);
  for (const empty of ['', ' \n\r\n\t', '\uFEFF', '\uFEFF\n'])
    assert.deepEqual(refusals(empty), ['empty_file'], JSON.stringify(empty));
});

test('inspection answers where the rows start', () => {
  assert.deepEqual(inspect('email,firstName\nx').from, { chunk: 0, row: 2, offset: 16 });
  assert.deepEqual(inspect('\uFEFF\r\n\r\nemail\r\nx').from, { chunk: 0, row: 4, offset: 14 });
  assert.deepEqual(inspect(Buffer.from('\uFEFFemail\rx', 'utf16le')).from, { chunk: 0, row: 2, offset: 14 });
  assert.deepEqual(inspect('email').from, { chunk: 0, row: 2, offset: 5 });
  assert.deepEqual(inspect('"e\nmail",x\nx').plan.headers, ['e\nmail', 'x']);
});

test('a header that can not be read is told so', () => {
  assert.deepEqual(refusals('email,"first\nx@example.com'), ['invalid_header']);
  assert.deepEqual(refusals('email,"first"name\n'), ['invalid_header']);
  assert.deepEqual(refusals(Buffer.from('email,pr\xffnom\nx\n', 'latin1')), ['invalid_header']);
  assert.deepEqual(refusals(`email,${'x'.repeat(300_000)}\n`), ['invalid_header']);
});
