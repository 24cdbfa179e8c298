import { setTimeout as delay } from 'node:timers/promises';
import { tenantEm, type Orm } from '../../db/orm.ts';
import { Batcher } from '../../lib/async/batcher.ts';
import { contactsNow } from '../../domain/webhooks/content/contact-now.ts';

interface Waiting {
  tenantId: string;
  id: number;
  resolve: (contact: string) => void;
  reject: (error: unknown) => void;
}

const GATHER_MS = 2;
const BATCH = 200;
const AT_ONCE = 2;

/** Reads contacts for webhooks that include them: those that are asked for at about the same time together. */
export function createContactReader(orm: Orm): (tenantId: string, id: number) => Promise<string> {
  const read = async (tenantId: string, waiting: readonly Waiting[]): Promise<void> => {
    try {
      const found = await contactsNow(
        tenantEm(orm, tenantId),
        tenantId,
        waiting.map(({ id }) => id),
      );
      for (const { id, resolve } of waiting) resolve(found.get(id) ?? 'null');
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
  };
  const batches = new Batcher<Waiting>({
    gather: () => delay(GATHER_MS),
    maxItems: BATCH,
    maxConcurrent: AT_ONCE,
    handle: async (batch) => {
      for (const [tenantId, waiting] of Map.groupBy(batch, (one) => one.tenantId)) await read(tenantId, waiting);
    },
  });
  return (tenantId, id) => new Promise((resolve, reject) => batches.add({ tenantId, id, resolve, reject }));
}
