import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { CampaignEnrolment } from '../../db/entities/campaigns.ts';
import { rows, sql } from '../../db/orm.ts';
import type { Trigger } from '../../domain/campaign-definitions/triggers.ts';
import { dueContacts, isAnyoneDue } from '../../domain/campaigns/enrolment/due-contacts.ts';
import { openOccurrence, type OpenedOccurrence } from '../../domain/campaigns/enrolment/open-occurrence.ts';
import { pauseCampaign } from '../../domain/campaigns/management/pause-campaign.ts';
import { updateCampaign } from '../../domain/campaigns/management/save-campaign.ts';
import { startCampaign } from '../../domain/campaigns/management/start-campaign.ts';
import { stopCampaign } from '../../domain/campaigns/management/stop-campaign.ts';
import { createCustomField } from '../../domain/contacts/custom-fields/custom-fields.ts';
import { fire } from './campaign-paths.ts';
import { startJourneys, TENANT, type Journeys } from './campaign-support.ts';

let journeys: Journeys;
const origin = { tenantId: TENANT, actor: null, requestId: null, address: null };
// Later than any time that the tests skip to.
const steps = [{ id: 'pause', type: 'WAIT', config: { until: '2190-01-01T00:00:00.000Z' } }] as never;
const HOUR = 3_600_000;

beforeAll(async () => {
  journeys = await startJourneys();
  await journeys.worker();
  await createCustomField(journeys.em(), origin, { entity: 'contact', name: 'birthday', type: 'date' });
});
afterAll(() => journeys.stop());

const query = <T>(statement: ReturnType<typeof sql>): Promise<T[]> =>
  journeys.em().transactional((tx) => rows<T>(tx, statement));

/** Starts a campaign whose schedule fires only by `fire`. */
async function start(trigger: Trigger, entry: object = {}): Promise<number> {
  const campaignId = await journeys.start({ steps, trigger, entry });
  await query(sql`delete from outbox_workflows`);
  return campaignId;
}
const monthly = (segmentId: number): Trigger => ({ type: 'SCHEDULE', cron: '0 9 1 * *', timezone: 'UTC', segmentId });

/** Fires through the worker; the firing and its enrolment are over. Returns the nominal time. */
async function fired(campaignId: number, at: number): Promise<string> {
  const workflowId = await fire(journeys, campaignId, at);
  await journeys.settled(workflowId);
  assert.equal(await journeys.status(workflowId), 'COMPLETED');
  return workflowId.slice(-20);
}
const enrolments = (campaignId: number) =>
  journeys.em().find(CampaignEnrolment, { campaignId }, { orderBy: { id: 'asc' } });
const entered = async (campaignId: number) =>
  (await journeys.executions(campaignId)).map(({ contactId, entryKey }) => [contactId, entryKey]);

test('SCHEDULE: the members of the segment enter at each firing as the entry rules allow, once', async () => {
  const [first, second, archived] = [
    await journeys.contact(),
    await journeys.contact(),
    await journeys.contact({ status: 'archived' }),
  ];
  const listId = await journeys.list([first, archived]);
  const campaignId = await start(monthly(listId), { reentry: 'always' });
  const now = await journeys.env.currentTimeMs();
  const nominal = await fired(campaignId, now);
  const [enrolment] = await enrolments(campaignId);
  assert.deepEqual(
    [enrolment!.trigger, enrolment!.scheduledAt, enrolment!.status, enrolment!.enrolled, enrolment!.skipped],
    ['SCHEDULE', new Date(nominal), 'COMPLETED', 1, 1],
  );
  assert.deepEqual(await entered(campaignId), [[first, `enrolment/${enrolment!.id}`]]);
  const [event] = await query<{ trigger: string }>(sql`
    select v -> 'data' ->> 'trigger' as trigger from outbox_events o, jsonb_array_elements(o.events) v
    where o.type = 'CAMPAIGN_TRIGGERED' and v -> 'data' ->> 'campaignId' = ${String(campaignId)}`);
  assert.equal(event!.trigger, 'SCHEDULE');

  // The firing again: it finds its enrolment, which is over.
  await fired(campaignId, Date.parse(nominal));
  assert.equal((await entered(campaignId)).length, 1);
  await query(
    sql`insert into segment_members (tenant_id, segment_id, contact_id) values (${TENANT}, ${listId}, ${second})`,
  );
  await fired(campaignId, now + 60_000);
  assert.deepEqual(
    (await entered(campaignId)).map(([contactId]) => contactId),
    [first, first, second],
  );
});

