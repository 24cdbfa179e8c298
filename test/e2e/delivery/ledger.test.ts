import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { engineEm, rows, sql } from '../../../db/orm.ts';
import {
  leaseEmails,
  releaseLeases,
  renewLeases,
  type LeasedEmail,
} from '../../../domain/emails/ledger/lease-emails.ts';
import { queueEmails } from '../../../domain/emails/ledger/queue-emails.ts';
import { settleAttempts, type SettledAttempt } from '../../../domain/emails/bounces/settle-attempts.ts';
import type { Settlement } from '../../../domain/emails/ledger/settle-emails.ts';
import type { Transact } from '../../../db/pipelined-transactions.ts';
import { startEmails } from '../../../domain/emails/ledger/start-emails.ts';
import { markLostEmails } from '../../../domain/emails/ledger/recover-emails.ts';
import { makeContact, makeTemplate, startAs } from '../../support/mail/emails.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

let service: Service;
let templateId: number;
beforeAll(async () => {
  service = await startService();
  templateId = await makeTemplate(service);
});
afterAll(() => service.stop());

const em = () => engineEm(service.deps.orm);
const engine = <T>(query: Parameters<typeof rows>[1]) => em().transactional((tx) => rows<T>(tx, query));
let key = 0;

async function queue(
  count: number,
  fields: Partial<Parameters<typeof queueEmails>[2][number]> = {},
  tenantId = 'default',
): Promise<number[]> {
  const contactId = fields.toAddress ? null : (fields.contactId ?? (await makeContact(service)).id);
  const requests = Array.from({ length: count }, () => ({
    sendKey: `k${(key += 1)}`,
    templateId,
    contactId,
    lane: 'bulk' as const,
    requestId: null,
    accepted: true,
    ...fields,
  }));
  return (await em().transactional((tx) => queueEmails(tx, tenantId, requests))).map((email) => email.emailId);
}
const lease = (holder: string, limit = 100, seconds = 60, lane: 'bulk' | 'journey' = 'bulk') =>
  leaseEmails(em(), { holder, lane, limit, seconds });
const rendered = (email: LeasedEmail, failure?: string) => ({
  id: email.id,
  tenantId: email.tenantId,
  batchId: email.batchId,
  contactVersion: email.contactVersion,
  contentVersion: email.contentVersion,
  linkCount: 2,
  fromKey: null,
  address: email.address,
  isBareAddress: email.contactId === null,
  attempt: email.attempt,
  ...(failure ? { failure } : {}),
});
const start = (holder: string, emails: LeasedEmail[], leaseSeconds = 60) =>
  startAs(
    service,
    holder,
    emails.map((email) => rendered(email)),
    { leaseSeconds },
  );
const settle = (id: number, attempt: number, result: Settlement['result'], more: Partial<SettledAttempt> = {}) =>
  settleAttempts(em(), [
    { id, tenantId: 'default', attempt, provider: 'mx:25', result, reply: `reply ${attempt}`, ...more },
  ]);
const statuses = async (ids: number[]) =>
  (await engine<{ status: string }>(sql`select status from emails where id = any(${ids}::bigint[]) order by id`)).map(
    (row) => row.status,
  );
/** The EMAIL_SENT of an email. */
const told = async (id: number) =>
  (
    await engine<{ status: string }>(sql`
  select e -> 'data' ->> 'status' as status from outbox_events o, jsonb_array_elements(o.events) e
  where o.type = 'EMAIL_SENT' and (e -> 'data' ->> 'emailId')::bigint = ${id} order by o.id`)
  ).map(({ status }) => status);
const replies = async (id: number) =>
  (await service.api('GET', `/emails/${id}/explain`)).body.attempts.map((attempt: { reply: string }) => attempt.reply);
/** Until somebody in this database waits for a lock. */
const untilOneWaits = () =>
  until(
    'somebody waits',
    async () =>
      (
        await engine(sql`
  select 1 from pg_locks w join pg_locks h using (pid) join pg_database d on d.oid = h.database
  where not w.granted and d.datname = current_database()`)
      ).length > 0,
  );
