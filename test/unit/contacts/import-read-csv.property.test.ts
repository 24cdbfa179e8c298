import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import fc from 'fast-check';
import { collect, inPieces, readAll, readAsSecond, readBatches, readByPython } from './csv-support.ts';
import { encodingNamed } from '../../../domain/contacts/import/csv/encoding.ts';
import { readRows } from '../../../domain/contacts/import/csv/read-csv.ts';

const delimiter = fc.constantFrom(',', ';', '\t', '|');

/** Writes a table as spreadsheets do: quoted where it must be, and here and there where it need not; any line ends. */
function write(
  table: readonly (readonly string[])[],
  by: string,
  lineEnds: readonly string[],
  quoteAll: boolean,
): string {
  const cell = (text: string) =>
    quoteAll || text.includes(by) || /["\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  return table.map((row, n) => row.map(cell).join(by) + (lineEnds[n % lineEnds.length] ?? '\n')).join('');
}

const lineEnds = fc.array(fc.constantFrom('\n', '\r\n', '\r'), { minLength: 1, maxLength: 3 });
const unicode = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom(...'ab ,;|"\r\n\t\uFFFD\uFEFF\u2c2c\u222c\u0a0dé💐') }),
);
const decode1252 = new TextDecoder('windows-1252');
const western = fc.uint8Array({ min: 1, max: 255, maxLength: 20 }).map((bytes) => decode1252.decode(bytes));
const byteOf1252 = new Map(Array.from({ length: 256 }, (_, byte) => [decode1252.decode(Uint8Array.of(byte)), byte]));

const encodings: Record<string, { cell: fc.Arbitrary<string>; encode: (text: string) => Buffer }> = {
  'utf-8': { cell: unicode, encode: (text) => Buffer.from(text) },
  'utf-8 with a mark': { cell: unicode, encode: (text) => Buffer.from(`\uFEFF${text}`) },
  'utf-16le': { cell: unicode, encode: (text) => Buffer.from(`\uFEFF${text}`, 'utf16le') },
  'utf-16be': { cell: unicode, encode: (text) => Buffer.from(`\uFEFF${text}`, 'utf16le').swap16() },
  'windows-1252': {
    cell: western,
    encode: (text) => Buffer.from([...text].map((char) => byteOf1252.get(char) ?? assert.fail(char))),
  },
};

const sizes = fc.oneof(fc.constant([1]), fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 }));

for (const [name, { cell, encode }] of Object.entries(encodings)) {
  test(`any table written as CSV in ${name} reads back the same, however it is cut into pieces`, async () => {
    const columns = fc.integer({ min: 1, max: 4 });
    const tables = columns.chain((width) =>
      fc.array(
        fc.array(
          cell.filter((text) => !text.includes('\0') && text.isWellFormed()),
          { minLength: width, maxLength: width },
        ),
      ),
    );
    await fc.assert(
      fc.asyncProperty(tables, delimiter, lineEnds, fc.boolean(), sizes, async (table, by, ends, quoteAll, pieces) => {
        const header = ['email', 'b', 'c', 'd'].slice(0, table[0]?.length ?? 1);
        const file = encode(write([header, ...table], by, ends, quoteAll));
        const encoding = encodingNamed(name.split(' ')[0] ?? '') ?? assert.fail();
        const rows = await readAll(file, { delimiter: by, encoding, sizes: pieces, scanBytes: 1 });
        assert.deepEqual(
          rows.map(({ cells }) => cells),
          table.filter((row) => row.some((text) => text.trim() !== '')),
        );
        assert.ok(rows.every(({ faults }) => faults.length === 0));
      }),
      { numRuns: 500 },
    );
  });
}

// Pieces of CSV that are as likely broken as sound.
const scraps = [
  '"',
  '""',
  ',',
  ',',
  '\n',
  '\n',
  '\r',
  '\r\n',
  ' ',
  'a',
  'bc@example.com',
  '\0',
  '\xff',
  '\xc3\xa9',
  'x,y,z\n',
];
const wild = fc
  .array(fc.constantFrom(...scraps), { maxLength: 80 })
  .map((parts) => Buffer.from(parts.join(''), 'latin1'));

test('whatever the file holds, where it is cut changes nothing', async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom('email,b,c\n', 'email\n'), wild, sizes, async (header, scrap, pieces) => {
      const file = Buffer.concat([Buffer.from(header), scrap]);
      const options = { encoding: 'utf-8', delimiter: ',' };
      assert.deepEqual(await readAll(file, { ...options, sizes: pieces, scanBytes: 1 }), await readAll(file, options));
    }),
    { numRuns: 2_000 },
  );
});

