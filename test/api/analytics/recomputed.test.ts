import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import fc from 'fast-check';
import pg from 'pg';
import { compareFigures } from '../../../dev/faults/figures/compare.ts';
import * as recompute from '../../../dev/faults/figures/recompute.ts';
import { readDashboard } from '../../../domain/analytics/dashboard.ts';
import { INTERVALS, readPeriod } from '../../../domain/common/period.ts';
import { rollContacts } from '../../../domain/analytics/roll-contacts.ts';
import type { AnyEvent, EventType } from '../../../events/contracts.ts';
import { tenantEm } from '../../../db/orm.ts';
import { eventOf, publish, settled } from '../../support/events.ts';
import { startService, type Service } from '../../support/service.ts';

let service: Service;
let owner: pg.Client;
beforeAll(async () => {
  service = await startService({ worker: ['consumers'] });
  owner = new pg.Client({ connectionString: service.slot.env['DATABASE_MIGRATION_URL'] });
  await owner.connect();
  await recompute.createPublished(owner);
});
afterAll(async () => {
  await owner.end();
  await service.stop();
});

const URLS = ['https://example.com/a', 'https://example.com/a?b=1,{"}', 'https://example.com/ü'];
/** Clocks change in New York, Warsaw, Auckland, Chatham and Havana; and a day on which no clock changes. */
const MOMENTS = [
  '2026-03-08T07:00Z',
  '2026-03-29T01:00Z',
  '2026-04-04T14:00Z',
  '2026-11-01T05:00Z',
  '2026-06-15T12:00Z',
];
const ZONES = ['UTC', 'America/New_York', 'Europe/Warsaw', 'Pacific/Auckland', 'Asia/Kolkata', 'Asia/Kathmandu', 'Pacific/Chatham', 'America/Havana', 'America/St_Johns']; // prettier-ignore
/** Some in one piece of a set, some at its ends, some far away. */
const CONTACTS = [1, 2, 3, 1023, 1024, 1025, 2047, 5_000_000_000];
const HOUR_MS = 3_600_000;

const near = fc
  .tuple(fc.constantFrom(...MOMENTS), fc.integer({ min: -40 * 60, max: 40 * 60 }), fc.integer({ min: 0, max: 59_999 }))
  .map(([moment, minutes, ms]) => new Date(Date.parse(moment) + minutes * 60_000 + ms));
const maybe = (...values: number[]) => fc.option(fc.constantFrom(...values), { nil: undefined });
const email = { emailId: fc.constantFrom(1, 2), campaignId: maybe(1, 2), templateId: maybe(1, 2, 3) };
const contactId = fc.constantFrom(...CONTACTS);
const person = { contactId: fc.option(contactId), automated: fc.boolean(), first: fc.boolean() };
const DATA: Partial<Record<EventType, fc.Arbitrary<object>>> = {
  CONTACT_CREATED: fc.record({ contactId, email: fc.constant('a@example.com') }),
  CONTACT_UNSUBSCRIBED: fc.record({ contactId, reason: fc.constant('link') }),
  EMAIL_SENT: fc.record({ ...email, recipientId: fc.option(contactId), status: fc.constantFrom('SENT', 'FAILED', 'SUPPRESSED') }), // prettier-ignore
  EMAIL_OPENED: fc.record({ ...email, ...person }),
  EMAIL_CLICKED: fc.record({ ...email, ...person, url: fc.constantFrom(...URLS) }),
  EMAIL_BOUNCED: fc.record({ ...email, contactId: fc.option(contactId), hard: fc.boolean() }),
  FORM_SUBMITTED: fc.record({ formId: fc.constantFrom(1, 2), contactId, submissionId: fc.constant(1) }),
  CAMPAIGN_TRIGGERED: fc.record({ campaignId: fc.constantFrom(1, 2), contactId, executionId: fc.constant(1), trigger: fc.constant('MANUAL') }), // prettier-ignore
  CAMPAIGN_COMPLETED: fc.record({ campaignId: fc.constantFrom(1, 2), contactId, executionId: fc.constant(1) }),
  GOAL_MET: fc.record({ campaignId: fc.constantFrom(1, 2), contactId, executionId: fc.constant(1), stepId: fc.constant('g') }), // prettier-ignore
};
const happening = fc
  .constantFrom(...(Object.keys(DATA) as EventType[]))
  .chain((type) => fc.record({ type: fc.constant(type), at: near, data: DATA[type]!, tenant: fc.constantFrom(0, 1) }));
const asked = fc
  .record({
    from: near,
    hours: fc.integer({ min: 1, max: 24 * 90 }),
    interval: fc.constantFrom(...INTERVALS),
    timezone: fc.constantFrom(...ZONES),
  }) // prettier-ignore
  .map(({ from, hours, interval, timezone }) =>
    readPeriod(
      { from: from.toISOString(), to: new Date(from.getTime() + hours * HOUR_MS).toISOString(), interval, timezone },
      new Date(),
    ),
  );

