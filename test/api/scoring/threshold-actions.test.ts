import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { engineEm, rows, sql, type RawBuilder } from '../../../db/orm.ts';
import { scoreEvents } from '../../../domain/scoring/scores/score-events.ts';
import { problemsOf } from '../../support/accounts.ts';
import { startEndpoint, type Endpoint } from '../../support/endpoint.ts';
import { eventOf, publish, settled } from '../../support/events.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { newMember } from '../../support/users.ts';
import { startVariant } from '../../support/variant.ts';

let service: Service;
let endpoint: Endpoint;
let secret: string;
beforeAll(async () => {
  service = await startService({ worker: true, env: { OUTBOUND_ALLOW: '127.0.0.1/32' } });
  endpoint = await startEndpoint([{ status: 204 }]);
  secret = (await service.api('GET', '/webhooks/default')).body.secret;
});
afterAll(async () => {
  await endpoint.close();
  await service.stop();
});

const engine = <Row>(query: RawBuilder<unknown>): Promise<Row[]> =>
  engineEm(service.deps.orm).transactional((tx) => rows<Row>(tx, query));
async function make(path: string, body: object): Promise<Answer['body']> {
  const answer = await service.api('POST', path, body);
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body;
}
let number = 0;
const person = async (): Promise<{ id: number; email: string }> =>
  make('/contacts', { firstName: 'Ada', lastName: 'Byron', email: `reaches${(number += 1)}@example.com` });
const submitted = (contactId: number) => eventOf('FORM_SUBMITTED', { formId: 1, contactId, submissionId: 1 });
const mailsOf = (thresholdId: number, contactId: number) =>
  engine<{ status: string; reason: string | null; lane: string; to_address: string | null; data: object | null }>(sql`
    select status, reason, lane, to_address, data from emails where send_key = ${`score-threshold/${thresholdId}/${contactId}`}`);
const callsOf = (contactId: number) =>
  endpoint.received.filter(({ body }) => JSON.parse(body).data.contactId === contactId);

/** Makes thresholds with these actions for a test, and deletes them after it. */
async function withThresholds(actions: object[], use: (ids: number[]) => Promise<void>): Promise<void> {
  const ids: number[] = [];
  for (const action of actions)
    ids.push((await make('/scoring/thresholds', { name: 'Hot {{firstName}} leads', score: 40, action })).id);
  try {
    await use(ids);
  } finally {
    for (const id of ids) await service.api('DELETE', `/scoring/thresholds/${id}`);
  }
}
const NOTIFY = { type: 'NOTIFY', to: 'Admin@Example.com' };
const webhook = () => ({ type: 'WEBHOOK', url: `${endpoint.url}/hot` });

test('of fifty events at once that reach it, a user gets one email and a URL one call', async () => {
  const { id, email } = await person();
  await withThresholds([NOTIFY, webhook()], async ([notify, call]) => {
    const events = Array.from({ length: 50 }, () => submitted(id));
    await Promise.all(events.map((event) => publish(service, event)));
    await settled(service, 'scoring');
    const [mail] = await until('the email has arrived', () => {
      const found = service.sink.mails.filter(({ parsed }) => parsed.text?.includes(email));
      return found.length > 0 && found;
    });
    assert.deepEqual(mail!.to, ['admin@example.com']);
    assert.equal(mail!.parsed.subject, 'Ada Byron has reached “Hot {{firstName}} leads”');
    const total = /Score: (\d+)/.exec(mail!.parsed.text!)![1];
    assert.ok(Number(total) >= 50 && Number(total) % 25 === 0, total);
    assert.ok(mail!.parsed.text!.includes(`Contact ${id}, threshold ${notify}`));
    assert.doesNotMatch(mail!.raw, /List-Unsubscribe|tracking/);
    const received = await until('the call has arrived', () => callsOf(id).length > 0 && callsOf(id));
    const told = new Webhook(secret).verify(received[0]!.body, received[0]!.headers as Record<string, string>);
    const { data } = told as { data: object };
    assert.deepEqual(data, {
      ...{ thresholdId: call, name: 'Hot {{firstName}} leads', score: 40, contactId: id, tenantId: 'default' },
      totalScore: Number(total),
    });
    // Delivered again, as after the death of a consumer before it could acknowledge.
    await publish(service, ...events);
    await settled(service, 'scoring');
    await until(
      'no workflow waits to be started',
      async () => (await engine(sql`select 1 from outbox_workflows`)).length === 0,
    );
    await until('no call is open', async () => (await engine(sql`select 1 from threshold_calls`)).length === 0);
    assert.deepEqual(
      (await mailsOf(notify!, id)).map(({ status, lane }) => [status, lane]),
      [['SENT', 'journey']],
    );
    assert.equal(callsOf(id).length, 1);
    assert.equal(service.sink.mails.filter(({ parsed }) => parsed.text?.includes(email)).length, 1);
    const { thresholds } = (await service.api('GET', `/scoring/contacts/${id}`)).body;
    for (const one of thresholds) assert.equal(one.triggered, true);
  });
});