test('whatever the file holds, reading from any chunk on gives the same', async () => {
  const chunkRows = fc.integer({ min: 1, max: 5 });
  const chunkBytes = fc.integer({ min: 5, max: 60 });
  await fc.assert(
    fc.asyncProperty(wild, chunkRows, chunkBytes, async (scrap, rowsOfChunk, bytesOfChunk) => {
      const file = Buffer.concat([Buffer.from('email,b,c\n'), scrap]);
      const format = { encoding: 'utf-8', delimiter: ',' };
      const limits = { chunkRows: rowsOfChunk, chunkBytes: bytesOfChunk };
      const batches = await readBatches(file, { ...format, ...limits });
      assert.deepEqual(
        batches.flatMap(({ rows }) => rows),
        await readAll(file, format),
      );
      for (const [done, { next }] of batches.entries()) {
        assert.deepEqual(await readBatches(file, { ...format, ...limits, from: next }), batches.slice(done + 1));
        const part = readRows(inPieces(file.subarray(next.offset)), {
          format,
          columns: 3,
          from: next,
          inputOffset: next.offset,
          ...limits,
        });
        assert.deepEqual(await collect(part), batches.slice(done + 1));
      }
    }),
    { numRuns: 500 },
  );
});

/** By the names of `encodings`: what Python calls them, and characters that are hard to get right in them. */
const codecs: Record<string, { codec: string; text: string[] }> = {
  'utf-8': { codec: 'utf-8', text: ['é', '💐'] },
  'utf-8 with a mark': { codec: 'utf-8', text: ['é', '💐'] },
  'utf-16le': { codec: 'utf-16-le', text: ['é', '💐', '\u2c2c\u0100', '\u0a22'] },
  'utf-16be': { codec: 'utf-16-be', text: ['é', '💐', '\u012c\u0a00'] },
  'windows-1252': { codec: 'cp1252', text: ['é', '€'] },
};
/** Sound and broken files. Without blanks around quotes, for which Python has another rule. */
const anyFile = fc.tuple(fc.constantFrom(...Object.keys(codecs)), delimiter).chain(([name, by]) => {
  const { codec, text } = codecs[name]!;
  const sound = [`x${by}y${by}z\n`, `"x"${by}"y""${by}\r\n"${by}\r`, '"b"'];
  const scrap = fc.constantFrom('"', '""', by, by, by, '\n', '\r\n', '\r', 'a', 'b c', ...sound, ...text);
  return fc.array(scrap, { maxLength: 60, size: 'max' }).map((parts) => {
    const file = `email${by}b${by}c\n${parts.join('')}`;
    return { file, encoding: name.split(' ')[0]!, codec, delimiter: by, bytes: encodings[name]!.encode(file) };
  });
});

test('Python’s csv module reads the same rows, sound and broken', async () => {
  const files = fc.sample(anyFile, 2_000);
  const count: Record<string, number> = {};
  for (const [n, expected] of readByPython(files).entries()) {
    const { bytes, file, ...options } = files[n]!;
    assert.deepEqual(await readAsSecond(bytes, options), expected, JSON.stringify({ file, ...options }));
    for (const [, , , fault] of expected) count[fault ?? 'sound'] = (count[fault ?? 'sound'] ?? 0) + 1;
  }
  for (const kind of ['sound', 'surplus_cells', 'malformed_quote', 'unclosed_quote']) {
    assert.ok((count[kind] ?? 0) > 100, `few rows of a kind: ${JSON.stringify(count)}`);
  }
});

test('rows beyond the limits read the same in any pieces', async () => {
  const long = (n: number) => 'x'.repeat(n);
  const lines = 'two, words\n'.repeat(120_000);
  const parts = [
    `"${long(1_048_570)}",y,z\n`,
    `${long(1_048_574)},\n`,
    `"${lines}",b,c\n`,
    `a,"${long(70_000)}""`,
    '1,2,3\n',
    `"${long(500_000)}\n${long(600_000)}",2,3\n4,5,6\r`,
  ];
  for (const order of [parts, parts.toReversed()]) {
    const file = Buffer.from(`email,b,c\n${order.join('')}`);
    const options = { encoding: 'utf-8', delimiter: ',', chunkRows: 2 };
    const batches = await readBatches(file, { ...options, sizes: [file.length] });
    for (const pieces of [[65_536], [1_000, 7], [1_048_577]]) {
      assert.deepEqual(await readBatches(file, { ...options, sizes: pieces, scanBytes: 1_000 }), batches);
    }
    for (const [done, { next }] of batches.entries())
      assert.deepEqual(await readBatches(file, { ...options, from: next }), batches.slice(done + 1));
  }
});
