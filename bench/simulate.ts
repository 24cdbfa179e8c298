/**
 * `npm run bench:simulate -- --contacts 100000 --pairs 3`: a simulation of EMAIL, WAIT, CONDITION, SPLIT, SEGMENT over 30
 * days, compared to asking the same contacts once whether they meet the condition; and the longest time that it keeps
 * the event loop from others.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { connect, rows, sql, tenantEm } from '../db/orm.ts';
import { normaliseDefinition } from '../domain/campaign-definitions/definition.ts';
import { simulate } from '../domain/campaigns/simulation/simulate.ts';
import { evaluateFilter } from '../domain/membership/compile/evaluate.ts';
import type { Filter } from '../domain/membership/filter/filter.ts';
import { asService } from '../domain/audit/audit.ts';
import { createSegment } from '../domain/segments/segments.ts';
import { createTemplate } from '../domain/emails/templates/templates.ts';
import { claimSlot } from '../test/support/slot.ts';
import { onStack, printPairs } from './support/stack.ts';

const { values } = parseArgs({
  options: { contacts: { type: 'string', default: '100000' }, pairs: { type: 'string', default: '3' } },
});
const contacts = Number(values.contacts);
const TENANT = 'default';
const MAIL_FROM = 'Bench <bench@example.com>';

const opened: Filter = {
  op: 'and',
  conditions: [
    { field: 'status', operator: 'eq', value: 'active' },
    { event: 'EMAIL_OPENED', operator: 'atLeast', count: 1 },
  ],
};

/** Fills a list with contacts that have five events each. */
async function fill(owner: pg.Client, listId: number): Promise<void> {
  await owner.query(
    `insert into contacts (tenant_id, first_name, last_name, email, email_key, timezone)
    select $1::text, 'Given', 'Family', n || '@example.com', n || '@example.com', (array['Europe/Berlin', 'Asia/Tokyo', null])[1 + n % 3]
    from generate_series(1, $2::int) n`,
    [TENANT, contacts],
  );
  await owner.query(
    `insert into contact_activities (tenant_id, contact_id, type, occurred_at, event_id, data)
    select tenant_id, id, (array['EMAIL_OPENED', 'EMAIL_CLICKED', 'WEBSITE_VISITED'])[1 + n % 3], now() - n * interval '9 days', gen_random_uuid(), '{}'
    from contacts, generate_series(1, 5) n`,
  );
  await owner.query(
    'insert into segment_members (tenant_id, segment_id, contact_id) select tenant_id, $1::bigint, id from contacts',
    [listId],
  );
  await owner.query('vacuum analyze');
}

await onStack(1, async () => {
  const slot = await claimSlot();
  const orm = await connect(slot.env['DATABASE_URL']!, { poolMax: 4 });
  const owner = new pg.Client({ connectionString: slot.env['DATABASE_MIGRATION_URL'] });
  await owner.connect();
  try {
    const em = tenantEm(orm, TENANT);
    const list = async (name: string): Promise<number> =>
      (await createSegment(em, asService(TENANT), { name, type: 'static' })).segment.id;
    const [segmentId, engaged] = [await list('All'), await list('Engaged')];
    const { id: templateId } = await createTemplate(
      em,
      TENANT,
      { name: 'Bench', subject: 'Hello', content: '<p>Hello</p>' },
      MAIL_FROM,
    );
    await fill(owner, segmentId);
    const email = (id: string) => ({ id, type: 'EMAIL', config: { templateId } });
    const wait = (id: string, days: number) => ({ id, type: 'WAIT', config: { waitMinutes: days * 1440 } });
    const definition = normaliseDefinition({
      steps: [
        email('hello'),
        wait('week', 7),
        { id: 'opened', type: 'CONDITION', config: { if: opened, then: 'engaged', else: 'half' } },
        { id: 'engaged', type: 'SEGMENT', config: { action: 'add', listId: engaged } },
        {
          id: 'half',
          type: 'SPLIT',
          config: {
            branches: [
              { weight: 1, next: 'again' },
              { weight: 1, next: 'month' },
            ],
          },
        },
        email('again'),
        wait('month', 23),
        {
          id: 'is-engaged',
          type: 'CONDITION',
          config: { if: { field: 'listId', operator: 'eq', value: engaged }, else: null },
        },
        email('last'),
      ],
    });
    const plan = {
      tenantId: TENANT,
      campaignId: 1,
      definition,
      at: new Date(),
      assume: { openRate: 0.4, clickRate: 0.1, seed: 1 },
      mailFrom: MAIL_FROM,
    };
    const all = (
      await em.transactional((tx) => rows<{ id: number }>(tx, sql`select id from contacts order by id`))
    ).map(({ id }) => id);
    const pairs: [number, number][] = [];
    for (let pair = 0; pair < Number(values.pairs); pair += 1) {
      const began = performance.now();
      await em.transactional(async (tx) => {
        for (let from = 0; from < all.length; from += 5000)
          await evaluateFilter(tx, TENANT, opened, all.slice(from, from + 5000));
      });
      const reference = (performance.now() - began) / 1000;
      const delay = monitorEventLoopDelay({ resolution: 1 });
      delay.enable();
      const begin = performance.now();
      const result = await simulate(em, plan, { segmentId }, 100);
      const seconds = (performance.now() - begin) / 1000;
      delay.disable();
      if (result.ended.completed !== contacts) throw new Error(JSON.stringify(result.ended));
      const steps = result.volumes.reduce((sum, { count }) => sum + count, 0);
      console.log(
        `  ${contacts} contacts, ${steps} steps: ${seconds.toFixed(1)} s; the event loop is kept for at most ${(delay.max / 1e6).toFixed(0)} ms`,
      );
      pairs.push([contacts / seconds, contacts / reference]);
    }
    printPairs('contacts/s', 'simulated', 'one filter', pairs);
  } finally {
    await owner.end();
    await orm.close();
    await slot.release();
  }
});
