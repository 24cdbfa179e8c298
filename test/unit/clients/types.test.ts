import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from '@jest/globals';
import ts from 'typescript';

const root = join(import.meta.dirname, '../../..');
const file = join(import.meta.dirname, 'wrong-uses.ts');

/** What the compiler says of a file whose text is changed first. */
function diagnose(change: (text: string) => string): readonly ts.Diagnostic[] {
  const { options } = ts.getParsedCommandLineOfConfigFile(
    join(root, 'tsconfig.json'),
    {},
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic: ({ messageText }) => assert.fail(JSON.stringify(messageText)) },
  )!;
  const host = ts.createCompilerHost(options);
  const read = host.readFile.bind(host);
  host.readFile = (path) => (path === file ? change(read(path)!) : read(path));
  return ts.getPreEmitDiagnostics(ts.createProgram([file], options, host));
}

test('a wrong use of the client is a compile error, each of them', () => {
  const diagnostics = diagnose((text) => text.replaceAll('@ts-expect-error', 'expected:'));
  const lines = diagnostics.map(({ file: source, start }) => source!.getLineAndCharacterOfPosition(start!).line);
  const expected = ts.sys
    .readFile(file)!
    .split('\n')
    .flatMap((line, at) =>
      line.includes('@ts-expect-error a') || line.includes('@ts-expect-error no') ? [at + 1] : [],
    );
  assert.equal(expected.length, 9);
  assert.deepEqual(
    [...new Set(lines)],
    expected,
    diagnostics.map(({ messageText }) => JSON.stringify(messageText)).join('\n'),
  );
});

test('everything else in the client compiles', () => {
  assert.deepEqual(
    diagnose((text) => text).map(({ messageText }) => messageText),
    [],
  );
});