const clear = () =>
  engine(
    sql`update emails set status = 'SENT', holder = null, lease_until = null where status in ('QUEUED', 'SENDING')`,
  );

test("a lease is one holder's until it ends or is given back; the emails stay QUEUED", async () => {
  await clear();
  const ids = await queue(3);
  const first = await lease('a');
  assert.deepEqual(first.map((email) => email.id).sort(), ids);
  assert.equal(
    first[0]!.contact!['lastName'],
    (await service.api('GET', `/contacts/${first[0]!.contactId}`)).body.lastName,
  );
  assert.deepEqual(await lease('b'), []);
  assert.deepEqual(await statuses(ids), ['QUEUED', 'QUEUED', 'QUEUED']);
  await releaseLeases(em(), 'b', ids);
  assert.deepEqual(await lease('b'), []);
  await releaseLeases(em(), 'a', ids.slice(0, 1));
  assert.deepEqual(
    (await lease('b')).map((email) => email.id),
    ids.slice(0, 1),
  );
  await engine(sql`update emails set lease_until = now() - interval '1 s' where holder = 'a'`);
  assert.deepEqual((await lease('c')).map((email) => email.id).sort(), ids.slice(1));
  // Whoever lost its lease starts nothing.
  assert.deepEqual(await start('a', first), []);
});

test('what is not accepted, not due or of another lane is not leased', async () => {
  await clear();
  await queue(1, { accepted: false });
  const [later] = await queue(1);
  await engine(sql`update emails set next_attempt_at = now() + interval '1 h' where id = ${later}`);
  await queue(1, { lane: 'journey' });
  assert.deepEqual(await lease('a'), []);
  assert.equal((await lease('a', 10, 60, 'journey')).length, 1);
});

test('tenants share what is leased, however many one has waiting', async () => {
  await clear();
  await engine(
    sql`insert into email_templates (tenant_id, name, subject, content) select t, 'x', 's', 'c' from unnest(array['t1', 't2', 't3']) t`,
  );
  const templates = await engine<{ id: number; tenant_id: string }>(
    sql`select id, tenant_id from email_templates where tenant_id like 't_' order by 2`,
  );
  for (const [index, template] of templates.entries())
    await queue([100, 20, 3][index]!, { toAddress: 'x@example.org', templateId: template.id }, template.tenant_id);
  const counted = (leased: LeasedEmail[]) =>
    Object.fromEntries(
      ['t1', 't2', 't3'].map((tenant) => [tenant, leased.filter((email) => email.tenantId === tenant).length]),
    );
  const first = await lease('a', 30);
  assert.deepEqual(counted(first), { t1: 10, t2: 10, t3: 3 });
  assert.deepEqual(new Set(first.slice(0, 3).map((email) => email.tenantId)).size, 3, 'mixed, not one after another');
  assert.deepEqual(counted(await lease('a', 30)), { t1: 15, t2: 10, t3: 0 });
  assert.deepEqual(counted(await lease('a', 30)), { t1: 30, t2: 0, t3: 0 });
  assert.deepEqual(counted(await lease('a', 1000)), { t1: 45, t2: 0, t3: 0 });
});

