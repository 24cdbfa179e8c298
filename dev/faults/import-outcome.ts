import { createHash } from 'node:crypto';
import type pg from 'pg';
import type { Nats } from '../../transport/nats.ts';
import { EVENTS } from '../../transport/streams.ts';

/** Everything that an import has left in Postgres, except ids and times, as counts and checksums. */
export async function databaseOutcome(client: pg.Client, tenantId: string): Promise<Record<string, string>> {
  const sums: Record<string, string> = {
    contacts: `select count(*) as n, md5(string_agg(concat_ws('|', c.email, c.email_key, c.first_name, c.last_name, c.phone, c.phone_e164, c.job_title, k.name, c.status,
      c.tags, c.custom_fields, c.version), ',' order by c.email_key)) as sum from contacts c left join companies k on k.tenant_id = c.tenant_id and k.id = c.company_id where c.tenant_id = $1`,
    companies: `select count(*) as n, md5(string_agg(name_key, ',' order by name_key)) as sum from companies where tenant_id = $1`,
    suppressions: `select count(*) as n, md5(string_agg(email_key, ',' order by email_key)) as sum from suppressions where tenant_id = $1`,
    rejects: `select count(*) as n, md5(string_agg(concat(row, errors, cells), ',' order by row)) as sum from contact_import_rejects where tenant_id = $1`,
    chunks: `select count(*) as n, md5(string_agg(concat_ws('|', chunk, end_offset, last_row), ',' order by chunk)) as sum from contact_import_chunks where tenant_id = $1`,
    account: `select 1 as n, concat_ws('|', status, total_rows, processed_rows, created, updated, unchanged, duplicates, rejected) as sum from contact_imports where tenant_id = $1`,
  };
  const outcome: Record<string, string> = {};
  for (const [name, statement] of Object.entries(sums)) {
    const {
      rows: [found],
    } = await client.query<{ n: string; sum: string }>(statement, [tenantId]);
    outcome[name] = `${found!.n} ${found!.sum}`;
  }
  return outcome;
}

/** A tenant's events in the stream, except ids and times. Each is counted once by its id, as by every consumer. */
export async function eventOutcome(nats: Nats, client: pg.Client, tenantId: string): Promise<Record<string, string>> {
  const { rows } = await client.query<{ id: string; email_key: string }>(
    'select id, email_key from contacts where tenant_id = $1',
    [tenantId],
  );
  const emails = new Map(rows.map(({ id, email_key }) => [Number(id), email_key]));
  const seen = new Set<string>();
  const byType = new Map<string, string[]>();
  const consumer = await nats.js.consumers.get(EVENTS, { filterSubjects: [`events.${tenantId}.>`] });
  let { num_pending: left } = await consumer.info();
  while (left > 0) {
    for await (const message of await consumer.fetch({ max_messages: 5_000, expires: 5_000 })) {
      left -= 1;
      const { id, type, data } = message.json<{ id: string; type: string; data: Record<string, unknown> }>();
      if (seen.has(id)) continue;
      seen.add(id);
      const { contactId, tenantId: _tenant, timestamp: _at, importId: _import, ...rest } = data;
      const list = byType.get(type) ?? byType.set(type, []).get(type)!;
      list.push(`${emails.get(Number(contactId)) ?? ''} ${JSON.stringify(rest)}`);
      if (left === 0) break;
    }
  }
  return Object.fromEntries(
    [...byType]
      .sort()
      .map(([type, lines]) => [
        type,
        `${lines.length} ${createHash('md5').update(lines.sort().join('\n')).digest('hex')}`,
      ]),
  );
}
