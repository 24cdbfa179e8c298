import { rows, sql, type EntityManager, type RawBuilder } from '../../db/orm.ts';
import { keyset, type ListQuery, type Page } from '../common/paging.ts';
import type { Dimension } from './contacts/dimensions.ts';
import type { Metric } from './metrics.ts';
import type { Period } from '../common/period.ts';
import { rangesOf } from './ranges.ts';
import { NONE, rangeTable, type Figures } from './read-counts.ts';
import { readContacts, type Contacts } from './read-contacts.ts';

/** A page of a breakdown: `sort` is the name of a figure, or `id`, with `-` in front for the largest first. */
export type BreakdownQuery = Omit<ListQuery, 'includeTotal'>;

/** All rows, in the order of the default. */
export const ALL_ROWS: BreakdownQuery = { limit: 100_000 };

interface Breakdown {
  /** The figures that it can be sorted by, besides `id`; by default by the first, the largest first. */
  sortable: Record<string, Metric>;
  /** The names of its things. */
  names: RawBuilder<unknown>;
}

const emails = {
  sent: 'emails_sent',
  failed: 'emails_failed',
  opens: 'opens',
  clicks: 'clicks',
  automatedOpens: 'automated_opens',
  automatedClicks: 'automated_clicks',
  bounces: 'bounces',
  unsubscribes: 'unsubscribes',
} as const satisfies Record<string, Metric>;

export const BREAKDOWNS = {
  template: { sortable: emails, names: sql`select id, name from email_templates` },
  link: {
    sortable: { clicks: 'clicks', automatedClicks: 'automated_clicks' },
    names: sql`select id, url as name from analytics_links`,
  },
  campaign: {
    sortable: {
      entries: 'campaign_entries',
      completions: 'campaign_completions',
      conversions: 'goals_met',
      ...emails,
    },
    // Both have their ids from one sequence.
    names: sql`select id, name from campaigns union all select id, name from email_campaigns`,
  },
  form: { sortable: { submissions: 'submissions', views: 'form_views' }, names: sql`select id, name from forms` },
} as const satisfies Record<Exclude<Dimension, ''>, Breakdown>;

interface Part {
  id: number;
  /** Null if it was deleted. */
  name: string | null;
  figures: Figures;
  contacts: Contacts;
}

/**
 * The figures of each id of a dimension, a page at a time. Throws `validation_failed` for a cursor of another order.
 */
export async function readBreakdown(
  tx: EntityManager,
  period: Period,
  of: keyof typeof BREAKDOWNS,
  query: BreakdownQuery,
): Promise<Page<Part>> {
  const { sortable, names }: Breakdown = BREAKDOWNS[of];
  const sort = query.sort ?? `-${Object.keys(sortable)[0]}`;
  const page = keyset(
    { ...query, sort },
    {
      ...Object.fromEntries(Object.keys(sortable).map((figure) => [figure, { column: sql`t.value`, type: 'bigint' }])),
      id: { column: sql`t.id`, type: 'bigint' },
    },
  );
  const ranges = rangesOf([[period.from.getTime(), period.to.getTime()]]);
  const found = await rows<{ id: number; sort_value: number; figures: Partial<Figures> }>(
    tx,
    sql`
    select t.id, t.figures, ${page.sortValue} from (
      select id, jsonb_object_agg(metric, n) as figures,
        coalesce(sum(n) filter (where metric = ${sortable[sort.replace('-', '')] ?? ''}), 0)::bigint as value
      from (
        select w.id, w.metric, sum(w.n) as n
        from ${rangeTable(ranges)} cross join lateral (
          select dimension_id as id, metric, sum(count) as n from analytics_windows
          where dimension = ${of} and minutes = r.minutes and at >= r.start and at < r.stop group by 1, 2) w
        group by 1, 2) sums
      group by id) t
    where ${page.where} order by ${page.orderBy} limit ${page.fetch}`,
  );
  const ids = found.map(({ id }) => id);
  const contactsOf = await readContacts(tx, period, of, ids);
  const named = await rows<{ id: number; name: string }>(
    tx,
    sql`select id, name from (${names}) named where id = any(${ids}::bigint[])`,
  );
  const nameOf = new Map(named.map(({ id, name }) => [id, name]));
  return page.toPage(found, ({ id, figures }) => ({
    id,
    name: nameOf.get(id) ?? null,
    figures: { ...NONE, ...figures },
    contacts: contactsOf(id),
  }));
}
