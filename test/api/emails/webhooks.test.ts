import assert from 'node:assert/strict';
import { createHmac, createSign, generateKeyPairSync, sign } from 'node:crypto';
import { afterAll, beforeAll, test } from '@jest/globals';
import { engineEm, rows, sql } from '../../../db/orm.ts';
import { messageIdFor } from '../../../domain/emails/message/compose.ts';
import { returnPathOf } from '../../../domain/emails/mime/return-path.ts';
import { createLinkSigner } from '../../../domain/addresses/tokens.ts';
import { makeMailed } from '../../support/mail/bounces.ts';
import { makeCertificate } from '../../support/certificate.ts';
import { startService, type Service } from '../../support/service.ts';

const TOPIC = 'arn:aws:sns:eu-west-1:123456789012:bounces';
const CERTIFICATE_URL = 'https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-0123.pem';
const MAILGUN_KEY = 'a signing key';
const POSTMARK_SECRET = 'hook:a password: long';
const sendgridKeys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const amazon = generateKeyPairSync('rsa', { modulusLength: 2048 });
const certificate = makeCertificate(amazon, 'sns.amazonaws.com');
const stranger = createLinkSigner({ secret: 'another secret of that very length' });

let service: Service;
let bare: Service;
const fetched: string[] = [];
beforeAll(async () => {
  service = await startService({
    env: {
      WEBHOOK_SES_TOPICS: `${TOPIC}, ${TOPIC}-2`,
      WEBHOOK_MAILGUN_SIGNING_KEY: MAILGUN_KEY,
      WEBHOOK_POSTMARK_SECRET: POSTMARK_SECRET,
      BODY_MAX_BYTES: '20000',
      WEBHOOK_SENDGRID_PUBLIC_KEY: sendgridKeys.publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
    },
  });
  service.deps.fetchText = async (url) => {
    fetched.push(url.href);
    return url.pathname.endsWith('.pem') ? certificate : '<ok/>';
  };
  bare = await startService();
});
afterAll(async () => {
  await service.stop();
  await bare.stop();
});

const engine = <T>(query: Parameters<typeof rows>[1]) =>
  engineEm(service.deps.orm).transactional((tx) => rows<T>(tx, query));
const stateOf = async (id: number) => {
  const { status, reason } = (await service.api('GET', `/emails/${id}`)).body;
  return [status, reason];
};
const idOf = (emailId: number, by = service.deps.links) => messageIdFor(emailId, 'no-reply@example.com', by);
const inSeconds = (ago = 0) => Math.floor(Date.now() / 1000) - ago;

interface Call {
  body: string;
  headers: Record<string, string>;
}
async function post(provider: string, { body, headers }: Call) {
  const answer = await service.api('POST', `/emails/webhooks/${provider}?source=1`, body, { token: null, headers });
  return [answer.status, answer.status === 200 ? answer.body.reports : answer.body.code];
}

function sendgrid(events: unknown, { ago = 0, key = sendgridKeys.privateKey } = {}): Call {
  const body = JSON.stringify(events);
  const timestamp = String(inSeconds(ago));
  const signature = sign('sha256', Buffer.from(timestamp + body), key).toString('base64');
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'X-Twilio-Email-Event-Webhook-Signature': signature,
      'X-Twilio-Email-Event-Webhook-Timestamp': timestamp,
    },
  };
}

let tokens = 0;
function mailgun(event: object, { ago = 0, key = MAILGUN_KEY, token = `token-${(tokens += 1)}` } = {}): Call {
  const timestamp = String(inSeconds(ago));
  const signature = createHmac('sha256', key)
    .update(timestamp + token)
    .digest('hex');
  return {
    body: JSON.stringify({ signature: { timestamp, token, signature }, 'event-data': event }),
    headers: { 'content-type': 'application/json' },
  };
}

const postmark = (event: object, headers: Record<string, string> = { 'x-webhook-secret': POSTMARK_SECRET }): Call => ({
  body: JSON.stringify(event),
  headers,
});

