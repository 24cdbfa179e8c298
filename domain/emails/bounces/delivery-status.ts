import { judgeFailure } from './judge-failure.ts';
import { keptText, type Outcome } from './report.ts';

/** Fields by their names in small letters; of a repeated one the first. */
export type Fields = ReadonlyMap<string, string>;

/** Groups of header-like fields with blank lines between them (RFC 3464, 2.1), unfolded. */
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

/** `\x{2603}` as a report writes what is outside of ASCII where it must not (RFC 6533, 3). */
const decodeXtext = (text: string): string =>
  text.replace(/\\x\{([0-9a-f]{1,6})\}/gi, (all, hex: string) =>
    Number.parseInt(hex, 16) <= 0x10ffff ? String.fromCodePoint(Number.parseInt(hex, 16)) : all,
  );

/** The address of `rfc822; name@example.com`, or of `utf-8; …`. */
function recipientOf(value: string | undefined): string[] {
  const address = decodeXtext((value ?? '').replace(/^[\w-]+\s*;/, '').trim()).replace(/^<(.*)>$/, '$1');
  return address === '' ? [] : [address];
}

/** What one group of a message/delivery-status says; null for the group about the whole message. */
function outcomeOf(fields: Fields): Outcome | null {
  const action = /^[a-z]+/i.exec(fields.get('action') ?? '')?.[0].toLowerCase();
  if (action === undefined) return null;
  const recipients = [...recipientOf(fields.get('original-recipient')), ...recipientOf(fields.get('final-recipient'))];
  const diagnostic = keptText((fields.get('diagnostic-code') ?? '').replace(/^[\w-]+\s*;/, ''));
  if (action === 'failed') {
    const { kind, statusCode } = judgeFailure(fields.get('status'), diagnostic) ?? { kind: 'soft', statusCode: null };
    return { kind, recipients, statusCode, diagnostic };
  }
  const statusCode = /^[245]\.\d{1,3}\.\d{1,3}/.exec(fields.get('status') ?? '')?.[0] ?? null;
  return { kind: action === 'delivered' ? 'delivered' : 'none', recipients, statusCode, diagnostic };
}

/** What a message/delivery-status (RFC 3464; RFC 6533 for addresses outside of ASCII) says of each recipient. */
export function readDeliveryStatus(text: string): Outcome[] {
  return readFields(text).flatMap((fields) => outcomeOf(fields) ?? []);
}
