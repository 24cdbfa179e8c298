import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { engineEm } from '../../../db/orm.ts';
import { foldEvents } from '../../../domain/analytics/fold-events.ts';
import { eventOf } from '../../support/events.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

type Row = Answer['body'];
const DAY = '2026-02-03';
const period = { from: `${DAY}T00:00:00Z`, to: `${DAY}T23:00:00Z` };
const get = (area: string, parameters: Record<string, string> = {}) =>
  service.api('GET', `/analytics/${area}?${new URLSearchParams({ ...period, ...parameters }).toString()}`);
const read = async (area: string, parameters: Record<string, string> = {}): Promise<Row> => {
  const { status, body } = await get(area, parameters);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
};
/** All rows of a breakdown, read by pages of two. */
async function paged(area: string, part: string, parameters: Record<string, string>): Promise<Row[]> {
  const found: Row[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const body: Row = await read(area, { ...parameters, limit: '2', ...(cursor ? { cursor } : {}) });
    assert.ok(body[part].length <= 2);
    assert.equal(body.page.hasMore, body.page.nextCursor !== null);
    assert.equal(body.page.limit, 2);
    found.push(...body[part]);
    cursor = body.page.nextCursor;
  }
  return found;
}
const at = new Date(`${DAY}T10:00:00Z`);
const clicked = (url: string, contactId: number | null, more: object = {}) =>
  eventOf('EMAIL_CLICKED', { emailId: 1, templateId: 1, contactId, automated: false, url, ...more }, at);
const entered = (campaignId: number, n: number) =>
  Array.from({ length: n }, () => eventOf('CAMPAIGN_TRIGGERED', { campaignId, contactId: 1, executionId: 1, trigger: 'MANUAL' }, at)); // prettier-ignore
const count = (...events: Parameters<typeof foldEvents>[1]) =>
  engineEm(service.deps.orm).transactional((tx) => foldEvents(tx, events));

test('links have the clicks of persons and of machines, and the contacts that clicked', async () => {
  const [a, b] = ['https://example.com/a?x=1&y="2"', 'https://example.com/b'];
  await count(
    clicked(a, 1),
    clicked(a, 1),
    clicked(a, 2),
    clicked(a, null),
    clicked(a, 3, { automated: true }),
    clicked(b, 2),
  );
  await count(clicked(b, 4, { automated: true }), clicked(b, 5, { automated: true }));
  const { byLink, totals, byTemplate } = await read('emails', { by: 'link' });
  assert.deepEqual(
    byLink.map(({ linkId: _linkId, ...link }: Row) => link),
    [
      { url: a, clicks: 4, contactsClicked: 2, automatedClicks: 1 },
      { url: b, clicks: 1, contactsClicked: 1, automatedClicks: 2 },
    ],
  );
  assert.equal(byTemplate, undefined);
  assert.deepEqual([totals.clicks, totals.contactsClicked, totals.automatedClicks], [5, 2, 3]);
  assert.deepEqual(
    (await read('emails', { by: 'link', sort: '-automatedClicks' })).byLink.map(({ url }: Row) => url),
    [b, a],
  );
});

test('a link that two batches bring at once is one link', async () => {
  const url = 'https://example.com/at-once';
  await Promise.all(Array.from({ length: 5 }, (_, n) => count(clicked(url, n), clicked(`${url}/${n % 2}`, n))));
  const { byLink } = await read('emails', { by: 'link' });
  const of = (text: string) => byLink.filter((link: Row) => link.url === text).map(({ clicks }: Row) => clicks);
  assert.deepEqual([of(url), of(`${url}/0`), of(`${url}/1`)], [[5], [3], [2]]);
});

test('pages have each row once, the largest first, ties by id, and names while there are any', async () => {
  const make = async (name: string): Promise<number> =>
    (await service.api('POST', '/campaigns', { name, steps: [{ type: 'WAIT', config: { waitMinutes: 60 } }] })).body.id;
  const ids = [
    await make('One'),
    await make('Two'),
    await make('Three'),
    await make('Four'),
    await make('Five'),
  ] as const;
  await count(
    ...entered(ids[0], 1),
    ...entered(ids[1], 3),
    ...entered(ids[2], 1),
    ...entered(ids[3], 7),
    ...entered(ids[4], 3),
  );
  const idsOf = (rows: Row[]) => rows.map(({ campaignId }) => campaignId);
  const largest = [ids[3], ids[4], ids[1], ids[2], ids[0]];
  assert.deepEqual(idsOf((await read('campaigns')).byCampaign), largest);
  assert.deepEqual(idsOf(await paged('campaigns', 'byCampaign', {})), largest);
  assert.deepEqual(idsOf(await paged('campaigns', 'byCampaign', { sort: 'entries' })), [...largest].reverse());
  assert.deepEqual(idsOf(await paged('campaigns', 'byCampaign', { sort: 'id' })), [...ids]);
  assert.equal((await service.api('DELETE', `/campaigns/${ids[1]}`)).status, 204);
  assert.deepEqual(
    (await read('campaigns')).byCampaign.map(({ name, entries }: Row) => [name, entries]),
    [['Four', 7], ['Five', 3], [null, 3], ['Three', 1], ['One', 1]], // prettier-ignore
  );
});

test('what cannot be read is a 400 with every violation', async () => {
  const violations = async (area: string, parameters: Record<string, string>) => {
    const { status, body } = await get(area, parameters);
    assert.equal(status, 400, JSON.stringify(body));
    return body.errors.map((error: Row) => `${error.path} ${error.code}`).sort();
  };
  assert.deepEqual(await violations('emails', { by: 'link', sort: 'sent', timezone: 'Mars/Olympus' }), [
    '/sort enum',
    '/timezone timezone',
  ]);
  assert.deepEqual(await violations('emails', { by: 'form', limit: '201', sort: 'views' }), [
    '/by enum',
    '/limit out_of_range',
    '/sort enum',
  ]);
  const { page } = await read('campaigns', { limit: '1' });
  for (const [area, parameters] of [
    ['campaigns', { cursor: page.nextCursor, sort: 'entries' }],
    ['forms', { cursor: page.nextCursor }],
    ['campaigns', { cursor: 'x' }],
  ] as const)
    assert.deepEqual(await violations(area, parameters), ['/cursor invalid'], area);
  assert.deepEqual(await violations('dashboard', { limit: '5' }), ['/limit unknown_field']);
});
