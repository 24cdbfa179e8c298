import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, test } from '@jest/globals';
import jwt from 'jsonwebtoken';
import webPush from 'web-push';
import { makeDevice } from '../../../dev/fakes/device.ts';
import {
  judgeAnswer,
  prepareRequest,
  type CarrierType,
  type SendToPrepare,
} from '../../../domain/channels/transport/prepare.ts';
import { isTwilioSignature, twilioSignature } from '../../../domain/channels/transport/twilio.ts';
import { OutboundError } from '../../../domain/outbound/outbound-error.ts';
import type { Outbound, OutboundAnswer, OutboundRequest } from '../../../domain/outbound/outbound.ts';

const apiUrl = 'https://perennial.example/api/v1';
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const account = {
  type: 'service_account',
  client_email: 'sender@project.iam.gserviceaccount.com',
  private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
};

const answerOf = (status: number, body: unknown, more: Partial<OutboundAnswer> = {}): OutboundAnswer => ({
  status,
  headers: {},
  body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  released: true,
  ...more,
});

/** Answers every request as `answer` says, and keeps what was asked. */
function outboundWith(answer: (request: OutboundRequest) => OutboundAnswer) {
  const asked: OutboundRequest[] = [];
  const outbound: Outbound = {
    checkUrl: () => null,
    send: (request) => {
      asked.push(request);
      return Promise.resolve(answer(request));
    },
    close: () => undefined,
  };
  return { outbound, asked };
}
const none = outboundWith(() => answerOf(500, '')).outbound;

const textBy = (
  config: Record<string, unknown>,
  credentials: Record<string, unknown>,
  text = 'Hello',
  body: Record<string, string> | null = null,
): SendToPrepare => ({
  tenantId: 'acme',
  sendId: 7,
  messageId: 5,
  provider: { id: 3, config, credentials },
  address: '+15005550006',
  rendered: { kind: 'sms', text, body },
});
const twilio = textBy({ accountSid: `AC${'0'.repeat(32)}`, from: '+15005550001' }, { authToken: 'token-of-twilio' });
const push: SendToPrepare = {
  ...textBy({ projectId: 'project-1', tokenUrl: 'https://tokens.example/token' }, account),
  address: 'device',
  reportToken: 'reports-with',
  rendered: {
    kind: 'push',
    payload: { title: 'T', body: 'B', url: 'https://example.com/r/1', actions: [{ action: 'a', title: 'A' }] },
    ...{ ttlSeconds: 60, urgency: 'high' as const, collapseKey: null },
  },
};

async function callOf(type: CarrierType, send: SendToPrepare, outbound = none) {
  const call = await prepareRequest(type, send, { outbound, apiUrl });
  if ('failed' in call) throw new Error(call.failed.reply);
  return { ...call, body: call.body.toString() };
}
const judge = (type: CarrierType, send: SendToPrepare, answer: OutboundAnswer | Error, outbound = none) =>
  judgeAnswer(type, send, answer, { outbound });

