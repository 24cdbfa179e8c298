import assert from 'node:assert/strict';
import { afterAll, beforeAll, beforeEach, test } from '@jest/globals';
import { engineEm, rows, sql, tenantEm } from '../../../db/orm.ts';
import { releaseEmailBatches } from '../../../domain/emails/ledger/email-batches.ts';
import {
  leaseEmails,
  putOffEmails,
  releaseLeases,
  type LeasedEmail,
} from '../../../domain/emails/ledger/lease-emails.ts';
import { moveEmails } from '../../../domain/emails/ledger/move-emails.ts';
import { markLostEmails } from '../../../domain/emails/ledger/recover-emails.ts';
import { settleAttempts } from '../../../domain/emails/bounces/settle-attempts.ts';
import type { Settlement } from '../../../domain/emails/ledger/settle-emails.ts';
import { suppressEmailsTo, suppressReadyOfCampaign } from '../../../domain/emails/ledger/suppress-emails.ts';
import { insertMailing } from '../../support/mail/campaign-emails.ts';
import { makeTemplate, startAs } from '../../support/mail/emails.ts';
import { startService, type Service } from '../../support/service.ts';

let service: Service;
let templateId: number;
beforeAll(async () => {
  service = await startService();
  templateId = await makeTemplate(service);
});
afterAll(() => service.stop());
beforeEach(async () => {
  await engine(sql`delete from email_batches`);
  await engine(sql`update emails set status = 'SENT' where status in ('QUEUED', 'SENDING')`);
});

const em = () => engineEm(service.deps.orm);
const engine = <T>(query: Parameters<typeof rows>[1]) => em().transactional((tx) => rows<T>(tx, query));
let made = 0;
const mailing = (count: number, more: { released?: number; templateId?: number; tenantId?: string } = {}) =>
  insertMailing(service.deps.orm, { name: `mailing${(made += 1)}`, templateId, count, ...more });
const lease = (holder: string, limit = 100) => leaseEmails(em(), { holder, lane: 'bulk', limit, seconds: 60 });
const idsOf = (emails: readonly { id: number }[]) => emails.map(({ id }) => id).sort((a, b) => a - b);
const start = (holder: string, emails: readonly LeasedEmail[], name = holder, notBefore?: Date) =>
  startAs(
    service,
    holder,
    emails.map((email) => ({
      id: email.id,
      tenantId: email.tenantId,
      batchId: email.batchId,
      contactVersion: email.contactVersion,
      contentVersion: email.contentVersion,
      linkCount: 0,
      fromKey: null,
      address: email.address,
      isBareAddress: false,
      attempt: email.attempt,
      cappedContactId: email.contactId,
      ...(notBefore ? { notBefore } : {}),
    })),
    { name },
  );
const settle = (id: number, result: Settlement['result'], more: Partial<Settlement> = {}) =>
  settleAttempts(em(), [{ id, tenantId: 'default', attempt: 1, provider: 'mx:25', result, reply: null, ...more }]);
const states = async (ids: readonly number[]) =>
  (
    await engine<{ state: string }>(
      sql`select concat_ws(' ', status, stage) as state from emails where id = any(${ids}::bigint[]) order by id`,
    )
  ).map(({ state }) => state);
const batches = async () =>
  (await engine<{ n: number }>(sql`select cardinality(email_ids) as n from email_batches order by id`)).map(
    ({ n }) => n,
  );
const endLeases = () => engine(sql`update email_batches set lease_until = now() - interval '1 s'`);
/** The transaction that wrote the present version of each row. */
const versions = async (ids: readonly number[]) =>
  (
    await engine<{ xmin: string }>(
      sql`select xmin::text as xmin from emails where id = any(${ids}::bigint[]) order by id`,
    )
  ).map(({ xmin }) => xmin);

