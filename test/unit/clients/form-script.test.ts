import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { test } from '@jest/globals';
import { formScriptOutputs } from '../../../clients/form-script.ts';

const clients = join(import.meta.dirname, '../../../clients');
const bundles = join(import.meta.dirname, '../../../api/forms/bundles');
const MAX_GZIPPED_BYTES = 15 * 1024;

test('the script that is served is that of its sources: run `npm run clients`', async () => {
  for (const [path, text] of Object.entries(await formScriptOutputs()))
    assert.ok((await readFile(join(clients, path), 'utf8').catch(() => '')) === text, `${path} is not built anew`);
});

test('the script is small, and does nothing that a strict policy of a page forbids', async () => {
  const [code = ''] = Object.values(await formScriptOutputs());
  const bytes = gzipSync(code, { level: 9 }).length;
  assert.ok(bytes > 1000 && bytes <= MAX_GZIPPED_BYTES, `${bytes} bytes`);
  assert.doesNotMatch(
    code,
    /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|cssText|\bstyle:/,
  );
  assert.doesNotMatch(code, /\bimport\b|\brequire\(/);
});

test('a script of a page never changes: its name is the hash of its content', async () => {
  const names = (await readdir(bundles)).filter((name) => name !== 'current');
  assert.ok(names.length > 0);
  for (const name of names) {
    const hash = createHash('sha384')
      .update(await readFile(join(bundles, name)))
      .digest('hex');
    assert.equal(name, `form-${hash.slice(0, 16)}.js`);
  }
});