test('every gate is asked again at the start', async () => {
  await clear();
  const contacts = await Promise.all(Array.from({ length: 6 }, () => makeContact(service)));
  const ids = (await Promise.all(contacts.map((contact) => queue(1, { contactId: contact.id })))).flat();
  const [bare] = await queue(1, { toAddress: 'bare@example.org' });
  const leased = await lease('a');
  assert.equal(leased.length, 7);
  const [fine, unsubscribed, deleted, suppressed, changed, stopped] = contacts;
  await engine(sql`update contacts set status = 'unsubscribed' where id = ${unsubscribed!.id}`);
  await engine(sql`delete from contacts where id = ${deleted!.id}`);
  await engine(
    sql`insert into suppressions (tenant_id, email_key, reason) values ('default', ${suppressed!.email}, 'complained'), ('default', 'bare@example.org', 'bounced')`,
  );
  await service.api('PUT', `/contacts/${changed!.id}`, { email: `new-${changed!.email}` });
  await engine(sql`update emails set status = 'SUPPRESSED', reason = 'stopped' where contact_id = ${stopped!.id}`);
  const started = new Map((await start('a', leased)).map((email) => [email.id, email.status]));
  assert.deepEqual(
    ids.map((id) => started.get(id)),
    ['SENDING', 'SUPPRESSED', 'SUPPRESSED', 'SUPPRESSED', 'QUEUED', undefined],
  );
  assert.equal(started.get(bare!), 'SUPPRESSED');
  const reasons = await engine<{ reason: string | null }>(
    sql`select reason from emails where id = any(${[...ids, bare!]}::bigint[]) order by id`,
  );
  assert.deepEqual(
    reasons.map((row) => row.reason).sort(),
    [null, null, 'address_bounced', 'address_complained', 'contact_deleted', 'contact_unsubscribed', 'stopped'].sort(),
  );
  // The changed contact's mail is free at once, and is rendered from the contact as it is now.
  const again = await lease('b');
  assert.deepEqual(
    again.map((email) => email.address),
    [`new-${changed!.email}`],
  );
  const { body } = await service.api('GET', `/emails?contactId=${fine!.id}`);
  assert.deepEqual(
    [body.data[0].status, body.data[0].to, body.data[0].attempts, body.data[0].contentVersion],
    ['SENDING', fine!.email, 1, 1],
  );
});

test('only the same attempt settles, once; a lost holder may still settle what the recovery made UNKNOWN', async () => {
  await clear();
  const [id] = await queue(1);
  const [email] = await lease('a');
  const [started] = await start('a', [email!]);
  assert.deepEqual(started, { id, status: 'SENDING', attempt: 1 });
  assert.equal(await settle(id!, 2, 'SENT'), 0);
  assert.equal(await settle(id!, 1, 'QUEUED', { delaySeconds: 0 }), 1);
  assert.equal(await settle(id!, 1, 'SENT'), 0);
  assert.deepEqual(await statuses([id!]), ['QUEUED']);

  const [second] = await start('b', await lease('b'));
  assert.equal(second!.attempt, 2);
  assert.equal(await markLostEmails(em()), 0);
  assert.deepEqual(await renewLeases(em(), 'b', [id!], 60), [id]);
  await engine(sql`update emails set lease_until = now() - interval '1 s' where id = ${id}`);
  assert.deepEqual(await renewLeases(em(), 'b', [id!], 60), [], 'an ended lease is not prolonged');
  assert.equal(await markLostEmails(em()), 1);
  assert.deepEqual(await statuses([id!]), ['UNKNOWN']);
  const explained = async () =>
    (await service.api('GET', `/emails/${id}/explain`)).body.attempts.map((attempt: Record<string, unknown>) => [
      attempt['provider'],
      attempt['reply'],
    ]);
  assert.deepEqual(
    await explained(),
    [
      ['mx:25', 'reply 1'],
      ['mx:25', null],
    ],
    'the attempt that got lost is told',
  );
  assert.deepEqual(await lease('c'), [], 'UNKNOWN is never taken again');
  assert.equal(await settle(id!, 1, 'QUEUED'), 0);
  assert.equal(await settle(id!, 2, 'SENT'), 1);
  assert.deepEqual(await explained(), [
    ['mx:25', 'reply 1'],
    ['mx:25', 'reply 2'],
  ]);
  assert.equal(await settle(id!, 2, 'SENT'), 0);
  assert.deepEqual(await statuses([id!]), ['SENT']);
  assert.deepEqual(await replies(id!), ['reply 1', 'reply 2']);
  assert.deepEqual(await told(id!), ['SENT']);
});

