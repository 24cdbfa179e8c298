import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { rows, sql, tenantEm } from '../../../db/orm.ts';
import { settled } from '../../support/events.ts';
import { makeContact } from '../../support/mail/emails.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';

const DAY = 86_400_000;

let service: Service;
beforeAll(async () => {
  service = await startService({ worker: ['intake', 'consumers', 'relay'] });
  await make('/contacts/custom-fields', { entity: 'contact', name: 'birthday', type: 'date' });
});
afterAll(() => service.stop());

async function make(path: string, body: object): Promise<Answer['body']> {
  const answer = await service.api('POST', path, body);
  assert.ok(answer.status < 300, JSON.stringify(answer.body));
  return answer.body;
}
const query = (statement: ReturnType<typeof sql>) =>
  tenantEm(service.deps.orm, 'default').transactional((tx) => rows(tx, statement));
async function campaign(trigger: object): Promise<number> {
  const steps = [{ id: 'rest', type: 'WAIT', config: { waitMinutes: 60 } }];
  return (await make('/campaigns', { name: 'Explained', trigger, steps })).id;
}
const start = (id: number) => make(`/campaigns/${id}/start`, {});
async function explained(id: number, contactId: number, check = 'trigger') {
  const { status, body } = await service.api('GET', `/campaigns/${id}/contacts/${contactId}/explain`);
  assert.equal(status, 200, JSON.stringify(body));
  return body.checks.find((found: { check: string }) => found.check === check);
}
const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

const person = async (birthday: string | null, timezone: string | null): Promise<number> => {
  const { id } = await makeContact(service, { timezone });
  const { status } = await service.api('PUT', `/contacts/${id}`, { customFields: { birthday } });
  assert.equal(status, 200);
  // Whoever was created after a moment is left out by it.
  await query(sql`update contacts set created_at = now() - interval '30 days' where id = ${id}`);
  return id;
};
const date = (fields: object = {}) => ({
  type: 'DATE',
  field: 'customFields.birthday',
  offsetDays: 0,
  time: '09:00',
  ...fields,
});