function sns(
  message: unknown,
  {
    type = 'Notification',
    version = '1',
    ago = 0,
    topic = TOPIC,
    key = amazon.privateKey,
    ...changed
  }: Record<string, unknown> = {},
): Call {
  const fields: Record<string, unknown> = {
    Type: type,
    MessageId: 'a1b2',
    TopicArn: topic,
    Message: JSON.stringify(message),
    Timestamp: new Date(Date.now() - Number(ago) * 1000).toISOString(),
    ...(type === 'Notification'
      ? {}
      : { SubscribeURL: 'https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&Token=x', Token: 'x' }),
  };
  const signed = { ...fields, ...(changed['SubscribeURL'] ? { SubscribeURL: changed['SubscribeURL'] } : {}) } as Record<
    string,
    unknown
  >;
  const text = Object.keys(signed)
    .sort()
    .map((name) => `${name}\n${String(signed[name])}\n`)
    .join('');
  const signature = createSign(version === '1' ? 'sha1' : 'sha256')
    .update(text)
    .sign(key as typeof amazon.privateKey, 'base64');
  const body = JSON.stringify({
    ...signed,
    SignatureVersion: version,
    Signature: signature,
    SigningCertURL: CERTIFICATE_URL,
    UnsubscribeURL: 'https://example.com/',
    ...changed,
  });
  return { body, headers: { 'content-type': 'text/plain; charset=UTF-8', 'x-amz-sns-message-type': String(type) } };
}

const sesBounce = (
  emailId: number,
  bounceType = 'Permanent',
  recipient: object = { emailAddress: 'x@example.org', status: '5.1.1', diagnosticCode: 'smtp; 550 5.1.1 unknown' },
  source = 'no-reply@example.com',
) => ({
  notificationType: 'Bounce',
  bounce: {
    bounceType,
    bounceSubType: 'General',
    feedbackId: `f-${emailId}`,
    timestamp: new Date().toISOString(),
    bouncedRecipients: [recipient],
  },
  mail: {
    messageId: '0102-ses',
    source,
    headers: [
      { name: 'From', value: 'x' },
      { name: 'Message-ID', value: idOf(emailId) },
    ],
  },
});

test('who unsubscribes at a provider is unsubscribed, once for each event, and no provider lifts that', async () => {
  const { links } = service.deps;
  const messageId = (id: number) => ({ headers: { 'message-id': idOf(id).slice(1, -1) } });
  const change = (id: number, SuppressSending: boolean, ChangedAt: string, SuppressionReason = 'ManualSuppression') =>
    postmark({
      RecordType: 'SubscriptionChange',
      MessageID: 'p',
      ChangedAt,
      Origin: 'Recipient',
      SuppressSending,
      ...(SuppressSending ? { SuppressionReason } : {}),
      Metadata: { email: links.bounceToken(id) },
    });
  const [first, second] = ['2026-11-01T10:00:00Z', '2026-11-02T10:00:00Z'];
  const statusOf = async (id: number): Promise<string> => (await service.api('GET', `/contacts/${id}`)).body.status;
  for (const [provider, call, later] of [
    [
      'sendgrid',
      (id: number, key: string) => sendgrid([{ event: 'unsubscribe', 'smtp-id': idOf(id), sg_event_id: `u${key}` }]),
      (id: number) => sendgrid([{ event: 'group_resubscribe', 'smtp-id': idOf(id), sg_event_id: 'r' }]),
    ],
    [
      'sendgrid',
      (id: number, key: string) =>
        sendgrid([{ event: 'group_unsubscribe', asm_group_id: 7, 'smtp-id': idOf(id), sg_event_id: `g${key}` }]),
      (id: number) => sendgrid([{ event: 'click', 'smtp-id': idOf(id), sg_event_id: 'c' }]),
    ],
    [
      'mailgun',
      (id: number, key: string) => mailgun({ event: 'unsubscribed', id: `u${key}`, message: messageId(id) }),
      (id: number) => mailgun({ event: 'opened', id: 'o', message: messageId(id) }),
    ],
    [
      'postmark',
      (id: number, key: string) => change(id, true, key === '1' ? first : second),
      (id: number) => change(id, false, '2026-11-03T10:00:00Z'),
    ],
  ] as const) {
    const { contact, emailId } = await makeMailed(service);
    const send = (key: string) => post(provider, call(emailId, key));
    assert.deepEqual(await send('1'), [200, 1], provider);
    assert.equal(await statusOf(contact.id), 'unsubscribed', provider);
    const { body } = await service.api('GET', `/emails/tracking/${emailId}`);
    assert.deepEqual(
      body.events.map(({ type, userAgent }: { type: string; userAgent: string }) => [type, userAgent]),
      [['UNSUBSCRIBE', provider]],
    );
    const { data } = (await service.api('GET', '/emails/suppressions?limit=200')).body;
    const held = data.find(({ email }: { email: string }) => email === contact.email);
    assert.equal(held.reason, 'unsubscribed');
    assert.deepEqual(await post(provider, later(emailId)), [200, 0], provider);
    assert.equal(await statusOf(contact.id), 'unsubscribed', 'nothing lifts it');
    // Who subscribed again is not unsubscribed by an event that comes twice, but by another one.
    assert.equal((await service.api('DELETE', `/emails/suppressions/${held.id}`)).status, 204);
    assert.equal(await statusOf(contact.id), 'active');
    assert.deepEqual(await send('1'), [200, 1]);
    assert.equal(await statusOf(contact.id), 'active', `${provider}: the same event again`);
    await send('2');
    assert.equal(await statusOf(contact.id), 'unsubscribed', `${provider}: another event`);
  }
  const { contact, emailId } = await makeMailed(service);
  await post('postmark', change(emailId, true, first, 'HardBounce'));
  await post('sendgrid', sendgrid([{ event: 'unsubscribe', 'smtp-id': idOf(emailId, stranger), sg_event_id: 'x' }]));
  assert.equal(await statusOf(contact.id), 'active');
});