test('an attempt that dies before its commit causes neither; the next causes each once', async () => {
  const { id } = await person();
  await withThresholds([NOTIFY, webhook()], async ([notify]) => {
    const events = [submitted(id), submitted(id)];
    const died = engineEm(service.deps.orm).transactional(async (tx) => {
      await scoreEvents(tx, events);
      throw new Error('killed');
    });
    await assert.rejects(died, /killed/);
    assert.deepEqual([await mailsOf(notify!, id), callsOf(id)], [[], []]);
    assert.deepEqual(await engine(sql`select 1 from threshold_calls`), []);
    await publish(service, ...events, ...events);
    await settled(service, 'scoring');
    await until('it is called', () => callsOf(id).length > 0);
    assert.equal((await mailsOf(notify!, id)).length, 1);
    assert.equal(callsOf(id).length, 1);
  });
});

test('to a user who is deactivated nothing is sent, and the threshold has fired', async () => {
  const { user } = await newMember(service.api);
  const { id } = await person();
  await withThresholds([{ type: 'NOTIFY', to: user.email }], async ([notify]) => {
    assert.equal((await service.api('PUT', `/auth/users/${user.id}`, { active: false })).status, 200);
    await publish(service, submitted(id), submitted(id));
    await settled(service, 'scoring');
    const [mail] = await mailsOf(notify!, id);
    assert.deepEqual([mail!.status, mail!.reason], ['SUPPRESSED', 'user_gone']);
    assert.equal((await service.api('GET', `/scoring/thresholds/${notify}`)).body.triggeredCount, 1);
    // Nor later, when the user is back.
    assert.equal((await service.api('PUT', `/auth/users/${user.id}`, { active: true })).status, 200);
    await publish(service, submitted(id));
    await settled(service, 'scoring');
    assert.deepEqual(
      (await mailsOf(notify!, id)).map(({ status }) => status),
      ['SUPPRESSED'],
    );
  });
  assert.deepEqual(
    service.sink.mails.filter(({ to }) => to.includes(user.email)),
    [],
  );
});

