const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Base32 without padding (RFC 4648, section 6), in upper case. */
export function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? []).map((five) => ALPHABET[Number.parseInt(five.padEnd(5, '0'), 2)]).join('');
}

/** Decodes what `base32` wrote, in any case; null for anything else, so that bytes have only one encoding. */
export function fromBase32(text: string): Buffer | null {
  const capitals = text.toUpperCase();
  if (!/^[A-Z2-7]*$/.test(capitals)) return null;
  const bits = [...capitals].map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const bytes = Buffer.from((bits.match(/.{8}/g) ?? []).map((eight) => Number.parseInt(eight, 2)));
  return base32(bytes) === capitals ? bytes : null;
}
