import { createPublicKey, randomUUID, verify } from 'node:crypto';
import { startFake, type Fake, type FakeAnswer, type FakeOptions, type FakeRequest } from './fake-server.ts';

/** A push that was accepted for a device, as it came: encrypted. */
export interface AcceptedPush {
  at: number;
  /** The last part of the device's endpoint. */
  device: string;
  ttl: number;
  urgency: string | null;
  topic: string | null;
  /** The public key of the sender (VAPID). */
  key: string;
  /** Base64. */
  body: string;
}

export interface PushService extends Fake<AcceptedPush> {
  endpointOf: (device: string) => string;
  /** The device takes no pushes any more: 410. */
  remove: (device: string) => void;
}

const PATH = /^\/push\/([A-Za-z0-9_-]+)$/;
const MOST_BYTES = 4096;
const URGENCIES = ['very-low', 'low', 'normal', 'high'];

/**
 * A push service (RFC 8030) that demands VAPID (RFC 8292). Devices need not be known; those whose name begins with
 * `gone-` are gone (410), with `missing-` never were there (404).
 */
export async function startPushService(options: FakeOptions = {}): Promise<PushService> {
  const removed = new Set<string>();
  let origin = '';

  function handle({ method, path, headers, body }: FakeRequest): FakeAnswer<AcceptedPush> {
    const device = PATH.exec(path)?.[1];
    if (method !== 'POST' || device === undefined || device.startsWith('missing-')) return { status: 404 };
    if (removed.has(device) || device.startsWith('gone-')) return { status: 410 };
    if (body.length > MOST_BYTES) return { status: 413 };
    const key = keyOf(headers.authorization ?? '', origin);
    if (key === null) return { status: headers.authorization ? 403 : 401 };
    const { ttl, urgency, topic } = headers as Record<string, string | undefined>;
    if (!/^\d+$/.test(ttl ?? '') || headers['content-encoding'] !== 'aes128gcm') return { status: 400 };
    if (urgency !== undefined && !URGENCIES.includes(urgency)) return { status: 400 };
    if (topic !== undefined && !/^[A-Za-z0-9_-]{1,32}$/.test(topic)) return { status: 400 };
    return {
      status: 201,
      headers: { location: `${origin}/messages/${randomUUID()}` },
      accepts: {
        ...{ at: Date.now(), device, ttl: Number(ttl), urgency: urgency ?? null, topic: topic ?? null, key },
        body: body.toString('base64'),
      },
    };
  }

  const fake = await startFake<AcceptedPush>(options, (path) => PATH.test(path), handle);
  origin = fake.url;
  return {
    ...fake,
    endpointOf: (device) => `${origin}/push/${device}`,
    remove: (device) => void removed.add(device),
  };
}

const known = new Map<string, number>();

/** The sender's key, if its token is signed with it and meant for this push service (RFC 8292); else null. */
function keyOf(authorization: string, origin: string): string | null {
  const [, token = '', key = ''] = /^vapid t=([\w.-]+), ?k=([\w-]+)$/.exec(authorization) ?? [];
  if ((known.get(authorization) ?? 0) > Date.now()) return key;
  const [header = '', claims = '', signature = ''] = token.split('.');
  const point = Buffer.from(key, 'base64url');
  if (point.length !== 65 || point[0] !== 4) return null;
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url')) as [
    string,
    string,
  ];
  try {
    const publicKey = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' });
    const isSigned = verify(
      'sha256',
      Buffer.from(`${header}.${claims}`),
      { key: publicKey, dsaEncoding: 'ieee-p1363' },
      Buffer.from(signature, 'base64url'),
    );
    const { aud, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, unknown>;
    const until = Number(exp) * 1000;
    const isValid = isSigned && aud === origin && until > Date.now() && until < Date.now() + 86_400_000;
    if (!isValid) return null;
    known.set(authorization, until);
    return key;
  } catch {
    return null;
  }
}
