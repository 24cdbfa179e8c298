/** The reference of `bench/http.ts`: bare Koa that verifies the token and returns the row of one prepared select. */
import { createSecretKey } from 'node:crypto';
import jwt from 'jsonwebtoken';
import Koa from 'koa';
import pg from 'pg';

const { DATABASE_MIGRATION_URL, JWT_SECRET, PORT } = process.env as Record<string, string>;
const pool = new pg.Pool({ connectionString: DATABASE_MIGRATION_URL!, max: 15 });
const secret = createSecretKey(Buffer.from(JWT_SECRET!));
const text = `
  select id, first_name as "firstName", last_name as "lastName", email, phone, phone_e164 as "phoneE164", job_title as "jobTitle", company_id as "companyId",
    status, tags, custom_fields as "customFields", timezone, locale, source, tenant_id as "tenantId", created_at as "createdAt", updated_at as "updatedAt", version
  from contacts where tenant_id = $1 and id = $2`;

new Koa()
  .use(async (ctx) => {
    const claims = jwt.verify(ctx.get('authorization').slice(7), secret, { algorithms: ['HS256'] }) as { tid: string };
    const { rows } = await pool.query({
      name: 'contact',
      text,
      values: [claims.tid, ctx.path.slice(ctx.path.lastIndexOf('/') + 1)],
    });
    ctx.body = rows[0];
  })
  .listen(Number(PORT), '127.0.0.1');
