import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { engineEm, rows, sql } from '../../../db/orm.ts';
import { newTenant } from '../../support/accounts.ts';
import { apiAt } from '../../support/call-api.ts';
import { makeAudience, makeEmailCampaign, readCampaign, untilCampaign } from '../../support/mail/email-campaigns.ts';
import { makeContact, makeTemplate, send, untilStatus } from '../../support/mail/emails.ts';
import { startScriptedSmtp, type ScriptedSmtp } from '../../support/mail/scripted-smtp.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

const LIMIT = '550 5.4.5 Daily user sending limit exceeded';

let smtp: ScriptedSmtp;
let service: Service;
beforeAll(async () => {
  smtp = await startScriptedSmtp();
  service = await startService({ worker: true, env: { SMTP_URL: smtp.url, SEND_CONNECTIONS: '10' } });
});
afterAll(async () => {
  await service.stop();
  await smtp.stop();
});

const engine = <T>(query: Parameters<typeof rows>[1]) =>
  engineEm(service.deps.orm).transactional((tx) => rows<T>(tx, query));
const twice = (list: string[]) => list.filter((address, index) => list.indexOf(address) !== index);
const provider = async () => (await service.api('GET', '/emails/providers')).body.data[0];
/** The emails to the Admin about a campaign. */
const notices = (campaignId: number) =>
  engine<{ status: string; data: { subject: string; body: string } }>(
    sql`select status, data from emails where send_key like ${`campaign-refused/${campaignId}/%`}`,
  );

test('the sender is refused 200 times: nobody bounces, the campaign is paused and says why, and goes on afterwards', async () => {
  // The provider is known to work, so that several emails are on their way when it starts to refuse.
  const warm = await send(service, { templateId: await makeTemplate(service), to: 'warm@example.org' });
  await untilStatus(service, warm, 'SENT');
  smtp.script.rcpt = () => LIMIT;
  const { contacts, listId } = await makeAudience(service, 200);
  const templateId = await makeTemplate(service);
  const { id } = await makeEmailCampaign(service, { templateId, listId, scheduleType: 'immediate' });

  const paused = await untilCampaign(service, id, 'PAUSED', 120_000);
  assert.match(paused.pauseReason, /refused 10 emails in a row: 550 5\.4\.5 Daily user sending limit exceeded$/);
  assert.deepEqual([paused.failed, paused.suppressed, paused.bounced, paused.sent], [0, 0, 0, 0]);
  assert.equal((await readCampaign(service, id)).pauseReason, paused.pauseReason);
  const { status, lastError } = await until('the provider is shown as not well', async () => {
    const found = await provider();
    return found.status !== 'UP' && found;
  });
  assert.notEqual(status, 'UP');
  assert.match(lastError, /Daily user sending limit exceeded/);
  assert.deepEqual(
    await engine(
      sql`select status, count(*)::int as n from contacts where id = any(${contacts.map((one) => one.id)}) group by 1`,
    ),
    [{ status: 'active', n: 200 }],
  );
  assert.deepEqual(await engine(sql`select 1 from suppressions`), []);
  const told = await notices(id);
  assert.deepEqual(
    told.map(({ data }) => data.body.includes(paused.pauseReason)),
    [true],
    'the Admin is told once, and the email waits for a provider like any other',
  );
  assert.ok(!smtp.accepted.includes('admin@example.com'));
  const { data: audited } = (await service.api('GET', `/auth/audit-log?resourceType=email_campaign&resourceId=${id}`))
    .body;
  const [entry] = audited.filter((one: { action: string }) => one.action === 'email_campaign.paused');
  assert.deepEqual([entry.actorType, entry.after.reason], ['system', paused.pauseReason]);

  delete smtp.script.rcpt;
  const resumed = await service.api('POST', `/emails/campaigns/${id}/resume`);
  assert.deepEqual([resumed.status, resumed.body.status, resumed.body.pauseReason], [202, 'SENDING', null]);
  const sent = await untilCampaign(service, id, 'SENT', 180_000);
  assert.deepEqual([sent.sent, sent.failed, sent.suppressed, sent.bounced, sent.pauseReason], [200, 0, 0, 0, null]);
  assert.deepEqual(
    smtp.accepted.filter((to) => to.startsWith('person')).sort(),
    contacts.map(({ email }) => email).sort(),
  );
  await until('the Admin has the email', () => smtp.accepted.includes('admin@example.com'), 120_000);
  assert.deepEqual(twice(smtp.accepted), []);
  await until('the provider is up again', async () => (await provider()).status === 'UP', 60_000);
});

