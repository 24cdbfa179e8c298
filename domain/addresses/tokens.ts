import { hash, hkdfSync, timingSafeEqual } from 'node:crypto';
import { base32, fromBase32 } from '../../lib/text/base32.ts';

const MAC_BYTES = 16;
const MAX_TOKEN_CHARS = 2048;
/** Characters of a bounce token: 16 bytes of MAC and up to 7 of the id, five bits per character. */
const MAX_BOUNCE_TOKEN = 37;

/**
 * Who an unsubscribe token is for. An email to a bare address has no contact and contains the address instead. Without
 * an email it is from a text or a push, and has a contact.
 */
export interface UnsubscribeSubject {
  tenantId: string;
  emailId: number | null;
  contactId: number | null;
  address?: string | null;
  /** To make a token: when it is made. Absent means now; null makes one that says no time. */
  madeAt?: Date | null;
}

/** What an unsubscribe token says. */
export interface TokenSubject extends UnsubscribeSubject {
  /** When it was made; null in tokens of earlier releases, whose time is not checked. */
  madeAt: Date | null;
}

/** What the token of an open, a click or a web view says. */
export interface NamedEmail extends Pick<TokenSubject, 'madeAt'> {
  emailId: number;
}

/**
 * The clocks of Postgres, the API and the workers may differ by so much, twice what they are asked to. Somebody whose
 * own link does nothing is worse than a second guard that holds some minutes less.
 */
export const CLOCKS_MS = 10 * 60_000;

/**
 * Whether the row of the id in a token is not that of somebody else, who was given the id anew after Postgres was put
 * back to an older copy: such a row was made after the token.
 */
export const isOfToken = (row: { createdAt: Date }, madeAt: Date | null): boolean =>
  madeAt === null || row.createdAt.getTime() <= madeAt.getTime() + CLOCKS_MS;

export interface LinkSigner {
  /**
   * Signs a list of strings for one purpose. The token is compact, URL-safe, verifiable without a database, and does
   * not expire.
   */
  sign: (purpose: string, payload: readonly string[]) => string;
  /** The tokens of `sign` with the current secret and, during a rotation, with the previous one. */
  signByEach: (purpose: string, payload: readonly string[]) => string[];
  /** The payload of a token that `sign` made for this purpose; else null. */
  verify: (purpose: string, token: string) => string[] | null;
  /** The ids of opens and clicks, and the token of the web view, say when they were made: by default now. */
  openTrackingId: (emailId: number, madeAt?: Date) => string;
  verifyOpen: (trackingId: string) => NamedEmail | null;
  /**
   * The MAC covers the URL: an id is valid only with its own URL, so that the service redirects only to links of the
   * email.
   */
  clickTrackingId: (emailId: number, url: string, madeAt?: Date) => string;
  verifyClick: (trackingId: string, url: string) => NamedEmail | null;
  /** A token that proves the email's id, for the Message-ID. */
  emailToken: (purpose: string, emailId: number) => string;
  verifyEmailToken: (purpose: string, token: string) => number | null;
  viewToken: (emailId: number, madeAt?: Date) => string;
  verifyView: (token: string) => NamedEmail | null;
  /**
   * As `emailToken`, for the local part of a return path: 28 to 37 letters and digits, verified ignoring case, because mail
   * systems may change the case.
   */
  bounceToken: (emailId: number) => string;
  verifyBounce: (token: string) => number | null;
  /** The same for the address that unsubscribes whoever writes to it. */
  optOutToken: (emailId: number) => string;
  verifyOptOut: (token: string) => number | null;
  unsubscribeToken: (subject: UnsubscribeSubject) => string;
  verifyUnsubscribe: (token: string) => TokenSubject | null;
}

const BLOCK_BYTES = 64;

/**
 * A prepared HMAC-SHA256 key: the padded key block of the inner and of the outer hash (RFC 2104, section 2), each in a
 * buffer with room for the data to hash.
 */
interface MacKey {
  inner: Buffer;
  outer: Buffer;
}

/** Precedes the authenticated data: the length of its first part. */
const LENGTH_BYTES = 2;
const DIGEST_BYTES = 32;
const keyed = (key: Buffer, pad: number, room: number): Buffer => {
  const block = Buffer.alloc(BLOCK_BYTES, pad).map((byte, n) => byte ^ (key[n] ?? 0));
  return Buffer.concat([block], BLOCK_BYTES + room);
};

