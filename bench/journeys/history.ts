import { setTimeout as delay } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { readEnv } from '../../config/env.ts';
import { until } from '../../test/support/until.ts';
import type { Bench, Row } from './table.ts';

const WANTED_EVENTS = 12;
const WANTED_BYTES = 4_096;
/** So long that the timer is one, and so short that it is soon over. */
const WAIT_MS = 15_000;

/** Runs one execution of EMAIL, WAIT, EMAIL, and reads the size of its history. */
export async function benchHistory({ started, listId, templateId }: Bench): Promise<Row[]> {
  const { client, database } = started;
  const { rows: members } = await database.query<{ id: string }>(
    'select contact_id as id from segment_members where segment_id = $1 limit 1',
    [listId],
  );
  const { id } = await client.call('POST', '/campaigns', {
    name: 'Bench',
    steps: [
      { id: 'first', type: 'EMAIL', config: { templateId } },
      { id: 'pause', type: 'WAIT', config: { until: new Date(Date.now() + WAIT_MS).toISOString() } },
      { id: 'second', type: 'EMAIL', config: { templateId } },
    ],
  });
  await client.call('POST', `/campaigns/${id}/start`, { contactIds: [Number(members[0]!.id)] });
  const { TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE } = readEnv(started.env);
  const connection = await Connection.connect({ address: TEMPORAL_ADDRESS });
  try {
    const { workflow } = new Client({ connection, namespace: TEMPORAL_NAMESPACE });
    const { historyLength, historySize } = await until('the workflow has ended', async () => {
      await delay(500);
      const { data } = await client.call('GET', `/campaigns/${id}/executions`);
      if (data[0]?.status !== 'COMPLETED') return false;
      const described = await workflow.getHandle(data[0].workflowId as string).describe();
      return described.status.name === 'COMPLETED' && described;
    });
    const bytes = historySize ?? 0;
    return [
      {
        what: 'history of EMAIL, WAIT, EMAIL: events',
        ours: String(historyLength),
        wanted: `at most ${WANTED_EVENTS}`,
        holds: historyLength <= WANTED_EVENTS,
      },
      { what: '  bytes', ours: String(bytes), wanted: `at most ${WANTED_BYTES}`, holds: bytes <= WANTED_BYTES },
    ];
  } finally {
    await connection.close();
  }
}
