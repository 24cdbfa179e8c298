import { ECDH } from 'node:crypto';
import type { Violation } from '../../../lib/checks/errors.ts';
import { isViolation, normaliseLocale, normaliseTimezone } from '../../common/fields.ts';
import type { CheckUrl } from '../../outbound/check-url.ts';
import { isPushEndpoint } from '../push/push-hosts.ts';

const AUTH_BYTES = 16;

/** What a browser or an app tells about itself. */
export interface DeviceFacts {
  timezone?: string | null;
  locale?: string | null;
}

interface Endpoints {
  hosts: readonly string[];
  checkUrl: CheckUrl;
}

/** The bytes of a text in base64url or base64, with or without padding; null if it is neither. */
function bytesOf(text: string): Buffer | null {
  return /^[\w+/-]+={0,2}$/.test(text) ? Buffer.from(text, 'base64url') : null;
}

/** Whether these bytes are a point of P-256, not compressed (RFC 8291 section 2.1). */
function isPoint(bytes: Buffer): boolean {
  if (bytes.length !== 65 || bytes[0] !== 4) return false;
  try {
    ECDH.convertKey(bytes, 'prime256v1');
    return true;
  } catch {
    return false;
  }
}

/** All violations of a subscription as `PushSubscription.toJSON()` of a browser gives it; parts of it may be missing. */
export function subscriptionViolations(
  subscription: { endpoint?: unknown; expirationTime?: unknown; keys?: unknown },
  { hosts, checkUrl }: Endpoints,
): Violation[] {
  const { endpoint, expirationTime, keys } = subscription;
  const { p256dh, auth } = (typeof keys === 'object' && keys !== null ? keys : {}) as Record<string, unknown>;
  const errors: Violation[] = [];
  const add = (path: string, code: string, message: string) =>
    errors.push({ path: `/subscription${path}`, code, message });
  if (typeof endpoint === 'string' && !isPushEndpoint(endpoint, hosts, checkUrl)) {
    const problem = checkUrl(endpoint);
    if (problem?.code === 'format') add('/endpoint', 'format', 'must be a URL');
    else add('/endpoint', 'outbound_refused', 'must be an https URL of a push service that this service may call');
  }
  if (typeof p256dh === 'string' && !isPoint(bytesOf(p256dh) ?? Buffer.alloc(0)))
    add('/keys/p256dh', 'invalid_key', 'must be a point of P-256, not compressed, in base64url');
  if (typeof auth === 'string' && bytesOf(auth)?.length !== AUTH_BYTES)
    add('/keys/auth', 'invalid_key', `must be ${AUTH_BYTES} bytes in base64url`);
  if (typeof expirationTime === 'number' && !(expirationTime >= 0 && expirationTime <= 8.64e15))
    add('/expirationTime', 'out_of_range', 'must be a time in milliseconds since 1970');
  return errors;
}

/** Violations of what a device tells about itself. */
export function factViolations({ timezone, locale }: { timezone?: unknown; locale?: unknown }): Violation[] {
  const found = {
    timezone: typeof timezone === 'string' ? normaliseTimezone(timezone) : null,
    locale: typeof locale === 'string' ? normaliseLocale(locale) : null,
  };
  return Object.entries(found).flatMap(([field, value]) =>
    isViolation(value) ? [{ path: `/${field}`, ...value }] : [],
  );
}

/** The facts as they are stored; call it for valid ones. */
export function keptFacts({ timezone, locale }: DeviceFacts): { timezone: string | null; locale: string | null } {
  const kept = (value: ReturnType<typeof normaliseTimezone>) => (isViolation(value) ? null : value);
  return { timezone: kept(normaliseTimezone(timezone ?? '')), locale: kept(normaliseLocale(locale ?? '')) };
}

/** A key in base64url without padding, as `web-push` and `node:crypto` write it. */
export const keptKey = (text: string): string => Buffer.from(text, 'base64url').toString('base64url');
