import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { engineEm, rows, sql, tenantEm } from '../../../db/orm.ts';
import { resolveEmail } from '../../../domain/emails/ledger/resolve-email.ts';
import { settleByHits } from '../../../domain/emails/ledger/settle-by-evidence.ts';
import { settleAttempts } from '../../../domain/emails/bounces/settle-attempts.ts';
import type { Settlement } from '../../../domain/emails/ledger/settle-emails.ts';
import { contactHandler } from '../../../worker/consumers/contacts.ts';
import { eventOf, publish, settled } from '../../support/events.ts';
import { startService, type Service } from '../../support/service.ts';

let service: Service;
let number = 0;

beforeAll(async () => {
  service = await startService({ worker: ['intake', 'consumers', 'relay'] });
});
afterAll(() => service.stop());

const query = <T>(statement: ReturnType<typeof sql>) =>
  engineEm(service.deps.orm).transactional((tx) => rows<T>(tx, statement));

async function contact(): Promise<{ id: number; email: string }> {
  number += 1;
  const email = `timeline${number}@example.com`;
  const { status, body } = await service.api('POST', '/contacts', { firstName: 'A', lastName: 'B', email });
  assert.equal(status, 201);
  return { id: body.id, email };
}

/** A SENDING email of a journey. */
async function sending(contactId: number): Promise<number> {
  const [made] = await query<{ id: number }>(sql`
    insert into emails (tenant_id, send_key, template_id, contact_id, external_id, campaign_id, execution_id, step_id, lane, status, accepted_at, attempt, holder, lease_until)
    values ('default', gen_random_uuid(), 5, ${contactId}, 'x-1', 6, 7, 'hello', 'journey', 'SENDING', now(), 1, 'me', now() + interval '1 minute') returning id`);
  return made!.id;
}

const settle = (id: number, result: Settlement['result']) =>
  settleAttempts(engineEm(service.deps.orm), [
    { id, tenantId: 'default', attempt: 1, provider: 'p:25', result, reply: '250 OK' },
  ]);

const timeline = async (id: number) => {
  const { status, body } = await service.api('GET', `/contacts/${id}/activities?sort=id&limit=100`);
  assert.equal(status, 200);
  return body.data as { id: number; type: string; occurredAt: string; data: Record<string, unknown> }[];
};
const typesOf = async (id: number) => (await timeline(id)).map(({ type }) => type);

test('a contact is in its timeline from the start, with the address that it was created with', async () => {
  const { id, email } = await contact();
  const created = await service.api('GET', `/contacts/${id}`);
  const expected = [{ type: 'CONTACT_CREATED', occurredAt: created.body.createdAt, data: { contactId: id, email } }];
  const shown = async () =>
    (await timeline(id)).filter(({ type }) => type === 'CONTACT_CREATED').map(({ id: _id, ...rest }) => rest);
  assert.deepEqual(await shown(), expected);
  for (const changed of ['second@example.com', 'third@example.com', email, 'fourth@example.com']) {
    assert.equal((await service.api('PUT', `/contacts/${id}`, { email: changed })).status, 200);
    assert.deepEqual(await shown(), expected, changed);
  }
  await settled(service, contactHandler.name);
  assert.deepEqual(await shown(), expected, 'the event of a creation adds nothing');
});

