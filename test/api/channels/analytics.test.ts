import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, test } from '@jest/globals';
import { engineEm, rows, sql, tenantEm } from '../../../db/orm.ts';
import { assertSending } from '../../../domain/channels/ledger/assert-sending.ts';
import { foldMessageChanges } from '../../../domain/analytics/fold-message-changes.ts';
import { eventOf, publish, settled } from '../../support/events.ts';
import { startService, type Service } from '../../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ worker: true });
});
afterAll(() => service.stop());

const PERIOD = 'from=2025-05-01T00:00:00Z&to=2025-05-04T00:00:00Z';
const query = <T = Record<string, unknown>>(statement: ReturnType<typeof sql>, tenant = 'default'): Promise<T[]> =>
  tenantEm(service.deps.orm, tenant).transactional((tx) => rows<T>(tx, statement));
async function figures(more = '') {
  const answer = await service.api('GET', `/channels/analytics?${PERIOD}${more}`);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body;
}
type Channel = Record<string, number> & { channel: string };

/** What the ledgers say. */
async function fromLedgers(): Promise<(channel: string) => Record<string, number>> {
  const found = await query<{ channel: string; status: string; reason: string; n: number; segments: number }>(sql`
    select channel, status, case when status = 'SUPPRESSED' then reason else '' end as reason, count(*)::int as n, coalesce(sum(segments), 0)::int as segments
    from (select channel, status, reason, segments, created_at from messages
      union all select 'email', status, reason, null, created_at from emails) m
    where created_at >= '2025-05-01Z' and created_at < '2025-05-04Z' group by 1, 2, 3`);
  return (channel: string) => {
    const of = (...statuses: string[]) =>
      found
        .filter((row) => row.channel === channel && statuses.includes(row.status))
        .reduce((sum, { n }) => sum + n, 0);
    const isMail = channel === 'email';
    const figuresOf: Record<string, number> = {
      queued: of('QUEUED', 'SENDING'),
      sent: of('SENT', 'DELIVERED', 'UNDELIVERED', 'BOUNCED', 'COMPLAINED'),
      delivered: of('DELIVERED', 'COMPLAINED', ...(isMail ? ['SENT'] : [])),
      undelivered: of('UNDELIVERED', 'BOUNCED'),
      failed: of('FAILED'),
      suppressed: of('SUPPRESSED'),
      unknown: of('UNKNOWN'),
      segments: found.filter((row) => row.channel === channel).reduce((sum, { segments }) => sum + segments, 0),
    };
    return {
      audience: found.filter((row) => row.channel === channel).reduce((sum, { n }) => sum + n, 0),
      ...figuresOf,
    };
  };
}

/** Messages of every status over three days, most of which change several times. */
async function fill() {
  await query(sql`
    insert into messages (tenant_id, send_key, channel, category, status, reason, created_at)
    select 'default', gen_random_uuid(), case when n % 3 = 0 then 'push' else 'sms' end, 'marketing',
      case when n % 7 = 0 then 'SUPPRESSED' else 'QUEUED' end, case when n % 7 = 0 then case when n % 2 = 0 then 'no_consent' else 'topic_off' end end,
      '2025-05-01T00:00:00Z'::timestamptz + make_interval(mins => n * 7)
    from generate_series(0, 599) n`);
  await query(sql`
    insert into emails (tenant_id, send_key, template_id, lane, status, reason, created_at)
    select 'default', gen_random_uuid(), 1, 'bulk', case when n % 5 = 0 then 'SUPPRESSED' else 'QUEUED' end, case when n % 5 = 0 then 'frequency_cap' end,
      '2025-05-01T00:00:00Z'::timestamptz + make_interval(mins => n * 7)
    from generate_series(0, 599) n`);
  for (const [table, ends] of [
    ['messages', ['SENT', 'DELIVERED', 'UNDELIVERED', 'FAILED', 'UNKNOWN', 'QUEUED']],
    ['emails', ['SENT', 'DELIVERED', 'BOUNCED', 'FAILED', 'UNKNOWN', 'COMPLAINED']],
  ] as const) {
    await query(sql`update ${sql.table(table)} set status = 'SENDING' where status = 'QUEUED' and id % 11 <> 0`);
    await query(
      sql`update ${sql.table(table)} set status = (${[...ends]}::text[])[1 + id % ${ends.length}] where status = 'SENDING' and id % 13 <> 0`,
    );
  }
  await query(sql`update messages set segments = 1 + id % 3 where channel = 'sms' and status <> 'SUPPRESSED'`);
  await query(sql`update messages set status = 'DELIVERED' where status = 'SENT' and id % 2 = 0`);
}

