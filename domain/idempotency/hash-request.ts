import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';

/** What makes two requests the same: parsed parts, and uploaded files in temporary files. */
export interface RequestParts {
  params: Record<string, string>;
  query: unknown;
  body: unknown;
  files: { field: string; name: string; path: string }[];
}

/** What lies deeper is refused with a 400 whatever it is (checkContent), so it need not tell requests apart. */
const MAX_DEPTH = 100;

/** JSON with the names in order, so that neither their order nor white space makes another request. */
function canonical(value: unknown, depth = 0): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  if (depth > MAX_DEPTH) return '"…"';
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item, depth + 1)).join()}]`;
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonical(field, depth + 1)}`).join()}}`;
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 1024 * 1024 }), hash);
  return hash.digest('base64url');
}

/** SHA-256 over a request. Files count by field, name and content, which is read from the disk piece by piece. */
export async function hashRequest({ params, query, body, files }: RequestParts): Promise<string> {
  const uploads: unknown[] = [];
  for (const { field, name, path } of files) uploads.push([field, name, await hashFile(path)]);
  return createHash('sha256').update(canonical([params, query, body ?? {}, uploads])).digest('base64url');
}