/** One key per purpose (HKDF, RFC 5869), so that a token of one purpose is invalid for every other. */
function keyring(secret: string): (purpose: string) => MacKey {
  const keys = new Map<string, MacKey>();
  return (purpose) => {
    let key = keys.get(purpose);
    if (!key) {
      const bytes = Buffer.from(hkdfSync('sha256', secret, 'perennial', `links/${purpose}`, 32));
      keys.set(
        purpose,
        (key = { inner: keyed(bytes, 0x36, LENGTH_BYTES + MAX_TOKEN_CHARS), outer: keyed(bytes, 0x5c, DIGEST_BYTES) }),
      );
    }
    return key;
  };
}

/**
 * HMAC-SHA256 as two one-shot hashes with string digests (one character per byte). An email needs eight MACs and a
 * click one, each of a few bytes; `createHmac` spent most of its time on creating objects, mainly buffers.
 */
function mac(key: MacKey, body: Buffer, bound: string): string {
  const at = BLOCK_BYTES + LENGTH_BYTES + body.length;
  const end = at + Buffer.byteLength(bound);
  if (end > key.inner.length) key.inner = Buffer.concat([key.inner], end);
  // The length distinguishes (body, bound) from any other split of the same bytes.
  key.inner.writeUInt16BE(body.length, BLOCK_BYTES);
  body.copy(key.inner, BLOCK_BYTES + LENGTH_BYTES);
  key.inner.write(bound, at);
  key.outer.write(hash('sha256', key.inner.subarray(0, end), 'binary'), BLOCK_BYTES, 'latin1');
  return hash('sha256', key.outer, 'binary').slice(0, MAC_BYTES);
}

/** Minimal big-endian bytes of an id, 1 to 7. */
function idBytes(id: number): Buffer {
  if (!Number.isSafeInteger(id) || id < 1) throw new RangeError(`not an id: ${id}`);
  const bytes = Buffer.alloc(7);
  bytes.writeUIntBE(Math.floor(id / 2 ** 32), 0, 3);
  bytes.writeUInt32BE(id % 2 ** 32, 3);
  return bytes.subarray(bytes.findIndex((byte) => byte !== 0));
}

/** A time before an id: a zero, which no id begins with, and the seconds since 1970. */
const TIME_BYTES = 5;

function timeAndId(time: Date, id: number): Buffer {
  const idOf = idBytes(id);
  const bytes = Buffer.alloc(TIME_BYTES + idOf.length);
  bytes.writeUInt32BE(Math.floor(time.getTime() / 1000), 1);
  bytes.set(idOf, TIME_BYTES);
  return bytes;
}

function readId(bytes: Buffer): number | null {
  if (bytes.length < 1 || bytes.length > 7 || bytes[0] === 0) return null;
  const id = [...bytes].reduce((sum, byte) => sum * 256 + byte, 0);
  return Number.isSafeInteger(id) ? id : null;
}

/** Encodes each string as its byte length (LEB128) and its UTF-8 bytes. */
function packStrings(parts: readonly string[]): Buffer {
  return Buffer.concat(
    parts.flatMap((part) => {
      const bytes = Buffer.from(part);
      const length: number[] = [];
      for (let rest = bytes.length; ; rest >>>= 7) {
        length.push(rest > 127 ? (rest & 127) | 128 : rest);
        if (rest <= 127) return [Buffer.from(length), bytes];
      }
    }),
  );
}

function unpackStrings(bytes: Buffer): string[] | null {
  const parts: string[] = [];
  let at = 0;
  while (at < bytes.length) {
    let length = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++];
      if (byte === undefined || shift > 21) return null;
      length |= (byte & 127) << shift;
      if (byte < 128) break;
    }
    if (at + length > bytes.length) return null;
    parts.push(bytes.toString('utf8', at, at + length));
    at += length;
  }
  return parts;
}

/**
 * Signs and verifies the tokens in emails and pages: HMAC-SHA256 truncated to 128 bits (RFC 2104, section 5),
 * base64url. `secret` is LINK_SECRET, at least 32 characters. `previous` only verifies, except in `signByEach`.
 */
