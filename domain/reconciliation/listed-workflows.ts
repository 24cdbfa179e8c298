import type pg from 'pg';

export interface ListedWorkflow {
  id: string;
  type: string;
}

/**
 * The workflows that Temporal lists as open, in a temporary table of one session: a million of them would take a
 * hundred megabytes of a worker's memory.
 */
export class ListedWorkflows {
  readonly #client: pg.Client;

  constructor(client: pg.Client) {
    this.#client = client;
  }

  /** Empties the list. */
  async clear(): Promise<void> {
    await this.#client.query(
      'create temporary table if not exists listed_workflows (id text primary key, type text not null)',
    );
    await this.#client.query('truncate listed_workflows');
  }

  async add(workflows: readonly ListedWorkflow[]): Promise<void> {
    // One that ends and starts again meanwhile is listed twice.
    await this.#client.query(
      'insert into listed_workflows select * from unnest($1::text[], $2::text[]) on conflict do nothing',
      [workflows.map(({ id }) => id), workflows.map(({ type }) => type)],
    );
  }

  /** Takes those among `ids` out of the list that are in it; returns them. */
  async take(ids: readonly string[]): Promise<Set<string>> {
    const { rows } = await this.#client.query<{ id: string }>(
      'delete from listed_workflows where id = any($1::text[]) returning id',
      [ids],
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** Whether one of a type is in the list whose id begins so. */
  async has(type: string, prefix: string): Promise<boolean> {
    const { rows } = await this.#client.query(
      'select 1 from listed_workflows where type = $1 and starts_with(id, $2) limit 1',
      [type, prefix],
    );
    return rows.length > 0;
  }

  /** What was not taken, of these types. */
  async rest(types: readonly string[], limit: number): Promise<ListedWorkflow[]> {
    const { rows } = await this.#client.query<ListedWorkflow>(
      'select id, type from listed_workflows where type = any($1::text[]) order by id limit $2',
      [types, limit],
    );
    return rows;
  }
}