test("each provider's word about our mails is taken: bounced, complained, delivered", async () => {
  const email = async () => (await makeMailed(service)).emailId;
  const cases: [name: string, call: (id: number) => Promise<unknown>, state: [string, string | null]][] = [
    ['ses', async (id) => post('ses', sns(sesBounce(id))), ['BOUNCED', 'hard_bounce']],
    [
      'ses, signed by version 2, by the return path',
      async (id) =>
        post(
          'ses',
          sns(
            {
              ...sesBounce(id, 'Transient', { emailAddress: 'x@example.org', status: '5.2.2' }),
              mail: { source: returnPathOf(id, 'bounces@example.com', service.deps.links) },
            },
            { version: '2', topic: `${TOPIC}-2` },
          ),
        ),
      ['BOUNCED', 'soft_bounce'],
    ],
    [
      'ses, a reply that is no bounce',
      async (id) => post('ses', sns(sesBounce(id, 'Transient', { emailAddress: 'x@example.org' }))),
      ['SENT', null],
    ],
    [
      'ses, a policy',
      async (id) => post('ses', sns(sesBounce(id, 'Permanent', { emailAddress: 'x@example.org', status: '5.7.1' }))),
      ['BOUNCED', 'soft_bounce'],
    ],
    [
      'ses, a complaint as an event',
      async (id) =>
        post(
          'ses',
          sns({
            eventType: 'Complaint',
            complaint: {
              complainedRecipients: [{ emailAddress: 'x@example.org' }],
              feedbackId: 'c',
              complaintFeedbackType: 'abuse',
            },
            mail: { commonHeaders: { messageId: idOf(id) } },
          }),
        ),
      ['COMPLAINED', 'complaint'],
    ],
    [
      'ses, delivered',
      async (id) =>
        post(
          'ses',
          sns({
            notificationType: 'Delivery',
            delivery: { recipients: ['x@example.org'], timestamp: '2026-01-01T00:00:00Z' },
            mail: { headers: [{ name: 'message-id', value: idOf(id) }] },
          }),
        ),
      ['DELIVERED', 'confirmed_by_ses'],
    ],
    [
      'sendgrid',
      async (id) =>
        post(
          'sendgrid',
          sendgrid([
            {
              event: 'bounce',
              type: 'bounce',
              email: 'x@example.org',
              'smtp-id': idOf(id),
              sg_event_id: 's1',
              status: '5.1.1',
              reason: '550 5.1.1 unknown',
              timestamp: inSeconds(),
            },
          ]),
        ),
      ['BOUNCED', 'hard_bounce'],
    ],
    [
      'sendgrid, blocked',
      async (id) =>
        post(
          'sendgrid',
          sendgrid([{ event: 'bounce', type: 'blocked', 'smtp-id': idOf(id), sg_event_id: 's2', status: '5.1.1' }]),
        ),
      ['BOUNCED', 'soft_bounce'],
    ],
    [
      'sendgrid, spam',
      async (id) => post('sendgrid', sendgrid([{ event: 'spamreport', 'smtp-id': idOf(id), sg_event_id: 's3' }])),
      ['COMPLAINED', 'complaint'],
    ],
    [
      'sendgrid, delivered',
      async (id) => post('sendgrid', sendgrid([{ event: 'delivered', 'smtp-id': idOf(id), sg_event_id: 's4' }])),
      ['DELIVERED', 'confirmed_by_sendgrid'],
    ],
    [
      'mailgun',
      async (id) =>
        post(
          'mailgun',
          mailgun({
            event: 'failed',
            severity: 'permanent',
            reason: 'bounce',
            id: 'm1',
            recipient: 'x@example.org',
            'delivery-status': { code: 550, 'enhanced-code': '5.1.1', message: '5.1.1 unknown' },
            message: { headers: { 'message-id': idOf(id).slice(1, -1) } },
          }),
        ),
      ['BOUNCED', 'hard_bounce'],
    ],
    [
      'mailgun, complained',
      async (id) =>
        post(
          'mailgun',
          mailgun({ event: 'complained', id: 'm2', message: { headers: { 'message-id': idOf(id).slice(1, -1) } } }),
        ),
      ['COMPLAINED', 'complaint'],
    ],
    [
      'mailgun, delivered',
      async (id) =>
        post(
          'mailgun',
          mailgun({ event: 'delivered', id: 'm3', message: { headers: { 'message-id': idOf(id).slice(1, -1) } } }),
        ),
      ['DELIVERED', 'confirmed_by_mailgun'],
    ],
    [
      'postmark',
      async (id) =>
        post(
          'postmark',
          postmark({
            RecordType: 'Bounce',
            Type: 'HardBounce',
            ID: 42,
            Details: 'smtp;550 5.1.1 unknown',
            Metadata: { email: service.deps.links.bounceToken(id) },
          }),
        ),
      ['BOUNCED', 'hard_bounce'],
    ],
    [
      'postmark, spam, by HTTP Basic',
      async (id) =>
        post(
          'postmark',
          postmark(
            { RecordType: 'SpamComplaint', ID: 43, Metadata: { email: service.deps.links.bounceToken(id) } },
            { authorization: `Basic ${Buffer.from(POSTMARK_SECRET).toString('base64')}` },
          ),
        ),
      ['COMPLAINED', 'complaint'],
    ],
    [
      'postmark, delivered',
      async (id) =>
        post(
          'postmark',
          postmark({ RecordType: 'Delivery', MessageID: 'p', Metadata: { email: service.deps.links.bounceToken(id) } }),
        ),
      ['DELIVERED', 'confirmed_by_postmark'],
    ],
  ];
  for (const [name, call, state] of cases) {
    const id = await email();
    assert.deepEqual(await call(id), [200, 1], name);
    assert.deepEqual(await stateOf(id), state, name);
  }
});