export function createLinkSigner({ secret, previous }: { secret: string; previous?: string | null }): LinkSigner {
  const current = keyring(secret);
  const accepted = previous ? [current, keyring(previous)] : [current];

  const sealed = (purpose: string, body: Buffer, bound = '', keys = current): Buffer => {
    const bytes = Buffer.allocUnsafe(body.length + MAC_BYTES);
    body.copy(bytes);
    bytes.write(mac(keys(purpose), body, bound), body.length, 'latin1');
    return bytes;
  };
  const seal = (...sealing: Parameters<typeof sealed>): string => sealed(...sealing).toString('base64url');

  const openBytes = (purpose: string, bytes: Buffer, bound = ''): Buffer | null => {
    if (bytes.length <= MAC_BYTES) return null;
    const body = bytes.subarray(0, -MAC_BYTES);
    const given = bytes.subarray(-MAC_BYTES);
    return accepted.some((keys) => timingSafeEqual(Buffer.from(mac(keys(purpose), body, bound), 'latin1'), given))
      ? body
      : null;
  };
  const open = (purpose: string, token: string, bound = ''): Buffer | null => {
    if (token.length > MAX_TOKEN_CHARS) return null;
    const bytes = Buffer.from(token, 'base64url');
    // Decoding is lenient; accept only the canonical spelling, so that a token can be used as a key.
    return bytes.toString('base64url') === token ? openBytes(purpose, bytes, bound) : null;
  };

  const named = (body: Buffer | null): NamedEmail | null => {
    if (!body) return null;
    const hasTime = body[0] === 0 && body.length > TIME_BYTES;
    const emailId = readId(hasTime ? body.subarray(TIME_BYTES) : body);
    return emailId === null ? null : { emailId, madeAt: hasTime ? new Date(body.readUInt32BE(1) * 1000) : null };
  };
  const openId = (purpose: string, token: string): number | null => {
    const body = open(purpose, token);
    return body && readId(body);
  };

  const verify = (purpose: string, token: string): string[] | null => {
    const body = open(`data/${purpose}`, token);
    return body && unpackStrings(body);
  };
  const sign = (purpose: string, payload: readonly string[], keys = current): string => {
    const body = packStrings(payload);
    if ((body.length + MAC_BYTES) * 4 > MAX_TOKEN_CHARS * 3)
      throw new RangeError('the payload is too long for a token');
    return seal(`data/${purpose}`, body, '', keys);
  };

  const addressToken = (purpose: string, emailId: number): string =>
    base32(sealed(purpose, idBytes(emailId))).toLowerCase();
  const openAddress = (purpose: string, token: string): number | null => {
    const bytes = token.length > MAX_BOUNCE_TOKEN ? null : fromBase32(token);
    const body = bytes && openBytes(purpose, bytes);
    return body && readId(body);
  };

  return {
    sign: (purpose, payload) => sign(purpose, payload),
    signByEach: (purpose, payload) => accepted.map((keys) => sign(purpose, payload, keys)),
    verify,
    openTrackingId: (emailId, madeAt = new Date()) => seal('open', timeAndId(madeAt, emailId)),
    verifyOpen: (trackingId) => named(open('open', trackingId)),
    clickTrackingId: (emailId, url, madeAt = new Date()) => seal('click', timeAndId(madeAt, emailId), url),
    verifyClick: (trackingId, url) => named(open('click', trackingId, url)),
    emailToken: (purpose, emailId) => seal(`email/${purpose}`, idBytes(emailId)),
    verifyEmailToken: (purpose, token) => openId(`email/${purpose}`, token),
    viewToken: (emailId, madeAt = new Date()) => seal('email/view', timeAndId(madeAt, emailId)),
    verifyView: (token) => named(open('email/view', token)),
    bounceToken: (emailId) => addressToken('bounce', emailId),
    verifyBounce: (token) => openAddress('bounce', token),
    optOutToken: (emailId) => addressToken('opt-out', emailId),
    verifyOptOut: (token) => openAddress('opt-out', token),
    unsubscribeToken: ({ tenantId, emailId, contactId, address, madeAt = new Date() }) =>
      sign('unsubscribe', [
        tenantId,
        emailId === null ? '' : String(emailId),
        contactId === null ? '' : String(contactId),
        address ?? '',
        ...(madeAt === null ? [] : [Math.floor(madeAt.getTime() / 1000).toString(36)]),
      ]),
    verifyUnsubscribe: (token) => {
      const parts = verify('unsubscribe', token);
      if (!parts || parts.length < 3) return null;
      const [tenantId = '', emailId = '', contactId = '', address = '', seconds = ''] = parts;
      return {
        tenantId,
        emailId: emailId === '' ? null : Number(emailId),
        contactId: contactId === '' ? null : Number(contactId),
        address: address || null,
        madeAt: seconds === '' ? null : new Date(parseInt(seconds, 36) * 1000),
      };
    },
  };
}
