import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { brief, collect, inPieces, inspect, readAll, readBatches } from './csv-support.ts';
import { readRows } from '../../../domain/contacts/import/csv/read-csv.ts';

const bytes = (text: string) => Buffer.from(text, 'latin1');

/** The rows of a file under the header `a,email,c`, read whole and in small pieces, which must not differ. */
async function rowsOf(body: string | Buffer): Promise<(readonly string[] | string)[]> {
  const file = Buffer.concat([Buffer.from('a,email,c\n'), Buffer.from(body)]);
  const whole = await readAll(file, { encoding: 'utf-8', delimiter: ',' });
  const pieces = file.length < 10_000 ? { sizes: [1], scanBytes: 1 } : { sizes: [4_093], scanBytes: 50_000 };
  assert.deepEqual(await readAll(file, { encoding: 'utf-8', delimiter: ',', ...pieces }), whole);
  return whole.map(brief);
}

test('sound rows', async () => {
  const cases: [string, string[][]][] = [
    [
      '1,2,3\n4,5,6',
      [
        ['1', '2', '3'],
        ['4', '5', '6'],
      ],
    ],
    [
      '1,2,3\r4,5,6\r\n7,8,9\n10,11,12\r',
      [
        ['1', '2', '3'],
        ['4', '5', '6'],
        ['7', '8', '9'],
        ['10', '11', '12'],
      ],
    ],
    [
      '\n\r\n  \n1,2,3\n\n,\u3000,\n" ",\t,\n4,5,6\n\n',
      [
        ['1', '2', '3'],
        ['4', '5', '6'],
      ],
    ],
    ['"1,\n""x""",2,"3\r\n"\n', [['1,\n"x"', '2', '3\r\n']]],
    ['"",x,""""\n', [['', 'x', '"']]],
    ['1, "2, 3" ,"4"\t\n', [['1', '2, 3', '4']]],
    ['6" pipe,a "b" c,  x  \n', [['6" pipe', 'a "b" c', '  x  ']]],
    ['1\n1,2\n', [['1'], ['1', '2']]],
    [
      '1,2,3,\n1,2,3, ,""\n',
      [
        ['1', '2', '3', ''],
        ['1', '2', '3', ' ', ''],
      ],
    ],
    ['=1+1,\uFFFD,💐\n', [['=1+1', '\uFFFD', '💐']]],
    ['1,2,"3"', [['1', '2', '3']]],
  ];
  for (const [body, expected] of cases) assert.deepEqual(await rowsOf(body), expected, JSON.stringify(body));
});

test('a bad row is told by its fault, and the rows around it are read', async () => {
  const cases: [Buffer | string, string][] = [
    ['1,2,3,4', 'row:surplus_cells'],
    ['1,2,3,,,4', 'row:surplus_cells'],
    ['1,a\0b,3', '1:invalid_character'],
    ['\0,2,"\0"', '0:invalid_character 2:invalid_character'],
    [bytes('1,\xff,\xc3('), '1:invalid_encoding 2:invalid_encoding'],
    [bytes('\xed\xa0\x80,\xc0\x80,\xf4\x90\x80\x80'), '0:invalid_encoding 1:invalid_encoding 2:invalid_encoding'],
    [bytes('\xa0,,'), '0:invalid_encoding'],
    [bytes('\xff,\0,3,4'), '0:invalid_encoding 1:invalid_character row:surplus_cells'],
    [`1,${'x'.repeat(65_537)},3`, '1:cell_too_long'],
    [`1,"${'x\n'.repeat(40_000)}",3`, '1:cell_too_long'],
    [`1,"${'x'.repeat(1_100_000)}",3`, 'row:cell_too_long'],
    [`1,${'x'.repeat(1_100_000)},3`, 'row:cell_too_long'],
    ['1,'.repeat(600_000), 'row:row_too_long'],
    ['1,"2"3,4', 'row:malformed_quote'],
    ['"He said "hi"",2,3', 'row:malformed_quote'],
    ['1,"2', 'row:unclosed_quote'],
    ['1,2,"', 'row:unclosed_quote'],
    ['"1,2,3', 'row:unclosed_quote'],
    [`1,"${'a line of text, with a comma\n'.repeat(100_000)}",3`, 'row:cell_too_long'],
    [`1,"${'a line of ""text"", with a comma\n'.repeat(100_000)}",3`, 'row:cell_too_long'],
    [`1,"${'a line of text, with a comma\n'.repeat(100_000)}`, 'row:unclosed_quote'],
  ];
  for (const [bad, expected] of cases) {
    const name = `${expected}: ${String(bad).slice(0, 30)}`;
    assert.deepEqual(
      await rowsOf(Buffer.concat([Buffer.from('0,0,0\n'), Buffer.from(bad)])),
      [['0', '0', '0'], expected],
      `${name} (at the end)`,
    );
    const within = Buffer.concat([Buffer.from('0,0,0\r\n'), Buffer.from(bad), Buffer.from('\r\n7,8,9\n"x",y,z\n')]);
    const [before, fault, ...after] = await rowsOf(within);
    assert.deepEqual(
      [before, ...after],
      [
        ['0', '0', '0'],
        ['7', '8', '9'],
        ['x', 'y', 'z'],
      ],
      name,
    );
    // Where the file goes on, quotes are not unclosed: they close in a wrong place.
    assert.ok(
      fault === expected || (expected === 'row:unclosed_quote' && fault === 'row:malformed_quote'),
      `${name}: ${String(fault)}`,
    );
  }
});

