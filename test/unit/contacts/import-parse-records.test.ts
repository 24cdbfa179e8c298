import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { parseRecords } from '../../../domain/contacts/import/csv/parse-records.ts';

/** The records as `cells|length`, and `refused` where there is one. */
function parsed(text: string, { encoding = 'utf-8', final = false } = {}): string[] {
  const { records, refused } = parseRecords(text, { encoding, delimiter: ',' }, final);
  return [...records.map(({ cells, length }) => `${cells.join('|')} ${length}`), ...(refused ? ['refused'] : [])];
}

test('csv-parse reads sound records, up to one that is not whole', () => {
  assert.deepEqual(parsed('a,b\n"c, ""d""",\r\n\re,f\nrest,'), ['a|b 4', 'c, "d"| 13', ' 1', 'e|f 4']);
  assert.deepEqual(parsed('a,b\nrest,', { final: true }), ['a|b 4', 'rest| 5']);
  for (const cut of ['b\r', '"b"', 'b', '"b', '"b""', 'b\n']) {
    assert.deepEqual(parsed(`a\n${cut}`), ['a 2'], JSON.stringify(cut));
  }
});

test('what csv-parse refuses for its quotes is told from what is not whole', () => {
  for (const refused of ['"b"c,d\n', '6" pipe\n', ' "b"\n', '"b" ,c\n']) {
    assert.deepEqual(parsed(`a\n${refused}e\n`), ['a 2', 'refused'], refused);
  }
  assert.deepEqual(parsed('a\n"b', { final: true }), ['a 2', 'refused']);
  assert.deepEqual(parsed('a\n"b"\0c\nd\n'), ['refused']);
});

test('lengths are in units of the encoding', () => {
  assert.deepEqual(parsed('\xc3\xa9,b\nc\n \n'), ['\xc3\xa9|b 5', 'c 2']);
  const encoding = 'utf-16le';
  assert.deepEqual(parsed('é💐\u2c2c\u0100,b\nc\n \n', { encoding }), ['é💐\u2c2c\u0100|b 8', 'c 2']);
  assert.deepEqual(parsed('💐\n💐\n\ud83d', { encoding }), ['💐 3']);
  assert.deepEqual(parsed('a\n\ud83d\n', { encoding }), ['refused']);
});
