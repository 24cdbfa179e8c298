import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { engineEm, rows, sql } from '../../../db/orm.ts';
import { encode } from '../../../transport/nats.ts';
import { SEND_REQUEST_SUBJECT } from '../../../transport/streams.ts';
import {
  makeAudience,
  makeEmailCampaign,
  makeList,
  readCampaign,
  readFigures,
  untilCampaign,
} from '../../support/mail/email-campaigns.ts';
import { makeContact, makeTemplate } from '../../support/mail/emails.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { BROWSER } from '../../support/visits.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ worker: true });
});
afterAll(() => service.stop());

const engine = <T>(query: Parameters<typeof rows>[1]) =>
  engineEm(service.deps.orm).transactional((tx) => rows<T>(tx, query));
const mailsTo = (address: string) => service.sink.mails.filter((mail) => mail.to[0] === address);
const recipients = async (id: number, query = '') =>
  (await service.api('GET', `/emails/campaigns/${id}/recipients?limit=200${query}`)).body.data;
const wake = (id: number) =>
  until('its workflow runs', () =>
    service.deps.temporal.workflow
      .getHandle(`email-campaign/default/${id}`)
      .signal('wake')
      .then(
        () => true,
        () => false,
      ),
  );
const act = async (id: number, verb: string) => service.api('POST', `/emails/campaigns/${id}/${verb}`);

test('an immediate campaign reaches each of its segment once, and says of the others why not', async () => {
  const { contacts, listId } = await makeAudience(service, 6);
  await service.api('PUT', `/contacts/${contacts[1]!.id}`, { status: 'unsubscribed' });
  await service.api('POST', '/emails/suppressions', { email: contacts[2]!.email, reason: 'bounced' });
  const templateId = await makeTemplate(service);
  const campaign = await makeEmailCampaign(service, { templateId, segmentId: listId, scheduleType: 'immediate' });
  assert.deepEqual([campaign.status, campaign.segmentId, campaign.listId], ['SENDING', listId, listId]);
  const figures = await untilCampaign(service, campaign.id, 'SENT');
  assert.deepEqual(
    [figures.audience, figures.sent, figures.delivered, figures.suppressed, figures.queued],
    [6, 4, 4, 2, 0],
  );
  for (const [n, { email }] of contacts.entries())
    assert.equal(mailsTo(email).length, n === 1 || n === 2 ? 0 : 1, email);
  const listed = await recipients(campaign.id);
  assert.deepEqual(
    new Map(
      listed.map((row: { contactId: number; status: string; reason: string | null }) => [
        row.contactId,
        row.reason ?? row.status,
      ]),
    ),
    new Map(contacts.map(({ id }, n) => [id, n === 1 ? 'contact_unsubscribed' : n === 2 ? 'contact_bounced' : 'SENT'])),
  );
  const { body: explained } = await service.api(
    'GET',
    `/emails/${listed.find((row: { contactId: number }) => row.contactId === contacts[0]!.id).emailId}/explain`,
  );
  assert.deepEqual(
    explained.gates.map(({ gate, passed }: { gate: string; passed: boolean }) => [gate, passed]),
    [
      ['membership', true],
      ['campaign', true],
      ['template', true],
      ['contact', true],
      ['status', true],
      ['suppression', true],
      ['topic', true],
      ['sender', true],
      ['frequency_cap', true],
      ['priority', true],
      ['intake', true],
      ['provider', true],
    ],
  );
  assert.ok((await readCampaign(service, campaign.id)).finishedAt);
});

test('a campaign on 2,500 contacts is written to the ledger by pages and sent once to each', async () => {
  await engine(sql`
    insert into contacts (tenant_id, first_name, last_name, email, email_key, status)
    select 'default', 'Many', n::text, 'many' || n || '@example.net', 'many' || n || '@example.net', 'active' from generate_series(1, 2500) n`);
  const { body: segment } = await service.api('POST', '/contacts/segments', {
    name: 'Many',
    type: 'dynamic',
    filter: { field: 'email', operator: 'endsWith', value: '@example.net' },
  });
  // Not built yet: the campaign waits for it.
  const campaign = await makeEmailCampaign(service, {
    templateId: await makeTemplate(service),
    segmentId: segment.id,
    scheduleType: 'immediate',
  });
  const figures = await untilCampaign(service, campaign.id, 'SENT', 180_000);
  assert.deepEqual([figures.audience, figures.sent], [2500, 2500]);
  const arrived = service.sink.mails.map((mail) => mail.to[0]!).filter((address) => address.endsWith('@example.net'));
  assert.deepEqual([arrived.length, new Set(arrived).size], [2500, 2500]);
});

