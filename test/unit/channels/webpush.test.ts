import assert from 'node:assert/strict';
import crypto, { createECDH, createPublicKey, verify } from 'node:crypto';
import { afterEach, test } from '@jest/globals';
import webPush from 'web-push';
import { isPushEndpoint, pushHostsOf } from '../../../domain/channels/push/push-hosts.ts';
import { makeDevice } from '../../../dev/fakes/device.ts';
import { encryptPush } from '../../../domain/channels/transport/encrypt-push.ts';
import { encryptInThread } from '../../../domain/channels/transport/encrypt-thread.ts';
import { judgeWebPush, webPushCall, type WebPush } from '../../../domain/channels/transport/webpush.ts';
import type { MessageCall } from '../../../domain/channels/transport/outcome.ts';
import { checkUrl } from '../../../domain/outbound/check-url.ts';
import { parseRanges } from '../../../lib/addresses/ranges.ts';

const { randomBytes, createECDH: newECDH } = crypto;
const { stringify } = JSON;
afterEach(() => {
  Object.assign(crypto, { randomBytes, createECDH: newECDH });
  JSON.stringify = stringify;
});

/** The example of RFC 8291, section 5 and appendix A. */
const RFC = {
  plaintext: 'When I grow up, I want to be a watermelon',
  senderPrivate: 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw',
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  salt: 'DGv6ra1nlYgDCS1FRnbzlw',
  body: 'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
};

const keys = webPush.generateVAPIDKeys();
const push: WebPush = {
  tenantId: 'default',
  site: { id: 1, subject: 'mailto:push@example.com', ...keys },
  endpoint: 'https://push.example.com/device/1',
  p256dh: RFC.p256dh,
  auth: RFC.auth,
  payload: { title: 'T' },
  ...{ ttlSeconds: 60, urgency: null, topic: null },
};
async function callOf(more: Partial<WebPush> = {}, encrypt = encryptInThread): Promise<MessageCall> {
  const call = await webPushCall({ ...push, ...more }, encrypt);
  assert.ok(!('failed' in call));
  return call;
}

test('encrypts the example of RFC 8291 byte for byte', async () => {
  const sender = createECDH('prime256v1');
  sender.setPrivateKey(Buffer.from(RFC.senderPrivate, 'base64url'));
  await callOf();
  Object.assign(sender, { generateKeys: () => sender.getPublicKey() });
  Object.assign(crypto, { createECDH: () => sender, randomBytes: () => Buffer.from(RFC.salt, 'base64url') });
  // The example is no JSON.
  JSON.stringify = ((value: unknown) =>
    value === push.payload ? RFC.plaintext : stringify(value)) as typeof stringify;
  const { body } = await callOf({}, async (job) => encryptPush(job));
  assert.equal((body as Buffer).toString('base64url'), RFC.body);
});

test('a payload of 3,993 bytes fills the body, and one of 3,994 is too large', async () => {
  const payload = (bytes: number) => ({ t: 'é'.repeat(Math.floor((bytes - 8) / 2)) + 'x'.repeat(bytes % 2) });
  assert.equal(Buffer.from(JSON.stringify(payload(3_993))).length, 3_993);
  assert.equal(((await callOf({ payload: payload(3_993) })).body as Buffer).length, 4_096);
  const refused = await webPushCall({ ...push, payload: payload(3_994) });
  assert.ok('failed' in refused);
  assert.deepEqual([refused.failed.result, refused.failed.reason], ['FAILED', 'payload_too_large']);
});