/** Publishes events, in this order; `again` are published twice. */
async function happen(events: readonly AnyEvent[], again: readonly AnyEvent[]): Promise<void> {
  await recompute.notePublished(owner, events);
  await publish(service, ...events, ...again);
  await settled(service, 'analytics');
}
const unrolled = async (tenantIds: readonly string[]) =>
  (
    await owner.query<{ n: number }>(
      `select count(*)::int as n from analytics_rollups where tenant_id = any($1) and rolled_changes <> changes`,
      [tenantIds],
    )
  ).rows[0]!.n;

/** Figures of the emails and conversions of all parts, added up. */
const SUMS = [
  'sent',
  'failed',
  'opens',
  'clicks',
  'automatedOpens',
  'automatedClicks',
  'bounces',
  'unsubscribes',
] as const;

test('parts of a period add up to the period, wherever it is split; contacts of parts are those of the period', async () => {
  let run = 0;
  const scenario = fc.record({
    events: fc.array(happening, { minLength: 20, maxLength: 200 }),
    period: asked,
    cuts: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 6 }),
    rolled: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(scenario, async ({ events, period, cuts, rolled }) => {
      run += 1;
      const tenantId = `split${run}`;
      const em = () => tenantEm(service.deps.orm, tenantId);
      const made = events.map(({ type, at, data }) =>
        eventOf(type, JSON.parse(JSON.stringify(data)) as object, at, tenantId),
      );
      await happen(made, []);
      if (rolled) await rollContacts(service.deps.orm);
      const [from, to] = [period.from.getTime(), period.to.getTime()];
      const ends = [...new Set(cuts.map((cut) => Math.floor((from + cut * (to - from)) / 300_000) * 300_000))]
        .filter((end) => end > from && end < to)
        .sort((a, b) => a - b);
      const bounds = [from, ...ends, to];
      const whole = await readDashboard(em(), period);
      const parts: (typeof whole)[] = [];
      for (const [n, end] of bounds.slice(1).entries()) {
        const part = { ...period, from: new Date(bounds[n]!), to: new Date(end) };
        const found = await readDashboard(em(), part);
        assert.deepEqual([found.period.from, found.period.to], [part.from, part.to]);
        parts.push(found);
        await compareFigures(em(), owner, tenantId, part);
      }
      const sum = (of: (part: typeof whole) => number) => parts.reduce((total, part) => total + of(part), 0);
      for (const figure of SUMS)
        assert.equal(
          sum(({ emails }) => emails[figure]),
          whole.emails[figure],
          figure,
        );
      assert.equal(
        sum(({ conversions }) => conversions.total),
        whole.conversions.total,
      );
      assert.equal(
        sum(({ contacts }) => contacts.new),
        whole.contacts.new,
      );
      for (const of of [
        (part: typeof whole) => part.emails.contactsOpened,
        (part: typeof whole) => part.emails.contactsClicked,
        (part: typeof whole) => part.conversions.contacts,
      ]) {
        assert.ok(of(whole) <= sum(of));
        assert.ok(of(whole) >= Math.max(...parts.map(of)));
      }
    }),
    { numRuns: 8, endOnFailure: true },
  );
});

test('figures are what a recomputation of what was published says: before sets are made, after, and after late events', async () => {
  let run = 0;
  const scenario = fc.record({
    events: fc.array(happening, { minLength: 1, maxLength: 150 }),
    late: fc.array(happening, { maxLength: 20 }),
    periods: fc.array(asked, { minLength: 1, maxLength: 4 }),
    random: fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
  });
  await fc.assert(
    fc.asyncProperty(scenario, async ({ events, late, periods, random }) => {
      run += 1;
      const tenants = [`run${run}-one`, `run${run}-two`];
      const chance = () => random.next().value;
      const shuffled = <T>(list: T[]) => list.map((one) => [chance(), one] as const).sort(([a], [b]) => a - b).map(([, one]) => one); // prettier-ignore
      const made = (list: typeof events) => list.map(({ type, at, data, tenant }) => eventOf(type, JSON.parse(JSON.stringify(data)) as object, at, tenants[tenant])); // prettier-ignore
      const [first, second] = [shuffled(made(events)), shuffled(made(late))];
      const check = async () => {
        for (const period of periods)
          for (const tenantId of tenants)
            await compareFigures(tenantEm(service.deps.orm, tenantId), owner, tenantId, period);
      };
      await happen(
        first,
        first.filter(() => chance() < 0.3),
      );
      await check();
      await rollContacts(service.deps.orm);
      assert.equal(await unrolled(tenants), 0);
      await check();
      await happen(
        second,
        [...first, ...second].filter(() => chance() < 0.1),
      );
      await check();
      await rollContacts(service.deps.orm);
      assert.equal(await unrolled(tenants), 0);
      await check();
    }),
    { numRuns: 12, endOnFailure: true },
  );
});