test('SCHEDULE: twins of a firing make one enrolment', async () => {
  const campaignId = await start(monthly(await journeys.list([await journeys.contact()])));
  const scheduledAt = new Date(Math.ceil(Date.now() / 1000) * 1000).toISOString();
  const opened = await Promise.all(
    Array.from({ length: 5 }, () =>
      openOccurrence(journeys.em(), { tenantId: TENANT, campaignId, scheduledAt, at: Date.now() }),
    ),
  );
  for (const one of opened) assert.deepEqual(one, opened[0]);
  assert.equal((await enrolments(campaignId)).length, 1);
});

test('SCHEDULE: who may not fire', async () => {
  const contactId = await journeys.contact();
  const listId = await journeys.list([contactId]);
  const campaignId = await start(monthly(listId));
  const now = Math.ceil(Date.now() / 1000) * 1000;
  const open = (scheduledAt: number, at = now, id = campaignId): Promise<OpenedOccurrence> =>
    openOccurrence(journeys.em(), {
      tenantId: TENANT,
      campaignId: id,
      scheduledAt: new Date(scheduledAt).toISOString(),
      at,
    });
  assert.deepEqual(await open(now - 60_000), { skipped: 'before the activation of the campaign' });
  assert.deepEqual(await open(now, now + HOUR + 1), { skipped: 'more than an hour late' });
  assert.ok('enrolment' in (await open(now, now + HOUR)));
  assert.deepEqual(await open(now, now, 999_999_999), { skipped: 'the campaign is not active' });
  assert.deepEqual(await open(now, now, await start({ type: 'MANUAL' })), {
    skipped: 'the campaign has another trigger',
  });
  await stopCampaign(journeys.em(), origin, campaignId);
  assert.deepEqual(await open(now + 1000), { skipped: 'the campaign is not active' });

  const paused = await start(monthly(listId));
  await pauseCampaign(journeys.em(), origin, paused);
  assert.ok('enrolment' in (await open(now + 60_000, now, paused)), 'contacts enter a paused campaign');
});

test('SCHEDULE: a segment that is gone enters no one, and the firing ends', async () => {
  const listId = await journeys.list([await journeys.contact()]);
  const campaignId = await start(monthly(listId));
  // The API refuses this while the campaign is active.
  await journeys.owner(`delete from segments where id = ${listId}`);
  await fired(campaignId, await journeys.env.currentTimeMs());
  assert.deepEqual(
    (await enrolments(campaignId)).map(({ status }) => status),
    ['CANCELLED'],
  );
});

/** A contact with a birthday; or none. */
async function born(birthday: string | null, timezone?: string): Promise<number> {
  const contactId = await journeys.contact(timezone === undefined ? {} : { timezone });
  if (birthday !== null)
    await query(
      sql`update contacts set custom_fields = jsonb_build_object('birthday', ${birthday}::text) where id = ${contactId}`,
    );
  return contactId;
}
const date = (fields: Partial<Extract<Trigger, { type: 'DATE' }>> = {}) =>
  ({ type: 'DATE', field: 'customFields.birthday', offsetDays: 0, time: '09:00', annual: true, ...fields }) as const;

/** Those of these contacts that are due after `after` and not after `until`, with their entry keys. */
async function due(
  trigger: ReturnType<typeof date>,
  contactIds: number[],
  after: string,
  until: string,
): Promise<[number, string][]> {
  const window = { tenantId: TENANT, trigger, after: new Date(after), until: new Date(until) };
  const { entrants } = await journeys.em().transactional((tx) => dueContacts(tx, window, 0, 1000));
  const anyone = await journeys.em().transactional((tx) => isAnyoneDue(tx, window));
  assert.equal(anyone, entrants.length > 0);
  return entrants
    .filter(({ contactId }) => contactIds.includes(contactId))
    .map(({ contactId, entryKey }) => [contactIds.indexOf(contactId), entryKey]);
}