test('an email is in the timeline once it is SENT or FAILED, once, with what EMAIL_SENT says', async () => {
  const { id } = await contact();
  const [sent, failed, unknown, opened, resolved, again] = [
    await sending(id),
    await sending(id),
    await sending(id),
    await sending(id),
    await sending(id),
    await sending(id),
  ];
  assert.deepEqual(await typesOf(id), ['CONTACT_CREATED']);
  await settle(sent, 'SENT');
  await settle(failed, 'FAILED');
  for (const one of [unknown, opened, resolved, again]) await settle(one, 'UNKNOWN');
  await query(sql`
    insert into email_events (tenant_id, email_id, event_id, type, at, automated) values ('default', ${opened}, gen_random_uuid(), 'OPEN', now(), false)`);
  await engineEm(service.deps.orm).transactional((tx) => settleByHits(tx, [{ tenantId: 'default', id: opened }]));
  await resolveEmail(tenantEm(service.deps.orm, 'default'), resolved, 'failed');
  await resolveEmail(tenantEm(service.deps.orm, 'default'), again, 'resend');
  await query(sql`update emails set status = 'BOUNCED', reason = 'hard_bounce' where id = ${sent}`);

  const check = async () => {
    const mails = (await timeline(id)).filter(({ type }) => type === 'EMAIL_SENT').map(({ data }) => data);
    const of = (emailId: number | undefined, status: string) => ({
      emailId,
      recipientId: id,
      status,
      templateId: 5,
      campaignId: 6,
      externalId: 'x-1',
      executionId: 7,
      stepId: 'hello',
    });
    assert.deepEqual(mails, [of(sent, 'SENT'), of(failed, 'FAILED'), of(opened, 'SENT'), of(resolved, 'FAILED')]);
  };
  await check();
  await settled(service, contactHandler.name);
  await check();
});

test('events of contacts and emails from before the timeline read these tables are added by the consumer', async () => {
  const { id, email } = await contact();
  const mail = await sending(id);
  await settled(service, contactHandler.name);
  await query(sql`update contacts set created_activity_id = null where id = ${id}`);
  await query(sql`update emails set status = 'SENT', sent_at = now() where id = ${mail}`);
  await publish(
    service,
    eventOf('CONTACT_CREATED', { contactId: id, email }),
    eventOf('EMAIL_SENT', { emailId: mail, recipientId: id, status: 'SENT', templateId: 5 }),
  );
  await settled(service, contactHandler.name);
  const shown = (await timeline(id)).filter(({ type }) => /CREATED|SENT/.test(type));
  assert.deepEqual(
    shown.map(({ type, data }) => [type, data['stepId'] ?? data['email']]),
    [
      ['CONTACT_CREATED', email],
      ['EMAIL_SENT', 'hello'],
    ],
  );
});

test('a merge moves the whole timeline, and keeps its ids and order', async () => {
  const [target, source] = [await contact(), await contact()];
  const mail = await sending(source.id);
  await settle(mail, 'SENT');
  await settled(service, contactHandler.name);
  const before = [...(await timeline(target.id)), ...(await timeline(source.id))].sort((a, b) => a.id - b.id);
  assert.equal((await service.api('POST', `/contacts/${target.id}/merge`, { sourceId: source.id })).status, 200);
  const after = (await timeline(target.id)).slice(0, before.length);
  const shown = ({ id, type, occurredAt, data }: (typeof before)[number]) => [
    id,
    type,
    occurredAt,
    type === 'EMAIL_SENT' ? data['emailId'] : data,
  ];
  assert.deepEqual(after.map(shown), before.map(shown));
  const { body } = await service.api('GET', `/contacts/${target.id}/data-export`);
  assert.deepEqual(body.activities.slice(0, before.length).map(shown), before.map(shown));
});

test('a segment counts emails of the ledger, and follows when one is sent', async () => {
  const { body: segment } = await service.api('POST', '/contacts/segments', {
    name: 'Mailed twice',
    type: 'dynamic',
    filter: {
      event: 'EMAIL_SENT',
      operator: 'atLeast',
      count: 2,
      where: [{ field: 'templateId', operator: 'eq', value: 5 }],
    },
  });
  const { id } = await contact();
  const isMember = async () => {
    await settled(service, contactHandler.name);
    const { body } = await service.api('GET', `/contacts/${id}/segments`);
    return body.data.some((one: { id: number }) => one.id === segment.id);
  };
  await settle(await sending(id), 'SENT');
  await settle(await sending(id), 'FAILED');
  assert.equal(await isMember(), false);
  await settle(await sending(id), 'SENT');
  assert.equal(await isMember(), true);
});