test('a DATE trigger names the timezone in which its moments are, and when they are', async () => {
  const id = await campaign(date({ offsetDays: -1, annual: true }));
  const year = new Date().getUTCFullYear() + 2;
  const reason = async (birthday: string | null, timezone: string | null) =>
    explained(id, await person(birthday, timezone));
  const draft = await reason(`${year}-07-01`, 'Asia/Tokyo');
  assert.deepEqual(draft, {
    check: 'trigger',
    passed: false,
    reason: `customFields.birthday is ${year}-07-01; contacts enter 1 day before it of every year at 09:00 in Asia/Tokyo, the timezone of the contact; its next moment is ${year}-06-30T00:00:00.000Z, if the campaign is active then`,
    at: `${year}-06-30T00:00:00.000Z`,
  });
  await start(id);
  const newYork = await reason(`${year}-07-01`, 'America/New_York');
  assert.equal(newYork.passed, true);
  assert.match(
    newYork.reason,
    /at 09:00 in America\/New_York, the timezone of the contact; its next moment is \d{4}-06-30T13:00/,
  );
  const without = await reason(`${year}-07-01`, null);
  assert.match(without.reason, /in UTC, because the contact has no timezone; its next moment is \d{4}-06-30T09:00/);
  const empty = await reason(null, 'Asia/Tokyo');
  assert.deepEqual([empty.passed, empty.at], [false, null]);
  assert.match(empty.reason, /^customFields\.birthday is empty; contacts enter .* in Asia\/Tokyo/);
  // A timezone that is none any more.
  const lost = await person(`${year}-07-01`, 'Asia/Tokyo');
  await query(sql`update contacts set timezone = 'Mars/Base' where id = ${lost}`);
  assert.match((await explained(id, lost)).reason, /in UTC, because the contact's timezone Mars\/Base is unknown/);
  // People who were born on 29 February have a birthday in every year, and one on the day before in most.
  const leap = await reason('2000-02-29', null);
  assert.match(
    leap.reason,
    /its last moment was \d{4}-02-2[78]T09:00:00\.000Z.*; its next moment is \d{4}-02-2[78]T09:00:00\.000Z$/,
  );
});

test('a moment of a DATE trigger that entered nobody is explained by what was true then', async () => {
  const at = Date.now() - 2 * DAY;
  const birthday = dayOf(at);
  const moment = `${birthday}T09:00:00.000Z`;
  const id = await campaign(date());
  const contactId = await person(birthday, null);
  const told = async (): Promise<[boolean, string, string]> => {
    const { passed, reason, at: when } = await explained(id, contactId);
    return [passed, reason.split('; ').at(-1), when];
  };
  assert.deepEqual(await told(), [false, `its last moment was ${moment}, and the campaign was never started`, moment]);
  await start(id);
  const { activatedAt } = (await query(sql`select activated_at as "activatedAt" from campaigns where id = ${id}`).then(
    ([row]) => row,
  )) as { activatedAt: Date };
  assert.deepEqual(await told(), [
    false,
    `its last moment was ${moment}, before the campaign, or its trigger, became active at ${activatedAt.toISOString()}`,
    moment,
  ]);
  await query(sql`update campaigns set activated_at = now() - interval '20 days' where id = ${id}`);
  assert.deepEqual(await told(), [
    false,
    `its last moment was ${moment}, which was missed for more than 24 hours`,
    moment,
  ]);
  await query(sql`update campaigns set dated_until = now() where id = ${id}`);
  assert.match((await told())[1], /, when the entry rules kept it out, or its date or timezone was another$/);
  await query(sql`
    insert into campaign_executions (tenant_id, campaign_id, campaign_version, contact_id, entry_no, entry_key, depth, current_step, state, status, started_at, updated_at)
    values ('default', ${id}, 1, ${contactId}, 1, ${`date/${birthday}`}, 0, 0, '{}', 'COMPLETED', now(), now())`);
  assert.deepEqual(await told(), [true, `its last moment was ${moment}, by which it entered`, moment]);
  await query(sql`delete from campaign_executions where campaign_id = ${id}`);
  await query(sql`update contacts set created_at = now() where id = ${contactId}`);
  assert.match((await told())[1], /, before the contact was created at /);
});

test('who is a member of a segment by a build is told so, and when that was; who came by a change is not', async () => {
  const { id: member } = await makeContact(service, { jobTitle: 'Baker' });
  const { id: later } = await makeContact(service, { jobTitle: 'Cook' });
  const { id: segmentId } = await make('/contacts/segments', {
    name: 'Bakers',
    type: 'dynamic',
    filter: { field: 'jobTitle', operator: 'eq', value: 'Baker' },
  });
  const id = await campaign({ type: 'SEGMENT_ENTERED', segmentId });
  await start(id);
  assert.equal((await service.api('PUT', `/contacts/${later}`, { jobTitle: 'Baker' })).status, 200);
  await settled(service, 'contact', 'campaign');
  const [build] = (await query(sql`select began_at, ended_at from segment_builds where segment_id = ${segmentId}`)) as [
    { began_at: Date; ended_at: Date },
  ];
  const when = `the build of the segment that began at ${build.began_at.toISOString()} and ended at ${build.ended_at.toISOString()}`;
  const byBuild = await explained(id, member, 'segment');
  assert.deepEqual([byBuild.passed, byBuild.reason], [true, `the contact is in "Bakers": ${when} made it a member`]);
  const unfired = await explained(id, member);
  assert.deepEqual(
    [unfired.passed, unfired.reason],
    [false, `no event of the contact fires SEGMENT_ENTERED: ${when} made it a member, and builds fire no trigger`],
  );
  assert.equal((await explained(id, later, 'segment')).reason, 'the contact is in "Bakers"');
  assert.equal((await explained(id, later)).passed, true);

  const buildsOf = async (contactId: number) =>
    (await service.api('GET', `/contacts/${contactId}/segments?explain=true`)).body.data.map(
      (found: Answer['body']) => [found.id, found.member, found.build],
    );
  const shown = { beganAt: build.began_at.toISOString(), endedAt: build.ended_at.toISOString() };
  assert.deepEqual(await buildsOf(member), [[segmentId, true, shown]]);
  assert.deepEqual(await buildsOf(later), [[segmentId, true, null]]);
});