describe('Twilio', () => {
  test('a request has the number, the text and where to report', async () => {
    const call = await callOf('twilio', twilio);
    assert.equal(call.url, `https://api.twilio.com/2010-04-01/Accounts/AC${'0'.repeat(32)}/Messages.json`);
    assert.deepEqual(Object.fromEntries(new URLSearchParams(call.body)), {
      To: '+15005550006',
      From: '+15005550001',
      Body: 'Hello',
      StatusCallback: `${apiUrl}/channels/webhooks/3?send=7`,
    });
    assert.equal(
      Buffer.from(call.headers['authorization']!.slice(6), 'base64').toString(),
      `AC${'0'.repeat(32)}:token-of-twilio`,
    );
  });

  test.each([
    ['accepted', 201, { sid: 'SM1' }, { result: 'SENT', providerMessageId: 'SM1', fault: null }],
    ['accepted, and nothing said', 200, '<html>', { result: 'SENT', providerMessageId: null }],
    ['an invalid number', 400, { code: 21211 }, { result: 'FAILED', reason: 'address_invalid', suppress: 'invalid' }],
    ['no mobile number', 400, { code: 21614 }, { result: 'FAILED', suppress: 'invalid' }],
    ['its own opt-out list', 400, { code: 21610 }, { result: 'FAILED', suppress: 'unsubscribed' }],
    ['another error of the message', 400, { code: 21617 }, { result: 'FAILED', reason: 'rejected', suppress: null }],
    ['too many requests', 429, { code: 20429 }, { result: 'QUEUED', retryAfter: null, fault: null }],
    ['a wrong token', 401, { code: 20003 }, { result: 'QUEUED', fault: 'refused' }],
    ['an account that may not', 403, {}, { result: 'QUEUED', fault: 'refused' }],
    ['a From that is not its own', 400, { code: 21659 }, { result: 'QUEUED', reason: null, fault: 'refused' }],
    ['an account that is not there', 404, { code: 20404 }, { result: 'QUEUED', fault: 'refused' }],
    ['a country that is not enabled', 400, { code: 21408 }, { result: 'FAILED', reason: 'rejected', fault: null }],
    ['the same as 403', 403, { code: 21408 }, { result: 'FAILED', reason: 'rejected', fault: null, suppress: null }],
    ['it does not work', 500, '', { result: 'UNKNOWN', fault: 'silent' }],
    ['it does not work, and names a reason', 500, { code: 20003 }, { result: 'UNKNOWN', fault: 'silent' }],
    ['it is overloaded', 503, '', { result: 'QUEUED', fault: null }],
    ['it acted, and shows where the result is', 303, '', { result: 'UNKNOWN', fault: 'silent', isRepeatable: false }],
    ['it has moved, or acted and says so', 301, '', { result: 'UNKNOWN', fault: 'silent' }],
  ])('%s', (_, status, body, expected) => {
    assert.partialDeepStrictEqual(judge('twilio', twilio, answerOf(status, body)), expected);
  });

  test('a short code may not send to the country of one recipient, and to others', () => {
    const short = textBy({ ...twilio.provider!.config, from: '12345' }, twilio.provider!.credentials);
    for (const code of [21606, 21659])
      assert.partialDeepStrictEqual(judge('twilio', short, answerOf(400, { code })), {
        ...{ result: 'FAILED', reason: 'rejected', fault: null },
      });
  });

  test('an answer before the last byte accepts nothing', () => {
    assert.equal(judge('twilio', twilio, answerOf(201, { sid: 'SM1' }, { released: false })).result, 'QUEUED');
    for (const status of [500, 303, 307])
      assert.partialDeepStrictEqual(judge('twilio', twilio, answerOf(status, '', { released: false })), {
        result: 'QUEUED',
        fault: 'refused',
      });
  });

  test('what was kept of an answer has neither numbers nor credentials', () => {
    const basic = Buffer.from(`AC0:token-of-twilio`).toString('base64');
    const reply = `no: token-of-twilio, ${basic}, +1 500 555-0006`;
    assert.equal(judge('twilio', twilio, answerOf(400, reply)).reply, '400 no: …, …, …');
  });

  test('a signature covers the URL and all parameters', () => {
    // The example of Twilio's documentation.
    const url = 'https://mycompany.com/myapp.php?foo=1&bar=2';
    const parameters: [string, string][] = [
      ['Digits', '1234'],
      ['To', '+18005551212'],
      ['From', '+14158675309'],
      ['Caller', '+14158675309'],
      ['CallSid', 'CA1234567890ABCDE'],
    ];
    const signature = 'RSOYDt4T1cUTdK1PDd93/VVr8B8=';
    assert.equal(twilioSignature('12345', url, parameters), signature);
    assert.equal(isTwilioSignature(signature, '12345', url, parameters), true);
    assert.equal(isTwilioSignature(signature, '12345', url, [...parameters.slice(1), ['Digits', '1235']]), false);
    assert.equal(isTwilioSignature(signature, '12345', `${url}&baz=3`, parameters), false);
    assert.equal(isTwilioSignature(signature, '12345', url.replace('.com', '.com:443'), parameters), true);
    assert.equal(isTwilioSignature(signature, '12345', url, [...parameters, parameters[0]!]), true);
    assert.equal(isTwilioSignature(signature, '12346', url, parameters), false);
    assert.equal(isTwilioSignature('', '12345', url, parameters), false);
  });
});