test('what went over a connection is settled together with the start of what it takes next, or neither is', async () => {
  await clear();
  const [first, next] = await queue(2);
  const [one, other] = await lease('a');
  await start('a', [one!]);
  const sent = (reply: string): Settlement => ({
    id: first!,
    tenantId: 'default',
    attempt: 1,
    provider: 'mx:25',
    result: 'SENT',
    reply,
  });
  // Postgres takes no NUL: the statement that settles fails, and what stands behind it is not run.
  await assert.rejects(
    startAs(service, 'a', [rendered(other!)], { name: 'a/1', sent: [sent('250 \0')] }),
    /unicode|u0000/i,
  );
  assert.deepEqual(await statuses([first!, next!]), ['SENDING', 'QUEUED']);
  assert.deepEqual(await startAs(service, 'a', [rendered(other!)], { name: 'a/2', sent: [sent('250 ok')] }), [
    { id: next, status: 'SENDING', attempt: 1 },
  ]);
  assert.deepEqual(await statuses([first!, next!]), ['SENT', 'SENDING']);
  assert.deepEqual(
    await startAs(service, 'a', [], { name: 'a/3', sent: [sent('250 ok')] }),
    [],
    'once more: nothing is left to settle',
  );
  assert.deepEqual(await replies(first!), ['250 ok']);
  assert.deepEqual(await told(first!), ['SENT']);
});

test('a start that is committed after its caller gave it up takes nothing that was not put back', async () => {
  await clear();
  const [first, next] = await queue(2);
  const [one, other] = await lease('a');
  await start('a', [one!]);
  const sent: Settlement = {
    id: first!,
    tenantId: 'default',
    attempt: 1,
    provider: 'mx:25',
    result: 'SENT',
    reply: '250 ok',
  };
  const takeBack = (name: string) => settle(next!, 1, 'QUEUED', { provider: null, start: name, delaySeconds: 60 });
  // It stands before somebody's lock, and has not come to its start.
  let late: ReturnType<typeof startAs> | undefined;
  await em().transactional(async (tx) => {
    await rows(tx, sql`select 1 from emails where id = ${first} for update`);
    late = startAs(service, 'a', [rendered(other!)], { name: 'a/1', sent: [sent] });
    await untilOneWaits();
    assert.equal(await takeBack('a/1'), 1);
  });
  assert.deepEqual(await late, []);
  assert.deepEqual(await statuses([first!, next!]), ['SENT', 'QUEUED']);
  // It has done all but the commit: whoever takes it back waits for that.
  await engine(sql`update emails set next_attempt_at = now() where id = ${next}`);
  const [again] = await lease('a');
  let takenBack: Promise<number> | undefined;
  const transact: Transact = (statements) =>
    em().transactional(async (tx) => {
      const answers = [];
      for (const statement of statements) answers.push(await rows(tx, statement));
      takenBack = takeBack('a/2');
      await untilOneWaits();
      return answers;
    });
  const started = await startEmails(transact, {
    holder: 'a',
    name: 'a/2',
    leaseSeconds: 60,
    sent: [],
    emails: [{ rendered: rendered(again!), provider: 'mx:25' }],
  });
  assert.deepEqual([started, await takenBack], [[{ id: next, status: 'SENDING', attempt: 1 }], 1]);
  assert.deepEqual(await statuses([next!]), ['QUEUED']);
});

test('a refusal is a hard bounce of the address: contact, suppression, and never downgraded', async () => {
  await clear();
  const [bounced, complained] = [await makeContact(service), await makeContact(service)];
  const ids = [
    ...(await queue(1, { contactId: bounced.id })),
    ...(await queue(1, { contactId: complained.id })),
    ...(await queue(1, { toAddress: 'Gone@example.org' })),
  ];
  const started = await start('a', await lease('a'));
  assert.equal(started.length, 3);
  await engine(sql`update contacts set status = 'complained' where id = ${complained.id}`);
  await settleAttempts(
    em(),
    ids.map((id) => ({
      id,
      tenantId: 'default',
      attempt: 1,
      provider: 'mx:25',
      result: 'FAILED',
      reply: '550 no such user',
      failure: { verdict: 'address', statusCode: '550' },
    })),
  );
  assert.deepEqual(await statuses(ids), ['FAILED', 'FAILED', 'FAILED']);
  const of = async (id: number) => (await service.api('GET', `/contacts/${id}`)).body.status;
  assert.deepEqual([await of(bounced.id), await of(complained.id)], ['bounced', 'complained']);
  const suppressed = await engine<{ email_key: string; reason: string }>(
    sql`select email_key, reason from suppressions where email_key in (${bounced.email}, 'gone@example.org') order by 1`,
  );
  assert.deepEqual(suppressed, [
    { email_key: 'gone@example.org', reason: 'bounced' },
    { email_key: bounced.email, reason: 'bounced' },
  ]);
  const { body } = await service.api('GET', `/emails/${ids[0]}/explain`);
  assert.deepEqual(body.gates.at(-1).gate, 'provider');
  assert.deepEqual(
    [body.gates.at(-1).passed, body.gates.at(-1).reason, body.attempts[0].reply],
    [false, 'rejected', '550 no such user'],
  );
});

