import type pg from 'pg';

/**
 * Connections of `pool` that break leave it at once, whoever holds them. Kysely gives one back only after a BEGIN and a
 * ROLLBACK that succeeded, so one that broke in a transaction kept its place for ever: after a few restarts of Postgres no
 * transaction began any more, and the pool's end waited for the lost ones.
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
      // Whoever gives it back after all is too late; the pool throws at a second time.
      client.release = () => {};
      release.call(client, true);
    }),
  );
}
