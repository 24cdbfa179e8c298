import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import pg from 'pg';
import { migrate } from '../../../db/migrate.ts';
import { connect, tenantEm, type Orm } from '../../../db/orm.ts';
import { readDashboard, readEmailAnalytics } from '../../../domain/analytics/dashboard.ts';
import { readPeriod } from '../../../domain/common/period.ts';
import { rollContacts } from '../../../domain/analytics/roll-contacts.ts';
import { claimSlot, type Slot } from '../../support/slot.ts';
import { until } from '../../support/until.ts';

let slot: Slot;
let admin: pg.Client;
beforeAll(async () => {
  slot = await claimSlot();
  admin = new pg.Client({ connectionString: slot.env['DATABASE_MIGRATION_URL'] });
  await admin.connect();
});
afterAll(async () => {
  await admin.end();
  await slot.release();
});

/** Gives the work an empty database, by the URL of its owner. */
async function withDatabase(work: (url: string) => Promise<void>): Promise<void> {
  const url = new URL(slot.env['DATABASE_MIGRATION_URL']!);
  const database = `${url.pathname.slice(1)}_old`;
  await admin.query(`create database ${database}`);
  url.pathname = `/${database}`;
  try {
    await work(url.href);
  } finally {
    await admin.query(`drop database if exists ${database} with (force)`);
  }
}

/**
 * Brings an empty database to the migration before one, has it filled, migrates the rest, and asks it. `fill` may
 * return what is to happen while it migrates.
 */
async function migratedAt(
  name: string,
  fill: (owner: pg.Client, url: string) => Promise<void | (() => Promise<void>)>,
  ask: (owner: pg.Client, url: string) => Promise<void>,
): Promise<void> {
  await withDatabase(async (url) => {
    const owner = new pg.Client({ connectionString: url });
    let orm: Orm | null = null;
    try {
      orm = await connect(url, { poolMax: 2 });
      const pending = (await orm.migrator.getPending()).map((migration) => migration.name);
      const at = pending.findIndex((one) => one.endsWith(name));
      assert.ok(at > 0);
      await orm.migrator.up({ to: pending[at - 1]! });
      await owner.connect();
      const meanwhile = await fill(owner, url);
      const ended = await Promise.allSettled([orm.migrator.up(), meanwhile?.()]);
      for (const one of ended) if (one.status === 'rejected') throw one.reason;
      await ask(owner, url);
    } finally {
      await owner.end();
      await orm?.close();
    }
  });
}

const user = (owner: pg.Client, tenantId: string) =>
  owner.query(
    `
  insert into users (tenant_id, username, username_key, email, email_key, first_name, last_name, password_hash, roles) values ($1, $1, $1, $1, $1, 'A', 'B', 'x', '{}')`,
    [tenantId],
  );
const sender = (owner: pg.Client, tenantId: string, email: string, key: string | null = null, seen = false) =>
  owner.query(
    `
  insert into email_senders (tenant_id, email, email_key, dkim_domain, dkim_selector, dkim_private_key, dkim_public_key, dkim_verified_at)
  values ($1, $2, lower($2::varchar), $3, 's', 'sealed', $4, $5)`,
    [tenantId, email, key && email.split('@')[1], key, seen ? '2030-01-01T00:00:00Z' : null],
  );
const template = (owner: pg.Client, tenantId: string, fromEmail: string, systemKey: string | null = null) =>
  owner.query(
    `
  insert into email_templates (tenant_id, name, subject, content, from_email, system_key) values ($1, 'T', 'T', 'T', $2, $3)`,
    [tenantId, fromEmail, systemKey],
  );
const senders = async (owner: pg.Client) =>
  (
    await owner.query<Record<string, unknown>>(`
  select tenant_id, email, verified_domain, dkim_verified_at is not null as seen, dkim_brought as brought, confirmed_at is not null as confirmed from email_senders order by tenant_id, email collate "C"`)
  ).rows.map((row) => Object.values(row).join(' '));

test('of several tenants, a sender keeps what its own key in the DNS has proved, and nothing else', async () => {
  await migratedAt(
    '_sender_proof',
    async (owner) => {
      for (const tenantId of ['one', 'two']) await user(owner, tenantId);
      await sender(owner, 'one', 'News@own.example', 'key-one', true);
      await sender(owner, 'one', 'unseen@own.example', 'key-two');
      await sender(owner, 'one', 'plain@own.example');
      // Both brought it along: the record says of neither that the domain is its.
      await sender(owner, 'one', 'x@shared.example', 'key-both', true);
      await sender(owner, 'two', 'x@shared.example', 'key-both', true);
      await template(owner, 'two', 'plain@own.example');
    },
    async (owner) => {
      assert.deepEqual(await senders(owner), [
        'one News@own.example own.example true false false',
        'one plain@own.example  false false false',
        'one unseen@own.example  false false false',
        'one x@shared.example  false true false',
        'two x@shared.example  false true false',
      ]);
      assert.deepEqual((await owner.query('select 1 from audit_log')).rows, []);
    },
  );
});

