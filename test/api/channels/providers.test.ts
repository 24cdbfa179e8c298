import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, test } from '@jest/globals';
import { engineEm, rows, sql, tenantEm } from '../../../db/orm.ts';
import { openCredentials } from '../../../domain/channels/providers/credentials.ts';
import { reportHealth } from '../../../domain/emails/providers/report-health.ts';
import { newTenant } from '../../support/accounts.ts';
import { REFUSED_URLS } from '../../support/refused-urls.ts';
import { startService, type Service } from '../../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ env: { ENABLE_MULTI_TENANT: 'true' } });
});
afterAll(() => service.stop());

const inTenant = <T>(query: Parameters<typeof rows>[1]) =>
  tenantEm(service.deps.orm, 'default').transactional((tx) => rows<T>(tx, query));
const call = async (method: string, path: string, status: number, body?: object) => {
  const answer = await service.api(method, path, body);
  assert.equal(answer.status, status, JSON.stringify(answer.body));
  return answer.body;
};
const wrong = async (path: string, body: object, method = 'POST') =>
  (await call(method, path, 400, body)).errors.map((error: { path: string; code: string }) => [error.path, error.code]);

const SECRET = 'a-token-that-nobody-may-see';
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const account = {
  type: 'service_account',
  client_email: 'sender@project.iam.gserviceaccount.com',
  private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
};
const TWILIO = {
  ...{
    name: 'Twilio',
    channel: 'sms',
    type: 'twilio',
    config: { accountSid: `AC${'0'.repeat(32)}`, from: '+15005550006' },
  },
  credentials: { authToken: SECRET },
};
const HTTP = {
  ...{ name: 'Gateway', channel: 'sms', type: 'http' },
  config: { url: 'https://gateway.example/send', body: { to: '{{to}}', text: '{{text}}' } },
};
const FCM = { name: 'FCM', channel: 'push', type: 'fcm', config: { projectId: 'project-1' }, credentials: account };

test('a provider is made, read, listed, changed and deleted; its credentials are never shown', async () => {
  const made = await call('POST', '/channels/providers', 201, TWILIO);
  assert.deepEqual(
    { ...made, id: 0, createdAt: '', updatedAt: '' },
    {
      ...TWILIO,
      ...{ id: 0, priority: 1, ratePerSecond: null, credentials: { authToken: true }, active: true },
      ...{ health: { status: 'UP', since: null, lastError: null } },
      ...{ tenantId: 'default', version: 1, createdAt: '', updatedAt: '' },
    },
  );
  const path = `/channels/providers/${made.id}`;
  assert.deepEqual(await call('GET', path, 200), made);
  const stored = async () => {
    const [row] = await inTenant<{ credentials: string }>(
      sql`select credentials from channel_providers where id = ${made.id}`,
    );
    assert.doesNotMatch(row!.credentials, new RegExp(SECRET));
    return openCredentials(service.deps.env, { id: made.id, tenantId: 'default', ...row! });
  };
  // As GET shows it, with another name: the credentials stay.
  const renamed = await call('PUT', path, 200, { ...made, name: 'Main' });
  assert.deepEqual([renamed.version, renamed.credentials], [2, { authToken: true }]);
  assert.deepEqual(await stored(), { authToken: SECRET });
  await call('PUT', path, 200, { credentials: { authToken: 'another-token' } });
  assert.deepEqual(await stored(), { authToken: 'another-token' });
  const push = await call('POST', '/channels/providers', 201, FCM);
  assert.deepEqual((await call('GET', '/channels/providers?channel=push', 200)).data, [push]);
  assert.deepEqual(push.credentials, { type: true, client_email: true, private_key: true });
  const log = await call('GET', '/auth/audit-log?limit=100', 200);
  assert.doesNotMatch(JSON.stringify(log), new RegExp(`${SECRET}|another-token|PRIVATE KEY`));
  const actions = log.data.filter(({ resourceType }: { resourceType: string }) => resourceType === 'channel_provider');
  assert.equal(actions.length, 4);
  assert.equal((await service.api('DELETE', path, undefined, { headers: { 'if-match': '"1"' } })).status, 412);
  await call('DELETE', path, 204);
  await call('GET', path, 404);
});

