import type pg from 'pg';

/**
 * Removes broken connections from `pool` immediately, even if they are checked out. Kysely releases a connection only
 * after a successful BEGIN and ROLLBACK, so one that broke in a transaction occupied its place forever: after a few
 * restarts of Postgres no transaction could start, and closing the pool waited for the lost connections.
 */
export function removeBrokenConnections(pool: pg.Pool): void {
  const held = new Set<pg.PoolClient>();
  pool.on('acquire', (client) => held.add(client));
  pool.on('release', (_error, client) => held.delete(client));
  pool.on('connect', (client) =>
    client.once('end', () => {
      if (!held.has(client)) return;
      // eslint-disable-next-line @typescript-eslint/unbound-method -- it is called on the client
      const { release } = client;
      // A later release by its holder must do nothing: the pool throws at a second release.
      client.release = () => {};
      release.call(client, true);
    }),
  );
}
