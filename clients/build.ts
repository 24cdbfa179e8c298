import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { formScriptOutputs, unknownScript } from './form-script.ts';
import { clientOutputs } from './outputs.ts';
import { pushScriptOutputs } from './push-scripts.ts';
import { visitScriptOutputs } from './visit-script.ts';

const before = await unknownScript();
if (before) await rm(join(import.meta.dirname, before), { force: true });
const outputs = {
  ...(await formScriptOutputs()),
  ...(await visitScriptOutputs()),
  ...(await pushScriptOutputs()),
  ...(await clientOutputs()),
};
for (const [path, text] of Object.entries(outputs)) {
  const file = join(import.meta.dirname, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}