test('an erasure finds the email and the open call, also when their thresholds are gone', async () => {
  const [one, other] = [await person(), await person()];
  const silent = await startEndpoint([{ status: 503 }]);
  try {
    const keys: [number, number][] = [];
    await withThresholds([NOTIFY, { type: 'WEBHOOK', url: silent.url }], async ([notify]) => {
      await publish(service, ...[one, other].flatMap(({ id }) => [submitted(id), submitted(id)]));
      await settled(service, 'scoring');
      for (const { id } of [one, other]) {
        await until('it is sent', async () => (await mailsOf(notify!, id))[0]?.status === 'SENT');
        keys.push([notify!, id]);
      }
      const erase = await service.api('POST', `/contacts/${one.id}/erase`);
      assert.equal(erase.status, 202, JSON.stringify(erase.body));
      await until('it is erased', async () => (await mailsOf(...keys[0]!))[0]!.reason === 'erased');
      assert.deepEqual(
        (await mailsOf(...keys[0]!)).map(({ data, to_address: to }) => [data, to]),
        [[null, null]],
      );
      assert.deepEqual(await engine(sql`select contact_id from threshold_calls`), [{ contact_id: other.id }]);
    });
    await service.api('POST', `/contacts/${other.id}/erase`);
    await until('the other is erased too', async () => (await mailsOf(...keys[1]!))[0]!.data === null);
  } finally {
    await silent.close();
  }
});

test("strangers' addresses and refused URLs are violations when a threshold is saved", async () => {
  const wrong = async (action: object, path = '/scoring/thresholds', method = 'POST') =>
    problemsOf(await service.api(method, path, { ...(method === 'POST' ? { name: 'x', score: 1 } : {}), action }));
  const variant = await startVariant(service, { ENABLE_MULTI_TENANT: true });
  let elsewhere: string;
  try {
    elsewhere = (await newMember(variant.api)).user.email;
  } finally {
    await variant.stop();
  }
  const { id } = await make('/scoring/thresholds', { name: 'x', score: 1_000_000 });
  for (const [action, problem] of [
    [{ type: 'NOTIFY', to: 'stranger@example.com' }, '/action/to not_found'],
    [{ type: 'NOTIFY', to: elsewhere }, '/action/to not_found'],
    [{ type: 'NOTIFY', to: 'no address' }, '/action/to not_found'],
    [{ type: 'NOTIFY', to: '' }, '/action/to too_short'],
    [{ type: 'NOTIFY' }, '/action/to required'],
    [{ type: 'WEBHOOK' }, '/action/url required'],
    [{ type: 'WEBHOOK', url: 'hook' }, '/action/url format'],
    [{ type: 'WEBHOOK', url: 'ftp://example.com/' }, '/action/url outbound_refused'],
    [{ type: 'WEBHOOK', url: 'https://10.0.0.1/' }, '/action/url outbound_refused'],
    [{ type: 'WEBHOOK', url: 'https://2130706434/' }, '/action/url outbound_refused'],
    [{ type: 'WEBHOOK', url: 'https://[::ffff:10.0.0.1]/' }, '/action/url outbound_refused'],
    [{ type: 'WEBHOOK', url: 'https://169.254.169.254/latest/meta-data' }, '/action/url outbound_refused'],
    [{ type: 'WEBHOOK', url: 'https://user:secret@example.com/' }, '/action/url outbound_refused'],
  ] as const) {
    assert.deepEqual(await wrong(action), [problem], JSON.stringify(action));
    assert.deepEqual(await wrong(action, `/scoring/thresholds/${id}`, 'PUT'), [problem], JSON.stringify(action));
  }
  // What belongs to another type.
  for (const [action, name] of [
    [{ ...NOTIFY, url: 'https://example.com/' }, 'url'],
    [{ type: 'WEBHOOK', url: 'https://example.com/', to: 'admin@example.com' }, 'to'],
    [{ type: 'NONE', to: 'admin@example.com' }, 'to'],
  ] as const)
    assert.deepEqual(await wrong(action), ['/action invalid', `/action/${name} invalid`], JSON.stringify(action));
  const kept = { type: 'WEBHOOK', url: 'https://example.com/hook' };
  const saved = await service.api('PUT', `/scoring/thresholds/${id}`, { action: kept });
  assert.deepEqual([saved.status, saved.body.action], [200, kept]);
  assert.equal((await service.api('PUT', `/scoring/thresholds/${id}`, saved.body)).status, 200);
  await service.api('DELETE', `/scoring/thresholds/${id}`);
});
