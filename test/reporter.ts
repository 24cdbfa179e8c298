import { writeFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';

interface FileResult {
  passed: number;
  failed: number;
  ms: number;
  output: string[];
  failures: string[];
}

type Result = Extract<TestEvent, { type: 'test:pass' | 'test:fail' }>;

/**
 * Quiet reporter: one line a file, everything about failures, and the totals as JSON into the file that
 * PERENNIAL_TEST_COUNTS names. Counts tests, not suites. A skipped or unfinished test, a file without tests and a file
 * that does not load are failures.
 */
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const total = { passed: 0, failed: 0 };
  const files = new Map<string, FileResult>();
  const names: string[] = [];
  const of = (file = '') => {
    const path = relative(process.cwd(), file);
    const result = files.get(path) ?? { passed: 0, failed: 0, ms: 0, output: [], failures: [] };
    files.set(path, result);
    return { path, result };
  };
  const finish = (file: string | undefined) => {
    const { path, result } = of(file);
    files.delete(path);
    total.passed += result.passed;
    total.failed += result.failed;
    return describeFile(path, result);
  };
  for await (const event of events) {
    if (event.type === 'test:stdout' || event.type === 'test:stderr') of(event.data.file).result.output.push(event.data.message);
    if (event.type === 'test:start') names.splice(event.data.nesting, Infinity, event.data.name);
    if (event.type === 'test:pass' || event.type === 'test:fail') {
      const { data } = event;
      const entry = entryFile(event);
      const { result } = of(entry ?? data.file);
      const problem = problemOf(event);
      if (problem) {
        const title = [...names.slice(0, data.nesting), data.name].join(' › ');
        result.failures.push(`${title} (${relative(process.cwd(), data.file ?? '')}:${data.line})\n${problem}`);
        result.failed += 1;
      }
      if (!problem && data.details.type !== 'suite') result.passed += 1;
      if (data.nesting === 0) result.ms += data.details.duration_ms;
      if (entry === undefined) yield finish(data.file);
    }
    if (event.type === 'test:summary' && event.data.file) yield finish(entryFile(event) ?? event.data.file);
  }
  for (const path of [...files.keys()]) yield finish(path);
  if (process.env.PERENNIAL_TEST_COUNTS) writeFileSync(process.env.PERENNIAL_TEST_COUNTS, JSON.stringify(total));
}

/**
 * The test file that a result belongs to; the runner's own result for a whole file has none, and is
 * named like the file. Node 24.19 does not tell the entry; there it is taken for the file in which the test stands.
 */
function entryFile(event: TestEvent): string | undefined {
  const { entryFile, file, name, nesting } = event.data as { entryFile?: string; file?: string; name?: string; nesting?: number };
  const isWholeFile = nesting === 0 && name !== undefined && resolve(name) === file;
  return entryFile ?? (isWholeFile ? undefined : file);
}

/** Why a result counts as failed, or null. A suite or parent that failed only through its children is not counted twice. */
function problemOf(event: Result): string | null {
  const { data } = event;
  if (event.type === 'test:fail') {
    const error = event.data.details.error as Error & { failureType?: string; cause?: unknown };
    if (error.failureType === 'subtestsFailed' && data.details.type === 'suite') return null;
    return typeof error.cause === 'object' ? inspect(error.cause) : error.message;
  }
  if (data.skip !== undefined && data.skip !== false) return 'skipped';
  if (data.todo !== undefined && data.todo !== false) return 'marked as to do';
  return entryFile(event) === undefined ? 'the file holds no test' : null;
}

function describeFile(path: string, { passed, failed, ms, output, failures }: FileResult): string {
  const count = failed ? `${passed} passed, ${failed} failed` : `${passed} passed`;
  const line = `${failed ? '✗' : '✓'} ${path}  ${count}  ${Math.round(ms)} ms\n`;
  if (failed === 0) return line;
  const printed = output.join('').trimEnd();
  const details = [...failures, ...(printed ? [`What it printed:\n${printed}`] : [])];
  return `${line}${details.map((text) => indent(text)).join('\n')}\n`;
}

function indent(text: string): string {
  return text.replace(/^(?=.)/gm, '    ');
}