test('the figures are what SQL over the ledgers says, before and after they are folded', async () => {
  await fill();
  const expected = await fromLedgers();
  for (const step of ['counted', 'folded'] as const) {
    if (step === 'folded') await foldMessageChanges(service.deps.orm);
    const { channels, suppressedBy, series, period, asOf } = await figures();
    assert.deepEqual(
      channels.map(({ channel }: Channel) => channel),
      ['email', 'sms', 'push'],
    );
    for (const shown of channels as Channel[]) {
      const { channel, clicks, uniqueClicks, clickRate, optOuts, ...counts } = shown;
      assert.deepEqual(counts, expected(channel), `${channel}, ${step}`);
      assert.deepEqual([clicks, uniqueClicks, clickRate, optOuts], [0, 0, 0, 0]);
      assert.equal(
        counts['audience'],
        ['queued', 'sent', 'failed', 'suppressed', 'unknown'].reduce((sum, name) => sum + (counts[name] ?? 0), 0),
      );
      assert.ok(counts['audience'] > 0 && counts['delivered']! > 0);
    }
    assert.deepEqual(
      suppressedBy,
      await query(sql`
        select channel, reason, count(*)::int as count
        from (select channel, reason from messages where status = 'SUPPRESSED' union all select 'email', reason from emails where status = 'SUPPRESSED') m
        group by 1, 2 order by 3 desc, 1, 2`),
    );
    assert.equal(series.length, 3);
    for (const name of ['audience', 'sent', 'delivered', 'segments'])
      assert.equal(
        series.reduce((sum: number, point: Record<string, number>) => sum + (point[name] ?? 0), 0),
        (channels as Channel[]).reduce((sum, channel) => sum + (channel[name] ?? 0), 0),
        name,
      );
    assert.equal(period.from, '2025-05-01T00:00:00.000Z');
    assert.ok(Date.parse(asOf) > 0);
  }
  const left = await engineEm(service.deps.orm).transactional((tx) => rows(tx, sql`select 1 from message_changes`));
  assert.deepEqual(left, []);
});

test('one channel, another time zone, hours, and another tenant', async () => {
  const all = await figures();
  const { channels, suppressedBy, series } = await figures('&channel=sms&interval=hour&timezone=Asia%2FKathmandu');
  assert.deepEqual(channels, [(all.channels as Channel[]).find(({ channel }) => channel === 'sms')]);
  assert.ok(suppressedBy.length > 0 && suppressedBy.every(({ channel }: Channel) => channel === 'sms'));
  assert.equal(series.length, 73, 'hours of a zone that begin a quarter past');
  assert.equal(
    series.reduce((sum: number, point: Record<string, number>) => sum + point['audience']!, 0),
    (channels as Channel[])[0]!['audience'],
  );
  const [other] = await query<{ n: number }>(sql`select count(*)::int as n from message_windows`, 'another');
  assert.equal(other!.n, 0);
  const refused = await service.api('GET', `/channels/analytics?${PERIOD}&channel=fax&timezone=Nowhere`);
  assert.equal(refused.status, 400);
});

