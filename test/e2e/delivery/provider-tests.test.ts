/** Links from texts as they arrived, and test messages through one provider. */
import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { reportPush } from '../../../dev/fakes/device.ts';
import { startFcm } from '../../../dev/fakes/fcm.ts';
import { startGateway, type Gateway } from '../../../dev/fakes/gateway.ts';
import { sql } from '../../../db/orm.ts';
import { channelsOf } from '../../support/channels.ts';
import { counting, takenInTime } from '../../support/counting.ts';
import { published } from '../../support/mail/emails.ts';
import { onTestFinished } from '../../support/on-test-finished.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({
    worker: ['intake', 'consumers', 'relay', 'senders'],
    env: { OUTBOUND_ALLOW: '127.0.0.1/32' },
  });
});
afterAll(() => service.stop());

const call = async (method: string, path: string, body: object | undefined, status: number, headers = {}) => {
  const answer = await service.api(method, path, body, { headers });
  assert.equal(answer.status, status, `${path}: ${JSON.stringify(answer.body)}`);
  return answer.body;
};
/** A gateway with a provider, both only for this test. */
async function makeGateway(fields: object = {}): Promise<Gateway & { id: number }> {
  const gateway = await startGateway();
  onTestFinished(() => gateway.close());
  const { id } = await call('POST', '/channels/providers', { ...gateway.provider(), ...fields }, 201);
  onTestFinished(async () => void (await call('PUT', `/channels/providers/${id}`, { active: false }, 200)));
  return { ...gateway, id };
}
let numbers = 0;
const newNumber = (): string => `+1202555${String(6000 + (numbers += 1))}`;
const message = (id: number) => call('GET', `/channels/messages/${id}`, undefined, 200);
const untilStatus = (id: number, ...statuses: string[]) =>
  until(`message ${id} is ${statuses.join(' or ')}`, async () => {
    const found = await message(id);
    return statuses.includes(found.status) ? found : null;
  });
const linkIn = (text: string): string => /https?:\/\/\S+\/r\/[A-Za-z0-9]{10}/.exec(text)![0];
const follow = async (url: string) =>
  takenInTime(await fetch(url, { redirect: 'manual', headers: { 'user-agent': 'Mozilla/5.0 (Android 16)' } }));
const sendLink = async (): Promise<number> => {
  const body = { to: newNumber(), body: 'See https://example.com/a?b=c&d.', category: 'transactional' };
  return (await call('POST', '/channels/sms/send', body, 202)).messageId;
};

test(
  'the link of a text that arrived leads to its URL, and the click is told',
  counting(async () => {
    const gateway = await makeGateway();
    const messageId = await sendLink();
    await untilStatus(messageId, 'SENT');
    const url = linkIn(gateway.accepted[0]!.text);
    const answer = await follow(url);
    assert.equal(answer.status, 302);
    assert.equal(answer.headers.get('location'), 'https://example.com/a?b=c&d');
    const shown = await until('it is counted', async () => {
      const found = await message(messageId);
      return found.clicks === 1 && found;
    });
    assert.ok(shown.firstClickedAt !== null);
    const events = await until('it is told', async () => {
      const found = (await published(service, 'MESSAGE_CLICKED')).filter(({ data }) => data.messageId === messageId);
      return found.length > 0 && found;
    });
    assert.deepEqual(
      events.map(({ data: { url: told, automated, first } }) => [told, automated, first]),
      [['https://example.com/a?b=c&d', false, true]],
    );
  }),
);

test(
  'a text of which nobody can tell whether it was sent is SENT once somebody follows its link',
  counting(async () => {
    const gateway = await makeGateway();
    gateway.inject({ kind: 'answer', status: 500, accepts: true });
    const messageId = await sendLink();
    await untilStatus(messageId, 'UNKNOWN');
    assert.equal((await follow(linkIn(gateway.accepted[0]!.text))).status, 302);
    const shown = await untilStatus(messageId, 'SENT');
    assert.equal(shown.reason, 'confirmed_by_click');
    assert.equal(gateway.accepted.length, 1);
  }),
);

