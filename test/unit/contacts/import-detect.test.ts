import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { test } from '@jest/globals';
import { gzipSync } from 'node:zlib';
import { detectFormat, HEAD_BYTES } from '../../../domain/contacts/import/csv/detect.ts';
import { judgeEncoding } from '../../../domain/contacts/import/csv/judge-encoding.ts';
import { brief, headOf, inspect, readAll, refusals } from './csv-support.ts';

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
  for (const encoding of ['utf-7', 'iso-2022-jp', 'replacement', '', '__proto__']) {
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

test('a line that tells the delimiter is not the header', () => {
  for (const [text, from] of [
    ['sep=;\nemail;a,b,c\nx', { chunk: 0, row: 3, offset: 18 }],
    ['sep=;\r\nemail;a,b,c\r\nx', { chunk: 0, row: 3, offset: 20 }],
    ['\uFEFF"sep=;"\nemail;a\n', { chunk: 0, row: 3, offset: 19 }],
  ] as const) {
    const { plan, format, from: start } = inspect(text);
    assert.equal(plan.headers[0], 'email');
    assert.deepEqual([format.delimiter, start], [';', from], JSON.stringify(text));
  }
  assert.equal(inspect('sep=\t\nemail\ta;b\n').format.delimiter, '\t');
  assert.deepEqual(refusals('sep=x\nemail\n'), ['invalid_option']);
});

test('addresses alone need no header', () => {
  const { plan, from, warnings } = inspect('ann@example.com\nbo@example.com\n');
  assert.deepEqual([plan.columns[0]?.field, from.row, from.offset], ['email', 1, 0]);
  assert.deepEqual(
    warnings.map(({ code }) => code),
    ['no_header'],
  );
});

/** Bytes of a text in an encoding that Node only decodes. */
function encode(text: string, encoding: string): Buffer {
  const codec = encoding.replace('windows-', 'cp').replace('shift_jis', 'cp932');
  const script = 'import sys; sys.stdout.buffer.write(sys.stdin.buffer.read().decode("utf-8").encode(sys.argv[1]))';
  return execFileSync('python3', ['-c', script, codec], { input: text });
}

const NAMES: Record<string, string> = {
  'windows-1252': 'Jörg;Müller Hélène;Lefèvre José;Muñoz Søren;Jørgensen',
  'windows-1250': 'Łukasz;Wiśniewski Małgorzata;Dąbrowska Stanisław;Wójcik',
  'windows-1251': 'Иван;Петров Мария;Сидорова Алексей;Кузнецов',
  shift_jis: '花子;佐藤 一郎;鈴木 さくら;髙橋',
  gbk: '芳;王 伟;李 秀英;张',
};

test('other encodings are judged by the text', () => {
  const files: [encoding: string, text: string][] = [
    ...Object.entries(NAMES).map(([encoding, names]): [string, string] => [
      encoding,
      `email;firstName;lastName\n${names
        .split(' ')
        .map((name, n) => `a${n}@example.com;${name}\n`)
        .join('')}`,
    ]),
    [
      'windows-1250',
      'email;firstName;lastName\na@example.com;Jiří;Dvořák\nb@example.com;Lucie;Kučerová\nc@example.com;Tomáš;Němec\n',
    ],
    ['windows-1250', 'email;firstName\na@example.com;Wiśniewski\n'],
    ['windows-1252', 'email;firstName\na@example.com;Ibáñez\n'],
    ['windows-1252', 'email;company\na@example.com;Smith’s “Garage”\n'],
    ['windows-1254', 'email;firstName;lastName\na@example.com;Ayşe;Yılmaz\nb@example.com;Çağlar;Şahin\n'],
    ['shift_jis', '姓,名,メールアドレス\n佐藤,花子,h@example.com\n'],
    ['gbk', '姓,名,邮箱\n王,芳,h@example.com\n'],
  ];
  for (const [encoding, text] of files) {
    const { format, warnings } = inspect(encode(text, encoding));
    assert.equal(format.encoding, encoding, text);
    assert.deepEqual(
      warnings.map(({ code }) => code),
      ['encoding_judged'],
    );
  }
});

test('an encoding that the text does not tell is asked for', () => {
  const bytes = Buffer.from('email,name\na@example.com,\xc5\xb1\n', 'latin1');
  const judged = judgeEncoding({ bytes, complete: true }, () => false);
  assert.ok(typeof judged === 'object' && judged.code === 'unknown_encoding', JSON.stringify(judged));
  assert.match(judged.message, /give `encoding`, perhaps shift_jis, gbk/);
  const file = encode('email,name\na@example.com,花子\n', 'shift_jis');
  assert.equal(inspect(file, { encoding: 'Shift_JIS' }).format.encoding, 'shift_jis');
  assert.deepEqual(refusals(file, { encoding: 'shift_jis', delimiter: '|' }), ['invalid_option']);
});

test('bytes of characters are no delimiters or quotes', async () => {
  // The second byte of these is |, \\, @ or a digit.
  const cells = ['ポソ構', '表示', 'ァ', '"引用, 符"'];
  const rows = await readAll(encode(`email,a,b,c,d\nx@example.com,${cells.join(',')}\n`, 'shift_jis'), {
    encoding: 'shift_jis',
  });
  assert.deepEqual(rows.map(brief), [['x@example.com', 'ポソ構', '表示', 'ァ', '引用, 符']]);
});