test('whoever sends the credentials elsewhere must know them', async () => {
  const put = async (provider: { config: object }, changes: object[], errors: string[][]) => {
    const { id } = await call('POST', '/channels/providers', 201, provider);
    for (const change of changes)
      assert.deepEqual(await wrong(`/channels/providers/${id}`, change, 'PUT'), errors, JSON.stringify(change));
    return id;
  };
  const required = [['/credentials', 'required']];
  const elsewhere = { ...TWILIO.config, baseUrl: 'https://elsewhere.example' };
  const twilio = await put(
    TWILIO,
    [{ config: elsewhere }, { config: elsewhere, credentials: { authToken: true } }],
    required,
  );
  // The same origin, also if it is the default one that is named.
  await call('PUT', `/channels/providers/${twilio}`, 200, {
    config: { ...TWILIO.config, baseUrl: 'https://api.twilio.com/v' },
  });
  const moved = await call('PUT', `/channels/providers/${twilio}`, 200, {
    config: elsewhere,
    credentials: { authToken: 'x' },
  });
  assert.equal(moved.config.baseUrl, elsewhere.baseUrl);
  // Back to the default one.
  assert.deepEqual(await wrong(`/channels/providers/${twilio}`, { config: TWILIO.config }, 'PUT'), required);

  const to = (url: string) => ({ config: { ...HTTP.config, url } });
  const keyed = { ...HTTP, credentials: { headers: { 'x-key': SECRET } } };
  const http = await put(
    keyed,
    [to('https://elsewhere.example/send'), to('https://gateway.example:444/send')],
    required,
  );
  await call('PUT', `/channels/providers/${http}`, 200, to('https://gateway.example/v2/send'));
  // Without credentials there is nothing to tell.
  assert.deepEqual((await call('PUT', `/channels/providers/${http}`, 200, { credentials: {} })).credentials, {});
  await call('PUT', `/channels/providers/${http}`, 200, to('https://elsewhere.example/send'));

  const urls = ['baseUrl', 'tokenUrl'].map((name) => ({
    config: { ...FCM.config, [name]: 'https://elsewhere.example' },
  }));
  const fcm = await put(FCM, urls, required);
  for (const id of [twilio, http, fcm]) await call('DELETE', `/channels/providers/${id}`, 204);
});

test('credentials are kept only if all are given as they are shown', async () => {
  const { id } = await call('POST', '/channels/providers', 201, TWILIO);
  const path = `/channels/providers/${id}`;
  assert.deepEqual(await wrong(path, { credentials: {} }, 'PUT'), [['/credentials/authToken', 'required']]);
  assert.deepEqual(await wrong(path, { credentials: { nonsense: true } }, 'PUT'), [
    ['/credentials/authToken', 'required'],
    ['/credentials/nonsense', 'unknown_field'],
  ]);
  assert.deepEqual(await wrong(path, { credentials: { authToken: true, nonsense: true } }, 'PUT'), [
    ['/credentials/nonsense', 'unknown_field'],
    ['/credentials/authToken', 'type'],
  ]);
  assert.equal((await call('GET', path, 200)).version, 1);
  await call('DELETE', path, 204);
});

test('what is sealed for one provider opens for no other', async () => {
  const [a, b] = [
    await call('POST', '/channels/providers', 201, TWILIO),
    await call('POST', '/channels/providers', 201, TWILIO),
  ];
  await inTenant(
    sql`update channel_providers set credentials = (select credentials from channel_providers where id = ${a.id}) where id = ${b.id}`,
  );
  assert.deepEqual((await call('GET', `/channels/providers/${b.id}`, 200)).credentials, {});
  for (const { id } of [a, b]) await call('DELETE', `/channels/providers/${id}`, 204);
});

test('a configuration is checked by its type', async () => {
  const path = '/channels/providers';
  assert.deepEqual(await wrong(path, { ...TWILIO, config: HTTP.config, credentials: {} }), [
    ['/config/accountSid', 'required'],
    ['/config/url', 'unknown_field'],
    ['/config/body', 'unknown_field'],
    ['/credentials/authToken', 'required'],
  ]);
  const both = { ...TWILIO.config, messagingServiceSid: `MG${'0'.repeat(32)}` };
  assert.deepEqual(await wrong(path, { ...TWILIO, config: both }), [['/config/from', 'required']]);
  assert.deepEqual(await wrong(path, { ...FCM, channel: 'sms', credentials: { ...account, private_key: 'x' } }), [
    ['/channel', 'conflict'],
    ['/credentials/private_key', 'format'],
  ]);
  const { credentials: _, ...without } = FCM;
  assert.deepEqual(await wrong(path, without), [['/credentials', 'required']]);
  const { id } = await call('POST', path, 201, HTTP);
  assert.deepEqual(await wrong(`${path}/${id}`, { type: 'twilio', channel: 'push' }, 'PUT'), [
    ['/type', 'read_only'],
    ['/channel', 'read_only'],
  ]);
  await call('DELETE', `${path}/${id}`, 204);
});