test('what is not proved is a 401 and changes nothing', async () => {
  const { emailId } = await makeMailed(service);
  const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  const event = [{ event: 'spamreport', 'smtp-id': idOf(emailId), sg_event_id: 'x' }];
  const failed = { event: 'complained', id: 'x', message: { headers: { 'message-id': idOf(emailId) } } };
  const spam = { RecordType: 'SpamComplaint', ID: 1, Metadata: { email: service.deps.links.bounceToken(emailId) } };
  const before = fetched.length;
  const calls: [string, Call][] = [
    ['sendgrid', sendgrid(event, { key: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey })],
    // From the future by a minute more than may be: the clock goes on until it is sent.
    ['sendgrid', sendgrid(event, { ago: 301 })],
    ['sendgrid', sendgrid(event, { ago: -360 })],
    ['sendgrid', { ...sendgrid(event), body: `${JSON.stringify(event)} ` }],
    ['sendgrid', { body: JSON.stringify(event), headers: {} }],
    ['mailgun', mailgun(failed, { key: 'another' })],
    ['mailgun', mailgun(failed, { ago: 301 })],
    ['mailgun', { body: '{}', headers: {} }],
    ['mailgun', { body: '[1]', headers: {} }],
    ['postmark', postmark(spam, {})],
    ['postmark', postmark(spam, { 'x-webhook-secret': 'hook' })],
    ['postmark', postmark(spam, { authorization: `Bearer ${POSTMARK_SECRET}` })],
    ['ses', sns(sesBounce(emailId), { topic: 'arn:aws:sns:eu-west-1:999999999999:theirs' })],
    ['ses', sns(sesBounce(emailId), { ago: 3601 })],
    ['ses', sns(sesBounce(emailId), { key: other })],
    ['ses', sns(sesBounce(emailId), { Message: '{}' })],
    ['ses', sns(sesBounce(emailId), { SignatureVersion: '3' })],
    ...[
      'https://sns.eu-west-1.amazonaws.com.example.org/a.pem',
      'http://sns.eu-west-1.amazonaws.com/a.pem',
      'https://example.org/sns.eu-west-1.amazonaws.com/a.pem',
      'https://sns.eu-west-1.amazonaws.com:8443/a.pem',
      'https://x@sns.eu-west-1.amazonaws.com/a.pem',
      'https://sns.eu-west-1.amazonaws.com/a.txt',
      'https://bucket.s3.amazonaws.com/a.pem',
      'file:///a.pem',
      '',
    ].map((SigningCertURL): [string, Call] => ['ses', sns(sesBounce(emailId), { SigningCertURL })]),
    [
      'ses',
      sns({}, { type: 'SubscriptionConfirmation', SubscribeURL: 'https://example.org/?Action=ConfirmSubscription' }),
    ],
  ];
  for (const [provider, call] of calls)
    assert.deepEqual(await post(provider, call), [401, 'unauthorized'], `${provider} ${call.body.slice(0, 300)}`);
  assert.deepEqual(await stateOf(emailId), ['SENT', null]);
  assert.ok(
    fetched.slice(before).every((url) => url === CERTIFICATE_URL),
    'nothing is fetched from anywhere else',
  );
});

