const LETTERS = 'a-z\\d\\u00a1-\\uff00\\uff5f-\\uffff';
/** A label of a host name, also of an international one; no underscores and no full-width characters. */
const LABEL = new RegExp(`^[${LETTERS}](?:[${LETTERS}-]{0,61}[${LETTERS}])?$`, 'i');
const TOP_LEVEL = /^(?:[a-z\u00a1-\u00a8\u00aa-\ud7ff\uf900-\ufdcf\ufdf0-\uffef]{2,}|xn[a-z\d-]{2,})$/i;

const BEYOND_ASCII = '\\u00a1-\\ud7ff\\uf900-\\ufdcf\\ufdf0-\\uffef';
const ATOM = `[a-z\\d!#$%&'*+/=?^_\`{|}~${BEYOND_ASCII}-]+`;
/** The part before the `@`: atoms with dots between them, or anything printable in quotation marks. */
const LOCAL_PART = new RegExp(
  `^(?:${ATOM}(?:\\.${ATOM})*|"(?:[ !#-[\\]-~${BEYOND_ASCII}]|\\\\[ -~${BEYOND_ASCII}])*")$`,
  'i',
);
const MAX_EMAIL = 254;
const MAX_LOCAL_BYTES = 64;
const MAX_URL = 2084;

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;
const isHost = (host: string): boolean => host.split('.').every((label) => LABEL.test(label));

/** An email address (RFC 5321, RFC 6531) whose domain has a top-level domain. */
export function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@');
  const host = text.slice(at + 1);
  return (
    text.length <= MAX_EMAIL &&
    bytesOf(text.slice(0, Math.max(0, at))) <= MAX_LOCAL_BYTES &&
    bytesOf(host) <= MAX_EMAIL &&
    LOCAL_PART.test(text.slice(0, Math.max(0, at))) &&
    isHost(host) &&
    host.includes('.') &&
    TOP_LEVEL.test(host.slice(host.lastIndexOf('.') + 1))
  );
}

/** An absolute http or https address; its host may be an IP address or a name without dots. */
export function isWebAddress(text: string): boolean {
  if (text.length > MAX_URL || !/^https?:\/\/[^/?#\s<>][^\s<>]*$/i.test(text)) return false;
  try {
    const { hostname } = new URL(text);
    return /^\[[\da-f:.]+\]$/.test(hostname) || isHost(hostname);
  } catch {
    return false;
  }
}
