import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { advance, begin } from '../../../domain/campaigns/execution/advance.ts';
import { goesOn, moment, valid } from './support.ts';

const HOUR = 3_600_000;

/** Until when a contact waits that reaches these steps, each a WAIT, the first of them at `from`; and how many hours. */
function waits(from: string, timezone: string, ...configs: object[]): [string, number][] {
  const definition = valid(configs.map((config) => ({ type: 'WAIT', config })));
  const found: [string, number][] = [];
  let at = moment(from, timezone);
  for (let outcome = begin(definition, at); 'next' in outcome;) {
    const { next, position } = goesOn(outcome);
    const until = next.waitUntil!;
    found.push([until, (Date.parse(until) - at.now.getTime()) / HOUR]);
    at = moment(until, timezone);
    outcome = advance(definition, position, { kind: 'done' }, at);
  }
  return found;
}

const nine = { untilLocalTime: { time: '09:00' } };

test('a day between two mornings is shorter when the clocks go forward, longer when they go back', () => {
  assert.deepEqual(waits('2026-03-27T12:00:00.000Z', 'Europe/Warsaw', nine, nine, nine), [
    ['2026-03-28T08:00:00.000Z', 20],
    ['2026-03-29T07:00:00.000Z', 23],
    ['2026-03-30T07:00:00.000Z', 24],
  ]);
  assert.deepEqual(waits('2026-10-23T12:00:00.000Z', 'Europe/Warsaw', nine, nine, nine), [
    ['2026-10-24T07:00:00.000Z', 19],
    ['2026-10-25T08:00:00.000Z', 25],
    ['2026-10-26T08:00:00.000Z', 24],
  ]);
});

test('a weekly morning stays that morning across the change, in both directions', () => {
  const monday = { untilLocalTime: { weekday: 'Monday', time: '09:00' } };
  assert.deepEqual(waits('2026-03-23T12:00:00.000Z', 'America/New_York', monday, monday), [
    ['2026-03-23T13:00:00.000Z', 1],
    ['2026-03-30T13:00:00.000Z', 168],
  ]);
  assert.deepEqual(waits('2026-03-02T15:00:00.000Z', 'America/New_York', monday)[0], ['2026-03-09T13:00:00.000Z', 166]);
  assert.deepEqual(waits('2026-10-26T14:00:00.000Z', 'America/New_York', monday)[0], ['2026-11-02T14:00:00.000Z', 168]);
});

test('a time that the clocks skip is waited for once that day; one that comes twice lets nobody through twice', () => {
  const early = { untilLocalTime: { time: '02:30' } };
  assert.deepEqual(waits('2026-03-28T12:00:00.000Z', 'Europe/Warsaw', early, early), [
    ['2026-03-29T01:30:00.000Z', 13.5],
    ['2026-03-30T00:30:00.000Z', 23],
  ]);
  assert.deepEqual(waits('2026-10-24T12:00:00.000Z', 'Europe/Warsaw', early, early), [
    ['2026-10-25T00:30:00.000Z', 12.5],
    ['2026-10-26T01:30:00.000Z', 25],
  ]);
});

test('minutes are minutes, whatever the clocks do', () => {
  const day = { waitMinutes: 1440 };
  assert.deepEqual(waits('2026-03-28T12:00:00.000Z', 'Europe/Warsaw', day), [['2026-03-29T12:00:00.000Z', 24]]);
  assert.deepEqual(waits('2026-10-24T12:00:00.000Z', 'Europe/Warsaw', day), [['2026-10-25T12:00:00.000Z', 24]]);
});