test('a journey whose emails are refused is paused too, and goes on when it is resumed', async () => {
  smtp.script.rcpt = (to) => (to.startsWith('person') ? '554 5.7.1 Relay access denied' : '250 ok');
  const templateId = await makeTemplate(service);
  const created = await service.api('POST', '/campaigns', {
    name: 'Refused journey',
    steps: [{ id: 'one', type: 'EMAIL', config: { templateId } }],
  });
  const { id } = created.body;
  const contactIds: number[] = [];
  for (let n = 0; n < 12; n += 1) contactIds.push((await makeContact(service)).id);
  assert.equal((await service.api('POST', `/campaigns/${id}/start`, { contactIds })).status, 202);
  const read = async () => (await service.api('GET', `/campaigns/${id}`)).body;
  await until('it is paused', async () => (await read()).status === 'PAUSED', 120_000);
  assert.match((await read()).pauseReason, /refused 10 emails in a row: 554 5\.7\.1 Relay access denied$/);
  await until(
    'the Admin is told, by the provider that takes this email',
    async () => {
      const [told] = await notices(id);
      return told?.status === 'SENT';
    },
    120_000,
  );
  delete smtp.script.rcpt;
  const resumed = await service.api('POST', `/campaigns/${id}/resume`);
  assert.deepEqual([resumed.body.status, resumed.body.pauseReason], ['ACTIVE', null]);
  await until(
    'all are sent',
    async () => {
      const [{ n }] = (await engine<{ n: number }>(
        sql`select count(*)::int as n from emails where campaign_id = ${id} and status = 'SENT'`,
      )) as [{ n: number }];
      return n === 12;
    },
    240_000,
  );
  assert.deepEqual(twice(smtp.accepted.filter((to) => to !== 'admin@example.com')), []);
});

test('one email that is refused among others that are accepted pauses nothing, and is tried again later', async () => {
  smtp.script.rcpt = (to) => (to === 'unliked@example.org' ? '550 5.7.1 blocked using zen.spamhaus.org' : '250 ok');
  const { listId } = await makeAudience(service, 60, (n) => (n === 30 ? { email: 'unliked@example.org' } : {}));
  const templateId = await makeTemplate(service);
  const { id } = await makeEmailCampaign(service, { templateId, listId, scheduleType: 'immediate' });
  const read = async () => (await service.api('GET', `/emails/campaigns/${id}/stats`)).body;
  await until('all others are sent', async () => (await read()).sent === 59, 60_000);
  const figures = await read();
  assert.deepEqual([figures.status, figures.queued, figures.failed, figures.pauseReason], ['SENDING', 1, 0, null]);
  delete smtp.script.rcpt;
  assert.equal((await untilCampaign(service, id, 'SENT', 60_000)).sent, 60);
});

test("a tenant's message that the server refuses for its content pauses that campaign; the neighbour's mail goes on", async () => {
  const { token } = await newTenant(service);
  const neighbour = { ...service, api: apiAt(service.url, () => token) };
  smtp.script.dot = (to) => (to.endsWith('@refused.example') ? '554 5.7.1 Message rejected as spam' : '250 ok');
  const { listId, contacts } = await makeAudience(service, 40, (n) => ({ email: `one${n}@refused.example` }));
  const theirs = await makeAudience(neighbour, 40);
  const templateId = await makeTemplate(neighbour);
  const ofNeighbour = { templateId, listId: theirs.listId, scheduleType: 'immediate' };
  const before = await until('the provider is up', async () => {
    const found = await provider();
    return found.status === 'UP' && found;
  });

  const refused = await makeEmailCampaign(service, {
    templateId: await makeTemplate(service),
    listId,
    scheduleType: 'immediate',
  });
  const { id } = await makeEmailCampaign(neighbour, ofNeighbour);
  assert.equal((await untilCampaign(neighbour, id, 'SENT', 60_000)).sent, 40);
  const paused = await untilCampaign(service, refused.id, 'PAUSED', 120_000);
  assert.match(paused.pauseReason, /refused \d+ emails in a row: 554 5\.7\.1 Message rejected as spam$/);
  assert.deepEqual([paused.sent, paused.failed, paused.bounced], [0, 0, 0]);
  // What is reported after these are sent covers the refusals before them.
  const last = await makeEmailCampaign(neighbour, ofNeighbour);
  assert.equal((await untilCampaign(neighbour, last.id, 'SENT', 60_000)).sent, 40);
  const after = await until('the provider has told of all that it sent', async () => {
    const found = await provider();
    return found.sent >= before.sent + 80 && found;
  });
  assert.deepEqual([after.status, after.lastErrorAt], ['UP', before.lastErrorAt], 'the provider never rested');
  const { body } = await service.api('GET', `/contacts/${contacts[0]!.id}`);
  assert.equal(body.status, 'active');
  delete smtp.script.dot;
});

test('what is refused for its size fails alone, what is refused because the mailbox is full too', async () => {
  const templateId = await makeTemplate(service);
  for (const [reply, bounces] of [
    ['552 5.3.4 Message size exceeds fixed limit', []],
    ['552 5.2.2 mailbox full', ['soft']],
    ['550 5.1.1 user unknown', ['hard']],
  ] as const) {
    const contact = await makeContact(service);
    smtp.script.rcpt = () => reply;
    const emailId = await send(service, { templateId, recipientId: contact.id });
    const email = await untilStatus(service, emailId, 'FAILED', 60_000);
    assert.equal(email.reason, 'rejected');
    const { status } = (await service.api('GET', `/contacts/${contact.id}`)).body;
    assert.equal(status, reply.startsWith('550') ? 'bounced' : 'active', reply);
    const found = await engine<{ kind: string }>(sql`select kind from email_bounces where email_id = ${emailId}`);
    assert.deepEqual(
      found.map(({ kind }) => kind),
      bounces,
      reply,
    );
  }
  delete smtp.script.rcpt;
});