test('DATE: the moment is at the time in the timezone of the contact', async () => {
  const zones = ['Europe/Berlin', 'America/New_York', 'Pacific/Kiritimati', 'Asia/Kathmandu', undefined];
  const contacts = await Promise.all(zones.map((zone) => born('1990-05-01', zone)));
  const unknown = await born('1990-05-01');
  await query(sql`update contacts set timezone = 'Mars/One' where id = ${unknown}`);
  contacts.push(unknown);
  const at = (time: string) => due(date(), contacts, new Date(Date.parse(time) - 900_000).toISOString(), time);
  const key = 'date/2027-05-01';
  assert.deepEqual(await at('2027-04-30T19:00:00Z'), [[2, key]]);
  assert.deepEqual(await at('2027-05-01T03:15:00Z'), [[3, key]]);
  assert.deepEqual(await at('2027-05-01T07:00:00Z'), [[0, key]]);
  assert.deepEqual(await at('2027-05-01T09:00:00Z'), [
    [4, key],
    [5, key],
  ]);
  assert.deepEqual(await at('2027-05-01T13:00:00Z'), [[1, key]]);
  // A moment is in one window: not again when it is the window's start.
  assert.deepEqual(await at('2027-05-01T07:15:00Z'), []);
});

test('DATE: local times that the clocks skip, or that occur twice', async () => {
  const contacts = [await born('1990-03-28', 'Europe/Berlin'), await born('1990-10-31', 'Europe/Berlin')];
  const trigger = date({ time: '02:30' });
  const spring = (after: string, until: string) =>
    due(trigger, contacts, `2027-03-28T${after}Z`, `2027-03-28T${until}Z`);
  assert.deepEqual(await spring('00:30:00', '01:29:59'), []);
  assert.deepEqual(await spring('01:29:59', '01:30:00'), [[0, 'date/2027-03-28']]);
  const autumn = (after: string, until: string) =>
    due(trigger, contacts, `2027-10-31T${after}Z`, `2027-10-31T${until}Z`);
  assert.deepEqual(await autumn('00:00:00', '01:29:59'), []);
  assert.deepEqual(await autumn('01:29:59', '01:30:00'), [[1, 'date/2027-10-31']]);
});

test('DATE: annual or once, with an offset, 29 February, and values that are no dates', async () => {
  const contacts = [
    await born('2000-02-29'),
    await born('2000-02-28'),
    await born('2029-02-28'),
    await born('2000-02-30'),
    await born('soon'),
    await born(null),
  ];
  const on = (trigger: ReturnType<typeof date>, day: string) =>
    due(trigger, contacts, `${day}T08:59:00Z`, `${day}T09:00:00Z`);
  const numbers = async (...args: Parameters<typeof on>) => (await on(...args)).map(([index]) => index);
  assert.deepEqual(await on(date(), '2027-02-28'), [
    [0, 'date/2027-02-28'],
    [1, 'date/2027-02-28'],
  ]);
  assert.deepEqual(await numbers(date(), '2028-02-28'), [1]);
  assert.deepEqual(await numbers(date(), '2028-02-29'), [0]);
  assert.deepEqual(await numbers(date(), '2027-03-01'), []);
  // Nothing recurs before it has first occurred.
  assert.deepEqual(await numbers(date(), '2029-02-28'), [0, 1, 2]);
  assert.deepEqual(await numbers(date({ offsetDays: -7 }), '2029-02-21'), [0, 1, 2]);
  assert.deepEqual(await numbers(date({ offsetDays: 1 }), '2027-03-01'), [0, 1]);
  assert.deepEqual(await numbers(date({ annual: false }), '2029-02-28'), [2]);
  assert.deepEqual(await numbers(date({ annual: false, offsetDays: 3650 }), '2039-02-26'), [2]);
});

