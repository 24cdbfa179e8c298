import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { escapeFormula, unescapeFormula } from '../../../domain/export/formula.ts';

const STARTS = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

test('what a spreadsheet may run as a formula gets an apostrophe, and an import takes it off again', () => {
  for (const start of STARTS)
    for (const text of [start, `${start}1+1`, `'${start}1`, `''${start}`, `${start}=1`]) {
      assert.equal(escapeFormula(text), `'${text}`);
      assert.equal(unescapeFormula(escapeFormula(text)), text);
    }
});

test('other texts stay', () => {
  for (const text of ['', 'a=1', "'", "'a", ' =1', '1－2', 'a\n=1', 'ａ＝'])
    assert.deepEqual([escapeFormula(text), unescapeFormula(text)], [text, text]);
});
