import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { deleteOldVisits, recordWebVisits } from '../../../domain/scoring/visits/record-web-visits.ts';
import { engineEm, rows, sql } from '../../../db/orm.ts';
import type { EventBatch } from '../../../events/contracts.ts';
import { batchSubject } from '../../../transport/streams.ts';
import { settled } from '../../support/events.ts';
import type { Service } from '../../support/service.ts';
import { BROWSER, PAGE, startVisitors, type Visitors } from '../../support/visits.ts';

let service: Service;
let site: Visitors;
beforeAll(async () => {
  ({ service, site } = await startVisitors());
});
afterAll(() => service.stop());

test('robots, and pages that are loaded in advance, are no visits', async () => {
  const id = await site.person();
  const ignored: Record<string, string>[] = [
    { 'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' },
    { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0; BarracudaCentral)' },
    { 'user-agent': 'Slackbot-LinkExpanding 1.0' },
    { 'user-agent': 'AdsBot-Google (+http://www.google.com/adsbot.html)' },
    { 'user-agent': BROWSER.replace('Chrome', 'HeadlessChrome') },
    { 'sec-purpose': 'prefetch' },
    { 'sec-purpose': 'prefetch;prerender' },
    { purpose: 'prefetch' },
    { 'x-moz': 'prefetch' },
    { 'x-purpose': 'preview' },
  ];
  for (const headers of ignored) {
    const { status } = await site.visit(id, {}, headers);
    assert.equal(status, 204, JSON.stringify(headers));
  }
  assert.deepEqual(await site.visitsOf(id), []);
  assert.equal((await service.api('HEAD', '/scoring/visits', undefined, { token: null })).status, 405);
  await site.visit(id);
  assert.equal((await site.visitsOf(id)).length, 1);
});

test('a page that is visited again within ten seconds counts once, from however many tabs', async () => {
  const id = await site.person();
  const statuses = await Promise.all(Array.from({ length: 50 }, () => site.visit(id)));
  assert.ok(statuses.every(({ status }) => status === 204));
  await site.visit(id, { url: `${PAGE}?contactToken=${site.tokenOf(id)}` });
  await site.visit(id, { url: 'https://www.example.com/other' });
  await site.visit(id);
  assert.deepEqual(
    (await site.visitsOf(id)).map(({ url }) => url),
    [PAGE, 'https://www.example.com/other'],
  );
  assert.equal(await site.scoreOf(id), 4);
  await site.engine(sql`update recent_visits set at = at - interval '11 seconds' where contact_id = ${id}`);
  await site.visit(id);
  assert.equal((await site.visitsOf(id)).length, 3);
  assert.equal(await site.scoreOf(id), 6);
});

test('of a flood of pages of one contact, sixty a minute count, and others lose nothing by it', async () => {
  const [id, other] = [await site.person(), await site.person()];
  const answers = await Promise.all([
    ...Array.from({ length: 200 }, (_, n) => site.visit(id, { url: `${PAGE}?page=${n}` })),
    site.visit(other),
  ]);
  assert.ok(answers.every(({ status }) => status === 204));
  await site.visit(id, { url: `${PAGE}?page=more` });
  assert.equal((await site.visitsOf(id)).length, 60);
  assert.equal((await site.visitsOf(other)).length, 1);
  // Pages that may count again do not, because it is the same minute.
  await site.engine(sql`update recent_visits set at = at - interval '11 seconds' where contact_id = ${id}`);
  await site.engine(sql`update visit_counts set since = since - interval '11 seconds' where contact_id = ${id}`);
  await Promise.all(Array.from({ length: 60 }, (_, n) => site.visit(id, { url: `${PAGE}?page=${n}` })));
  assert.equal((await site.visitsOf(id)).length, 60);
  // A minute later it may go on, and the notes are deleted.
  await site.engine(sql`update recent_visits set at = at - interval '61 seconds' where contact_id = ${id}`);
  await site.engine(sql`update visit_counts set since = since - interval '61 seconds' where contact_id = ${id}`);
  await site.visit(id, { url: `${PAGE}?page=more` });
  assert.equal((await site.visitsOf(id)).length, 61);
  await deleteOldVisits(engineEm(service.deps.orm));
  assert.deepEqual(await site.engine(sql`select 1 from recent_visits where contact_id = ${id}`), [{ '?column?': 1 }]);
  assert.deepEqual(await site.engine(sql`select visits from visit_counts where contact_id = ${id}`), [{ visits: 1 }]);
});

test('several processes together let no more than sixty of a contact through', async () => {
  const id = await site.person();
  const batch = (process: number) =>
    Array.from({ length: 40 }, (_, n) => ({
      ...{ tenantId: 'default', contactId: id, madeAt: new Date(), requestId: 'r' },
      page: { url: `${PAGE}?process=${process}&page=${n}` },
    }));
  await Promise.all([1, 2, 3].map((process) => recordWebVisits(engineEm(service.deps.orm), batch(process))));
  assert.equal((await site.visitsOf(id)).length, 60);
});

test('visits get over a deadlock, and their cleaning waits for nobody', async () => {
  const id = await site.person();
  const urls = ['a', 'b'].map((page) => `${PAGE}?${page}`);
  for (const url of urls) await site.visit(id, { url });
  await site.visitsOf(id);
  const pages = await site.engine<{ page: string }>(sql`
    with aged as (update recent_visits set at = at - interval '61 seconds' where contact_id = ${id} returning page)
    select page from aged order by page`);
  const [first, last] = pages.map(({ page }) => page);
  const lock = (page: string | undefined) =>
    sql`select 1 from recent_visits where contact_id = ${id} and page = ${page} for update`;
  const { told } = await engineEm(service.deps.orm).transactional(async (tx) => {
    await rows(tx, lock(last));
    await deleteOldVisits(engineEm(service.deps.orm));
    assert.deepEqual(await rows(tx, sql`select page from recent_visits where contact_id = ${id}`), [{ page: last }]);
    await site.engine(
      sql`insert into recent_visits (tenant_id, contact_id, page, at) values ('default', ${id}, ${first}, now() - interval '61 seconds')`,
    );
    const visits = urls.map((url) => ({
      ...{ tenantId: 'default', contactId: id, madeAt: new Date(), requestId: 'r' },
      page: { url },
    }));
    const recorded = recordWebVisits(engineEm(service.deps.orm), visits);
    await site.untilBlocked();
    // The visits have locked the first page, and wait for the last: Postgres ends one of the two, the one that waits longer.
    await rows(tx, lock(first));
    return { told: recorded };
  });
  await told;
  assert.equal((await site.visitsOf(id)).length, 4);
});

test('visits that come at once share rows of the outbox', async () => {
  const people = await Promise.all(Array.from({ length: 50 }, site.person));
  await settled(service, 'scoring', 'contact');
  const batches = service.deps.nats.connection.subscribe(batchSubject('WEBSITE_VISITED'));
  await Promise.all(people.map((id) => site.visit(id)));
  await settled(service, 'scoring', 'contact');
  batches.unsubscribe();
  const rowsOfOutbox: EventBatch[] = [];
  for await (const message of batches) rowsOfOutbox.push(message.json<EventBatch>());
  const told = rowsOfOutbox.flatMap(({ events }) => events.map(({ data }) => data['contactId'] as number));
  assert.deepEqual(
    told.sort((a, b) => a - b),
    people.sort((a, b) => a - b),
  );
  assert.ok(rowsOfOutbox.length <= people.length / 2, `${rowsOfOutbox.length} rows`);
});
