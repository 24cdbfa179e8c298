import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from '@jest/globals';
import { visitScriptOutputs } from '../../../clients/visit-script.ts';

const clients = join(import.meta.dirname, '../../../clients');
const MAX_BYTES = 3 * 1024;

test('the visit script that is served is that of its sources: run `npm run clients`', async () => {
  for (const [path, text] of Object.entries(await visitScriptOutputs()))
    assert.ok((await readFile(join(clients, path), 'utf8').catch(() => '')) === text, `${path} is not built anew`);
});

test('it is small, also without compression, sets no cookie, and does nothing that a strict policy forbids', async () => {
  const [code = ''] = Object.values(await visitScriptOutputs());
  const bytes = Buffer.byteLength(code);
  assert.ok(bytes > 500 && bytes <= MAX_BYTES, `${bytes} bytes`);
  assert.doesNotMatch(code, /cookie|innerHTML|document\.write|\beval\(|new Function|\bimport\b|\brequire\(/);
});