test('a draft waits for send, twice pressed is once', async () => {
  const { contacts, listId } = await makeAudience(service, 1);
  const draft = await makeEmailCampaign(service, { templateId: await makeTemplate(service), listId });
  assert.deepEqual(
    [draft.status, draft.scheduleType, (await readFigures(service, draft.id)).audience],
    ['DRAFT', null, 0],
  );
  const sent = await Promise.all([act(draft.id, 'send'), act(draft.id, 'send')]);
  assert.deepEqual(
    sent.map(({ status, body }) => [status, body.status]),
    [
      [202, 'SENDING'],
      [202, 'SENDING'],
    ],
  );
  await untilCampaign(service, draft.id, 'SENT');
  assert.equal(mailsTo(contacts[0]!.email).length, 1);
  assert.equal((await act(draft.id, 'send')).status, 409);
  assert.equal((await act(draft.id, 'pause')).status, 409);
  assert.equal((await act(draft.id, 'cancel')).status, 409);
});

// Those that take their time, because of the rate of a campaign, do so together.
test.concurrent('paused in the middle nothing more goes out; resumed each of the rest gets it once', async () => {
  const { contacts, listId } = await makeAudience(service, 60);
  const own = new Set(contacts.map(({ email }) => email));
  const arrived = () => service.sink.mails.flatMap((mail) => (own.has(mail.to[0]!) ? mail.to : []));
  const campaign = await makeEmailCampaign(service, {
    templateId: await makeTemplate(service),
    listId,
    scheduleType: 'immediate',
    ratePerMinute: 300,
  });
  await until('some have gone out', async () => arrived().length >= 10);
  assert.equal((await act(campaign.id, 'pause')).body.status, 'PAUSED');
  assert.equal((await act(campaign.id, 'pause')).status, 202);
  // What was on a connection has ended, and what the senders had is back.
  const rest = await until('nothing is on its way', async () => {
    const [row] = await engine<{ n: number; held: number }>(sql`
      select count(*) filter (where status = 'SENDING' or accepted_at is not null and status = 'QUEUED') as n, count(*) filter (where status = 'QUEUED') as held
      from emails where campaign_id = ${campaign.id}`);
    return row!.n === 0 ? row!.held : null;
  });
  assert.ok(rest > 0, 'it was paused in the middle');
  const before = arrived().length;
  assert.equal(before, 60 - rest);
  const [queued] = await recipients(campaign.id, '&status=QUEUED');
  const { body: explained } = await service.api('GET', `/emails/${queued.emailId}/explain`);
  assert.deepEqual(explained.gates.at(-1), {
    ...explained.gates.at(-1),
    gate: 'intake',
    passed: false,
    reason: 'campaign_paused',
  });
  // What another program sends for itself and counts to the campaign is not the campaign's to hold.
  const outside = await makeContact(service);
  await service.deps.nats.js.publish(
    SEND_REQUEST_SUBJECT,
    encode({
      emailId: 'of-a-paused-one',
      templateId: campaign.templateId,
      recipientId: outside.id,
      campaignId: campaign.id,
    }),
  );
  await until('it has gone', async () => mailsTo(outside.email).length === 1);
  assert.equal(arrived().length, before);
  // It was slow to be paused in the middle.
  assert.equal(
    (
      await service.api('PUT', `/emails/campaigns/${campaign.id}`, {
        ...(await readCampaign(service, campaign.id)),
        ratePerMinute: 1200,
      })
    ).status,
    200,
  );
  assert.equal((await act(campaign.id, 'resume')).body.status, 'SENDING');
  const figures = await untilCampaign(service, campaign.id, 'SENT');
  assert.deepEqual([figures.sent, arrived().length, new Set(arrived()).size], [60, 60, 60]);
});