test('a subscription of ours is confirmed, and the certificate is fetched once', async () => {
  assert.deepEqual(await post('ses', sns({}, { type: 'SubscriptionConfirmation' })), [200, 0]);
  assert.ok(fetched.some((url) => url.includes('ConfirmSubscription')));
  assert.equal(fetched.filter((url) => url === CERTIFICATE_URL).length, 1);
});

test('repeated, or replayed with something else in it, it counts once', async () => {
  const [one, two] = [(await makeMailed(service)).emailId, (await makeMailed(service)).emailId];
  const event = (id: number, eventId: string) => ({
    event: 'failed',
    severity: 'permanent',
    reason: 'bounce',
    id: eventId,
    message: { headers: { 'message-id': idOf(id) } },
  });
  const call = mailgun(event(one, 'r1'), { token: 'replayed' });
  for (let n = 0; n < 3; n += 1) assert.equal((await post('mailgun', call))[0], 200);
  assert.deepEqual(await stateOf(one), ['BOUNCED', 'hard_bounce']);
  // The signature says nothing of the event.
  const forged = JSON.stringify({ ...JSON.parse(call.body), 'event-data': event(two, 'r2') });
  assert.equal((await post('mailgun', { ...call, body: forged }))[0], 200);
  assert.deepEqual(await stateOf(two), ['SENT', null]);
  for (const send of [() => sns(sesBounce(two)), () => sns(sesBounce(two), { version: '2' })])
    assert.deepEqual(await post('ses', send()), [200, 1]);
  assert.equal(
    (await engine(sql`select 1 from email_bounces where email_id = ${two}`)).length,
    1,
    'under one feedbackId',
  );
});

test("a batch: what is known counts, what is not is left out, mails that we did not sign for are nobody's", async () => {
  const ids = await Promise.all([1, 2, 3].map(async () => (await makeMailed(service)).emailId));
  const [one, two, three] = ids as [number, number, number];
  const events = [
    { event: 'delivered', 'smtp-id': idOf(one), sg_event_id: 'b1' },
    { event: 'bounce', type: 'bounce', 'smtp-id': idOf(two), sg_event_id: 'b2', status: '5.2.2' },
    { event: 'bounce', type: 'bounce', 'smtp-id': idOf(three, stranger), sg_event_id: 'b3' },
    { event: 'bounce', type: 'bounce', 'smtp-id': `<${three}@example.com>`, sg_event_id: 'b4' },
    { event: 'deferred', 'smtp-id': idOf(three) },
    { event: 'processed', 'smtp-id': idOf(three) },
    { event: 'constructor' },
    null,
    7,
    'x',
    {},
    { event: 'bounce' },
  ];
  assert.deepEqual(await post('sendgrid', sendgrid(events)), [200, 2]);
  assert.deepEqual(
    [await stateOf(one), await stateOf(two), await stateOf(three)],
    [
      ['DELIVERED', 'confirmed_by_sendgrid'],
      ['BOUNCED', 'soft_bounce'],
      ['SENT', null],
    ],
  );
  for (const odd of [{}, null, 'x', 7]) assert.deepEqual(await post('sendgrid', sendgrid(odd)), [200, 0]);
  for (const odd of [
    {},
    { notificationType: 'AmazonSnsSubscriptionSucceeded' },
    null,
    { notificationType: 'Bounce', bounce: 7, mail: { headers: 'x' } },
  ])
    assert.deepEqual(await post('ses', sns(odd)), [200, 0]);
  for (const odd of [
    {},
    { RecordType: 'Bounce', Type: 'AutoResponder', Metadata: { email: service.deps.links.bounceToken(three) } },
    { RecordType: 'Bounce', Type: '__proto__', Metadata: { email: service.deps.links.bounceToken(three) } },
  ]) {
    assert.deepEqual(await post('postmark', postmark(odd)), [200, 0]);
  }
  assert.deepEqual(
    await post(
      'mailgun',
      mailgun({ event: 'failed', severity: 'temporary', message: { headers: { 'message-id': idOf(three) } } }),
    ),
    [200, 0],
  );
  assert.deepEqual(await stateOf(three), ['SENT', null]);
});