test('clicks count when they are known to be of a person, opt-outs once for each decision, none for a merge', async () => {
  const [message] = await query<{ id: number }>(
    sql`select id from messages where channel = 'sms' and status = 'DELIVERED' order by id limit 1`,
  );
  const click = (first: boolean, automated: boolean | null) =>
    query<{ id: number }>(sql`
      insert into message_clicks (tenant_id, message_id, send_id, event_id, at, url, first, automated)
      values ('default', ${message!.id}, 1, ${randomUUID()}, '2025-05-02T10:00:00Z', 'https://example.com/', ${first}, ${automated}) returning id`);
  const [pending] = await click(false, null);
  const sms = async () => ((await figures('&channel=sms')).channels as Channel[])[0]!;
  assert.equal((await sms())['clicks'], 0);
  await query(sql`update message_clicks set automated = false, first = true where id = ${pending!.id}`);
  await click(false, false);
  await click(false, true);
  const consent = (address: string, status: string, source = 'text') =>
    query(sql`
      insert into text_consents (tenant_id, address, status, source, at) values ('default', ${address}, ${status}, ${source}, '2025-05-02T11:00:00Z')`);
  for (const status of ['subscribed', 'unsubscribed', 'unsubscribed', 'subscribed', 'unsubscribed'])
    await consent('+442079460001', status);
  await consent('+442079460002', 'unsubscribed', 'merge');
  const push = (address: string, reason: string, source: string) =>
    query(sql`
      insert into channel_suppressions (tenant_id, channel, address, reason, source, created_at)
      values ('default', 'push', ${address}, ${reason}, ${source}, '2025-05-02T11:00:00Z')`);
  await push('a@example.com', 'unsubscribed', 'page');
  await push('b@example.com', 'unsubscribed', 'merge');
  await push('c@example.com', 'manual', 'api');
  await publish(
    service,
    eventOf(
      'EMAIL_CLICKED',
      { emailId: 1, contactId: 1, automated: false, first: true, url: 'https://example.com/a' },
      new Date('2025-05-02T03:03:03Z'),
    ),
    eventOf('CONTACT_UNSUBSCRIBED', { contactId: 1, reason: 'merge' }, new Date('2025-05-02T03:03:03Z')),
    eventOf('CONTACT_UNSUBSCRIBED', { contactId: 1, reason: 'api' }, new Date('2025-05-02T03:03:03Z')),
  );
  await settled(service, 'analytics');
  const { channels } = await figures();
  assert.deepEqual(
    (channels as Channel[]).map(({ channel, clicks, uniqueClicks, optOuts }) => [
      channel,
      clicks,
      uniqueClicks,
      optOuts,
    ]),
    [
      ['email', 1, 1, 1],
      ['sms', 2, 1, 2],
      ['push', 0, 0, 1],
    ],
  );
  const { clickRate, delivered } = await sms();
  assert.equal(clickRate, Math.round((1 / delivered!) * 10_000) / 10_000);
});

test('the area is UP without a provider, and DEGRADED if what is due is not sent', async () => {
  const health = async () => (await service.api('GET', '/channels/health', undefined, { token: null })).body;
  assert.equal((await health()).components.postgres.status, 'UP');
  assert.deepEqual((await health()).components.messages, { status: 'UP' });
  const rolledBack = new Error('rolled back');
  const work = engineEm(service.deps.orm).transactional(async (tx) => {
    await rows(
      tx,
      sql`insert into message_sends (tenant_id, message_id, type, lane, next_attempt_at) values ('third', 1, 'sms', 'bulk', now() - interval '1 hour')`,
    );
    await assertSending(tx);
    await rows(
      tx,
      sql`insert into channel_providers (tenant_id, name, channel, type, config) values ('third', 'A', 'sms', 'http', '{}')`,
    );
    await assert.rejects(assertSending(tx), /nobody sends them/);
    throw rolledBack;
  });
  await assert.rejects(work, rolledBack);
});
