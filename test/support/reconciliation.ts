import assert from 'node:assert/strict';
import pg from 'pg';
import type { Findings } from '../../domain/reconciliation/comparison.ts';
import { ListedWorkflows } from '../../domain/reconciliation/listed-workflows.ts';
import { compareOnce, newMemory } from '../../worker/reconciliation/round.ts';
import type { Service } from './service.ts';
import { until } from './until.ts';

export const NOTHING: Findings = { started: 0, ended: 0, woken: 0, failed: 0 };

export interface Comparison {
  owner: pg.Client;
  /** One round, to which no row is too young. */
  round: (deps?: Service['deps']) => Promise<Findings>;
  /** Waits until Temporal lists what it has: rounds of tests follow changes at once. */
  listed: (query: string, count: number) => Promise<void>;
  end: () => Promise<void>;
}

/** Compares rows with workflows when a test says so; the service of the test must not have the role `consumers`. */
export async function startComparison({ deps, slot }: Service): Promise<Comparison> {
  const client = new pg.Client({ connectionString: slot.env['DATABASE_URL'] });
  const owner = new pg.Client({ connectionString: slot.env['DATABASE_MIGRATION_URL'] });
  await Promise.all([client.connect(), owner.connect()]);
  const listed = new ListedWorkflows(client);
  const memory = newMemory();
  // Times of rows are rounded to the millisecond: without it, what was written in this one may lie ahead.
  const graceMs = -100;
  return {
    owner,
    round: (given = deps) => compareOnce(given, listed, memory, { graceMs }),
    listed: async (query, count) => {
      await until(`${count} workflows are listed: ${query}`, async () => {
        const found = await deps.temporal.workflow.count(query);
        return found.count === count;
      });
    },
    end: async () => {
      await Promise.all([client.end(), owner.end()]);
    },
  };
}

/** The input of a workflow's start, as it was given. */
export async function inputOf({ deps }: Service, workflowId: string): Promise<unknown> {
  const { events } = await deps.temporal.workflow.getHandle(workflowId).fetchHistory();
  const payload = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0]?.data;
  assert.ok(payload);
  return JSON.parse(Buffer.from(payload).toString('utf8'));
}
