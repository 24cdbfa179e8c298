import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import fc from 'fast-check';
import { DateTime } from 'luxon';
import { heldUntil, nextOpening, zonesOfNumber, type HoursRules } from '../../../domain/delivery/gates/hours.ts';

const MINUTE = 60_000;
const RULES: HoursRules = {
  channel: 'sms',
  sendWindow: { from: '08:00', to: '21:00', timezone: 'contact' },
  tenantTimezone: 'UTC',
  maxHoldHours: 24,
  quietHours: null,
  timezone: null,
  number: '+12025550123',
};
const at = (text: string, zone = 'UTC') => DateTime.fromISO(text, { zone }).toJSDate();
const opens = (rules: Partial<HoursRules>, now: Date) => nextOpening({ ...RULES, ...rules }, now)?.toISOString();

test('a number without a time zone is texted only while it is day in the whole country', () => {
  // 8:00 in Honolulu is 13:00 in New York in winter.
  const eight = at('2026-01-15T08:00', 'Pacific/Honolulu');
  const nine = at('2026-01-15T21:00', 'America/New_York');
  assert.equal(opens({}, new Date(eight.getTime() - MINUTE)), eight.toISOString());
  assert.equal(opens({}, eight), eight.toISOString());
  const last = new Date(nine.getTime() - MINUTE);
  assert.equal(opens({}, last), last.toISOString());
  assert.equal(opens({}, nine), at('2026-01-16T08:00', 'Pacific/Honolulu').toISOString());
  assert.ok(zonesOfNumber('+12025550123').includes('Pacific/Honolulu'));
});

test('a country without a common hour, and a number of no country, take the time zone of the tenant', () => {
  const sendWindow = { from: '12:00', to: '13:00', timezone: 'contact' };
  const now = at('2026-03-02T00:00');
  const noon = at('2026-03-02T12:00', 'Europe/Berlin').toISOString();
  assert.equal(opens({ sendWindow, tenantTimezone: 'Europe/Berlin' }, now), noon);
  assert.equal(opens({ sendWindow, tenantTimezone: 'Europe/Berlin', number: '+80012345678' }, now), noon);
  assert.equal(opens({ sendWindow, tenantTimezone: 'Europe/Berlin', number: null, channel: 'push' }, now), noon);
});

test('the window ends at 21:00 on days of 23, 24 and 25 hours', () => {
  for (const day of ['2026-03-29', '2026-06-01', '2026-10-25']) {
    const timezone = 'Europe/Berlin';
    const end = at(`${day}T21:00`, timezone);
    const before = at(`${day}T20:59`, timezone);
    assert.equal(opens({ timezone }, before), before.toISOString(), day);
    const next = DateTime.fromISO(`${day}T08:00`, { zone: timezone }).plus({ days: 1 }).toJSDate();
    assert.equal(opens({ timezone }, end), next.toISOString(), day);
  }
});

test('what finds no open hour in the time that it may be held, expires at once', () => {
  const now = at('2026-06-06T12:00');
  const weekdays = { from: '09:00', to: '17:00', timezone: 'UTC', days: ['monday'] };
  const held = (rules: Partial<HoursRules>, queued = now) => heldUntil({ ...RULES, ...rules }, queued, now);
  assert.equal(held({ sendWindow: weekdays }), 'expired');
  assert.deepEqual(held({ sendWindow: weekdays, maxHoldHours: 48 }), at('2026-06-08T09:00'));
  assert.equal(held({ sendWindow: weekdays, maxHoldHours: 48 }, at('2026-06-06T08:59')), 'expired');
  assert.equal(held({ sendWindow: null }), null);
  const never = { from: '00:00', to: '23:59', timezone: 'UTC' };
  assert.equal(
    held({ sendWindow: { from: '01:00', to: '02:00', timezone: 'UTC' }, quietHours: never, maxHoldHours: 168 }),
    'expired',
  );
});

test('only the time for which hours are closed counts as held, not what passed while they were open', () => {
  // Queued in the morning, and its provider did not work until the next day's window had closed.
  const [queued, now] = [at('2026-06-01T09:00'), at('2026-06-02T21:01')];
  const daily = { from: '08:00', to: '21:00', timezone: 'UTC' };
  const held = (rules: Partial<HoursRules>, from = queued) => heldUntil({ ...RULES, ...rules }, from, now);
  assert.deepEqual(held({ sendWindow: daily }), at('2026-06-03T08:00'));
  // They are closed for exactly eleven hours.
  assert.deepEqual(held({ sendWindow: daily, maxHoldHours: 11 }), at('2026-06-03T08:00'));
  assert.equal(held({ sendWindow: daily, maxHoldHours: 10 }), 'expired');
  const quiet = { from: '20:30', to: '08:00', timezone: 'UTC' };
  assert.equal(held({ sendWindow: daily, quietHours: quiet, maxHoldHours: 11 }), 'expired');
  assert.deepEqual(held({ sendWindow: daily, quietHours: quiet, maxHoldHours: 12 }), at('2026-06-03T08:00'));
  // It came when they were closed already.
  assert.deepEqual(held({ sendWindow: daily, maxHoldHours: 11 }, at('2026-06-02T21:00')), at('2026-06-03T08:00'));
});

// No time that a clock change skips or repeats: those have a meaning of their own (RFC 5545).
const time = fc.oneof(fc.integer({ min: 0, max: 59 }), fc.integer({ min: 240, max: 1439 })).map((minute) => {
  const two = (n: number) => String(n).padStart(2, '0');
  return `${two(Math.floor(minute / 60))}:${two(minute % 60)}`;
});
const zone = fc.constantFrom(
  'Europe/Berlin',
  'America/New_York',
  'Pacific/Honolulu',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
);

test('the next opening is the first minute that is in the window and in no quiet hours', () => {
  fc.assert(
    fc.property(
      fc.record({
        window: fc.option(fc.tuple(time, time).filter(([from, to]) => from < to)),
        quiet: fc.option(fc.tuple(time, time, zone).filter(([from, to]) => from !== to)),
        timezone: zone,
        // Days with clock changes among them.
        day: fc.constantFrom('2026-03-08', '2026-03-29', '2026-04-05', '2026-07-01', '2026-10-25', '2026-11-01'),
        minute: fc.integer({ min: 0, max: 1439 }),
      }),
      ({ window, quiet, timezone, day, minute }) => {
        const now = new Date(at(day).getTime() + minute * MINUTE);
        const clock = (moment: number, in_: string) => DateTime.fromMillis(moment, { zone: in_ }).toFormat('HH:mm');
        // A span of every day; it crosses midnight if it ends before it begins.
        const isIn = (span: readonly [string, string], local: string) =>
          span[0] < span[1] ? span[0] <= local && local < span[1] : span[0] <= local || local < span[1];
        const isOpen = (moment: number) =>
          (!window || isIn(window, clock(moment, timezone))) &&
          !(quiet && isIn([quiet[0], quiet[1]], clock(moment, quiet[2])));
        let model = now.getTime();
        while (!isOpen(model) && model < now.getTime() + 3 * 1440 * MINUTE) model += MINUTE;
        const found = nextOpening(
          {
            ...RULES,
            timezone,
            sendWindow: window && { from: window[0], to: window[1], timezone: 'contact' },
            quietHours: quiet && { from: quiet[0], to: quiet[1], timezone: quiet[2] },
          },
          now,
        );
        if (isOpen(model)) assert.equal(found?.toISOString(), new Date(model).toISOString());
        // Hours that have nothing in common may have after a clock change.
        else assert.ok(found === null || found.getTime() >= model);
      },
    ),
    { numRuns: 200 },
  );
});