describe('a provider with an HTTP API', () => {
  const config = {
    url: 'https://gateway.example/send',
    from: 'Acme',
    body: { to: '{{to}}', text: 'Acme: {{text}}', ref: '{{messageId}}', sender: '{{from}}' },
    idPath: 'data.items.0.id',
  };
  const evil = 'a"}\r\n&to=+1666\r\nX-Evil: 1{{to}}';

  test('no text can add a field, as JSON or as a form', async () => {
    const expected = { to: '+15005550006', text: `Acme: ${evil}`, ref: '5', sender: 'Acme' };
    const send = textBy(config, { headers: { 'x-key': 'k' } }, evil, expected);
    const call = await callOf('http', send);
    assert.deepEqual(JSON.parse(call.body), expected);
    assert.deepEqual(call.headers, { 'x-key': 'k', 'content-type': 'application/json' });
    const form = await callOf('http', {
      ...send,
      provider: { ...send.provider!, config: { ...config, contentType: 'form' } },
    });
    assert.deepEqual([...new URLSearchParams(form.body)], Object.entries(expected));
  });

  test('the id is where the configuration says; without one, it is accepted nevertheless', () => {
    const send = textBy(config, {});
    const id = (body: unknown) => judge('http', send, answerOf(200, body));
    assert.partialDeepStrictEqual(id({ data: { items: [{ id: 12 }] } }), { result: 'SENT', providerMessageId: '12' });
    for (const other of ['garbage', {}, { data: null }, { data: { items: [{ id: {} }] } }])
      assert.partialDeepStrictEqual(id(other), { result: 'SENT', providerMessageId: null });
  });

  test('only a provider that knows messages by their key may be asked again', async () => {
    const keyed = textBy({ ...config, idempotencyHeader: 'Idempotency-Key' }, {});
    assert.equal((await callOf('http', keyed)).headers['Idempotency-Key'], 'perennial-5');
    const lost = new OutboundError('no_answer', 'ECONNRESET', { released: true });
    for (const [send, isRepeatable] of [
      [keyed, true],
      [textBy(config, {}), false],
    ] as const)
      for (const answer of [answerOf(500, ''), answerOf(303, ''), lost])
        assert.partialDeepStrictEqual(judge('http', send, answer), { result: 'UNKNOWN', isRepeatable });
    const unsent = new OutboundError('no_answer', 'ECONNREFUSED');
    assert.partialDeepStrictEqual(judge('http', keyed, unsent), {
      result: 'QUEUED',
      isRepeatable: false,
      fault: 'refused',
    });
  });
});