test.concurrent('cancelled in the middle the rest is SUPPRESSED, and nothing is left open', async () => {
  const { contacts, listId } = await makeAudience(service, 40);
  const campaign = await makeEmailCampaign(service, {
    templateId: await makeTemplate(service),
    listId,
    scheduleType: 'immediate',
    ratePerMinute: 120,
  });
  await until('some have gone out', async () => (await readFigures(service, campaign.id)).sent >= 5);
  assert.equal((await act(campaign.id, 'cancel')).body.status, 'CANCELLED');
  const figures = await until('nothing is open', async () => {
    const now = await readFigures(service, campaign.id);
    return now.queued === 0 ? now : null;
  });
  assert.ok(figures.suppressed > 0);
  assert.equal(figures.sent + figures.suppressed, 40);
  const own = new Set(contacts.map(({ email }) => email));
  assert.equal(service.sink.mails.filter((mail) => own.has(mail.to[0]!)).length, figures.sent);
  const [suppressed] = await recipients(campaign.id, '&status=SUPPRESSED');
  assert.equal(suppressed.reason, 'campaign_cancelled');
  assert.ok(own.has(suppressed.email), 'who it would have gone to');
  assert.equal((await act(campaign.id, 'resume')).status, 409);
});

test.concurrent(
  'cancelled in the middle and deleted at once, nothing more goes out and nothing is left open',
  async () => {
    const { contacts, listId } = await makeAudience(service, 40);
    const campaign = await makeEmailCampaign(service, {
      templateId: await makeTemplate(service),
      listId,
      scheduleType: 'immediate',
      ratePerMinute: 120,
    });
    await until('some have gone out', async () => (await readFigures(service, campaign.id)).sent >= 5);
    assert.equal((await act(campaign.id, 'cancel')).status, 202);
    assert.equal((await service.api('DELETE', `/emails/campaigns/${campaign.id}`)).status, 204);
    const emailsOf = async (status: string) =>
      (await service.api('GET', `/emails?campaignId=${campaign.id}&status=${status}&limit=200`)).body.data;
    // What was on a connection then ends by itself; senders may take none of the others.
    const ready = await engine<{ id: number }>(
      sql`select id from emails where campaign_id = ${campaign.id} and status = 'QUEUED' and accepted_at is not null`,
    );
    assert.deepEqual(ready, []);
    await until(
      'nothing is open',
      async () => (await emailsOf('QUEUED')).length + (await emailsOf('SENDING')).length === 0,
    );
    const [sent, suppressed] = [await emailsOf('SENT'), await emailsOf('SUPPRESSED')];
    assert.ok(suppressed.length > 0);
    assert.equal(sent.length + suppressed.length, 40);
    assert.equal(suppressed[0].reason, 'campaign_cancelled');
    const own = new Set(contacts.map(({ email }) => email));
    assert.equal(service.sink.mails.filter((mail) => own.has(mail.to[0]!)).length, sent.length);
  },
);

test('one that was sent can be renamed when its segment and its template are gone', async () => {
  const { listId } = await makeAudience(service, 1);
  const templateId = await makeTemplate(service);
  const campaign = await makeEmailCampaign(service, { templateId, listId, scheduleType: 'immediate' });
  await untilCampaign(service, campaign.id, 'SENT');
  for (const path of [`/contacts/lists/${listId}`, `/emails/templates/${templateId}`])
    assert.equal((await service.api('DELETE', path)).status, 204);
  const renamed = await service.api('PUT', `/emails/campaigns/${campaign.id}`, {
    ...(await readCampaign(service, campaign.id)),
    name: 'For the archive',
  });
  assert.deepEqual([renamed.status, renamed.body.name, renamed.body.segmentId], [200, 'For the archive', null]);
  assert.equal((await service.api('PUT', `/emails/campaigns/${campaign.id}`, { name: ' ' })).status, 400);
});

