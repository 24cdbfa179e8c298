/**
 * `node dev/verify-channels.ts [python]`: pushes as they are sent, and signatures as callbacks are checked by, verified by
 * code that is not ours (dev/verify-channels.py, which says what that Python needs).
 */
import { spawnSync } from 'node:child_process';
import { createECDH, randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import webPush from 'web-push';
import { MOST_PAYLOAD_BYTES } from '../domain/channels/push/push-payload.ts';
import { webPushCall } from '../domain/channels/transport/webpush.ts';
import { twilioSignature } from '../domain/channels/transport/twilio.ts';

const PUSHES = 100;
const SIGNATURES = 200;
const TEXTS = ['', 'Stop', 'Zoë 🚲', 'a=b&c=d', '100 %+', '退订', 'a\nb', ' spaces ', '+442079460958'];
const base64 = (bytes: Buffer): string => bytes.toString('base64url');
const pick = <T>(from: readonly T[]): T => from[Math.floor(Math.random() * from.length)]!;

/** The example of RFC 8291, section 5. */
const EXAMPLE = {
  kind: 'push',
  privateKey: 'q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  body: 'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
  payload: base64(Buffer.from('When I grow up, I want to be a watermelon')),
};

async function push(bytes: number): Promise<object> {
  const device = createECDH('prime256v1');
  device.generateKeys();
  const auth = randomBytes(16);
  const site = { id: 1, subject: 'mailto:web@example.com', ...webPush.generateVAPIDKeys() };
  const endpoint = `https://push.example.com/${base64(randomBytes(20))}`;
  const empty = Buffer.byteLength(JSON.stringify({ text: '' }));
  const payload = { text: 'x'.repeat(Math.max(0, bytes - empty)) };
  const call = await webPushCall({
    ...{ tenantId: 'default', site, endpoint, p256dh: device.getPublicKey('base64url'), auth: base64(auth), payload },
    ...{ ttlSeconds: 60, urgency: null, topic: null },
  });
  if ('failed' in call) throw new Error(`${bytes} bytes: ${call.failed.reply}`);
  return {
    kind: 'push',
    privateKey: device.getPrivateKey('base64url'),
    auth: base64(auth),
    body: base64(Buffer.from(call.body)),
    payload: base64(Buffer.from(JSON.stringify(payload))),
    authorization: call.headers['authorization'],
    publicKey: site.publicKey,
    otherKey: webPush.generateVAPIDKeys().publicKey,
    audience: 'https://push.example.com',
    subject: site.subject,
  };
}

function callback(): object {
  const token = base64(randomBytes(24));
  const url = pick([
    'https://example.com/api/v1/channels/webhooks/7',
    'https://example.com/api/v1/channels/webhooks/7?send=12&t=a%20b',
    'https://example.com:8443/hook',
  ]);
  const names = ['MessageSid', 'From', 'To', 'Body', 'SmsStatus', 'a', 'B', 'ErrorCode'];
  const params = Object.fromEntries(names.filter(() => Math.random() < 0.7).map((name) => [name, pick(TEXTS)]));
  return { kind: 'twilio', token, url, params, signature: twilioSignature(token, url, Object.entries(params)) };
}

const cases = [
  EXAMPLE,
  await push(MOST_PAYLOAD_BYTES),
  ...(await Promise.all(
    Array.from({ length: PUSHES }, () => push(20 + Math.floor(Math.random() * (MOST_PAYLOAD_BYTES - 20)))),
  )),
  ...Array.from({ length: SIGNATURES }, callback),
];
const input = cases.map((one) => JSON.stringify(one)).join('\n');
const { status } = spawnSync(process.argv[2] ?? 'python3', [resolve('dev/verify-channels.py')], {
  input,
  stdio: ['pipe', 'inherit', 'inherit'],
});
process.exit(status ?? 1);
