import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const dirs: string[] = [];
process.once('exit', () => {
  for (const dir of dirs) rmSync(dir, { recursive: true, force: true });
});

/** A folder that is removed when the file's process ends, after all that still writes to it. */
export function tempDir(parent = tmpdir()): string {
  const dir = mkdtempSync(join(parent, 'perennial-unit-'));
  dirs.push(dir);
  return dir;
}

/** Writes an executable shell script. */
export function writeScript(path: string, body: string): void {
  writeFileSync(path, `#!/bin/sh\n${body}\n`, { mode: 0o755 });
}