test('an email is written when it is inserted, started and settled, and by nothing else', async () => {
  const { campaignId, ids } = await mailing(3, { released: 0 });
  const inserted = await versions(ids);
  const unreleased = { tenantId: 'default', campaignId, after: 0, onlyVariants: false, now: new Date() };
  const release = () => em().transactional((tx) => releaseEmailBatches(tx, unreleased, null, 100));
  assert.deepEqual(await lease('a'), []);
  assert.deepEqual(await release(), { count: 3, lastId: ids[2] });
  assert.deepEqual(await release(), { count: 0, lastId: null }, 'what is in a batch is not released again');
  const leased = await lease('a');
  assert.deepEqual(idsOf(leased), ids);
  assert.deepEqual(await versions(ids), inserted);

  assert.equal((await start('a', leased)).length, 3);
  assert.deepEqual(await states(ids), ['SENDING batch', 'SENDING batch', 'SENDING batch']);
  for (const id of ids) await settle(id, 'SENT');
  assert.deepEqual(await states(ids), ['SENT batch', 'SENT batch', 'SENT batch']);
  // No index holds an entry of a start or an end: every version is reached from the first.
  const [{ indexed }] = (await engine<{ indexed: number }>(sql`
    select count(*)::int as indexed from pg_index where indrelid = 'emails'::regclass
      and (pg_get_indexdef(indexrelid) ~ 'status|holder|lease_until|attempt[ ,)]|sent_at')`)) as [{ indexed: number }];
  assert.equal(indexed, 0);
  assert.deepEqual(await batches(), [3]);
  assert.deepEqual(await lease('a'), []);
  assert.deepEqual(await batches(), [], 'the next lease deletes what is finished');
});

test('what a worker of the release before has inserted is released too', async () => {
  const { campaignId, ids } = await mailing(2, { released: 0 });
  await engine(sql`update emails set next_attempt_at = '9999-12-31T00:00:00Z' where id = ${ids[0]!}`);
  const unreleased = { tenantId: 'default', campaignId, after: 0, onlyVariants: false, now: new Date() };
  assert.deepEqual(await em().transactional((tx) => releaseEmailBatches(tx, unreleased, null, 100)), {
    count: 2,
    lastId: ids[1],
  });
  assert.deepEqual(idsOf(await lease('a')), ids);
});

test("a batch is one holder's until its lease ends or is given back", async () => {
  const { ids } = await mailing(3);
  const first = await lease('a');
  assert.deepEqual(await lease('b'), []);
  await releaseLeases(em(), 'b', []);
  assert.deepEqual(await lease('b'), []);
  await endLeases();
  assert.deepEqual(await start('a', first), [], 'whoever lost its lease starts nothing');
  const second = await lease('b');
  assert.deepEqual(idsOf(second), ids);
  assert.deepEqual(await start('a', first), []);
  assert.equal((await start('b', second.slice(0, 1))).length, 1);
  await releaseLeases(em(), 'b', []);
  assert.deepEqual(idsOf(await lease('c')), ids.slice(1), 'those that were started are not leased again');
});

test('batches of many tenants are leased in turn, and requeued emails are not kept waiting by batches', async () => {
  await engine(
    sql`insert into email_templates (tenant_id, name, subject, content) select t, 'x', 's', 'c' from unnest(array['b1', 'b2']) t`,
  );
  const [b1, b2] = await engine<{ id: number }>(
    sql`select id from email_templates where tenant_id in ('b1', 'b2') order by tenant_id`,
  );
  await mailing(600, { templateId: b1!.id, tenantId: 'b1' });
  await mailing(600, { templateId: b2!.id, tenantId: 'b2' });
  assert.deepEqual(await batches(), [200, 200, 200, 200, 200, 200]);
  const one = await mailing(1);
  const [first] = (await lease('a', 1_000)).filter(({ tenantId }) => tenantId === 'default');
  await start('a', [first!]);
  await settle(one.ids[0]!, 'QUEUED', { delaySeconds: 0 });
  await releaseLeases(em(), 'a', []);
  const counted = Object.entries(Object.groupBy(await lease('b', 800), ({ tenantId }) => tenantId));
  assert.deepEqual(Object.fromEntries(counted.map(([tenant, list]) => [tenant, list!.length])), {
    b1: 400,
    b2: 400,
    default: 1,
  });
});