test('the sender proves who it is, with one token for a push service and a site', async () => {
  const first = await callOf({ topic: 'news', urgency: 'high', ttlSeconds: 0 });
  const { authorization, ...headers } = first.headers;
  assert.deepEqual(headers, {
    'content-encoding': 'aes128gcm',
    'content-type': 'application/octet-stream',
    ...{ ttl: '0', urgency: 'high', topic: 'news' },
  });
  const [, head, claims, signature, key] = /^vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), k=([\w-]+)$/.exec(authorization!)!;
  assert.equal(key, keys.publicKey);
  const point = Buffer.from(keys.publicKey, 'base64url');
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'));
  const publicKey = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x: x!, y: y! }, format: 'jwk' });
  const by = { key: publicKey, dsaEncoding: 'ieee-p1363' as const };
  assert.ok(verify('sha256', Buffer.from(`${head}.${claims}`), by, Buffer.from(signature!, 'base64url')));
  const { aud, sub, exp } = JSON.parse(Buffer.from(claims!, 'base64url').toString());
  assert.deepEqual([aud, sub], ['https://push.example.com', 'mailto:push@example.com']);
  assert.ok(exp > Date.now() / 1000 && exp <= Date.now() / 1000 + 12 * 3_600);
  assert.equal(
    (await callOf({ endpoint: 'https://push.example.com/device/2' })).headers['authorization'],
    authorization,
  );
  assert.notEqual((await callOf({ endpoint: 'https://other.example.com/1' })).headers['authorization'], authorization);
  assert.notEqual(
    (await callOf({ site: { ...push.site, id: 2, ...webPush.generateVAPIDKeys() } })).headers['authorization'],
    authorization,
  );
});

test.each([
  [201, true, ['SENT', null, false, null]],
  [201, false, ['QUEUED', null, false, null]],
  [404, true, ['FAILED', 'gone', true, null]],
  [410, false, ['FAILED', 'gone', true, null]],
  [413, true, ['FAILED', 'payload_too_large', false, null]],
  [400, true, ['FAILED', 'rejected', false, null]],
  [401, true, ['QUEUED', null, false, null]],
  [403, true, ['QUEUED', null, false, null]],
  [429, true, ['QUEUED', null, false, 7]],
  [503, true, ['QUEUED', null, false, 7]],
  [500, true, ['UNKNOWN', null, false, null]],
  [307, true, ['UNKNOWN', null, false, null]],
  [307, false, ['QUEUED', null, false, null]],
] as const)('an answer of %s (last byte sent: %s)', (status, released, expected) => {
  const headers = status === 429 || status === 503 ? { 'retry-after': '7' } : {};
  const judged = judgeWebPush({ status, released, headers, body: Buffer.from('') });
  assert.deepEqual([judged.result, judged.reason, judged.isGone, judged.retryAfter], expected);
});

test('only push services and allowed addresses are called', () => {
  const hosts = pushHostsOf({ PUSH_HOSTS: 'fcm.googleapis.com, *.push.apple.com,127.0.0.1' });
  const open = (url: string) => checkUrl(url, []);
  const local = (url: string) => checkUrl(url, parseRanges('127.0.0.1/32'));
  for (const url of ['https://fcm.googleapis.com/fcm/send/1', 'https://api.push.apple.com/3/x'])
    assert.ok(isPushEndpoint(url, hosts, open), url);
  for (const url of [
    'http://fcm.googleapis.com/1',
    'https://fcm.googleapis.com.example.com/1',
    'https://push.apple.com/1',
    'https://evilpush.apple.com.example/1',
    'https://user@fcm.googleapis.com/1',
    'https://127.0.0.1/1',
    'ftp://fcm.googleapis.com/1',
    'x',
  ])
    assert.ok(!isPushEndpoint(url, hosts, open), url);
  assert.ok(isPushEndpoint('http://127.0.0.1:99/1', hosts, local));
  assert.ok(isPushEndpoint('http://127.0.0.1:99/1', [], local));
  assert.ok(!isPushEndpoint('https://example.com/1', [], local));
});

test('many pushes are encrypted at once, each for its own device; keys that are none are refused', async () => {
  const devices = Array.from({ length: 50 }, (_, n) => makeDevice(`https://push.example.com/${n}`));
  const bodies = await Promise.all(
    devices.map(({ subscription: { keys: own } }, n) =>
      encryptInThread({ ...own, payload: Buffer.from(JSON.stringify({ n })) }),
    ),
  );
  assert.deepEqual(
    devices.map((device, n) => device.open(bodies[n]!)),
    devices.map((_, n) => ({ n })),
  );
  await assert.rejects(encryptInThread({ p256dh: 'AA', auth: 'AA', payload: Buffer.from('x') }));
});