test('DATE: a time counts as its date in the timezone of the contact; who is created after the moment is left out', async () => {
  const contacts = [
    await born(null, 'Asia/Tokyo'),
    await born(null, 'America/New_York'),
    await born(null, 'Asia/Tokyo'),
  ];
  await query(
    sql`update contacts set created_at = '2026-06-30T23:30:00Z' where id = any(${contacts.slice(0, 2)}::bigint[])`,
  );
  await query(sql`update contacts set created_at = '2026-07-01T08:00:00Z' where id = ${contacts[2]!}`);
  const trigger = date({ field: 'createdAt', annual: false });
  // In Tokyo it was 08:30 on 1 July, in New York 19:30 on 30 June, and the third came at 17:00 in Tokyo.
  assert.deepEqual(await due(trigger, contacts, '2026-06-30T00:00:00Z', '2026-07-01T00:00:00Z'), [
    [0, 'date/2026-07-01'],
  ]);
  const later = { ...trigger, offsetDays: 365 };
  assert.deepEqual(await due(later, contacts, '2027-06-30T12:59:00Z', '2027-07-01T00:00:00Z'), [
    [0, 'date/2027-07-01'],
    [1, 'date/2027-06-30'],
    [2, 'date/2027-07-01'],
  ]);
  assert.deepEqual(
    await due({ ...later, annual: true, offsetDays: 0 }, contacts, '2027-06-30T12:59:00Z', '2027-07-01T00:00:00Z'),
    [
      [0, 'date/2027-07-01'],
      [1, 'date/2027-06-30'],
      [2, 'date/2027-07-01'],
    ],
  );
});

test('DATE: contacts enter once for each moment, after an outage up to a day late, and not before the activation', async () => {
  // Windows of the past and of the day before must not see the contacts of other tests.
  const day = new Date(Date.now() + 40 * 24 * HOUR).toISOString().slice(0, 10);
  const noon = Date.parse(`${day}T12:00:00Z`);
  const birthday = `1990${day.slice(4)}`;
  const contacts = [await born(birthday), await born(birthday, 'Etc/GMT+2'), await born(birthday, 'Etc/GMT+5')];
  const campaignId = await start(date(), { reentry: 'always' });
  const occur = (at: number) =>
    openOccurrence(journeys.em(), { tenantId: TENANT, campaignId, scheduledAt: new Date(at).toISOString(), at });
  const activate = (at: number) =>
    journeys.owner(`update campaigns set activated_at = '${new Date(at).toISOString()}' where id = ${campaignId}`);
  await activate(noon - 2 * HOUR);
  // 09:00 was before the activation for the first, and is at 11:00 and 14:00 UTC for the others.
  const opened = await occur(noon);
  assert.ok('enrolment' in opened);
  assert.deepEqual(await occur(noon), opened);
  assert.deepEqual(await occur(noon + 1000), { skipped: 'no moment of a contact has come' });
  assert.deepEqual(await occur(noon - HOUR), { skipped: 'its moments are entered already' });
  await startEnrolment(opened);
  assert.deepEqual(await entered(campaignId), [[contacts[1], `date/${day}`]]);
  const [enrolment] = await enrolments(campaignId);
  assert.deepEqual([enrolment!.trigger, enrolment!.status, enrolment!.enrolled], ['DATE', 'COMPLETED', 1]);

  // The server was away until the next day: 23 hours after the third one's moment.
  const late = await occur(noon + 25 * HOUR);
  await startEnrolment(late);
  assert.deepEqual(await entered(campaignId), [
    [contacts[1], `date/${day}`],
    [contacts[2], `date/${day}`],
  ]);
  // If the moments are taken again, no one enters again.
  await query(sql`update campaigns set dated_until = null where id = ${campaignId}`);
  await startEnrolment(await occur(noon + 22 * HOUR));
  assert.equal((await entered(campaignId)).length, 2);
  // And a day later it is too late.
  await query(sql`update campaigns set dated_until = null where id = ${campaignId}`);
  await query(sql`delete from campaign_executions where campaign_id = ${campaignId}`);
  assert.deepEqual(await occur(noon + 26 * HOUR + 1), { skipped: 'no moment of a contact has come' });
});

