import { sign as cryptoSign, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import RelaxedBody from 'nodemailer/lib/dkim/relaxed-body';
import dkim from 'nodemailer/lib/dkim/sign';

/** The key for signing messages; the record `{selector}._domainkey.{domain}` contains its public part. */
export interface Signer {
  domain: string;
  selector: string;
  key: KeyObject;
}

const LINE_CHARS = 72;
const signAsync = promisify(cryptoSign) as (algorithm: string, data: Buffer, key: KeyObject) => Promise<Buffer>;

/** Field names separated by colons, folded into lines. */
function foldedNames(names: readonly string[]): string {
  const lines: string[] = [];
  for (const name of names) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + name.length < LINE_CHARS) lines.splice(-1, 1, `${last}:${name}`);
    else lines.push(name);
  }
  return lines.join(':\r\n ');
}

/**
 * Prepends a DKIM-Signature (RFC 6376, rsa-sha256, relaxed/relaxed) to a composed message, which stays unchanged.
 * Signs every field, including the two for one-click unsubscribing (RFC 8058 section 4), and From once more than it
 * occurs, so that nobody can add another (RFC 6376 section 8.15). The message must end with CRLF, as composers write
 * it. Signing runs on the thread pool.
 */
export async function signMessage(message: Buffer, { domain, selector, key }: Signer): Promise<Buffer> {
  const end = message.indexOf('\r\n\r\n');
  // One character per byte, because a field may contain UTF-8 (RFC 6532).
  const fields = message
    .toString('latin1', 0, end)
    .split(/\r\n(?![ \t])/)
    .map((line) => ({ key: line.slice(0, line.indexOf(':')).trimEnd().toLowerCase(), line }));
  const signed = dkim.relaxedHeaders(fields, fields.map((field) => field.key).join(':'));
  const body = new RelaxedBody();
  body.updateHash(message.subarray(end + 4), true);
  const head =
    `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=${domain};\r\n s=${selector};\r\n bh=${body.bodyHash.digest('base64')};\r\n` +
    ` h=${foldedNames(['from', ...signed.fieldNames.split(':')])};\r\n b=`;
  // The signature's own field is signed with an empty b= and without a line end.
  const own = dkim.relaxedHeaders([{ key: 'dkim-signature', line: head }], 'dkim-signature').headers.slice(0, -2);
  const signature = await signAsync('sha256', Buffer.from(signed.headers + own, 'latin1'), key);
  const lines = signature.toString('base64').match(new RegExp(`.{1,${LINE_CHARS}}`, 'g'))!;
  return Buffer.concat([Buffer.from(`${head}${lines.join('\r\n ')}\r\n`, 'latin1'), message]);
}
