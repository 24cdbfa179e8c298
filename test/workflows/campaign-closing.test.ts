import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { campaignActivities } from '../../activities/campaigns.ts';
import { presentCampaigns } from '../../api/campaigns/presenter.ts';
import { Campaign, CampaignEnrolment } from '../../db/entities/campaigns.ts';
import { rows, sql } from '../../db/orm.ts';
import { definitionCache } from '../../domain/campaign-definitions/load-definition.ts';
import { enrolPage } from '../../domain/campaigns/enrolment/enrol-page.ts';
import { startCampaign } from '../../domain/campaigns/management/start-campaign.ts';
import { stopCampaign } from '../../domain/campaigns/management/stop-campaign.ts';
import { wait } from './campaign-paths.ts';
import { LONG, startJourneys, TENANT, type Journeys } from './campaign-support.ts';

let journeys: Journeys;
const origin = { tenantId: TENANT, actor: null, requestId: null, address: null };
beforeAll(async () => {
  journeys = await startJourneys();
});
afterAll(() => journeys.stop());

/** Puts so many new contacts on a list and enters them, without starting their workflows. */
async function entered(count: number): Promise<number> {
  const listId = await journeys.list();
  await journeys.em().transactional((tx) =>
    rows(
      tx,
      sql`
    with made as (
      insert into contacts (tenant_id, first_name, last_name, email, email_key, status)
      select ${TENANT}, 'Ada', 'Many', a, a, 'active' from (select gen_random_uuid() || '@example.com' as a from generate_series(1, ${count}::int)) x
      returning id)
    insert into segment_members (tenant_id, segment_id, contact_id) select ${TENANT}, ${listId}::bigint, id from made`,
    ),
  );
  const campaignId = await journeys.start({ steps: [wait('pause', LONG)] }, { listId });
  const { id: enrolmentId } = await journeys.em().findOneOrFail(CampaignEnrolment, { campaignId });
  const load = definitionCache();
  for (let page = { cursor: 0, done: false }; !page.done;)
    page = await enrolPage(journeys.em(), load, { tenantId: TENANT, enrolmentId, after: page.cursor });
  return campaignId;
}

test('the stop of a large campaign shows how many workflows are left to close, of how many', async () => {
  const campaignId = await entered(1000);
  const shown = async () => {
    const em = journeys.em();
    const [campaign] = await presentCampaigns([await em.findOneOrFail(Campaign, { id: campaignId })], em);
    return campaign!.closing;
  };
  assert.equal(await shown(), null);
  await stopCampaign(journeys.em(), origin, campaignId);
  assert.deepEqual(await shown(), { left: 1000, total: 1000 });

  const { closeStopped } = campaignActivities(journeys.deps);
  const page = (after: number): Promise<number | null> =>
    new MockActivityEnvironment().run(closeStopped, { tenantId: TENANT, campaignId, after });
  const seen: unknown[] = [];
  for (let after: number | null = 0; after !== null;) {
    after = await page(after);
    seen.push(await shown());
  }
  assert.deepEqual(seen, [
    ...[800, 600, 400, 200].map((left) => ({ left, total: 1000 })),
    // The last page, and the one after it, which is empty.
    null,
    null,
  ]);

  await stopCampaign(journeys.em(), origin, campaignId);
  assert.equal(await shown(), null, 'a stop that is repeated has nothing to close');
  await startCampaign(journeys.em(), origin, campaignId, {});
  const { closingTotal } = await journeys.em().findOneOrFail(Campaign, { id: campaignId });
  assert.equal(closingTotal, null);
});

test('many campaigns are answered with one query for what is left', async () => {
  const em = journeys.em();
  const ids = [await entered(0), await entered(0), await entered(3)];
  for (const id of ids) await stopCampaign(journeys.em(), origin, id);
  const campaigns = await em.find(Campaign, { id: { $in: ids } }, { orderBy: { id: 'asc' } });
  let transactions = 0;
  const run = em.transactional.bind(em);
  em.transactional = (...args) => {
    transactions += 1;
    return run(...args);
  };
  assert.deepEqual(
    (await presentCampaigns(campaigns, em)).map(({ closing }) => closing),
    [null, null, { left: 3, total: 3 }],
  );
  assert.equal(transactions, 1);
});
