import { judgeFailure, UNKNOWN_FAILURE } from './judge-failure.ts';
import { keptText, type Outcome } from './report.ts';

/** Fields by lower-case name; of a repeated field the first value. */
export type Fields = ReadonlyMap<string, string>;

/** Groups of header-like fields separated by blank lines (RFC 3464, section 2.1), unfolded. */
export function readFields(text: string): Fields[] {
  return text
    .replace(/\r\n?/g, '\n')
    .split(/\n[ \t]*\n/)
    .map((group) => {
      const fields = new Map<string, string>();
      for (const line of group.replace(/\n[ \t]+/g, ' ').split('\n')) {
        const colon = line.indexOf(':');
        const name = line.slice(0, Math.max(0, colon)).trim().toLowerCase();
        if (name !== '' && !fields.has(name)) fields.set(name, line.slice(colon + 1).trim());
      }
      return fields;
    });
}

/**
 * Decodes `\x{2603}`, which reports use for non-ASCII characters where only ASCII is allowed (RFC 6533, section 3).
 */
const decodeXtext = (text: string): string =>
  text.replace(/\\x\{([0-9a-f]{1,6})\}/gi, (all, hex: string) =>
    Number.parseInt(hex, 16) <= 0x10ffff ? String.fromCodePoint(Number.parseInt(hex, 16)) : all,
  );

/** The address of `rfc822; name@example.com`, or of `utf-8; …`. */
function recipientOf(value: string | undefined): string[] {
  const address = decodeXtext((value ?? '').replace(/^[\w-]+\s*;/, '').trim()).replace(/^<(.*)>$/, '$1');
  return address === '' ? [] : [address];
}

/** The outcome in one group of a message/delivery-status; null for the group about the whole message. */
function outcomeOf(fields: Fields): Outcome | null {
  const action = /^[a-z]+/i.exec(fields.get('action') ?? '')?.[0].toLowerCase();
  if (action === undefined) return null;
  const recipients = [...recipientOf(fields.get('original-recipient')), ...recipientOf(fields.get('final-recipient'))];
  const diagnostic = keptText((fields.get('diagnostic-code') ?? '').replace(/^[\w-]+\s*;/, ''));
  if (action === 'failed') {
    return {
      ...(judgeFailure({ status: fields.get('status'), text: diagnostic }) ?? UNKNOWN_FAILURE),
      recipients,
      diagnostic,
    };
  }
  const statusCode = /^[245]\.\d{1,3}\.\d{1,3}/.exec(fields.get('status') ?? '')?.[0] ?? null;
  return { verdict: action === 'delivered' ? 'delivered' : 'none', recipients, statusCode, diagnostic };
}

/** The outcomes per recipient in a message/delivery-status (RFC 3464; RFC 6533 for non-ASCII addresses). */
export function readDeliveryStatus(text: string): Outcome[] {
  return readFields(text).flatMap((fields) => outcomeOf(fields) ?? []);
}
