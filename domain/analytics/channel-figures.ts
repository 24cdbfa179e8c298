import { CHANNELS, type Channel } from '../../db/entities/channels.ts';
import { rows, sql, type EntityManager } from '../../db/orm.ts';
import { startsOf, type Period } from '../common/period.ts';
import { rangesOf, windowEndMs } from './ranges.ts';
import { rate } from '../common/rate.ts';
import { rangeTable, readCounts } from './read-counts.ts';
import { inSnapshot } from './snapshot.ts';

/** The figure that a status of the ledgers adds to; what was accepted is `sent`, whatever came of it. */
const FIGURES_OF = {
  QUEUED: ['queued'],
  SENT: ['sent'],
  DELIVERED: ['sent', 'delivered'],
  UNDELIVERED: ['sent', 'undelivered'],
  FAILED: ['failed'],
  SUPPRESSED: ['suppressed'],
  UNKNOWN: ['unknown'],
  BOUNCED: ['sent', 'undelivered'],
  COMPLAINED: ['sent', 'delivered'],
  segments: ['segments'],
  clicks: ['clicks'],
  unique_clicks: ['uniqueClicks'],
  opt_outs: ['optOuts'],
} as const;
/** An email that was accepted and did not bounce counts as delivered: most servers report nothing else. */
const OF_SENT_EMAIL = ['sent', 'delivered'] as const;

const NOTHING = {
  queued: 0,
  sent: 0,
  delivered: 0,
  undelivered: 0,
  failed: 0,
  suppressed: 0,
  unknown: 0,
  clicks: 0,
  uniqueClicks: 0,
  optOuts: 0,
  segments: 0,
};
type Figures = typeof NOTHING;

interface Counted {
  point: number;
  channel: Channel;
  metric: keyof typeof FIGURES_OF;
  reason: string;
  n: number;
}

/**
 * Figures of the channels, or of one: how the messages queued in the period ended, and clicks and opt-outs of the period.
 * Read from windows that triggers on the ledgers keep; clicks and unsubscribes of email are those of its own figures.
 */
export async function readChannelAnalytics(em: EntityManager, asked: Period, only?: Channel) {
  return inSnapshot(em, asked, async (tx, period) => {
    const starts = await startsOf(tx, period);
    const channels = only ? [only] : CHANNELS;
    const of = new Map(channels.map((channel) => [channel, { ...NOTHING }]));
    const points = starts.map(() => ({ ...NOTHING }));
    const reasons = new Map<string, { channel: Channel; reason: string; count: number }>();
    for (const counted of [
      ...(await readWindows(tx, period, starts, channels)),
      ...(await readEmail(tx, period, channels)),
    ]) {
      const { point, channel, metric, reason, n } = counted;
      const figures = channel === 'email' && metric === 'SENT' ? OF_SENT_EMAIL : FIGURES_OF[metric];
      for (const figure of figures) {
        of.get(channel)![figure] += n;
        points[point]![figure] += n;
      }
      if (metric !== 'SUPPRESSED') continue;
      const key = `${channel}/${reason}`;
      reasons.set(key, { channel, reason, count: (reasons.get(key)?.count ?? 0) + n });
    }
    return {
      channels: channels.map((channel) => {
        const figures = of.get(channel)!;
        return { channel, ...whole(figures), clickRate: rate(figures.uniqueClicks, figures.delivered) };
      }),
      suppressedBy: [...reasons.values()]
        .filter(({ count }) => count !== 0)
        .sort((a, b) => b.count - a.count || (`${a.channel}/${a.reason}` < `${b.channel}/${b.reason}` ? -1 : 1)),
      series: starts.map((at, n) => ({ at: new Date(at), ...whole(points[n]!) })),
    };
  });
}

/** The figures with their sum: each message is in exactly one of its parts. */
const whole = (figures: Figures) => ({
  audience: figures.queued + figures.sent + figures.failed + figures.suppressed + figures.unknown,
  ...figures,
});

/** What is in the windows, and what is not yet added to them. */
async function readWindows(
  tx: EntityManager,
  period: Period,
  starts: readonly number[],
  channels: readonly Channel[],
): Promise<Counted[]> {
  const ends = [...starts.slice(1).map(windowEndMs), period.to.getTime()];
  const ranges = rangesOf(ends.map((end, n) => [n === 0 ? period.from.getTime() : ends[n - 1]!, end] as const));
  const point = sql`greatest(0, width_bucket(at, ${starts.map((at) => new Date(at).toISOString())}::timestamptz[]) - 1)`;
  const isAsked = sql`channel = any(${[...channels]}::text[])`;
  return rows<Counted>(
    tx,
    sql`
    select point, channel, metric, reason, sum(n)::bigint as n from (
      select w.* from ${rangeTable(ranges)} cross join lateral (
        select ${point} as point, channel, metric, reason, sum(count) as n from message_windows
        where ${isAsked} and minutes = r.minutes and at >= r.start and at < r.stop group by 1, 2, 3, 4) w
      union all
      select ${point}, channel, metric, reason, sum(count) from message_changes
      where ${isAsked} and at >= ${period.from}::timestamptz and at < ${period.to}::timestamptz group by 1, 2, 3, 4) counted
    group by 1, 2, 3, 4`,
  );
}

/** Clicks and unsubscribes of email. */
async function readEmail(tx: EntityManager, period: Period, channels: readonly Channel[]): Promise<Counted[]> {
  if (!channels.includes('email')) return [];
  const { series } = await readCounts(tx, period);
  return series.flatMap(({ figures }, point) =>
    (
      [
        ['clicks', figures.clicks],
        ['unique_clicks', figures.unique_clicks],
        ['opt_outs', figures.unsubscribes],
      ] as const
    ).map(([metric, n]) => ({ point, channel: 'email', metric, reason: '', n })),
  );
}
