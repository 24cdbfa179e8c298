import type pg from 'pg';

/**
 * Writes events of the last 30 days by these many contacts, in their order, with what the analytics consumer counts of them: in bulk, because
 * ten million events take a while through the consumer. That both are the same is what the tests of figures show.
 */
export async function fillFigures(
  owner: pg.Client,
  tenantId: string,
  { events, contacts }: { events: number; contacts: number },
): Promise<void> {
  await owner.query(
    `
    insert into analytics_events (event_id, tenant_id, metric, at, contact_id, campaign_id, template_id, email_id)
    select gen_random_uuid(), $1, case when n % 10 < 6 then 'emails_sent' when n % 10 < 9 then 'opens' else 'clicks' end,
      now() - interval '30 days' + n * (interval '30 days' / $2), 1 + floor(random() * $3)::bigint, 1 + n / ($2 / 30), 1 + n / ($2 / 30), n
    from generate_series(1, $2::int) n`,
    [tenantId, events, contacts],
  );
  await owner.query(
    `
    insert into analytics_windows (tenant_id, dimension, minutes, at, dimension_id, metric, count)
    select tenant_id, d.dimension, w.minutes, date_bin(make_interval(mins => w.minutes), at, 'epoch'), d.id, metric, count(*)
    from analytics_events cross join unnest(array[5, 60, 1440]) w(minutes)
    cross join lateral (values ('', 0), ('campaign', campaign_id), ('template', template_id)) d(dimension, id)
    where tenant_id = $1 group by 1, 2, 3, 4, 5, 6`,
    [tenantId],
  );
  await owner.query(
    `
    insert into analytics_rollups (tenant_id, minutes, at, changes, changed_at)
    select tenant_id, w.minutes, date_bin(make_interval(mins => w.minutes), at, 'epoch'), count(*), now() - interval '1 day'
    from analytics_events cross join unnest(array[60, 1440]) w(minutes) where tenant_id = $1 group by 1, 2, 3`,
    [tenantId],
  );
}
