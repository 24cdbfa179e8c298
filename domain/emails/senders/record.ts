import { Resolver } from 'node:dns/promises';
import { AppError, type Violation } from '../../common/errors.ts';

/** Where the record of a key stands in the DNS (RFC 6376 section 3.6.2.1). */
export const recordName = (domain: string, selector: string): string => `${selector}._domainkey.${domain}`;
/** The note in a record (n=, RFC 6376 section 3.6.1: verifiers ignore it) by which the domain's owner says whose it is. */
const noteOf = (tenantId: string): string => `perennial:${tenantId}`;
/** What it says (RFC 6376 section 3.6.1); with a tenant, it names it. */
export const recordValue = (publicKey: string, tenantId: string | null): string =>
  `v=DKIM1; k=rsa; ${tenantId === null ? '' : `n=${noteOf(tenantId)}; `}p=${publicKey}`;

/** The TXT records of a name, each as the strings it is made of; as node:dns/promises has it, errors with their `code`. */
export type ResolveTxt = (name: string) => Promise<string[][]>;

const TIMEOUT_MS = 2_000;
const TRIES = 2;

/** Asks the name servers of this machine. */
export function createTxtResolver(): ResolveTxt {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  return (name) => resolver.resolveTxt(name);
}

/** The tags of a record; a repeated or malformed one is not valid (RFC 6376 section 3.2). */
function tagsOf(record: string): Map<string, string> | null {
  const tags = new Map<string, string>();
  for (const part of record.replace(/;\s*$/, '').split(';')) {
    const [, name, value] = /^\s*([a-z]\w*)\s*=\s*([^]*?)\s*$/i.exec(part) ?? [];
    if (name === undefined || tags.has(name)) return null;
    tags.set(name, value!);
  }
  return tags;
}

/** A key in the DNS. With `tenantId` the record must name the tenant: a key that was made here was never anybody else's, and proves it by itself. */
interface Published {
  domain: string;
  selector: string;
  publicKey: string;
  tenantId: string | null;
}

/** Why verifiers would not take signatures of this key by the record, or it is not this tenant's; null when all is well. */
function mistakeIn(record: string, { publicKey, tenantId }: Published): string | null {
  const tags = tagsOf(record);
  if (!tags) return 'is not a list of tags';
  const listed = (tag: string, wanted: string): boolean => {
    const values = tags
      .get(tag)
      ?.split(':')
      .map((value) => value.trim().toLowerCase());
    return !values || values.includes('*') || values.includes(wanted);
  };
  if ((tags.get('v') ?? 'DKIM1') !== 'DKIM1' || (tags.has('v') && [...tags.keys()][0] !== 'v'))
    return 'does not begin with v=DKIM1';
  if ((tags.get('k') ?? 'rsa') !== 'rsa') return 'has another key type (k=)';
  if (!listed('h', 'sha256')) return 'does not allow sha256 (h=)';
  if (!listed('s', 'email')) return 'is not for email (s=)';
  const found = tags.get('p')?.replace(/\s/g, '');
  if (!found) return found === '' ? 'is revoked: its p= is empty' : 'has no key (p=)';
  if (found !== publicKey) return 'has another key (p=)';
  return tenantId === null || tags.get('n') === noteOf(tenantId)
    ? null
    : `lacks n=${noteOf(tenantId)}, which is required for a key that you supplied`;
}

/** What is wrong with the record of a key in the DNS; null when it is as it should be. Throws 503 when the DNS gives no answer. */
export async function checkRecord(resolve: ResolveTxt, published: Published): Promise<Violation | null> {
  const name = recordName(published.domain, published.selector);
  const violation = (code: string, message: string): Violation => ({ path: '/dkim', code, message });
  let records: string[];
  try {
    records = (await resolve(name)).map((strings) => strings.join(''));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (code !== 'ENODATA' && code !== 'ENOTFOUND') {
      throw new AppError('unavailable', `The DNS lookup of ${name} failed (${code || 'no code'})`, {
        cause: error,
        headers: { 'Retry-After': '60' },
      });
    }
    records = [];
  }
  if (records.length === 0) return violation('record_missing', `there is no TXT record at ${name}`);
  // Which of several a verifier takes is undefined (RFC 6376 section 3.6.2.2).
  if (records.length > 1) return violation('record_ambiguous', `there are ${records.length} TXT records at ${name}`);
  const mistake = mistakeIn(records[0]!, published);
  return mistake === null ? null : violation('record_wrong', `the TXT record at ${name} ${mistake}`);
}