describe('Firebase Cloud Messaging', () => {
  const token = (name: string, seconds = 3600) => answerOf(200, { access_token: name, expires_in: seconds });

  test('a request carries the token that the service account was given, asked for once', async () => {
    const { outbound, asked } = outboundWith(() => token('access'));
    const [call] = await Promise.all([1, 2, 3].map(() => callOf('fcm', push, outbound)));
    assert.equal(asked.length, 1);
    const form = new URLSearchParams(asked[0]!.body!.toString());
    const claims = jwt.verify(form.get('assertion')!, publicKey, { algorithms: ['RS256'] });
    assert.partialDeepStrictEqual(claims, { iss: account.client_email, aud: 'https://tokens.example/token' });
    assert.equal(call!.url, 'https://fcm.googleapis.com/v1/projects/project-1/messages:send');
    assert.equal(call!.headers['authorization'], 'Bearer access');
    const { message } = JSON.parse(call!.body) as { message: Record<string, unknown> };
    assert.partialDeepStrictEqual(message, {
      token: 'device',
      notification: { title: 'T', body: 'B' },
      data: {
        url: 'https://example.com/r/1',
        actions: '[{"action":"a","title":"A"}]',
        messageId: '5',
        token: 'reports-with',
      },
      android: { priority: 'HIGH', ttl: '60s', notification: { tag: 'perennial-5' } },
    });
  });

  test('a push that FCM would not take is not sent', async () => {
    const { outbound } = outboundWith(() => token('access'));
    const titled = (length: number): SendToPrepare => ({
      ...push,
      rendered: {
        kind: 'push',
        payload: { title: 'ä'.repeat(length), body: '' },
        ...{ ttlSeconds: 60, urgency: null, collapseKey: null },
      },
    });
    // The four names, the token and the id of the message have 36 bytes.
    await callOf('fcm', titled(2_030), outbound);
    const failed = await prepareRequest('fcm', titled(2_031), { outbound, apiUrl });
    assert.partialDeepStrictEqual(failed, { failed: { result: 'FAILED', reason: 'payload_too_large' } });
  });

  test('a token that was refused is asked for again', async () => {
    let count = 0;
    const { outbound } = outboundWith(() => token(`access-${(count += 1)}`));
    assert.equal((await callOf('fcm', push, outbound)).headers['authorization'], 'Bearer access-1');
    const refused = judge('fcm', push, answerOf(401, {}), outbound);
    assert.partialDeepStrictEqual(refused, { result: 'QUEUED', fault: 'refused' });
    assert.equal((await callOf('fcm', push, outbound)).headers['authorization'], 'Bearer access-2');
  });

  test('without a token nothing is sent, and it is the fault of the provider', async () => {
    for (const answer of [answerOf(400, { error: 'invalid_grant' }), answerOf(200, 'garbage'), answerOf(500, '')]) {
      const { outbound } = outboundWith(() => answer);
      const failed = await prepareRequest('fcm', push, { outbound, apiUrl });
      assert.partialDeepStrictEqual(failed, { failed: { result: 'QUEUED', fault: 'refused' } });
    }
  });

  const error = (status: string, errorCode?: string) => ({
    error: { status, details: errorCode ? [{ '@type': 'x' }, { errorCode }] : [] },
  });
  test.each([
    [
      'accepted',
      200,
      { name: 'projects/p/messages/1' },
      { result: 'SENT', providerMessageId: 'projects/p/messages/1' },
    ],
    [
      'an app that is gone',
      404,
      error('NOT_FOUND', 'UNREGISTERED'),
      { result: 'FAILED', reason: 'gone', isGone: true },
    ],
    ['a device that is gone', 404, error('NOT_FOUND'), { result: 'FAILED', isGone: true }],
    ['a page that is not there', 404, '<html>', { result: 'QUEUED', isGone: false, fault: 'refused' }],
    ['an invalid message', 400, error('INVALID_ARGUMENT', 'INVALID_ARGUMENT'), { result: 'FAILED', isGone: false }],
    [
      'a device of another project',
      403,
      error('PERMISSION_DENIED', 'SENDER_ID_MISMATCH'),
      { result: 'FAILED', fault: null },
    ],
    ['an account that may not', 403, error('PERMISSION_DENIED'), { result: 'QUEUED', fault: 'refused' }],
    ['too many requests', 429, error('RESOURCE_EXHAUSTED', 'QUOTA_EXCEEDED'), { result: 'QUEUED', fault: null }],
    ['it does not work', 500, error('INTERNAL', 'INTERNAL'), { result: 'UNKNOWN' }],
    ['it does not work, and names a reason', 500, error('INTERNAL', 'THIRD_PARTY_AUTH_ERROR'), { result: 'UNKNOWN' }],
  ])('%s', (_, status, body, expected) => {
    assert.partialDeepStrictEqual(judge('fcm', push, answerOf(status, body)), expected);
  });
});

test.each([401, 403])('Web Push: after an answer of %s, the next push is signed anew', async (status) => {
  const keys = webPush.generateVAPIDKeys();
  const browser = makeDevice('https://push.example.com/1').subscription;
  const send: SendToPrepare = {
    ...{
      tenantId: 'acme',
      sendId: 7,
      messageId: 5,
      provider: null,
      address: browser.endpoint,
      rendered: push.rendered,
    },
    subscription: { id: 1, siteId: 1, ...browser.keys },
    webpush: {
      site: { id: 1, subject: 'mailto:push@example.com', iconUrl: null, defaultUrl: null, ...keys },
      ...{ token: 'token', hosts: ['push.example.com'] },
    },
  };
  const signed = async () => (await callOf('webpush', send)).headers['authorization'];
  const answer = (code: number) => judge('webpush', send, answerOf(code, ''));
  const first = await signed();
  for (const code of [201, 429, 500]) answer(code);
  assert.equal(await signed(), first);
  assert.equal(answer(status).result, 'QUEUED');
  assert.notEqual(await signed(), first);
});
