import { createHash, randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createYielder } from '../../lib/async/turn.ts';

/** The parts in which equal requests must be equal: parsed parts, and uploaded files. */
export interface RequestParts {
  params: Record<string, string>;
  query: unknown;
  body: unknown;
  files: { field: string; name: string; read: () => Readable }[];
}

/** Deeper values are rejected with a 400 anyway (checkContent), so they need not distinguish requests. */
const MAX_DEPTH = 100;

/** Text to write as it is, or a value to serialise. */
type Task = string | { value: unknown; depth: number };

const isPlain = (value: unknown): boolean => typeof value !== 'object' || value === null;
const isLeaf = ({ value, depth }: { value: unknown; depth: number }): boolean => isPlain(value) || depth > MAX_DEPTH;
/** Text with lone surrogates is rejected too (checkContent), and would take ten times as long to serialise. */
const leaf = (value: unknown): string =>
  isPlain(value) ? JSON.stringify((typeof value === 'string' ? value.toWellFormed() : value) ?? null) : '"…"';

/** The parts of a list or an object, in reverse order. */
function partsOf(value: object, depth: number): Task[] {
  const isList = Array.isArray(value);
  const parts: Task[] = [isList ? '[' : '{'];
  const add = (inner: unknown, before: string): void => {
    const task = { value: inner, depth: depth + 1 };
    const start = `${parts.length > 1 ? ',' : ''}${before}`;
    if (isLeaf(task)) parts.push(start + leaf(inner));
    else parts.push(start, task);
  };
  if (isList) value.forEach((item) => add(item, ''));
  else
    for (const name of Object.keys(value).sort())
      add((value as Record<string, unknown>)[name], `${JSON.stringify(name)}:`);
  parts.push(isList ? ']' : '}');
  return parts.reverse();
}

/**
 * SHA-256 over JSON with sorted names, so that neither their order nor white space matters. Yields to the event loop.
 */
export async function hashJson(value: unknown): Promise<string> {
  const hash = createHash('sha256');
  const turn = createYielder();
  const left: Task[] = [{ value, depth: 0 }];
  for (let task = left.pop(); task !== undefined; task = left.pop()) {
    if (typeof task === 'string') hash.update(task);
    else if (isLeaf(task)) hash.update(leaf(task.value));
    else for (const part of partsOf(task.value as object, task.depth)) left.push(part);
    if (turn.isOver()) await turn.next();
  }
  return hash.digest('base64url');
}

/** What identifies the work of a call: the same for the same call with the same key, and unique without a key. */
export const callId = async (callKey: string | null, call: readonly unknown[]): Promise<string> =>
  callKey === null ? randomUUID() : hashJson([callKey, ...call]);

async function hashFile(file: { read: () => Readable }): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(file.read(), hash);
  return hash.digest('base64url');
}

/** SHA-256 over a request. Files count by field, name and content, which is streamed from disk. */
export async function hashRequest({ params, query, body, files }: RequestParts): Promise<string> {
  const uploads: unknown[] = [];
  for (const file of files) uploads.push([file.field, file.name, await hashFile(file)]);
  return hashJson([params, query, body ?? {}, uploads]);
}
