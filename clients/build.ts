import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { clientOutputs } from './outputs.ts';

for (const [path, text] of Object.entries(await clientOutputs())) {
  const file = join(import.meta.dirname, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}