test('a refusal that is not about the address leaves it alone; a full mailbox counts as a soft bounce', async () => {
  await clear();
  const contact = await makeContact(service);
  const refused = async (verdict: SettledAttempt['failure'] & object) => {
    const [id] = await queue(1, { contactId: contact.id });
    await start('a', await lease('a'));
    await settle(id!, 1, 'FAILED', { failure: verdict });
    assert.deepEqual(await statuses([id!]), ['FAILED']);
    return (await service.api('GET', `/contacts/${contact.id}`)).body.status;
  };
  for (let round = 0; round < 6; round += 1)
    for (const verdict of ['content', 'unclear'] as const)
      assert.equal(await refused({ verdict, statusCode: null }), 'active', `${verdict} ${round}`);
  const states = [];
  for (let round = 0; round < 5; round += 1) states.push(await refused({ verdict: 'mailbox', statusCode: '5.2.2' }));
  assert.deepEqual(states, ['active', 'active', 'active', 'active', 'bounced']);
});

test('what is put off for days ends FAILED, without a bounce', async () => {
  await clear();
  const [id] = await queue(1);
  await engine(sql`update emails set accepted_at = now() - interval '4 days' where id = ${id}`);
  await start('a', await lease('a'));
  await settle(id!, 1, 'QUEUED', { delaySeconds: 60 });
  const { body } = await service.api('GET', `/emails/${id}`);
  assert.deepEqual([body.status, body.reason], ['FAILED', 'expired']);
  assert.equal((await service.api('GET', `/contacts/${body.contactId}`)).body.status, 'active');
});

test('what can not be rendered ends at its start, with its event', async () => {
  await clear();
  const [id] = await queue(1);
  const [email] = await lease('a');
  const [ended] = await startAs(service, 'a', [rendered(email!, 'template_failed')]);
  assert.deepEqual([ended!.status, ended!.attempt], ['FAILED', 0]);
  assert.deepEqual(await told(id!), ['FAILED']);
});

test('a start whose answer was lost takes back what it took itself, and nothing that was started after it', async () => {
  await clear();
  const [id] = await queue(1);
  const takeBack = (name: string) => settle(id!, 1, 'QUEUED', { provider: null, start: name });
  const startNamed = async (holder: string, name: string) =>
    startAs(
      service,
      holder,
      (await lease(holder)).map((email) => rendered(email)),
      { name },
    );
  // It was committed.
  assert.equal((await startNamed('a', 'a/1')).length, 1);
  assert.deepEqual(await renewLeases(em(), 'a', [id!], 60), [id], 'a holder renews what any of its starts took');
  await engine(sql`update emails set lease_until = now() - interval '1 s' where id = ${id}`);
  await markLostEmails(em());
  assert.equal(await takeBack('a/1'), 1, 'also when the recovery was there first');
  assert.deepEqual(await statuses([id!]), ['QUEUED']);
  // It was not: its lease ended, and another start of its own or of another holder is on the wire under the same number.
  const [email] = await engine<{ attempt: number }>(
    sql`update emails set attempt = 0, next_attempt_at = now() where id = ${id} returning attempt`,
  );
  assert.equal(email!.attempt, 0);
  assert.deepEqual(await startNamed('a', 'a/3'), [{ id, status: 'SENDING', attempt: 1 }]);
  assert.equal(await takeBack('a/2'), 0);
  assert.equal(await takeBack('b/1'), 0);
  assert.deepEqual(await statuses([id!]), ['SENDING']);
});