test('a test goes through that provider although it is not active, once', async () => {
  const [other, gateway] = [await makeGateway(), await makeGateway({ active: false, name: 'Second {{ email }}' })];
  const path = `/channels/providers/${gateway.id}/test`;
  for (const to of ['12', '+1', 'someone', '020 7946 0958'])
    assert.deepEqual(
      (await call('POST', path, { to }, 400)).errors.map((error: { path: string }) => error.path),
      ['/to'],
      to,
    );
  await call('POST', '/channels/providers/999999/test', { to: newNumber() }, 404);
  const to = newNumber();
  const { messageId, status } = await call('POST', path, { to }, 202, { 'idempotency-key': 'a test' });
  assert.equal(status, 'QUEUED');
  const again = await call('POST', path, { to }, 202, { 'idempotency-key': 'a test' });
  assert.equal(again.messageId, messageId);
  // Also when its answer is not kept any more.
  await channelsOf(service).engine(sql`delete from idempotent_answers where key = 'a test'`);
  assert.equal((await call('POST', path, { to }, 202, { 'idempotency-key': 'a test' })).messageId, messageId);
  const sent = await untilStatus(messageId, 'SENT');
  assert.deepEqual([sent.providerId, sent.to, sent.category], [gateway.id, to, 'transactional']);
  assert.deepEqual(
    gateway.accepted.map((text) => [text.to, text.text]),
    [[to, 'This is a test of Second {{ email }}.']],
  );
  assert.deepEqual(other.accepted, []);
  const { data } = await call('GET', '/auth/audit-log?action=channel_provider.tested', undefined, 200);
  assert.deepEqual(
    data.map(({ resourceId }: { resourceId: string }) => Number(resourceId)),
    [gateway.id],
  );
});

test('what the provider refuses is shown, and not tried again', async () => {
  const gateway = await makeGateway();
  const send = async () =>
    (await call('POST', `/channels/providers/${gateway.id}/test`, { to: newNumber() }, 202)).messageId;
  for (const [fault, shown] of [
    [{ kind: 'answer', status: 429 }, /^not_sent: 429/],
    [{ kind: 'answer', status: 401 }, /^not_sent: 401/],
  ] as const) {
    gateway.inject(fault);
    const failed = await untilStatus(await send(), 'FAILED');
    assert.match(failed.reason, shown);
    const { attempts } = await call('GET', `/channels/messages/${failed.id}/explain`, undefined, 200);
    assert.equal(attempts.length, 1);
  }
  assert.equal(gateway.asked(), 2);
  assert.equal(gateway.accepted.length, 0);
});
test('a test of a provider of pushes goes to a device by its token, known or not, which can report it', async () => {
  const fcm = await startFcm();
  onTestFinished(() => fcm.close());
  const { id } = await call('POST', '/channels/providers', { ...fcm.provider(), active: false }, 201);
  const path = `/channels/providers/${id}/test`;
  assert.equal((await call('POST', path, { to: 'a b' }, 400)).errors[0].path, '/to');
  for (let time = 1; time <= 2; time += 1) {
    const { messageId } = await call('POST', path, { to: 'token-of-a-device' }, 202);
    const sent = await untilStatus(messageId, 'SENT');
    assert.deepEqual(
      sent.devices.map(({ type, status }: { type: string; status: string }) => [type, status]),
      [['fcm', 'SENT']],
    );
    assert.equal(fcm.accepted.length, time);
  }
  assert.equal(fcm.accepted[0]!.token, 'token-of-a-device');
  const token = fcm.accepted[0]!.message.data!['token']!;
  assert.equal((await reportPush(`${service.url}/api/v1`, token, 'shown')).status, 204);
  await untilStatus(Number(fcm.accepted[0]!.message.data!['messageId']), 'DELIVERED');
  const { messageId } = await call('POST', path, { to: 'gone-of-no-app' }, 202);
  const failed = await untilStatus(messageId, 'FAILED');
  assert.equal(failed.devices[0].status, 'FAILED');
});
