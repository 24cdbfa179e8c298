import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { test } from '@jest/globals';
import { pushScriptOutputs } from '../../../clients/push-scripts.ts';
import { scriptFor } from '../../../api/route/script-reply.ts';

const clients = join(import.meta.dirname, '../../../clients');
const MAX_GZIPPED_BYTES = 6 * 1024;

test('the push scripts that are served are those of their sources: run `npm run clients`', async () => {
  for (const [path, text] of Object.entries(await pushScriptOutputs()))
    assert.ok((await readFile(join(clients, path), 'utf8').catch(() => '')) === text, `${path} is not built anew`);
});

test('they are small, set no cookie, and do nothing that a strict policy forbids', async () => {
  const codes = Object.values(await pushScriptOutputs());
  const bytes = codes.reduce((sum, code) => sum + gzipSync(code).length, 0);
  assert.ok(bytes > 500 && bytes <= MAX_GZIPPED_BYTES, `${bytes} bytes`);
  for (const code of codes)
    assert.doesNotMatch(code, /cookie|innerHTML|document\.write|\beval\(|new Function|\bimport\b|\brequire\(/);
});

test('values in a script are values, whatever they contain', () => {
  const value = { a: '</script><script>alert(1)</script>', b: '\u2028"\'' };
  const { code } = scriptFor({ code: Buffer.from('globalThis.found=V;'), gzipped: Buffer.alloc(0) }, { V: value });
  assert.ok(!code.toString().includes('</script'));
  const scope: { found?: unknown } = {};
  // eslint-disable-next-line @typescript-eslint/no-implied-eval -- what a browser does with it
  new Function('globalThis', code.toString())(scope);
  assert.deepEqual(scope.found, value);
});
