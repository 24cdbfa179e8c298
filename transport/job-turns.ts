import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from '../config/logger.ts';
import { JOBS, type WorkflowStart } from '../registry/workflows.ts';

/** Before another attempt to start a workflow, or to learn that it has ended. */
const RETRY_MS = 1_000;

type Job = WorkflowStart & { row: number };

/**
 * Of each tenant and kind: those that wait and whose turn it is, and those at work that are not in $1. `place` is that
 * of a row in the line of its tenant and kind, in which those at work are the first.
 */
const TAKE = `
  with job as (
    select id, started_at, most, row_number() over (partition by tenant_id, workflow_type order by started_at is null, id) as place
    from outbox_workflows join unnest($2::text[], $3::int[]) as kind(type, most) on type = workflow_type
    where is_job
  )
  update outbox_workflows o set started_at = coalesce(o.started_at, now())
  from job where o.id = job.id and (job.started_at is not null or job.place <= job.most) and o.id <> all($1::bigint[])
  returning o.id as row, o.workflow_type as type, o.workflow_id as id, o.input`;

/**
 * Lets the jobs of a tenant take turns: so many of each kind are at work at once, the others wait in the table. A row
 * stays until its workflow has ended, so whoever takes over after a kill goes on with the jobs at work.
 */
export class JobTurns {
  /** The rows whose workflows this process has started and watches, and of these those that have ended. */
  readonly #watched = new Set<number>();
  readonly #ended = new Set<number>();
  readonly #run: (start: WorkflowStart) => Promise<void>;
  readonly #log: Logger;
  readonly #wake: () => void;
  #isStopped = false;

  /** `run` starts a workflow, if it was not, and waits for its end. `wake` is called when `take` has something to do. */
  constructor(parts: { run: (start: WorkflowStart) => Promise<void>; log: Logger; wake: () => void }) {
    this.#run = parts.run;
    this.#log = parts.log;
    this.#wake = parts.wake;
  }

  /**
   * In the transaction of `client`: deletes jobs that have ended, and takes those whose turn it is. Returns how many
   * these are, and what to call after the commit.
   */
  async take(client: pg.ClientBase): Promise<{ jobs: number; committed: () => void }> {
    const ended = [...this.#ended];
    if (ended.length > 0) await client.query('delete from outbox_workflows where id = any($1::bigint[])', [ended]);
    const { rows } = await client.query<Job>(TAKE, [
      [...this.#watched],
      JOBS.map(({ type }) => type),
      JOBS.map(({ turns }) => turns.running),
    ]);
    const committed = (): void => {
      for (const row of ended) {
        this.#ended.delete(row);
        this.#watched.delete(row);
      }
      for (const job of rows) {
        this.#watched.add(job.row);
        void this.#untilEnded(job);
      }
    };
    return { jobs: rows.length, committed };
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #untilEnded(job: Job): Promise<void> {
    while (!this.#isStopped) {
      try {
        await this.#run(job);
        this.#ended.add(job.row);
        this.#wake();
        return;
      } catch (error) {
        if (this.#isStopped) return;
        this.#log.warn({ err: error, workflowId: job.id }, 'could not run a job, will retry');
        await delay(RETRY_MS, undefined, { ref: false });
      }
    }
  }
}
