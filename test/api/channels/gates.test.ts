import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { sql, type rows } from '../../../db/orm.ts';
import { erasedKey } from '../../../domain/addresses/digest.ts';
import { messageGateJoins, messageRefusal } from '../../../domain/delivery/gates/message-gates.ts';
import { channelsOf } from '../../support/channels.ts';
import { startService, type Service } from '../../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const channels = () => channelsOf(service);
const engine = <T>(query: Parameters<typeof rows>[1]) => channels().engine<T>(query);
const makePerson = (fields: object = {}) => channels().makePerson(fields);
const consent = (address: string, status?: string) => channels().consent(address, status);
const suppress = (channel: string, address: string, reason: string) => channels().suppress(channel, address, reason);
const device = (contactId: number | null) => channels().device(contactId);

interface Asked {
  channel?: 'sms' | 'push';
  category?: 'marketing' | 'transactional';
  contactId?: number | null;
  to?: string | null;
  templateId?: number | null;
  subscriptionId?: number | null;
  executionId?: number | null;
}
async function refusal(asked: Asked): Promise<string | null> {
  const { channel = 'sms', category = 'marketing', contactId = null, to = null, templateId = null } = asked;
  const [row] = await engine<{ reason: string | null }>(sql`
    with e as (select 'default'::text as tenant_id, ${channel}::text as channel, ${category}::text as category,
      ${templateId}::bigint as template_id, ${contactId}::bigint as contact_id, ${to}::text as to_address,
      ${asked.subscriptionId ?? null}::bigint as subscription_id, ${asked.executionId ?? null}::bigint as execution_id)
    select ${messageRefusal} as reason from e ${messageGateJoins}`);
  return row!.reason;
}
const both = async (asked: Asked) => [await refusal(asked), await refusal({ ...asked, category: 'transactional' })];

test('marketing texts need a consent to texts to the number, whatever the email says', async () => {
  const { id, number } = await makePerson({ status: 'unsubscribed' });
  assert.deepEqual(await both({ contactId: id }), ['no_consent', null]);
  await consent(number);
  assert.deepEqual(await both({ contactId: id }), [null, null]);
  assert.deepEqual(await both({ to: number }), [null, null]);
  await consent(number, 'unsubscribed');
  assert.deepEqual(await both({ to: number }), ['no_consent', null]);
  assert.deepEqual(await both({ contactId: id }), ['no_consent', null]);
});

test('what an erasure left of a number holds, until the number decides again', async () => {
  const { id, number } = await makePerson();
  await consent(erasedKey('default', number), 'unsubscribed');
  await suppress('sms', erasedKey('default', number), 'unsubscribed');
  assert.equal(await refusal({ contactId: id }), 'no_consent');
  await consent(number);
  assert.equal(await refusal({ contactId: id }), 'address_unsubscribed');
  await suppress('sms', erasedKey('default', number), 'invalid');
  assert.deepEqual(await both({ to: number }), ['address_invalid', 'address_invalid']);
});

test('to a number that has complained or is invalid nothing goes; other suppressions stop marketing', async () => {
  for (const [reason, transactional] of [
    ['complained', 'address_complained'],
    ['invalid', 'address_invalid'],
    ['manual', null],
    ['unsubscribed', null],
  ] as const) {
    const { id, number } = await makePerson();
    await consent(number);
    await suppress('sms', number, reason);
    for (const asked of [{ contactId: id }, { to: number }])
      assert.deepEqual(await both(asked), [`address_${reason}`, transactional], reason);
  }
});

test('a text to a number meets the gates of the contact that has it', async () => {
  const archived = await makePerson({ status: 'archived' });
  await consent(archived.number);
  assert.deepEqual(await both({ to: archived.number }), ['contact_archived', null]);
  // Somebody else has it now.
  await engine(sql`update contacts set phone_e164 = ${archived.number} where id = ${(await makePerson()).id}`);
  assert.deepEqual(await both({ to: archived.number }), [null, null]);
});

test('a template that has become marketing makes its messages marketing', async () => {
  const { id } = await makePerson();
  const { body: template } = await service.api('POST', '/channels/templates', {
    ...{ name: 'Code', channel: 'sms', category: 'transactional', body: 'Your code' },
  });
  const asked = { contactId: id, templateId: template.id, category: 'transactional' as const };
  assert.equal(await refusal(asked), null);
  assert.equal((await service.api('PUT', `/channels/templates/${template.id}`, { category: 'marketing' })).status, 200);
  assert.equal(await refusal(asked), 'no_consent');
  const check = { contactId: id, channel: 'sms', templateId: template.id, category: 'transactional' };
  const { body: said } = await service.api('POST', '/channels/check', check);
  assert.deepEqual(said.gates.at(-1), { gate: 'status', passed: false, reason: 'no_consent' });
});

