import { createDecipheriv, createECDH, hkdfSync, randomBytes, type ECDH } from 'node:crypto';

/** A browser that takes pushes: its keys, and what it gives to the API. */
export interface Device {
  /** The last part of its endpoint. */
  name: string;
  /** As `PushSubscription.toJSON()` of a browser gives it. */
  subscription: { endpoint: string; expirationTime: null; keys: { p256dh: string; auth: string } };
  /** Decrypts a push, and reads it. Throws if it is not meant for this device. */
  open: (body: Buffer) => Record<string, unknown>;
}

/** Makes a device with keys of its own. */
export function makeDevice(endpoint: string): Device {
  const ecdh = createECDH('prime256v1');
  ecdh.generateKeys();
  const auth = randomBytes(16);
  return {
    name: endpoint.split('/').at(-1)!,
    subscription: {
      endpoint,
      expirationTime: null,
      keys: { p256dh: ecdh.getPublicKey('base64url'), auth: auth.toString('base64url') },
    },
    open: (body) => JSON.parse(decrypt(ecdh, auth, body).toString()) as Record<string, unknown>,
  };
}

/** Decrypts a body of one record (RFC 8291, with the coding of RFC 8188). */
function decrypt(ecdh: ECDH, auth: Buffer, body: Buffer): Buffer {
  const salt = body.subarray(0, 16);
  const recordBytes = body.readUInt32BE(16);
  const sender = body.subarray(21, 21 + body[20]!);
  const record = body.subarray(21 + sender.length);
  if (record.length > recordBytes) throw new Error('more than one record');
  const derive = (secret: Buffer, from: Buffer, info: Buffer, length: number): Buffer =>
    Buffer.from(hkdfSync('sha256', secret, from, info, length));
  const keyInfo = Buffer.concat([Buffer.from('WebPush: info\0'), ecdh.getPublicKey(), sender]);
  const secret = derive(ecdh.computeSecret(sender), auth, keyInfo, 32);
  const key = derive(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
  const nonce = derive(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12);
  const decipher = createDecipheriv('aes-128-gcm', key, nonce).setAuthTag(record.subarray(-16));
  const padded = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()]);
  const end = padded.findLastIndex((byte) => byte !== 0);
  if (padded[end] !== 2) throw new Error('no end of the last record');
  return padded.subarray(0, end);
}

/** Reports what a device did with a push, with the token that came in it. */
export const reportPush = (apiUrl: string, token: string, type: 'shown' | 'clicked' | 'closed'): Promise<Response> =>
  fetch(`${apiUrl}/channels/push/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, type }),
  });
