import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { fileRules } from '../../../api/forms/submission-files.ts';
import type { FormField } from '../../../db/entities/forms.ts';

const MIB = 1024 ** 2;
const fields = (count: number): FormField[] =>
  Array.from({ length: count }, (_, n) => ({ name: `file${n}`, type: 'file' }) as FormField);

test('files may take five minutes, or what the largest ones take on a slow line, but no more than nine', () => {
  assert.equal(fileRules(fields(1), 10 * MIB).withinMs, 300_000);
  const { withinMs, bytes } = fileRules(fields(10), 10 * MIB);
  assert.equal(bytes, 200 * MIB);
  assert.equal(withinMs, 540_000);
  assert.equal(Math.round(fileRules(fields(5), 10 * MIB).withinMs! / 60_000), 7);
});
