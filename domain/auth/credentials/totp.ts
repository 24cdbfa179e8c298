import { createHmac, timingSafeEqual } from 'node:crypto';
import { base32 } from '../../../lib/text/base32.ts';

const STEP_SECONDS = 30;
const DIGITS = 6;
/** How many steps before and after the current one are accepted too, because clocks differ (RFC 6238, section 5.2). */
const WINDOW = 1;

/** The code of a counter: HOTP (RFC 4226, section 5.3) with SHA-1. */
export function hotp(secret: Buffer, counter: number, digits = DIGITS): string {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(counter));
  const mac = createHmac('sha1', secret).update(bytes).digest();
  const truncated = mac.readUInt32BE(mac[19]! & 15) & 0x7fffffff;
  return String(truncated % 10 ** digits).padStart(digits, '0');
}

/** The time step (RFC 6238) of a time in milliseconds. */
export const stepOf = (ms: number): number => Math.floor(ms / 1000 / STEP_SECONDS);

/**
 * The time step of a code: later than `lastStep` and close to `ms`; null for a wrong, old or used code. Ignores
 * whitespace in the code.
 */
export function matchCode(secret: Buffer, code: string, lastStep: number | null, ms: number): number | null {
  const given = Buffer.from(code.replaceAll(/\s/g, ''));
  const now = stepOf(ms);
  for (let step = Math.max(now - WINDOW, (lastStep ?? -1) + 1); step <= now + WINDOW; step += 1) {
    if (given.length === DIGITS && timingSafeEqual(Buffer.from(hotp(secret, step)), given)) return step;
  }
  return null;
}

/** The content of the QR code for an authenticator app. */
export function otpauthUrl(secret: Buffer, account: string): string {
  return `otpauth://totp/Perennial:${encodeURIComponent(account)}?secret=${base32(secret)}&issuer=Perennial&algorithm=SHA1&digits=${DIGITS}&period=${STEP_SECONDS}`;
}