test('of one tenant, all that it mails from goes on, and the log says by what', async () => {
  await migratedAt(
    '_sender_proof',
    async (owner) => {
      await user(owner, 'default');
      await sender(owner, 'default', 'News@own.example', 'key-one', true);
      await sender(owner, 'default', 'plain@own.example');
      for (const from of [
        'PLAIN@own.example',
        'Team@other.example',
        'team@other.example',
        'no address',
        'grüße@other.example',
      ])
        await template(owner, 'default', from);
      await template(owner, 'default', 'system@other.example', 'reset_password');
    },
    async (owner) => {
      assert.deepEqual(await senders(owner), [
        'default News@own.example own.example true false true',
        'default Team@other.example  false false true',
        'default plain@own.example  false false true',
      ]);
      const { rows } = await owner.query<Record<string, unknown>>('select actor_type, action, after from audit_log');
      assert.deepEqual(
        rows,
        Array.from({ length: 3 }, () => ({
          actor_type: 'system',
          action: 'email_sender.confirmed',
          after: { by: 'upgrade' },
        })),
      );
    },
  );
});

test('forms are submitted while the indexes of submissions are built, also after a build that was interrupted', async () => {
  const submit = (client: pg.Client) =>
    client.query(
      `insert into form_submissions (tenant_id, form_id, submission_data, submitted_at) select 'default', id, '{}', now() from forms`,
    );
  await migratedAt(
    '_submission_ids',
    async (owner, url) => {
      await owner.query(`insert into forms (tenant_id, name, fields) values ('default', 'F', '[]')`);
      await owner.query('create index form_submissions_tenant_id_id_key on form_submissions (tenant_id)');
      // A transaction that goes on: the build waits for it, nobody else does.
      await owner.query('begin');
      await submit(owner);
      return async () => {
        const other = new pg.Client({ connectionString: url, statement_timeout: 10_000 });
        await other.connect();
        try {
          await until('the build waits', async () => {
            const { rowCount } = await other.query(
              `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query ~ 'form_submissions'`,
            );
            return rowCount! > 0;
          });
          await submit(other);
        } finally {
          await other.end();
          await owner.query('commit');
        }
      };
    },
    async (owner) => {
      const { rows } = await owner.query<{ name: string }>(
        `select indexrelid::regclass::text as name from pg_index where indrelid = 'form_submissions'::regclass and indisunique and indisvalid order by 1`,
      );
      assert.deepEqual(
        rows.map(({ name }) => name),
        ['form_submissions_pkey', 'form_submissions_request_key', 'form_submissions_tenant_id_id_key'],
      );
      assert.equal((await owner.query('select 1 from form_submissions')).rowCount, 2);
    },
  );
});

test('imports are undone while the index of what is left to undo is built', async () => {
  await migratedAt(
    '_owed_undo_index',
    async (owner, url) => {
      await owner.query('create index contact_import_kept_owed_idx on contact_import_kept (tenant_id)');
      // As an undo that goes on: the build waits for it, nobody else does.
      await owner.query('begin; lock table contact_import_kept in row exclusive mode');
      return async () => {
        const other = new pg.Client({ connectionString: url, statement_timeout: 10_000 });
        await other.connect();
        try {
          await until('the build waits', async () => {
            const { rowCount } = await other.query(
              `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query ~ 'contact_import_kept_owed_idx'`,
            );
            return rowCount! > 0;
          });
          await other.query('begin; lock table contact_import_kept in row exclusive mode; commit');
        } finally {
          await other.end();
          await owner.query('commit');
        }
      };
    },
    async (owner) => {
      const { rows } = await owner.query<{ definition: string }>(
        `select pg_get_indexdef(indexrelid) as definition from pg_index where indexrelid = 'contact_import_kept_owed_idx'::regclass and indisvalid`,
      );
      assert.match(rows[0]!.definition, /\(tenant_id, contact_id\) WHERE \(owed IS NOT NULL\)$/);
    },
  );
});

