import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { engineEm, rows, sql, tenantEm } from '../../../db/orm.ts';
import type { AnyEvent } from '../../../events/contracts.ts';
import { contactHandler } from '../../../worker/consumers/contacts.ts';
import { eventOf } from '../../support/events.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

let service: Service;
let number = 0;

beforeAll(async () => {
  service = await startService({ worker: ['intake', 'consumers', 'relay'] });
});
afterAll(() => service.stop());

const query = <T>(statement: ReturnType<typeof sql>): Promise<T[]> =>
  tenantEm(service.deps.orm, 'default').transactional((tx) => rows<T>(tx, statement));

async function make(path: string, body: object): Promise<number> {
  const answer = await service.api('POST', path, body);
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body.id;
}
const person = () => make('/contacts', { firstName: 'P', lastName: 'Q', email: `person${(number += 1)}@example.com` });
const segment = (filter: object) => make('/contacts/segments', { name: 'S', type: 'dynamic', filter });
const count = async (id: number): Promise<number> => (await service.api('GET', `/contacts/segments/${id}`)).body.count;
const activities = async (id: number): Promise<{ type: string; data: Record<string, unknown> }[]> =>
  (await service.api('GET', `/contacts/${id}/activities?sort=id`)).body.data;

/** One batch of a consumer; the inbox is the consume loop's. */
const consume = (...events: AnyEvent[]) =>
  engineEm(service.deps.orm).transactional((tx) => contactHandler.handle(tx, events));

test('what happens to a contact is recorded and moves it, through the stream', async () => {
  const visited = await segment({
    event: 'WEBSITE_VISITED',
    operator: 'atLeast',
    count: 2,
    where: [{ field: 'url', operator: 'contains', value: '/Pricing' }],
  });
  const scored = await segment({ field: 'score', operator: 'gte', value: 4 });
  const entered = await segment({
    event: 'SEGMENT_ENTERED',
    operator: 'atLeast',
    where: [{ field: 'segmentId', operator: 'eq', value: visited }],
  });
  const id = await person();
  for (const path of ['pricing', 'about', 'PRICING']) {
    const answer = await service.api('POST', '/scoring/events', {
      contactId: id,
      type: 'WEBSITE_VISITED',
      data: { url: `https://example.com/${path}` },
    });
    assert.equal(answer.status, 202);
  }
  await until(
    'the contact is in all three',
    async () => (await count(visited)) + (await count(scored)) + (await count(entered)) === 3,
  );
  const recorded = await until('its entries are recorded', async () => {
    const found = await activities(id);
    const told = (type: string) => found.filter((activity) => activity.type === type).length;
    return told('SEGMENT_ENTERED') === 3 && told('SCORE_UPDATED') >= 3 && found;
  });
  assert.deepEqual(
    recorded.filter((activity) => activity.type === 'CONTACT_CREATED').map(({ data }) => data),
    [{ contactId: id, email: `person${number}@example.com` }],
  );
  assert.deepEqual(
    recorded.filter((activity) => activity.type === 'WEBSITE_VISITED').map(({ data }) => data['url']),
    ['https://example.com/pricing', 'https://example.com/about', 'https://example.com/PRICING'],
  );
  assert.equal(recorded.filter((activity) => activity.type === 'SCORE_UPDATED').length, 3);
});

test('an activity of an email knows its template, campaign and step; automated ones do not count', async () => {
  const id = await person();
  const [mail] = await query<{
    id: number;
  }>(sql`insert into emails (tenant_id, send_key, template_id, contact_id, campaign_id, execution_id, step_id, lane)
    values ('default', 'one', 41, ${id}, 42, 43, 'welcome', 'journey') returning id`);
  const opened = await segment({
    event: 'EMAIL_OPENED',
    operator: 'atLeast',
    where: [
      { field: 'templateId', operator: 'eq', value: 41 },
      { field: 'campaignId', operator: 'in', value: [1, 42] },
    ],
  });
  const sent = await segment({ event: 'EMAIL_SENT', operator: 'atLeast' });
  await consume(
    eventOf('EMAIL_OPENED', { emailId: mail!.id, contactId: id, automated: true }),
    eventOf('EMAIL_SENT', { emailId: mail!.id, recipientId: id, status: 'SUPPRESSED' }),
    eventOf('EMAIL_SENT', { emailId: mail!.id, recipientId: null, status: 'SENT' }),
  );
  assert.deepEqual([await count(opened), await count(sent)], [0, 0]);
  await consume(
    eventOf('EMAIL_OPENED', { emailId: mail!.id, contactId: id, automated: false }),
    eventOf('EMAIL_SENT', { emailId: mail!.id, recipientId: id, status: 'SENT' }),
  );
  assert.deepEqual([await count(opened), await count(sent)], [1, 1]);
  const last = (await activities(id)).findLast((activity) => activity.type === 'EMAIL_OPENED');
  assert.deepEqual(last!.data, {
    emailId: mail!.id,
    contactId: id,
    automated: false,
    templateId: 41,
    campaignId: 42,
    executionId: 43,
    stepId: 'welcome',
  });
});

test('events of contacts that are gone, and of other tenants, touch nothing', async () => {
  const [gone, here] = [await person(), await person()];
  await service.api('DELETE', `/contacts/${gone}`);
  await consume(
    eventOf('WEBSITE_VISITED', { contactId: gone }),
    eventOf('WEBSITE_VISITED', { contactId: here, url: 'https://example.com' }),
    eventOf('WEBSITE_VISITED', { contactId: here }, new Date(), 'other'),
  );
  const found = await engineEm(service.deps.orm).transactional((tx) =>
    rows<{ contact_id: number }>(
      tx,
      sql`
    select contact_id from contact_activities where type = 'WEBSITE_VISITED' and contact_id in (${gone}, ${here})`,
    ),
  );
  assert.deepEqual(found, [{ contact_id: here }]);
});

test('batches that meet over one contact see each other', async () => {
  const id = await person();
  const twenty = await segment({ event: 'EMAIL_CLICKED', operator: 'atLeast', count: 20 });
  await Promise.all(
    Array.from({ length: 10 }, () =>
      consume(
        eventOf('EMAIL_CLICKED', { emailId: 1, contactId: id, automated: false, url: 'https://example.com' }),
        eventOf('EMAIL_CLICKED', { emailId: 1, contactId: id, automated: false, url: 'https://example.com' }),
      ),
    ),
  );
  assert.equal(await count(twenty), 1);
  const moves = await until('its entry is recorded', async () => {
    const found = (await activities(id)).filter(({ data }) => data['segmentId'] === twenty);
    return found.length > 0 && found;
  });
  assert.deepEqual(
    moves.map((activity) => activity.type),
    ['SEGMENT_ENTERED'],
  );
});
