import { Readable } from 'node:stream';
import type pg from 'pg';
import type { Deps } from '../../runtime/deps.ts';
import { tenantEm } from '../../db/orm.ts';
import { asService } from '../../domain/audit/audit.ts';
import { createImport, inspectImport } from '../../domain/contacts/import/create-import.ts';
import { HEAD_BYTES } from '../../domain/contacts/import/csv/detect.ts';
import { putFile } from '../../transport/file-store.ts';
import { withClient } from '../stack/postgres.ts';
import { pause } from '../process.ts';
import type { MortalStack } from './mortal-stack.ts';

const LIMIT_MS = 40 * 60_000;

export const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

/** Starts an import of a file into a tenant; returns its id. */
export async function startImport(deps: Deps, tenantId: string, csv: Buffer): Promise<number> {
  const em = tenantEm(deps.orm, tenantId);
  const request = { mode: 'upsert', runTriggers: false, dryRun: false } as const;
  const inspection = await inspectImport(
    em,
    tenantId,
    { bytes: csv.subarray(0, HEAD_BYTES), complete: csv.length <= HEAD_BYTES },
    request,
  );
  const objectKey = `${tenantId}-${csv.length}`;
  await putFile(deps.nats, objectKey, Readable.from([csv]));
  return (await createImport(em, asService(tenantId), { fileName: 'faults.csv', objectKey }, request, inspection)).id;
}

export const ask = <T>(stack: MortalStack, use: (client: pg.Client) => Promise<T>): Promise<T> =>
  withClient(stack.ownerUrl, use);

/** Polls until `look` returns true; returns the time this took, in ms. */
export async function poll(what: string, look: () => Promise<boolean>): Promise<number> {
  const begin = Date.now();
  while (!(await look())) {
    if (Date.now() - begin > LIMIT_MS) throw new Error(`Waited in vain until ${what}`);
    await pause(100);
  }
  return Date.now() - begin;
}

/** Waits until a tenant's imports have ended (with `UNDONE`: the last one is undone) and their events are published. */
export const untilOver = (stack: MortalStack, tenantId: string, status = 'COMPLETED'): Promise<number> =>
  poll(`${tenantId} is ${status}`, () =>
    ask(stack, async (client) => {
      const { rows } = await client.query<{ status: string }>(
        `
    select status from contact_imports where tenant_id = $1 and not exists (select 1 from outbox_events) order by id desc limit 1`,
        [tenantId],
      );
      if (rows[0]?.status === 'FAILED') throw new Error('The import failed');
      return rows[0]?.status === status;
    }),
  );