test('with implied consent only an opt-out stops texts', async () => {
  await engine(sql`insert into channel_settings (tenant_id, send_windows, sms_consent) values ('default', '{}', 'implied')
    on conflict (tenant_id) do update set sms_consent = 'implied'`);
  const { number } = await makePerson();
  assert.equal(await refusal({ to: number }), null);
  await consent(number, 'unsubscribed');
  assert.equal(await refusal({ to: number }), 'no_consent');
  await engine(sql`delete from channel_settings where tenant_id = 'default'`);
});

test('pushes need a device, and for marketing a contact that may get email or whose mailbox is gone', async () => {
  const person = await makePerson();
  assert.deepEqual(await both({ channel: 'push', contactId: person.id }), ['no_subscription', 'no_subscription']);
  const one = await device(person.id);
  const stray = await device(null);
  assert.deepEqual(await both({ channel: 'push', contactId: person.id }), [null, null]);
  assert.deepEqual(await both({ channel: 'push', subscriptionId: stray }), [null, null]);
  for (const [status, expected] of [
    ['unsubscribed', 'contact_unsubscribed'],
    ['bounced', null],
    ['complained', 'contact_complained'],
    ['pending', 'contact_pending'],
  ] as const) {
    await engine(sql`update contacts set status = ${status} where id = ${person.id}`);
    assert.deepEqual(await both({ channel: 'push', contactId: person.id }), [expected, null], status);
  }
  await engine(sql`update contacts set status = 'active' where id = ${person.id}`);
  await suppress('push', person.email, 'unsubscribed');
  assert.deepEqual(await both({ channel: 'push', contactId: person.id }), ['address_unsubscribed', null]);
  await engine(sql`update push_subscriptions set status = 'gone' where id = ${one}`);
  assert.equal(await refusal({ channel: 'push', subscriptionId: one }), 'no_subscription');
});

test('contacts that are gone or archived, templates that are gone, and numbers that are missing', async () => {
  const { id, number } = await makePerson({ status: 'archived' });
  await consent(number);
  assert.deepEqual(await both({ contactId: id }), ['contact_archived', 'contact_archived']);
  assert.deepEqual(await both({ contactId: 999_999_999 }), ['contact_deleted', 'contact_deleted']);
  assert.deepEqual(await both({ to: number, templateId: 999_999_999 }), ['template_deleted', 'template_deleted']);
  const dumb = await makePerson({ phone: null });
  assert.deepEqual(await both({ contactId: dumb.id }), ['no_address', 'no_address']);
});

test('what an execution has queued goes when it has ended by itself, and not when it was stopped', async () => {
  const { id, number } = await makePerson();
  await consent(number);
  const { body: campaign } = await service.api('POST', '/campaigns', {
    ...{ name: 'Stops', steps: [{ id: 'end', type: 'EXIT', config: {} }] },
  });
  await service.api('POST', `/campaigns/${campaign.id}/start`);
  const execution = async (status: string, exitReason: string | null = null, entryNo = 1) => {
    const [made] = await engine<{ id: number }>(sql`
      insert into campaign_executions (tenant_id, campaign_id, campaign_version, contact_id, entry_no, entry_key, state, status, exit_reason)
      values ('default', ${campaign.id}, 1, ${id}, ${entryNo}, ${entryNo}::text, '{}', ${status}, ${exitReason}) returning id`);
    return made!.id;
  };
  const ended = [
    await execution('COMPLETED', null, 2),
    await execution('STOPPED', 'exit_step', 3),
    await execution('FAILED', 'x', 4),
  ];
  const running = await execution('RUNNING');
  for (const executionId of [...ended, running])
    assert.deepEqual(await both({ contactId: id, executionId }), [null, null]);
  assert.equal((await service.api('POST', `/campaigns/${campaign.id}/stop`)).status, 202);
  assert.deepEqual(await both({ contactId: id, executionId: running }), ['stopped', 'stopped']);
  for (const executionId of ended) assert.deepEqual(await both({ contactId: id, executionId }), [null, null]);
});

test('topics are switched off by channel', async () => {
  const { id, number, email } = await makePerson();
  await consent(number);
  await device(id);
  const topic = (await service.api('POST', '/emails/topics', { name: 'News' })).body.id as number;
  const template = async (channel: string) => {
    const [row] = await engine<{
      id: number;
    }>(sql`insert into channel_templates (tenant_id, name, channel, category, topic_id, body)
      values ('default', 'x', ${channel}, 'transactional', ${topic}, 'x') returning id`);
    return row!.id;
  };
  const sms = { contactId: id, templateId: await template('sms') };
  const push = { channel: 'push' as const, contactId: id, templateId: await template('push') };
  const off = (address: string, channel: string) =>
    engine(
      sql`insert into topic_opt_outs (tenant_id, address, topic_id, channel) values ('default', ${address}, ${topic}, ${channel})`,
    );
  await off(email, 'email');
  assert.deepEqual([await refusal(sms), await refusal(push)], [null, null]);
  await off(number, 'sms');
  assert.deepEqual([await both(sms), await refusal(push)], [['topic_off', null], null]);
  await off(erasedKey('default', email), 'push');
  assert.deepEqual(await both(push), ['topic_off', null]);
});