test('headers of a configuration are shown, those of the credentials are not; both are checked', async () => {
  const path = '/channels/providers';
  const of = (config: object, headers: object = {}) => ({
    ...{ ...HTTP, config: { ...HTTP.config, ...config } },
    credentials: { headers },
  });
  const made = await call(
    'POST',
    path,
    201,
    of({ headers: { 'X-Account': '1' } }, { Authorization: `Bearer ${SECRET}` }),
  );
  assert.deepEqual([made.config.headers, made.credentials], [{ 'X-Account': '1' }, { headers: true }]);
  await call('DELETE', `${path}/${made.id}`, 204);
  const bad = { Host: 'a', 'Content-Type': 'a', 'X-A': 'a\r\nb', 'x y': 'a', 'X-B': 'a', 'x-b': 'b' };
  const told = (of: string) => [
    [`/${of}/headers/Host`, 'invalid'],
    [`/${of}/headers/Content-Type`, 'invalid'],
    [`/${of}/headers/X-A`, 'invalid_character'],
    [`/${of}/headers/x y`, 'format'],
    [`/${of}/headers/x-b`, 'duplicate'],
  ];
  assert.deepEqual(await wrong(path, of({ headers: bad }, bad)), [...told('config'), ...told('credentials')]);
  assert.deepEqual(await wrong(path, of({ headers: { 'X-A': 1 }, idempotencyHeader: 'x y' })), [
    ['/config/headers/X-A', 'type'],
  ]);
  for (const [idempotencyHeader, code] of [
    ['Transfer-Encoding', 'invalid'],
    ['x y', 'format'],
  ])
    assert.deepEqual(await wrong(path, of({ idempotencyHeader })), [['/config/idempotencyHeader', code]]);
});

test('every URL of a provider goes by the guard', async () => {
  for (const [code, urls] of Object.entries(REFUSED_URLS))
    for (const url of urls) {
      const http = { ...HTTP, config: { ...HTTP.config, url } };
      assert.deepEqual(await wrong('/channels/providers', http), [['/config/url', code]], url);
    }
  const url = 'https://169.254.169.254/';
  assert.deepEqual(await wrong('/channels/providers', { ...TWILIO, config: { ...TWILIO.config, baseUrl: url } }), [
    ['/config/baseUrl', 'outbound_refused'],
  ]);
  assert.deepEqual(
    await wrong('/channels/providers', { ...FCM, config: { ...FCM.config, baseUrl: url, tokenUrl: url } }),
    [
      ['/config/baseUrl', 'outbound_refused'],
      ['/config/tokenUrl', 'outbound_refused'],
    ],
  );
});

test('health is what the senders reported last', async () => {
  const { id } = await call('POST', '/channels/providers', 201, HTTP);
  const health = async () => (await call('GET', `/channels/providers/${id}`, 200)).health;
  const at = new Date('2026-01-02T03:04:05Z');
  const report = (holder: string, failures: number, state: 'open' | 'closed') =>
    reportHealth(engineEm(service.deps.orm), holder, [
      {
        ...{ provider: `channels/${id}`, state, failures, restsForMs: 1_000, lastSentAt: null, sent: 0 },
        ...{ lastError: failures > 0 ? '401' : null, lastErrorAt: failures > 0 ? at : null },
      },
    ]);
  assert.deepEqual(await health(), { status: 'UP', since: null, lastError: null });
  await report('one', 1, 'open');
  assert.deepEqual(await health(), { status: 'DOWN', since: at.toISOString(), lastError: '401' });
  await report('two', 0, 'closed');
  assert.equal((await health()).status, 'DEGRADED');
  await report('one', 0, 'closed');
  assert.equal((await health()).status, 'UP');
});

test('a provider that messages wait for cannot be deleted', async () => {
  const { id } = await call('POST', '/channels/providers', 201, HTTP);
  await inTenant(sql`with message as (
      insert into messages (tenant_id, send_key, channel, category, provider_id, to_address)
      values ('default', 'test/1', 'sms', 'marketing', ${id}, '+4366412345678') returning id)
    insert into message_sends (tenant_id, message_id, type, lane) select 'default', id, 'sms', 'bulk' from message`);
  assert.equal((await call('DELETE', `/channels/providers/${id}`, 409)).code, 'in_use');
  await inTenant(sql`update message_sends set status = 'SENT'`);
  await call('DELETE', `/channels/providers/${id}`, 204);
});

test('another tenant sees and changes none of them', async () => {
  const { id } = await call('POST', '/channels/providers', 201, HTTP);
  const { token } = await newTenant(service);
  for (const [method, body] of [['GET'], ['PUT', { name: 'Mine' }], ['DELETE']] as const)
    assert.equal((await service.api(method, `/channels/providers/${id}`, body, { token })).status, 404);
  assert.deepEqual((await service.api('GET', '/channels/providers', undefined, { token })).body.data, []);
});
