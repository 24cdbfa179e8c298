import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import proto from '@temporalio/proto';

const { History } = proto.temporal.api.history.v1;
type History = proto.temporal.api.history.v1.IHistory;

/** Where the recorded history of a path is. */
export function historyFile(path: string): string {
  return fileURLToPath(new URL(`./histories/${path}.json`, import.meta.url));
}

/** Who did it on which machine, and where the code lay, are not for keeping. */
function impersonal(key: string, value: unknown): unknown {
  if (key === 'identity') return 'recorder';
  return key === 'stackTrace' ? '' : value;
}

export async function writeHistory(path: string, history: History): Promise<void> {
  const plain = History.toObject(History.fromObject(history), { enums: String, longs: String, bytes: String });
  await writeFile(historyFile(path), `${JSON.stringify(plain, impersonal, 1)}\n`);
}

export async function readHistory(path: string): Promise<History> {
  return History.fromObject(JSON.parse(await readFile(historyFile(path), 'utf8')) as object);
}