test('events of webhooks are written while their indexes wait for who has written before', async () => {
  await migratedAt(
    '_webhook_lists',
    async (owner, url) => {
      // As an erasure that goes on.
      await owner.query('begin');
      await owner.query('lock table webhook_events in row exclusive mode');
      return async () => {
        const other = new pg.Client({ connectionString: url, statement_timeout: 5_000 });
        await other.connect();
        const isWaiting = async (): Promise<boolean> => {
          const { rowCount } = await other.query(
            `select 1 from pg_locks where relation = 'webhook_events'::regclass and not granted`,
          );
          return rowCount! > 0;
        };
        try {
          await until('the index waits', isWaiting);
          await other.query('begin; lock table webhook_events in row exclusive mode; commit');
          await until('it tries again', isWaiting);
        } finally {
          await other.end();
          await owner.query('commit');
        }
      };
    },
    async (owner) => {
      const { rows } = await owner.query<{ name: string; valid: boolean; whole: boolean }>(`
        select c.relname as name, x.indisvalid as valid,
          (select count(*) from pg_inherits i where i.inhparent = x.indrelid) = (select count(*) from pg_inherits i where i.inhparent = c.oid) as whole
        from pg_index x join pg_class c on c.oid = x.indexrelid
        where c.relname in ('webhook_events_tenant_idx', 'webhook_deliveries_failed_idx', 'webhook_deliveries_event_idx') order by 1`);
      assert.deepEqual(
        rows,
        ['webhook_deliveries_event_idx', 'webhook_deliveries_failed_idx', 'webhook_events_tenant_idx'].map((name) => ({
          ...{ name, valid: true, whole: true },
        })),
      );
    },
  );
});

test('figures from before are those of all grains, and contacts are known from what they did', async () => {
  const at = '2026-05-05T10:05:00Z';
  await migratedAt(
    '_analytics_events',
    async (owner) => {
      const windows = [
        ['emails_sent', '', 0, 3],
        ['emails_sent', 'template', 7, 2],
        ['opens', '', 0, 2],
        ['opens', 'template', 7, 2],
        ['submissions', '', 0, 1],
        ['score_changes', '', 0, 9],
      ] as const;
      for (const [metric, dimension, id, count] of windows)
        await owner.query(
          `insert into analytics_windows (tenant_id, metric, dimension, dimension_id, at, count) values ('default', $1, $2, $3, $4, $5)`,
          [metric, dimension, id, at, count],
        );
      await owner.query(
        `insert into contacts (tenant_id, first_name, last_name, email, email_key) values ('default', 'A', 'B', 'a@example.com', 'a@example.com')`,
      );
      await owner.query(
        `insert into emails (tenant_id, send_key, template_id, lane, contact_id, sent_at) select 'default', 'k', 7, 'bulk', id, $1 from contacts`,
        [at],
      );
      await owner.query(
        `insert into contact_activities (tenant_id, contact_id, type, occurred_at, event_id, automated, data)
         select 'default', id, 'EMAIL_OPENED', $1, gen_random_uuid(), false, '{"emailId": 1, "templateId": 7}' from contacts`,
        [at],
      );
      // The contact that there is, and one that was deleted, which also converted.
      await owner.query(
        `insert into analytics_contact_windows (tenant_id, metric, at, contact_id)
         select 'default', 'mailed', $1::timestamptz, id from contacts union all select 'default', metric, $1, 99 from unnest(array['mailed', 'converted']) metric`,
        [at],
      );
    },
    async (owner, url) => {
      const orm = await connect(url);
      try {
        const read = async (from: string, to: string) => {
          const period = readPeriod({ from, to }, new Date());
          const { emails, conversions } = await readDashboard(tenantEm(orm, 'default'), period);
          const { byTemplate } = await readEmailAnalytics(tenantEm(orm, 'default'), period);
          return [
            [
              emails.sent,
              emails.opens,
              emails.contactsOpened,
              conversions.total,
              conversions.contacts,
              conversions.rate,
            ],
            byTemplate.map(({ templateId, sent, contactsOpened }) => [templateId, sent, contactsOpened]),
          ];
        };
        const expected = [[3, 2, 1, 1, 1, 0.5], [[7, 2, 1], [null, 1, 0]]]; // prettier-ignore
        for (const when of ['before sets are made', 'after']) {
          assert.deepEqual(await read('2026-05-05T10:05:00Z', '2026-05-05T10:10:00Z'), expected, when);
          assert.deepEqual(await read('2026-05-05T10:00:00Z', '2026-05-05T12:00:00Z'), expected, when);
          assert.deepEqual(await read('2026-05-01T00:00:00Z', '2026-06-01T00:00:00Z'), expected, when);
          assert.deepEqual(await read('2026-05-05T10:10:00Z', '2026-06-01T00:00:00Z'), [[0, 0, 0, 0, 0, 0], []], when);
          await rollContacts(orm);
        }
        const { rows } = await owner.query(
          `select tableoid::regclass::text as partition, count(*)::int as n from analytics_events group by 1`,
        );
        assert.deepEqual(rows, [{ partition: 'analytics_events_202605', n: 4 }]);
      } finally {
        await orm.close();
      }
    },
  );
});

test('processes that are started together migrate once', async () => {
  await withDatabase(async (url) => {
    const [one, two] = await Promise.all([1, 2].map(() => migrate(url, slot.env['DATABASE_URL']!)));
    assert.ok(one!.length + two!.length > 30);
    assert.ok(one!.length === 0 || two!.length === 0);
  });
});
