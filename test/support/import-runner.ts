/** Runs one import in its own process, for tests that kill it: `node import-runner.ts <tenant> <import id>`. */
import { createDeps } from '../../runtime/deps.ts';
import { readEnv } from '../../config/env.ts';
import { runImport } from '../../domain/contacts/import/run-import.ts';
import { readFile } from '../../transport/file-store.ts';

const [tenantId, importId] = process.argv.slice(2) as [string, string];
const deps = await createDeps(readEnv(), 'import-runner');
process.send!('running');
await runImport({
  orm: deps.orm,
  tenantId,
  importId: Number(importId),
  open: (key, offset) => readFile(deps.nats, key, offset),
  progress() {},
});
await deps.close();
process.exit(0);