test('cells at their limit are read', async () => {
  const cell = 'x'.repeat(65_536);
  assert.deepEqual(await rowsOf(`${cell},"${cell}",3\n`), [[cell, cell, '3']]);
});

test('an unclosed quote costs its own row, and what lies up to the next sound row', async () => {
  const lines = Array.from({ length: 200_000 }, (_, n) => `${n},${n}@example.com,"x, ${n}"`);
  lines[2] = '2,"2@example.com,x';
  const rows = await readAll(`a,email,c\n${lines.join('\n')}`);
  assert.equal(rows.length, 200_000);
  assert.deepEqual(
    rows.filter(({ faults }) => faults.length > 0).map(({ row }) => row),
    [4],
  );
  assert.deepEqual(rows[2]?.cells, ['2,"2@example.com,x\n']);
  assert.deepEqual(rows[3]?.cells, ['3', '3@example.com', 'x, 3']);

  const plain = lines.map((line) => line.replaceAll('"x, ', '').replace(/"$/, ''));
  const again = await readAll(`a,email,c\n${plain.join('\n')}`);
  assert.deepEqual(
    [again.length, again.filter(({ faults }) => faults.length > 0).map(brief)],
    [200_000, ['row:unclosed_quote']],
  );
});

test('an unclosed quote on row 3 of a million costs that row', async () => {
  const ROWS = 1_000_000;
  async function* file() {
    for (let n = 0; n < ROWS; n += 1000) {
      yield Buffer.from(
        Array.from({ length: 1000 }, (_, i) => `${n + i === 2 ? '"' : ''}${n + i},p${n + i}@example.com,x\n`).join(''),
      );
    }
  }
  const { format, cells, from } = inspect('a,email,c\n');
  let [sound, last] = [0, ''];
  const broken: string[] = [];
  for await (const { rows } of readRows(file(), { format, columns: cells, from: { ...from, offset: 0 } })) {
    for (const row of rows) {
      if (row.faults.length > 0) broken.push(`${row.row} ${row.faults[0]!.code} ${row.cells.join()}`);
      else sound += 1;
      last = row.cells[1]!;
    }
  }
  assert.deepEqual(
    [sound, last, broken],
    [ROWS - 1, `p${ROWS - 1}@example.com`, ['4 unclosed_quote "2,p2@example.com,x\n']],
  );
});

test('no piece of a broken note is taken for a row', async () => {
  const note = '1,ann@example.com,"She "said:\nbob@example.com\n\n,eve@example.com\n"done\n2,joe@example.com,x\n';
  const rows = await rowsOf(note);
  assert.deepEqual(rows, ['row:malformed_quote', ['2', 'joe@example.com', 'x']]);
});

test('what has to be looked at twice is not looked at over and over', async () => {
  const notes: [string, string, string][] = [
    // Each line opens a quote that the next one closes, to open another.
    ['', 'x","x\n', 'row:cell_too_long'],
    ['"a"b\n', 'a line of text\n', 'row:malformed_quote'],
    ['', '"a"b\n', 'row:malformed_quote'],
  ];
  for (const [first, line, fault] of notes) {
    const rows = await readAll(`a,email,c\n${first}${line.repeat(4_000_000 / line.length)}1,2,3\n`);
    assert.deepEqual(rows.map(brief), [fault, ['1', '2', '3']], line);
  }
  const odd = ['1, "2" ,3\n', '6" pipe,2,3\n', '1,2\n'];
  const rows = await readAll(`a,email,c\n${odd.join('').repeat(20_000)}`);
  assert.equal(rows.length, 60_000);
  const expected = [
    ['1', '2', '3'],
    ['6" pipe', '2', '3'],
    ['1', '2'],
  ];
  for (const [n, row] of rows.entries()) assert.deepEqual(row.cells, expected[n % 3]);
});

test('a field of 50 MB is one bad row, in flat memory', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const used = () => {
    // The second one ends the sweep of array buffers that the first leaves to another thread.
    collectGarbage();
    collectGarbage();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  const before = used();
  let held = 0;
  async function* file() {
    yield Buffer.from('a,email,c\n1,2,3\n4,"');
    for (let n = 0; n < 800; n++) yield Buffer.alloc(65_536, 'x');
    held = used() - before;
    yield Buffer.from('",6\n7,8,9\n');
  }
  const { format, cells, from } = inspect('a,email,c\n');
  const batches = await collect(readRows(file(), { format, columns: cells, from }));
  assert.deepEqual(
    batches.flatMap(({ rows }) => rows.map(brief)),
    [['1', '2', '3'], 'row:cell_too_long', ['7', '8', '9']],
  );
  assert.equal(batches.at(-1)?.endOffset, 16 + 3 + 800 * 65_536 + 10);
  assert.ok(held < 8 * 2 ** 20, `${held} bytes held`);
});

test('rows with faults can be stored: no NUL, no lone surrogates, no more than 64 KiB of a cell', async () => {
  const [nul, bad, long, broken] = await readAll(
    Buffer.concat([
      Buffer.from('email,x\na\0b,2\n'),
      bytes('\xff,"\0"\n'),
      Buffer.from(`${'x'.repeat(70_000)},1\n"a"b\0,${'y'.repeat(70_000)}`),
    ]),
  );
  assert.deepEqual(nul?.cells, ['a\uFFFDb', '2']);
  assert.deepEqual(bad?.cells, ['\uFFFD', '\uFFFD']);
  assert.deepEqual(long?.cells, ['x'.repeat(65_536), '1']);
  assert.equal(broken?.cells[0]?.length, 65_536);
  assert.ok(broken?.cells[0]?.startsWith('"a"b\uFFFD,yy'));
  const [surrogate, odd] = await readAll(
    Buffer.concat([Buffer.from('\uFEFFemail\na\ud800b\nxy', 'utf16le'), Buffer.from('z')]),
  );
  assert.deepEqual([surrogate?.cells, surrogate && brief(surrogate)], [['a\uFFFDb'], '0:invalid_encoding']);
  assert.deepEqual([odd?.cells, odd && brief(odd)], [['xy\uFFFD'], '0:invalid_encoding']);
});

test('rows are numbered as a spreadsheet shows them', async () => {
  const rows = await readAll('\n\nemail,x\n1,2\n\n\n"3\n\n",4\n,\n5,"6\n7,8');
  assert.deepEqual(
    rows.map(({ row, cells }) => [row, cells[0]]),
    [
      [4, '1'],
      [7, '3\n\n'],
      [9, '5,"6\n'],
      [10, '7'],
    ],
  );
  for (const sizes of [[1], [100]]) {
    const broken = await readAll('email\n"a"b\r\nx\r\n', { sizes, scanBytes: 1 });
    assert.deepEqual(
      broken.map(({ row, cells }) => [row, cells[0]]),
      [
        [2, '"a"b\r\n'],
        [3, 'x'],
      ],
    );
  }
});

test('chunks end after so many rows or bytes, and know where the next one starts', async () => {
  const file = `email\n${Array.from({ length: 7 }, (_, n) => `${n}@example.com\n`).join('')}\n\n`;
  const byRows = await readBatches(file, { chunkRows: 3 });
  assert.deepEqual(
    byRows.map(({ chunk, firstRow, rows, endOffset }) => [chunk, firstRow, rows.length, endOffset]),
    [
      [0, 2, 3, 48],
      [1, 5, 3, 90],
      [2, 8, 1, 104],
    ],
  );
  assert.deepEqual(byRows[0]?.next, { chunk: 1, row: 5, offset: 48 });
  const byBytes = await readBatches(file, { chunkBytes: 28 });
  assert.deepEqual(
    byBytes.map(({ rows }) => rows.length),
    [2, 2, 2, 1],
  );
  assert.deepEqual(await readBatches('email\n'), []);
  assert.deepEqual(await readBatches(file, { from: { chunk: 3, row: 9, offset: 104 } }), []);
});

test('a chunk can be read from a part of the file', async () => {
  const file = Buffer.from(`email,x\n${Array.from({ length: 20 }, (_, n) => `${n}@example.com,"a\n${n}"\n`).join('')}`);
  const batches = await readBatches(file, { chunkRows: 6 });
  const { format, cells } = inspect(file);
  const from = batches[1]?.next ?? assert.fail();
  const part = readRows(inPieces(file.subarray(from.offset - 5), [7]), {
    format,
    columns: cells,
    from,
    inputOffset: from.offset - 5,
    chunkRows: 6,
  });
  assert.deepEqual(await collect(part), batches.slice(2));
});

test('an error of the input is the reader’s', async () => {
  const { format, cells, from } = inspect('email\n');
  async function* cut() {
    yield Buffer.from('email\na@example.com\n');
    throw new Error('connection lost');
  }
  await assert.rejects(collect(readRows(cut(), { format, columns: cells, from })), /connection lost/);
});
