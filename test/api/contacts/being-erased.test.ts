import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

let service: Service;
beforeAll(async () => {
  // Without workers of Temporal, so that every erasure stays requested.
  service = await startService({ worker: ['relay', 'consumers'] });
});
afterAll(() => service.stop());

async function ok(...call: Parameters<Service['api']>) {
  const answer = await service.api(...call);
  assert.ok(answer.status < 300, `${call[0]} ${call[1]}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}
const newContact = (name: string) =>
  ok('POST', '/contacts', { firstName: name, lastName: 'Kept', email: `${name}@example.com` });

async function newCampaign(name: string): Promise<number> {
  const steps = [{ id: 'pause', type: 'WAIT', config: { waitMinutes: 1440 } }];
  const trigger = { type: 'CONTACT_CREATED' };
  const { id } = await ok('POST', '/campaigns', { name, steps, trigger, entry: { reentry: 'always' } });
  await ok('POST', `/campaigns/${id}/start`);
  return id;
}
const executionsOf = async (campaignId: number, contactId: number) =>
  (await ok('GET', `/campaigns/${campaignId}/executions?contactId=${contactId}`)).data;

test('from the answer to the request on, every read of the contact says that it is being erased', async () => {
  const person = await newContact('ann');
  const other = await newContact('bea');
  assert.equal(person.erasing, false);
  const { etag } = Object.fromEntries((await service.api('GET', `/contacts/${person.id}`)).headers);
  const erasure = await ok('POST', `/contacts/${person.id}/erase`);
  assert.equal((await ok('POST', `/contacts/${person.id}/erase`)).id, erasure.id);

  const again = await service.api('GET', `/contacts/${person.id}`, undefined, { headers: { 'if-none-match': etag! } });
  assert.deepEqual([again.status, again.body.erasing], [200, true]);
  const of = (found: { id: number; erasing: boolean }[]) => found.map(({ id, erasing }) => [id, erasing]);
  const both = [
    [person.id, true],
    [other.id, false],
  ];
  assert.deepEqual(of((await ok('GET', '/contacts?sort=id')).data), both);
  assert.deepEqual(of((await ok('GET', '/contacts/search?q=Kept&sort=id')).data), both);
  assert.deepEqual(of(await ok('GET', '/contacts/export?format=json')), both);
  const csv = String(await ok('GET', '/contacts/export?format=csv'));
  assert.deepEqual(
    csv
      .trim()
      .split('\r\n')
      .map((line) => line.split(',').at(-1)),
    ['erasing', 'true', 'false'],
  );
  assert.equal((await ok('GET', `/contacts/${person.id}/data-export`)).contact.erasing, true);
  assert.equal((await ok('PUT', `/contacts/${person.id}`, again.body)).erasing, true, 'what was read can be put back');
  const refused = await service.api('PUT', `/contacts/${person.id}`, { ...again.body, erasing: false });
  assert.deepEqual([refused.status, refused.body.code], [409, 'conflict'], 'it was read before the erasure');
  const made = await service.api('PUT', `/contacts/${other.id}`, { erasing: true });
  assert.deepEqual([made.status, made.body.errors[0].code], [400, 'read_only']);
});

test('its executions are stopped in the transaction of the request, and it enters no campaign any more', async () => {
  const campaignId = await newCampaign('Welcome');
  const person = await newContact('cleo');
  await until('it has entered', async () => (await executionsOf(campaignId, person.id)).length === 1);
  await ok('POST', `/contacts/${person.id}/erase`);
  const [stopped] = await executionsOf(campaignId, person.id);
  assert.deepEqual([stopped.status, stopped.exitReason], ['STOPPED', 'contact_erased']);
  assert.notEqual(stopped.finishedAt, null);

  const { canEnter, checks } = await ok('GET', `/campaigns/${campaignId}/contacts/${person.id}/explain`);
  assert.equal(canEnter, false);
  const { passed, reason } = checks.find(({ check }: { check: string }) => check === 'contact');
  assert.deepEqual([passed, reason], [false, 'the contact is being erased']);
  const late = await newCampaign('Late');
  await ok('POST', `/contacts/${person.id}/erase`);
  const simulated = await ok('POST', `/campaigns/${late}/simulate`, { contactIds: [person.id] });
  assert.deepEqual(simulated.entered, 0, JSON.stringify(simulated));
});