test('a scheduled campaign waits for its time, can be put earlier, and takes who is in the segment then', async () => {
  const { contacts, listId } = await makeAudience(service, 1);
  const campaign = await makeEmailCampaign(service, {
    templateId: await makeTemplate(service),
    listId,
    scheduleType: 'scheduled',
    scheduledAt: '2099-01-01T00:00:00Z',
  });
  assert.deepEqual([campaign.status, campaign.nextRunAt], ['SCHEDULED', '2099-01-01T00:00:00.000Z']);
  assert.equal((await service.api('DELETE', `/contacts/lists/${listId}`)).status, 409);
  assert.equal((await service.api('DELETE', `/emails/templates/${campaign.templateId}`)).status, 409);
  const late = await makeContact(service);
  await service.api('POST', `/contacts/lists/${listId}/contacts`, { contactIds: [late.id] });
  const moved = await service.api('PUT', `/emails/campaigns/${campaign.id}`, {
    ...campaign,
    scheduledAt: '2020-01-01T00:00:00Z',
  });
  assert.equal(moved.status, 200, JSON.stringify(moved.body));
  await untilCampaign(service, campaign.id, 'SENT');
  for (const { email } of [...contacts, late]) assert.equal(mailsTo(email).length, 1);
});

test("by recipients' local time each gets it when it is that time there", async () => {
  const zones = ['Pacific/Kiritimati', 'Europe/Berlin', null];
  const { contacts, listId } = await makeAudience(service, 3, (n) => (zones[n] ? { timezone: zones[n] } : {}));
  // Nine in the morning is over in Kiritimati and Berlin, and years ahead where nobody knows the time.
  const campaign = await makeEmailCampaign(service, {
    templateId: await makeTemplate(service),
    listId,
    scheduleType: 'recipient_local_time',
    scheduledAt: '2020-06-01T09:00:00Z',
  });
  await untilCampaign(service, campaign.id, 'SENT');
  const listed = await recipients(campaign.id);
  const due = (n: number) => listed.find((row: { contactId: number }) => row.contactId === contacts[n]!.id).dueAt;
  assert.deepEqual(
    [due(0), due(1), due(2)],
    ['2020-05-31T19:00:00.000Z', '2020-06-01T07:00:00.000Z', '2020-06-01T09:00:00.000Z'],
  );

  const soon = new Date(Date.now() + 3 * 3_600_000);
  const next = await makeEmailCampaign(service, {
    templateId: await makeTemplate(service),
    listId,
    scheduleType: 'recipient_local_time',
    scheduledAt: soon.toISOString(),
  });
  // In Kiritimati, 14 hours ahead, it is past that time already.
  const waiting = await until('the first has gone out', async () => {
    const now = await readFigures(service, next.id);
    return now.sent === 1 ? now : null;
  });
  assert.deepEqual(
    [waiting.status, waiting.queued, mailsTo(contacts[0]!.email).length, mailsTo(contacts[2]!.email).length],
    ['SENDING', 2, 2, 1],
  );
  await act(next.id, 'cancel');
});

test('a recurring campaign goes out again at each occurrence, to each once', async () => {
  const { contacts, listId } = await makeAudience(service, 2);
  const campaign = await makeEmailCampaign(service, {
    templateId: await makeTemplate(service),
    listId,
    scheduleType: 'recurring',
    cron: '0 9 1 1 *',
    timezone: 'Europe/Berlin',
  });
  assert.equal(campaign.status, 'SCHEDULED');
  assert.match(campaign.nextRunAt, /-01-01T08:00:00\.000Z$/);
  for (const times of [1, 2]) {
    await engine(sql`update email_campaigns set next_run_at = now() where id = ${campaign.id}`);
    await wake(campaign.id);
    await until(`mailing ${times} has ended`, async () => {
      const now = await readFigures(service, campaign.id);
      return now.sent === 2 * times && now.status === 'SCHEDULED';
    });
    for (const { email } of contacts) assert.equal(mailsTo(email).length, times);
  }
  assert.equal((await act(campaign.id, 'cancel')).body.status, 'CANCELLED');
});

