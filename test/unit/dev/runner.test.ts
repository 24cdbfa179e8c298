import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, test } from '@jest/globals';
import { tempDir } from './temp-dir.ts';

interface Report {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  testResults: {
    name: string;
    status: string;
    message: string;
    assertionResults: { title: string; status: string; failureMessages: string[] }[];
  }[];
}

const GLOBALS =
  "import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'; import assert from 'node:assert'; console.log('printed');";
const FILES = {
  passes: "test('a', () => {}); describe('s', () => { test('b', async () => { expect(await 1).toBe(1); }); });",
  fails: "test('a', () => assert.equal(1, 2)); test('b', () => {});",
  hangs:
    "test('a', () => {}); test('waits for what never comes', () => new Promise(() => { setInterval(() => {}, 1e3).unref(); setTimeout(() => {}, 5_000); }));",
  blocks: "test('computes without end', () => { for (;;); });",
  leaks: "test('a', () => { setInterval(() => {}, 1_000); });",
  leaves:
    "import { spawn } from 'node:child_process'; test('a', () => { spawn('sleep', ['600'], { stdio: 'ignore' }).unref(); });",
  empty: '',
  broken: "import './missing.mjs';",
  exitCode: "test('a', () => { process.exitCode = 3; });",
  exits: "test('goes away', () => process.exit(0));",
  throws:
    "test('a', () => new Promise((done) => { setTimeout(() => { throw new Error('in nobody\\'s hands'); }, 10); setTimeout(done, 1_000); }));",
  before: "beforeAll(() => { throw new Error('no'); }); test('a', () => {}); test('b', () => {});",
  after: "afterAll(() => { throw new Error('no'); }); test('a', () => {});",
  skips: "test.skip('a', () => {});",
};
type Name = keyof typeof FILES;

/** Runs test files in a folder, as many at once as there are workers. */
function runFiles(folder: string, files: Record<string, string>, maxWorkers: number): Report {
  const dir = tempDir();
  mkdirSync(join(dir, folder), { recursive: true });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(dir, folder, `${name}.test.mjs`), content);
  const config = {
    rootDir: dir,
    runner: resolve('test/runner/index.ts'),
    transform: {},
    testMatch: ['**/*.test.mjs'],
    testTimeout: 3_000,
    maxWorkers,
    cacheDirectory: join(dir, 'cache'),
  };
  const args = [
    resolve('node_modules/jest/bin/jest.js'),
    '--config',
    JSON.stringify(config),
    '--json',
    `--outputFile=${join(dir, 'report.json')}`,
  ];
  spawnSync(process.execPath, args, { cwd: dir, stdio: 'ignore' });
  return JSON.parse(readFileSync(join(dir, 'report.json'), 'utf8')) as Report;
}

describe.each([
  ['in a process each', 'test/e2e', 4],
  ['one after the other in a process', 'test/unit', 1],
])('files that run %s', (_how, folder, workers) => {
  let report: Report;
  beforeAll(() => {
    const files = Object.entries(FILES).map(([name, content]) => [name, `${GLOBALS} ${content}`]);
    report = runFiles(folder, Object.fromEntries(files), workers);
  });

  const fileOf = (name: Name): Report['testResults'][number] =>
    report.testResults.find((file) => file.name.endsWith(`/${name}.test.mjs`))!;
  const statuses = (name: Name): string[] =>
    fileOf(name).assertionResults.map(({ title, status }) => `${title} ${status}`);

  test('a file that passes, one that fails and one that skips are told as they are', () => {
    assert.deepEqual(statuses('passes'), ['a passed', 'b passed']);
    assert.deepEqual(statuses('fails'), ['a failed', 'b passed']);
    assert.match(fileOf('fails').assertionResults[0]!.failureMessages.join(), /2[^]*1/);
    assert.deepEqual(statuses('skips'), ['a pending']);
  });

  test('a test that waits for what never comes fails by its name, and those before it have passed', () => {
    assert.deepEqual(statuses('hangs'), ['a passed', 'waits for what never comes failed']);
    assert.match(fileOf('hangs').message, /Exceeded timeout of 3000 ms/);
  });

  test.each<[string, Name, RegExp]>([
    ['blocks its event loop', 'blocks', /Nothing was heard for 16 s\. Last: computes without end/],
    [
      'keeps its process alive after its tests',
      'leaks',
      /Its tests are over and it does not end; still open: .*Timeout/,
    ],
    ['leaves a process behind', 'leaves', /It left processes behind:\s+\d+ sleep 600/],
    ['holds no test', 'empty', /It holds no test/],
    ['does not load', 'broken', /It does not load[^]*missing\.mjs/],
    ['sets the exit code', 'exitCode', /It set the exit code 3/],
    ['ends its process in the middle', 'exits', /Its process ended with 0 in: goes away/],
    ['throws where nobody catches', 'throws', /Its process ended with 1 in: a[^]*in nobody's hands/],
    ['fails to clean up', 'after', /no/],
  ])('a file that %s fails, and why is told', (_what, name, reason) => {
    assert.equal(fileOf(name).status, 'failed');
    assert.match(fileOf(name).message, reason);
  });

  test('each test below a hook that failed has failed', () => {
    assert.deepEqual(statuses('before'), ['a failed', 'b failed']);
  });
});

test('files share a process, but for those that want their own', () => {
  const says = `${GLOBALS} test('pid ' + process.pid, () => {});`;
  const { testResults } = runFiles('test/api', { a: says, b: says, c: `/** Looks. @own-process */ ${says}` }, 1);
  const pids = testResults.map(({ assertionResults }) => assertionResults[0]!.title);
  assert.equal(pids.length, 3);
  assert.equal(new Set(pids).size, 2);
});
