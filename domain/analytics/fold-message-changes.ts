import { engineEm, rows, sql, type Orm } from '../../db/orm.ts';

const AT_ONCE = 10_000;

/**
 * Adds what triggers counted to the windows of 5 minutes, an hour and a day (UTC). Figures are right without this, but
 * take longer to read. Any number of processes may do this at once: one does it.
 */
export async function foldMessageChanges(orm: Orm): Promise<void> {
  for (let folded = AT_ONCE; folded === AT_ONCE;) {
    folded = await engineEm(orm).transactional(async (tx) => {
      const [lock] = await rows<{ taken: boolean }>(
        tx,
        sql`select pg_try_advisory_xact_lock(hashtextextended('message_changes', 0)) as taken`,
      );
      if (!lock!.taken) return 0;
      const [done] = await rows<{ n: number }>(
        tx,
        sql`
        with gone as (
          delete from message_changes where id in (select id from message_changes order by id limit ${AT_ONCE})
          returning tenant_id, channel, at, metric, reason, count
        ), added as (
          insert into message_windows (tenant_id, channel, minutes, at, metric, reason, count)
          select tenant_id, channel, w.minutes, date_bin(w.length, at, 'epoch'), metric, reason, sum(count)::bigint
          from gone cross join (values (5::smallint, '5 minutes'::interval), (60, '1 hour'), (1440, '1 day')) w(minutes, length)
          group by 1, 2, 3, 4, 5, 6 having sum(count) <> 0
          on conflict (tenant_id, channel, minutes, at, metric, reason) do update set count = message_windows.count + excluded.count
        ) select count(*)::int as n from gone`,
      );
      return done!.n;
    });
  }
}
