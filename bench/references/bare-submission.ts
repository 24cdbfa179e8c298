/**
 * The references of form submissions: bare Koa that parses JSON and inserts the contact, the submission and the event
 * in one transaction. SAME_TABLES=1: into copies of the service's tables, with all their indexes; otherwise into the
 * narrowest tables that can hold them. The bench makes both (`REFERENCE_TABLES` in bench/whole/forms.ts).
 */
import Koa from 'koa';
import { koaBody } from 'koa-body';
import pg from 'pg';

const { DATABASE_MIGRATION_URL, PORT, SAME_TABLES } = process.env as Record<string, string>;
const pool = new pg.Pool({ connectionString: DATABASE_MIGRATION_URL!, max: 15 });

interface Statements {
  /** $1 first name, $2 last name, $3 address. */
  contact: string;
  /** $1 contact, $2 values, $3 IP address. */
  submission: string;
  /** $1 the event's data. */
  event: string;
}

const narrow: Statements = {
  contact: `insert into bench.contacts (first_name, last_name, email, email_key) values ($1, $2, $3, lower($3))
    on conflict (email_key) do update set email_key = excluded.email_key returning id`,
  submission: `insert into bench.submissions (contact_id, data, ip) values ($1, $2, $3) returning id`,
  event: `insert into bench.events (type, data) values ('FORM_SUBMITTED', $1)`,
};
const same: Statements = {
  contact: `insert into same.contacts (tenant_id, first_name, last_name, email, email_key, source) values ('default', $1, $2, $3::text, lower($3::text), 'form')
    on conflict (tenant_id, email_key) do update set email_key = excluded.email_key returning id`,
  submission: `insert into same.form_submissions (tenant_id, form_id, contact_id, submission_data, ip_address, submitted_at) values ('default', 1, $1, $2, $3, now()) returning id`,
  event: `insert into same.outbox_events (tenant_id, type, occurred_at, events) values ('default', 'FORM_SUBMITTED', now(), $1)`,
};
const statements = SAME_TABLES ? same : narrow;

new Koa()
  .use(koaBody())
  .use(async (ctx) => {
    if (ctx.method !== 'POST') return;
    const body = ctx.request.body as { firstName: string; lastName: string; email: string };
    const client = await pool.connect();
    const run = async (name: keyof Statements, values: unknown[]): Promise<string> =>
      (await client.query<{ id: string }>({ name, text: statements[name], values })).rows[0]?.id ?? '';
    try {
      await client.query('begin');
      const contactId = await run('contact', [body.firstName, body.lastName, body.email]);
      const submissionId = await run('submission', [contactId, JSON.stringify(body), ctx.ip]);
      await run('event', [JSON.stringify({ contactId, submissionId })]);
      await client.query('commit');
      ctx.body = { success: true, contactId: Number(contactId), submissionId: Number(submissionId) };
    } finally {
      client.release();
    }
  })
  .listen(Number(PORT), '127.0.0.1');
