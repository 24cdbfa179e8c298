import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { natsUrl } from '../../dev/stack/nats.ts';
import { postgresUrls, withClient } from '../../dev/stack/postgres.ts';
import { TEMPLATE, type TestStack } from '../../dev/stack/test-stack.ts';
import { connectNats } from '../../transport/nats.ts';
import { ensureSearchAttributes } from '../../runtime/temporal.ts';
import { leftBehind } from '../runner/each-file.ts';

/** The database, NATS account and Temporal namespace of one test file. */
export interface Slot {
  number: number;
  /**
   * DATABASE_URL, DATABASE_MIGRATION_URL, NATS_URL, TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, JWT_SECRET, LINK_SECRET,
   * FORM_FILES_MAX_BYTES, and TEMPORAL_TEST_SERVER: the path of the server with time skipping.
   */
  env: Record<string, string>;
  /** The NATS account of this slot's listeners, and their URL. */
  listeners: { account: string; url: string };
  /** Deletes the streams, and drops the database, closing remaining connections. */
  release: () => Promise<void>;
}

/** Slots that this process has not released. */
const unreleased = new Set<number>();
leftBehind.push(() => {
  const numbers = [...unreleased];
  unreleased.clear();
  return numbers.length > 0 ? `Slots that were claimed and not released: ${numbers.join(', ')}` : null;
});

/** Claims the next free slot of the running stack and creates its database. Throws outside `npm test`. */
export async function claimSlot(): Promise<Slot> {
  const file = process.env.PERENNIAL_TEST_STACK;
  if (!file) throw new Error('This test needs the stack of a test run: npm test -- <file>');
  const stack = JSON.parse(await readFile(file, 'utf8')) as TestStack;
  const number = await takeNumber(stack);
  unreleased.add(number);
  const database = `perennial_s${number}`;
  const admin = postgresUrls(stack.postgresPort, 'postgres').owner;
  await withClient(admin, (client) =>
    client.query(`CREATE DATABASE ${database} TEMPLATE ${TEMPLATE} STRATEGY file_copy`),
  );
  const urls = postgresUrls(stack.postgresPort, database);
  const nats = natsUrl(stack.natsPort, `t${number}`, stack.natsPassword);
  const namespace = `test-${number}`;
  await registerNamespace(stack.env['TEMPORAL_ADDRESS']!, namespace);
  return {
    number,
    env: {
      ...stack.env,
      DATABASE_URL: urls.app,
      DATABASE_MIGRATION_URL: urls.owner,
      NATS_URL: nats,
      TEMPORAL_NAMESPACE: namespace,
    },
    listeners: { account: `L${number}`, url: natsUrl(stack.natsPort, `l${number}`, stack.natsPassword) },
    async release() {
      unreleased.delete(number);
      await deleteStreams(nats);
      await withClient(admin, (client) => client.query(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`));
    },
  };
}

/** Only now: the server works for each of its namespaces, also while nothing happens there. */
async function registerNamespace(address: string, namespace: string): Promise<void> {
  const connection = await Connection.connect({ address });
  try {
    const workflowExecutionRetentionPeriod = msToTs('1 day');
    await connection.workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod });
    await ensureSearchAttributes(new Client({ connection, namespace }));
  } finally {
    await connection.close();
  }
}

/** The server works for each stream, also while nothing happens there. */
async function deleteStreams(url: string): Promise<void> {
  const { connection, jsm } = await connectNats(url, 'slot');
  try {
    for await (const { config } of jsm.streams.list()) await jsm.streams.delete(config.name);
  } finally {
    await connection.close();
  }
}

async function takeNumber({ slotsDir, slots }: TestStack): Promise<number> {
  for (let number = 1; number <= slots; number += 1) {
    try {
      await mkdir(join(slotsDir, String(number)));
      return number;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
  throw new Error(`All ${slots} slots of this test run are taken: claim one a test file, not one a test.`);
}