test('what is requeued is leased singly from then on, and its batch no longer has it', async () => {
  const { ids } = await mailing(5);
  const [retried, stale, postponed, crowded] = ids as [number, number, number, number, number];
  const leased = await lease('a');
  const of = (id: number) => leased.filter((email) => email.id === id);
  await start('a', of(retried));
  await settle(retried, 'QUEUED', { delaySeconds: 0 });
  await engine(sql`update contacts set version = version + 1 where id = ${of(stale)[0]!.contactId}`);
  assert.deepEqual(
    (await start('a', of(stale))).map(({ status }) => status),
    ['QUEUED'],
  );
  await start('a', of(postponed), 'a', new Date(Date.now() + 3_600_000));
  await putOffEmails(em(), 'a', [{ id: crowded, delayMs: 3_600_000 }]);
  assert.deepEqual(await start('a', of(crowded)), []);
  assert.deepEqual(await states(ids), ['QUEUED open', 'QUEUED open', 'QUEUED open', 'QUEUED open', 'QUEUED batch']);
  const singly = await lease('b');
  assert.deepEqual(
    singly.map(({ id, batchId }) => [id, batchId]),
    [
      [retried, null],
      [stale, null],
    ],
  );
  await endLeases();
  const last = await lease('c');
  assert.deepEqual(idsOf(last), ids.slice(4));
  await start('c', last);
  await settle(ids[4]!, 'SENT');
  await lease('c');
  assert.deepEqual(await batches(), [], 'the batch has ended, though some of its emails have not');
  assert.deepEqual(
    (await start('b', singly)).map(({ status, attempt }) => [status, attempt]),
    [
      ['SENDING', 2],
      ['SENDING', 1],
    ],
  );
});

test('the emails of a dead holder that are SENDING become UNKNOWN, the others are sent by another', async () => {
  const { ids } = await mailing(3);
  const [first] = await lease('a');
  await start('a', [first!]);
  await endLeases();
  const second = await lease('b');
  assert.deepEqual(idsOf(second), ids.slice(1));
  await markLostEmails(em());
  assert.deepEqual(await states(ids.slice(0, 1)), ['SENDING batch'], 'its own lease has not ended');
  await engine(sql`update emails set lease_until = now() - interval '1 s' where id = ${first!.id}`);
  await markLostEmails(em());
  assert.deepEqual(await states(ids.slice(0, 1)), ['UNKNOWN batch']);
  await start('b', second);
  for (const { id } of second) await settle(id, 'SENT');
  await markLostEmails(em());
  assert.deepEqual(await batches(), []);
  // An operator sends it again.
  assert.equal((await service.api('POST', `/emails/${first!.id}/resolve`, { outcome: 'resend' })).status, 200);
  assert.deepEqual(idsOf(await lease('c')), [first!.id]);
});

test('a start whose reply was lost is taken back, before and after it was committed', async () => {
  const { ids } = await mailing(2);
  const leased = await lease('a');
  const takeBack = (id: number, name: string) => settle(id, 'QUEUED', { provider: null, start: name, delaySeconds: 0 });
  await start('a', leased.slice(0, 1), 'a/1');
  for (const { id } of leased) assert.equal(await takeBack(id, 'a/1'), 1);
  assert.deepEqual(await states(ids), ['QUEUED open', 'QUEUED open']);
  assert.deepEqual(await start('a', leased, 'a/1'), [], 'it comes too late');
  const again = await lease('a');
  assert.deepEqual(
    again.map(({ attempt }) => attempt),
    [1, 0],
  );
  await start('a', again, 'a/2');
  assert.equal(await takeBack(ids[0]!, 'a/1'), 0);
  assert.deepEqual(await states(ids), ['SENDING open', 'SENDING open']);
});

