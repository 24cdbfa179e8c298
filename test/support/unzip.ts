import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';

/** The files of an archive as another reader finds them, its checksums compared. */
export function unzip(archive: Buffer): Map<string, string> {
  const script =
    'import io, json, sys, zipfile\nz = zipfile.ZipFile(io.BytesIO(sys.stdin.buffer.read()))\nassert z.testzip() is None\nprint(json.dumps([[n, z.read(n).decode()] for n in z.namelist()]))';
  const maxBuffer = 64 * 1024 * 1024;
  const { status, stdout, stderr } = spawnSync('python3', ['-c', script], {
    input: archive,
    encoding: 'utf8',
    maxBuffer,
  });
  assert.equal(status, 0, stderr);
  return new Map(JSON.parse(stdout) as [string, string][]);
}
