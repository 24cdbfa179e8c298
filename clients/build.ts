import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { formScriptOutputs, unknownScript } from './form-script.ts';
import { clientOutputs } from './outputs.ts';

const before = await unknownScript();
if (before) await rm(join(import.meta.dirname, before), { force: true });
for (const [path, text] of Object.entries({ ...(await formScriptOutputs()), ...(await clientOutputs()) })) {
  const file = join(import.meta.dirname, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}
