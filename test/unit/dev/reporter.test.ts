import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { tempDir } from './temp-dir.ts';

const reporter = resolve(import.meta.dirname, '..', '..', 'reporter.ts');

/** Runs Node's test runner with our reporter over one file of this content. */
function report(content: string) {
  const dir = tempDir();
  writeFileSync(join(dir, 'it.test.mjs'), content);
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const counts = join(dir, 'counts.json');
  const args = ['--test', `--test-reporter=${reporter}`, 'it.test.mjs'];
  const { stdout } = spawnSync(process.execPath, args, { cwd: dir, env: { ...env, PERENNIAL_TEST_COUNTS: counts }, encoding: 'utf8' });
  return { stdout, counts: JSON.parse(readFileSync(counts, 'utf8')) as { passed: number; failed: number } };
}

const IMPORTS = "import { test, describe, it, before } from 'node:test'; import assert from 'node:assert';";

test('a file that passes is one line, and what it printed is not shown', () => {
  const { stdout, counts } = report(`${IMPORTS} console.log('noise'); describe('s', () => { it('a', () => {}); it('b', () => {}); });`);
  assert.match(stdout, /^✓ it\.test\.mjs {2}2 passed {2}\d+ ms\n$/);
  assert.deepEqual(counts, { passed: 2, failed: 0 });
});

test('a failure shows where, why, and what the file printed', () => {
  const { stdout, counts } = report(`${IMPORTS} console.log('noise'); describe('suite', () => { it('sums', () => assert.equal(1, 2)); it('b', () => {}); });`);
  assert.match(stdout, /✗ it\.test\.mjs {2}1 passed, 1 failed/);
  assert.match(stdout, /suite › sums \(it\.test\.mjs:1\)/);
  assert.match(stdout, /Expected values to be (loosely )?equal|1 == 2/);
  assert.match(stdout, /noise/);
  assert.deepEqual(counts, { passed: 1, failed: 1 });
});

for (const [what, content, failed] of [
  ['a skipped test', `${IMPORTS} test.skip('a', () => {});`, 1],
  ['a test that is to be written', `${IMPORTS} test.todo('a');`, 1],
  ['a file without tests', 'export {};', 1],
  ['a file that does not load', "import './missing.mjs';", 1],
  ['a file that ends in the middle', `${IMPORTS} test('a', () => process.exit(0));`, 1],
  ['each test below a failed hook', `${IMPORTS} describe('s', () => { before(() => { throw new Error('no'); }); it('a', () => {}); it('b', () => {}); });`, 3],
] as const) {
  test(`${what} counts as failed`, () => {
    assert.deepEqual(report(content).counts, { passed: 0, failed });
  });
}