test('a time that no calendar of ours has is taken as now', async () => {
  for (const at of [
    '+275760-09-13T00:00:00Z',
    '-000001-01-01T00:00:00Z',
    '253402300800',
    '99999999999999999999',
    'yesterday',
  ]) {
    const { emailId } = await makeMailed(service);
    const event = {
      RecordType: 'Bounce',
      Type: 'SoftBounce',
      ID: emailId,
      BouncedAt: at,
      Metadata: { email: service.deps.links.bounceToken(emailId) },
    };
    assert.deepEqual(await post('postmark', postmark(event)), [200, 1], at);
    const [bounce] = await engine<{ at: Date }>(sql`select at from email_bounces where email_id = ${emailId}`);
    assert.ok(Math.abs(bounce!.at.getTime() - Date.now()) < 60_000, `${at} became ${bounce!.at.toISOString()}`);
  }
});

test("an email of another tenant is that tenant's", async () => {
  const { emailId, contact } = await makeMailed(service);
  await engine(sql`update emails set tenant_id = 'other', contact_id = null where id = ${emailId}`);
  assert.deepEqual(await post('ses', sns(sesBounce(emailId))), [200, 1]);
  const [bounce] = await engine<{ tenant_id: string }>(
    sql`select tenant_id from email_bounces where email_id = ${emailId}`,
  );
  assert.equal(bounce!.tenant_id, 'other');
  assert.equal((await service.api('GET', `/contacts/${contact.id}`)).body.status, 'active');
  assert.deepEqual(await engine(sql`select tenant_id, reason from suppressions where email_key = ${contact.email}`), [
    { tenant_id: 'other', reason: 'bounced' },
  ]);
});

test('what tells of mail that is being sent yet is to come again', async () => {
  const { emailId } = await makeMailed(service, 'SENDING');
  const delivered = mailgun({ event: 'delivered', id: 'd1', message: { headers: { 'message-id': idOf(emailId) } } });
  assert.deepEqual(await post('mailgun', delivered), [503, 'unavailable']);
  await engine(sql`update emails set status = 'SENT' where id = ${emailId}`);
  assert.deepEqual(await post('mailgun', delivered), [200, 1], 'under the same token');
  assert.deepEqual(await stateOf(emailId), ['DELIVERED', 'confirmed_by_mailgun']);
});

test('unknown and unconfigured providers, broken and endless bodies', async () => {
  for (const provider of ['ses', 'sendgrid', 'mailgun', 'postmark', 'constructor']) {
    const answer = await bare.api('POST', `/emails/webhooks/${provider}`, '{}', { token: null });
    assert.deepEqual([answer.status, answer.body.code], [404, 'not_found'], provider);
  }
  assert.deepEqual(await post('postmark', { body: '{"a', headers: { 'x-webhook-secret': POSTMARK_SECRET } }), [
    400,
    'malformed_json',
  ]);
  assert.deepEqual(await post('ses', { body: '', headers: {} }), [400, 'malformed_json']);
  assert.deepEqual(
    await post('postmark', {
      body: JSON.stringify('x'.repeat(20_000)),
      headers: { 'x-webhook-secret': POSTMARK_SECRET },
    }),
    [413, 'payload_too_large'],
  );
});
