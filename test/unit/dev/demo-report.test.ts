import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { atLeast, check, formatReport, progressOfImport } from '../../../dev/demo/report.ts';

test('what others do meanwhile spoils no figure that counts them too, and what is missing does', () => {
  const report = (found: number) => formatReport([atLeast('mails', found, 3), check('own mails', 3, 3)], {});
  assert.match(report(4), /✓ mails {6}4\n/);
  assert.match(report(2), /✗ mails {6}2 \(should be 3\)\n/);
});

test('an import that does not know yet how many rows there are says what it does', () => {
  assert.equal(progressOfImport({ processedRows: 0, totalRows: null }), 'reading the file');
  assert.equal(progressOfImport({ processedRows: 500, totalRows: 1000 }), 'imported 500 of 1000 rows');
});
