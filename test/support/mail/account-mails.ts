import assert from 'node:assert/strict';
import { engineEm, rows, sql } from '../../../db/orm.ts';
import type { SunkMail } from './mail-sink.ts';
import type { Service } from '../service.ts';
import { until } from '../until.ts';

/** The emails to an address so far, oldest first. */
export const mailsTo = (service: Service, address: string): SunkMail[] =>
  service.sink.mails.filter((mail) => mail.to.includes(address));

/** Waits for the nth email to an address. */
export const nthMail = (service: Service, address: string, n = 1): Promise<SunkMail> =>
  until(`${address} has ${n} mails`, () => mailsTo(service, address)[n - 1]);

/** The only link of a system email, the same in both parts. */
export function linkOf({ parsed }: SunkMail): URL {
  const inHtml = [...String(parsed.html).matchAll(/href="([^"]*)"/g)].map((match) => match[1]!);
  const [inText] = /https?:\/\/\S+/.exec(parsed.text ?? '') ?? [];
  assert.ok(inText && inHtml.length > 0);
  for (const link of inHtml) assert.equal(link, inText);
  return new URL(inText);
}

export const tokenOf = (mail: SunkMail): string => linkOf(mail).searchParams.get('token')!;

/** Waits until all requests are processed: their emails are then queued. */
export const untilServed = (service: Service): Promise<boolean> =>
  until(
    'what was asked for is served',
    async () => (await engine(service, sql`select 1 from account_mail_requests`)).length === 0,
  );

/** Rows of a query over all tenants. */
export const engine = <T>(service: Service, query: ReturnType<typeof sql>): Promise<T[]> =>
  engineEm(service.deps.orm).transactional((tx) => rows<T>(tx, query));