test('the emails of a paused campaign stay in their batch; those of a cancelled one end at once', async () => {
  const { campaignId, ids } = await mailing(4, { released: 3 });
  const setStatus = (status: string) =>
    engine(sql`update email_campaigns set status = ${status} where id = ${campaignId}`);
  const [one, ...others] = await lease('a');
  await setStatus('PAUSED');
  const gates = async (id: number) => (await service.api('GET', `/emails/${id}/explain`)).body.gates;
  assert.equal((await gates(ids[0]!)).at(-1).reason, 'campaign_paused');
  assert.deepEqual(
    (await start('a', [one!])).map(({ status }) => status),
    ['QUEUED'],
  );
  await endLeases();
  assert.deepEqual(await lease('b'), [], 'nobody renders it again and again meanwhile');
  await setStatus('SENDING');
  assert.deepEqual(
    (await gates(ids[0]!)).slice(-1).map(({ gate, passed }: { gate: string; passed: boolean }) => [gate, passed]),
    [['intake', true]],
  );
  assert.equal((await gates(ids[3]!)).at(-1).reason, 'waiting');
  const again = await lease('b');
  assert.deepEqual(idsOf(again), ids.slice(0, 3));
  await setStatus('CANCELLED');
  await em().transactional((tx) =>
    suppressReadyOfCampaign(tx, { tenantId: 'default', id: campaignId, status: 'CANCELLED' }),
  );
  assert.deepEqual(await states(ids), ['SUPPRESSED batch', 'SUPPRESSED batch', 'SUPPRESSED batch', 'QUEUED batch']);
  assert.deepEqual(await start('b', again), []);
  assert.equal(others.length, 2);
  await markLostEmails(em());
  assert.deepEqual(await batches(), []);
});

test('an unsubscribe, a merge and a deletion of the contact count for emails of a leased batch', async () => {
  const { campaignId, ids, contactIds } = await mailing(4);
  const [unsubscribed, merged, target, deleted] = contactIds as [number, number, number, number];
  const leased = await lease('a');
  const tenant = tenantEm(service.deps.orm, 'default');
  await tenant.transactional((tx) => suppressEmailsTo(tx, 'default', unsubscribed, 'contact_unsubscribed'));
  await tenant.transactional((tx) => moveEmails(tx, 'default', { from: merged, to: target }));
  await engine(sql`delete from contacts where id = ${deleted}`);
  const started = await start('a', leased);
  const statusOf = (n: number) => started.find(({ id }) => id === ids[n])?.status;
  assert.deepEqual([0, 1, 2, 3].map(statusOf), [undefined, undefined, 'SENDING', 'SUPPRESSED']);
  const { body } = await service.api('GET', `/emails?campaignId=${campaignId}`);
  assert.deepEqual(
    body.data.map(({ status, reason }: { status: string; reason: string | null }) => [status, reason]).sort(),
    [
      ['SENDING', null],
      ['SUPPRESSED', 'contact_deleted'],
      ['SUPPRESSED', 'contact_unsubscribed'],
      ['SUPPRESSED', 'merged'],
    ],
  );
});

test('a frequency cap counts the emails of released batches, and not those of campaigns that wait', async () => {
  const path = '/emails/settings';
  assert.equal((await service.api('PUT', path, { frequencyCap: { maxEmails: 1, perDays: 1 } })).status, 200);
  try {
    const first = await mailing(2, { released: 1 });
    const second = await mailing(2, { released: 0 });
    // All long enough ago that none waits for others that were queued with it.
    await engine(sql`update emails set created_at = created_at - interval '1 minute'
      where campaign_id in (${first.campaignId}, ${second.campaignId})`);
    // The same people, again.
    await engine(sql`update emails e set contact_id = f.contact_id from emails f
      where e.campaign_id = ${second.campaignId} and f.campaign_id = ${first.campaignId} and e.id - f.id = ${second.ids[0]! - first.ids[0]!}`);
    const unreleased = { tenantId: 'default', campaignId: second.campaignId, after: 0, onlyVariants: false };
    await em().transactional((tx) => releaseEmailBatches(tx, { ...unreleased, now: new Date() }, null, 100));
    const leased = (await lease('a')).filter(({ id }) => second.ids.includes(id));
    const started = await start('a', leased);
    assert.deepEqual(
      second.ids.map((id) => started.find((email) => email.id === id)?.status),
      ['SUPPRESSED', 'SENDING'],
    );
  } finally {
    await service.api('PUT', path, { frequencyCap: null });
  }
});