async function startEnrolment(opened: OpenedOccurrence): Promise<void> {
  assert.ok('enrolment' in opened, JSON.stringify(opened));
  const { workflowId } = await journeys.em().findOneOrFail(CampaignEnrolment, { id: opened.enrolment.enrolmentId });
  await journeys.env.client.workflow.start('campaignEnrolment', {
    workflowId,
    taskQueue: 'perennial-jobs',
    args: [opened.enrolment],
  });
  await journeys.settled(workflowId);
}

test('DATE: through the worker, on skipped time; a changed field is a new moment', async () => {
  const now = await journeys.env.currentTimeMs();
  const soon = new Date(now + 30 * HOUR);
  const contactId = await born(soon.toISOString().slice(0, 10));
  const other = await born(soon.toISOString().slice(0, 10));
  await query(sql`update contacts set status = 'archived' where id = ${other}`);
  const time = soon.toISOString().slice(11, 16);
  const campaignId = await start(date({ annual: false, time }), { reentry: 'always' });
  await fired(campaignId, now);
  assert.deepEqual(await entered(campaignId), []);
  await journeys.env.sleep(30 * HOUR);
  await fired(campaignId, soon.getTime());
  const key = (at: Date) => `date/${at.toISOString().slice(0, 10)}`;
  assert.deepEqual(await entered(campaignId), [[contactId, key(soon)]]);

  // Moved to a day that is past, and then to one that comes.
  const move = (at: Date) =>
    query(sql`
      update contacts set custom_fields = jsonb_build_object('birthday', ${at.toISOString().slice(0, 10)}::text)
      where id = ${contactId}`);
  await move(new Date(soon.getTime() - 48 * HOUR));
  await journeys.env.sleep(HOUR);
  await fired(campaignId, soon.getTime() + HOUR);
  assert.equal((await entered(campaignId)).length, 1);
  const next = new Date(soon.getTime() + 48 * HOUR);
  await move(next);
  await journeys.env.sleep(47 * HOUR);
  await fired(campaignId, next.getTime());
  assert.deepEqual(await entered(campaignId), [
    [contactId, key(soon)],
    [contactId, key(next)],
  ]);
});

test('DATE: pages of many contacts', async () => {
  const day = new Date(Date.now() + 300 * 24 * HOUR).toISOString().slice(0, 10);
  await journeys.owner(`insert into contacts (tenant_id, first_name, last_name, email, email_key, custom_fields)
    select '${TENANT}', 'Due', 'Many', 'due' || n || '@example.com', 'due' || n || '@example.com', '{"birthday": "${day}"}' from generate_series(1, 450) n`);
  const campaignId = await start(date({ annual: false }));
  const at = Date.parse(`${day}T09:00:00Z`);
  const opened = await openOccurrence(journeys.em(), {
    tenantId: TENANT,
    campaignId,
    scheduledAt: new Date(at).toISOString(),
    at,
  });
  await startEnrolment(opened);
  const executions = await journeys.executions(campaignId);
  assert.equal(executions.length, 450);
  assert.ok(executions.every(({ runId, entryKey }) => runId && entryKey === `date/${day}`));
});

test('a trigger that becomes another asks for its schedule to be checked; others do not', async () => {
  const listId = await journeys.list();
  const started = async () =>
    (
      await query<{ workflow_id: string }>(sql`
        with taken as (delete from outbox_workflows returning *) select workflow_id from taken where workflow_type = 'campaignSchedule'`)
    ).map((row) => row.workflow_id);
  await started();
  const campaignId = await journeys.start({ steps });
  assert.deepEqual(await started(), []);
  const publish = async (trigger: Trigger) => {
    await updateCampaign(journeys.em(), TENANT, campaignId, { trigger }, () => {});
    await startCampaign(journeys.em(), origin, campaignId, {});
    return started();
  };
  const asked = [`campaign-schedule/${TENANT}/${campaignId}`];
  assert.deepEqual(await publish(monthly(listId)), asked);
  assert.deepEqual(await publish({ type: 'CONTACT_CREATED' }), asked);
  assert.deepEqual(await publish({ type: 'MANUAL' }), []);
  assert.deepEqual(await publish(date()), asked);
  await stopCampaign(journeys.em(), origin, campaignId);
  assert.deepEqual(await started(), asked);
});
