/**
 * The reference of form submissions: bare Koa that parses JSON and inserts the contact, the submission and the event in
 * one transaction, into tables of its own that the bench makes beside those of the service.
 */
import Koa from 'koa';
import { koaBody } from 'koa-body';
import pg from 'pg';

const { DATABASE_MIGRATION_URL, PORT } = process.env as Record<string, string>;
const pool = new pg.Pool({ connectionString: DATABASE_MIGRATION_URL!, max: 15 });

const STATEMENTS = {
  contact: `insert into bench.contacts (first_name, last_name, email, email_key) values ($1, $2, $3, lower($3))
    on conflict (email_key) do update set email_key = excluded.email_key returning id`,
  submission: `insert into bench.submissions (contact_id, data, ip) values ($1, $2, $3) returning id`,
  event: `insert into bench.events (type, data) values ('FORM_SUBMITTED', $1)`,
};

new Koa()
  .use(koaBody())
  .use(async (ctx) => {
    if (ctx.method !== 'POST') return;
    const body = ctx.request.body as { firstName: string; lastName: string; email: string };
    const client = await pool.connect();
    const run = async (name: keyof typeof STATEMENTS, values: unknown[]): Promise<string> =>
      (await client.query<{ id: string }>({ name, text: STATEMENTS[name], values })).rows[0]?.id ?? '';
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