test.concurrent('of two variants the better one goes to the rest', async () => {
  const { contacts, listId } = await makeAudience(service, 20);
  const [plain, better] = [
    await makeTemplate(service, { subject: 'Plain' }),
    await makeTemplate(service, { subject: 'Better' }),
  ];
  const campaign = await makeEmailCampaign(service, {
    listId,
    scheduleType: 'immediate',
    variants: [
      { name: 'A', templateId: plain, weight: 1 },
      { name: 'B', templateId: better, weight: 1 },
    ],
    winner: { metric: 'openRate', afterMinutes: 60, testPercent: 40 },
  });
  const tested = await until('the test has gone out', async () => {
    const now = await readFigures(service, campaign.id);
    return now.sent === 8 && (await readCampaign(service, campaign.id)).status === 'SENDING' ? now : null;
  });
  const [ofA, ofB] = tested.variants.map(({ audience }: { audience: number }) => audience);
  assert.ok(ofA >= 3 && ofB >= 3 && ofA + ofB === 8, `${ofA} and ${ofB}`);
  const openedMail = service.sink.mails.find(
    (mail) => mail.parsed.subject === 'Better' && contacts.some(({ email }) => mail.to[0] === email),
  )!;
  await fetch(/src="(http[^"]*\/tracking\/open\/[^"]*)"/.exec(String(openedMail.parsed.html))![1]!, {
    headers: { 'user-agent': BROWSER },
  });
  await until('the open is counted', async () => (await readFigures(service, campaign.id)).uniqueOpens === 1);
  await until(
    'the winner is awaited',
    async () =>
      (await engine(sql`select 1 from email_campaigns where id = ${campaign.id} and winner_at is not null`)).length ===
      1,
  );
  await engine(sql`update email_campaigns set winner_at = now() where id = ${campaign.id}`);
  await wake(campaign.id);
  const figures = await untilCampaign(service, campaign.id, 'SENT');
  assert.equal((await readCampaign(service, campaign.id)).winnerVariant, 'B');
  assert.deepEqual(
    figures.variants.map(({ name, sent, winner }: { name: string; sent: number; winner: boolean }) => [
      name,
      sent,
      winner,
    ]),
    [
      ['A', ofA, false],
      ['B', 20 - ofA, true],
    ],
  );
  assert.equal(
    service.sink.mails.filter(
      (mail) => mail.parsed.subject === 'Better' && contacts.some(({ email }) => mail.to[0] === email),
    ).length,
    20 - ofA,
  );
  for (const { email } of contacts) assert.equal(mailsTo(email).length, 1);
});

test.concurrent('the rate is kept', async () => {
  const { contacts, listId } = await makeAudience(service, 8);
  const own = new Set(contacts.map(({ email }) => email));
  const templateId = await makeTemplate(service);
  const begin = Date.now();
  const campaign = await makeEmailCampaign(service, {
    templateId,
    listId,
    scheduleType: 'immediate',
    ratePerMinute: 120,
  });
  await untilCampaign(service, campaign.id, 'SENT');
  const times = (
    await engine<{ at: Date }>(
      sql`select accepted_at as at from emails where campaign_id = ${campaign.id} order by accepted_at`,
    )
  ).map(({ at }) => at.getTime());
  // Two a second, two at once at the most: the eighth can not be requested before three seconds have passed.
  assert.ok(times.at(-1)! - begin >= 2_900, String(times.at(-1)! - begin));
  assert.equal(service.sink.mails.filter((mail) => own.has(mail.to[0]!)).length, 8);
});

test('a segment that is deleted before its members were read fails the campaign', async () => {
  const listId = await makeList(service, []);
  const campaign = await makeEmailCampaign(service, {
    templateId: await makeTemplate(service),
    listId,
    scheduleType: 'scheduled',
    scheduledAt: '2099-01-01T00:00:00Z',
  });
  // By hand: the API refuses it.
  await engine(sql`delete from segments where id = ${listId}`);
  await engine(sql`update email_campaigns set next_run_at = now() where id = ${campaign.id}`);
  await wake(campaign.id);
  await untilCampaign(service, campaign.id, 'FAILED');
  assert.match((await readCampaign(service, campaign.id)).error, /segment/);
});

test('an empty audience is sent at once', async () => {
  const campaign = await makeEmailCampaign(service, {
    templateId: await makeTemplate(service),
    listId: await makeList(service, []),
    scheduleType: 'immediate',
  });
  assert.equal((await untilCampaign(service, campaign.id, 'SENT')).audience, 0);
});
