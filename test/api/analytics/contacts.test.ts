import assert from 'node:assert/strict';
import { beforeEach, test } from '@jest/globals';
import { forgetContacts, moveContact } from '../../../domain/analytics/contacts/sets.ts';
import { readCampaignAnalytics, readDashboard } from '../../../domain/analytics/dashboard.ts';
import { foldEvents } from '../../../domain/analytics/fold-events.ts';
import { rollContacts } from '../../../domain/analytics/roll-contacts.ts';
import { engineEm } from '../../../db/orm.ts';
import { eventOf } from '../../support/events.ts';
import { until } from '../../support/until.ts';
import { figuresDatabase, periodOf } from './figures-support.ts';

const figures = figuresDatabase();
beforeEach(async () => {
  await figures.owner.query('truncate analytics_events, analytics_windows, analytics_rollups, analytics_contact_sets');
});

const period = periodOf('2026-03-01T00:00:00Z', '2026-03-03T12:30:00Z');
const sent = (contactId: number, at = '2026-03-02T12:00:00Z') =>
  eventOf('EMAIL_SENT', { emailId: 1, recipientId: contactId, status: 'SENT', campaignId: 1 }, new Date(at));
const met = (contactId: number, at = '2026-03-02T13:00:00Z') =>
  eventOf('GOAL_MET', { campaignId: 1, executionId: 1, contactId, stepId: 'g' }, new Date(at));
/** [sent, goals met, contacts that converted, their share of those mailed], for everything and for the campaign. */
const read = async () => {
  const { emails, conversions } = await readDashboard(figures.em(), period);
  const [campaign] = (await readCampaignAnalytics(figures.em(), period)).byCampaign;
  assert.deepEqual(
    [campaign!.sent, campaign!.conversions.total, campaign!.conversions.contacts, campaign!.conversions.rate],
    [emails.sent, conversions.goals, conversions.contacts, conversions.rate],
  );
  return [emails.sent, conversions.goals, conversions.contacts, conversions.rate];
};
const roll = () => rollContacts(figures.deps.orm);
/** Whether an event or a set has the contact. */
const has = async (contactId: number) =>
  (
    await figures.owner.query<{ events: number; sets: number }>(
      `select (select count(*)::int from analytics_events where contact_id = $1) as events,
        (select count(*)::int from analytics_contact_sets where chunk = $1::bigint / 4096 and get_bit(bits, ($1::bigint % 4096)::int) = 1) as sets`,
      [contactId],
    )
  ).rows[0]!;

for (const rolled of [false, true]) {
  const when = rolled ? 'after sets were made' : 'before sets are made';
  test(`a contact that is merged is the other one, ${when}`, async () => {
    // In the same piece of a set, and in others; one did what the other did, one did not.
    for (const [source, target] of [[1, 2], [3, 50_000], [4095, 4096]] as const) {
      await figures.count(sent(source), sent(target), sent(9), met(source), met(9));
      if (rolled) await roll();
      assert.deepEqual(await read(), [3, 2, 2, 0.6667]);
      await figures.em().transactional((tx) => moveContact(tx, 'default', { from: source, to: target }));
      assert.deepEqual(await read(), [3, 2, 2, 1]);
      await roll();
      assert.deepEqual(await read(), [3, 2, 2, 1]);
      assert.deepEqual(await has(source), { events: 0, sets: 0 });
      assert.equal((await has(target)).events, 3);
      await figures.owner.query('truncate analytics_events, analytics_windows, analytics_rollups, analytics_contact_sets');
    } // prettier-ignore
  });

  test(`a contact that is erased is in no event and in no set, ${when}; counts stay`, async () => {
    await figures.count(sent(1), sent(2), sent(9), met(1), met(9));
    if (rolled) await roll();
    await figures.em().transactional((tx) => forgetContacts(tx, 'default', [1, 77]));
    assert.deepEqual(await read(), [3, 2, 1, 0.5]);
    await figures.count(sent(9, '2026-03-02T12:20:00Z'));
    await roll();
    assert.deepEqual(await read(), [4, 2, 1, 0.5]);
    assert.deepEqual(await has(1), { events: 0, sets: 0 });
  });
}

test('sets are not made of a contact while it is erased', async () => {
  await figures.count(sent(1), sent(9));
  let rolling = roll();
  await figures.em().transactional(async (tx) => {
    await rolling;
    await figures.count(sent(1, '2026-03-02T14:00:00Z'));
    await forgetContacts(tx, 'default', [1]);
    // It cannot see yet that the contact is gone.
    rolling = roll();
    await rolling;
  });
  await roll();
  assert.deepEqual(await has(1), { events: 0, sets: 0 });
  assert.deepEqual((await read()).slice(2), [0, 0]);
});

test('contacts of another tenant with the same ids are others', async () => {
  await figures.count(sent(1), { ...sent(1), tenantid: 'other' }, { ...met(1), tenantid: 'other' });
  for (const work of [() => Promise.resolve(), roll]) {
    await work();
    assert.deepEqual(await read(), [1, 0, 0, 0]);
  }
  await figures.em().transactional((tx) => forgetContacts(tx, 'default', [1]));
  assert.deepEqual((await has(1)).events, 2);
});

test('what is counted while sets are made is not taken for made', async () => {
  await figures.count(sent(1), met(1));
  // A batch that is not committed yet: sets are made without it, and again with it.
  const batch = Promise.withResolvers<void>();
  const folded = Promise.withResolvers<void>();
  const counting = engineEm(figures.deps.orm).transactional(async (tx) => {
    await foldEvents(tx, [sent(2), sent(4), met(3)]);
    folded.resolve();
    await batch.promise;
  });
  await folded.promise;
  const rolling = roll();
  await until('the sets wait for the batch', async () => {
    const { rows } = await figures.owner.query(
      `select 1 from pg_locks where not granted and locktype = 'transactionid'`,
    );
    return rows.length > 0;
  });
  assert.deepEqual(await read(), [1, 1, 1, 1]);
  batch.resolve();
  await counting;
  await rolling;
  assert.deepEqual(await read(), [3, 2, 2, 0.6667]);
  await roll();
  assert.deepEqual(await read(), [3, 2, 2, 0.6667]);
  const { rows } = await figures.owner.query('select 1 from analytics_rollups where rolled_changes <> changes');
  assert.deepEqual(rows, []);
});
