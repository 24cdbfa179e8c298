import { partsOf } from '../../../lib/checks/schema-check.ts';
import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import pg from 'pg';
import type { TSchema } from 'typebox';
import { requestExample } from '../../../api/route/examples.ts';
import { seededRandom } from '../../../dev/demo/random.ts';
import { routesWhere } from '../../support/routes.ts';
import { columnsOf, insertRow, tenantTables } from '../../support/database/schema-rows.ts';
import { startService, type Service } from '../../support/service.ts';
import { newMember, type Member } from '../../support/users.ts';
import type { RouteSpec } from '../../../api/route/route.ts';

const OPERATIONS = 200;
/** Stands in every text of both tenants' data, with the tenant's number: nobody sees the other's. */
const MARKS = ['Zebra-One', 'Zebra-Two'] as const;

let service: Service;
let owner: pg.Client;
let tables: string[];
let members: [Member, Member];

beforeAll(async () => {
  service = await startService({ env: { ENABLE_MULTI_TENANT: 'true' } });
  owner = new pg.Client({ connectionString: service.slot.env['DATABASE_MIGRATION_URL']! });
  await owner.connect();
  tables = await tenantTables(owner);
  members = [await newMember(service.api), await newMember(service.api)];
  await fill(members[0], MARKS[0]);
  // The second tenant's ids are none of the first's, whatever they are ids of.
  await owner.query(
    `select setval(oid::regclass, 1000000) from pg_class where relkind = 'S' and relnamespace = 'public'::regnamespace`,
  );
  await fill(members[1], MARKS[1]);
});
afterAll(async () => {
  await owner.end();
  await service.stop();
});

/** One of everything that the API makes, in a member's tenant. */
async function fill({ token, user }: Member, mark: string): Promise<void> {
  const make = async (path: string, body: unknown): Promise<number> => {
    const answer = await service.api('POST', path, body, { token });
    assert.ok(answer.status < 300, `${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return (answer.body.id ?? answer.body.emailId) as number;
  };
  const companyId = await make('/contacts/companies', { name: mark });
  const contactId = await make('/contacts', {
    firstName: mark,
    lastName: mark,
    email: `${mark.toLowerCase()}@example.com`,
    companyId,
  });
  await make('/contacts/custom-fields', { entity: 'company', name: mark.replace('-', ''), type: 'string' });
  const leaving = await make('/contacts', {
    firstName: mark,
    lastName: mark,
    email: `${mark.toLowerCase()}-leaves@example.com`,
  });
  await make(`/contacts/${leaving}/erase`, undefined);
  const listId = await make('/contacts/lists', { name: mark });
  await make('/contacts/segments', { name: mark, type: 'dynamic', filter: { field: 'email', operator: 'exists' } });
  const topicId = await make('/emails/topics', { name: mark });
  const templateId = await make('/emails/templates', { name: mark, subject: mark, content: `<p>${mark}</p>`, topicId });
  await make('/emails/send', { templateId, recipientId: contactId });
  await make('/emails/suppressions', { email: `${mark.toLowerCase()}-suppressed@example.com` });
  await make('/emails/campaigns', { name: mark, templateId, listId, scheduleType: 'immediate' });
  await make('/emails/campaigns', { name: mark, templateId, listId });
  await make('/emails/senders', { email: `${mark.toLowerCase()}-news@example.com`, name: mark, dkim: {} });
  const campaignId = await make('/campaigns', {
    name: mark,
    steps: [{ id: 'one', type: 'EMAIL', config: { templateId } }],
  });
  await service.api('POST', `/campaigns/${campaignId}/start`, { contactIds: [contactId] }, { token });
  await insertRow(owner, 'campaign_executions', await columnsOf(owner, 'campaign_executions'), {
    tenant_id: user.tenantId,
    campaign_id: campaignId,
    contact_id: contactId,
  });
  for (const job of ['campaign_simulations', 'campaign_migrations'])
    await insertRow(owner, job, await columnsOf(owner, job), { tenant_id: user.tenantId, campaign_id: campaignId });
  await make('/forms', { name: mark, fields: [{ name: 'email', label: mark, type: 'email', required: true }], listId });
  const ruleId = await make('/scoring/rules', { name: mark, eventType: 'EMAIL_OPENED', points: 1 });
  await insertRow(owner, 'scoring_replays', await columnsOf(owner, 'scoring_replays'), {
    tenant_id: user.tenantId,
    rule_id: ruleId,
  });
  await make('/scoring/thresholds', { name: mark, score: 50, action: { type: 'ADD_TO_LIST', listId } });
  const webhookId = await make('/webhooks', {
    name: mark,
    url: `https://example.com/${mark}`,
    types: ['*'],
    active: false,
  });
  await insertRow(owner, 'webhook_replays', await columnsOf(owner, 'webhook_replays'), {
    tenant_id: user.tenantId,
    endpoint_id: webhookId,
    status: 'COMPLETED',
  });
  await make('/channels/templates', { name: mark, channel: 'sms', body: mark });
  await make('/channels/providers', {
    ...{ name: mark, channel: 'sms', type: 'http' },
    config: { url: `https://example.com/${mark}`, body: { to: '{{to}}', text: '{{text}}' } },
  });
  await make('/channels/sms/send', { recipientId: contactId, body: mark, category: 'transactional' });
  await make('/channels/suppressions', { channel: 'push', address: `${mark.toLowerCase()}-pushed@example.com` });
  await make('/channels/push/sites', {
    ...{ name: mark, origins: [`https://${mark.toLowerCase()}.example.com`], subject: 'mailto:web@example.com' },
  });
  await make('/channels/push/subscriptions', { contactId, type: 'fcm', token: mark, platform: mark });
  await make('/analytics/reports', { name: mark, type: 'emails', format: 'csv' });
  await make('/auth/roles', { name: mark, permissions: ['contacts:read'] });
  await make('/auth/api-keys', { name: mark, permissions: ['contacts:read'] });
  await make('/auth/invitations', { email: `${mark.toLowerCase()}-invited@example.com` });
  const file = new FormData();
  file.set(
    'file',
    new Blob([`email,firstName,lastName\nimport-${mark.toLowerCase()}@example.com,${mark},${mark}\n`], {
      type: 'text/csv',
    }),
    `${mark}.csv`,
  );
  await make('/contacts/import', file);
}

/** What the segments of a path and the names of fields are ids of. */
const PATHS: [RegExp, string][] = [
  [/^\/contacts\/companies|^\/scoring\/companies/, 'companies'],
  [/^\/contacts\/imports/, 'contact_imports'],
  [/^\/contacts\/(segments|lists)|^\/segments/, 'segments'],
  [/^\/contacts\/custom-fields/, 'custom_fields'],
  [/^\/contacts\/erasures/, 'erasures'],
  [/^\/contacts|^\/scoring\/contacts/, 'contacts'],
  [/^\/emails\/templates/, 'email_templates'],
  [/^\/emails\/suppressions/, 'suppressions'],
  [/^\/emails\/campaigns/, 'email_campaigns'],
  [/^\/emails\/topics/, 'email_topics'],
  [/^\/emails\/senders/, 'email_senders'],
  [/^\/emails/, 'emails'],
  [/^\/campaigns\/executions/, 'campaign_executions'],
  [/^\/campaigns\/enrolments/, 'campaign_enrolments'],
  [/^\/campaigns\/simulations/, 'campaign_simulations'],
  [/^\/campaigns\/migrations/, 'campaign_migrations'],
  [/^\/campaigns/, 'campaigns'],
  [/^\/forms/, 'forms'],
  [/^\/scoring\/rules/, 'scoring_rules'],
  [/^\/scoring\/replays/, 'scoring_replays'],
  [/^\/scoring\/thresholds/, 'score_thresholds'],
  [/^\/analytics\/reports/, 'analytics_reports'],
  [/^\/webhooks\/replays/, 'webhook_replays'],
  [/^\/webhooks/, 'webhook_endpoints'],
  [/^\/channels\/templates/, 'channel_templates'],
  [/^\/channels\/providers/, 'channel_providers'],
  [/^\/channels\/suppressions/, 'channel_suppressions'],
  [/^\/channels\/push\/sites/, 'push_sites'],
  [/^\/channels\/push\/subscriptions/, 'push_subscriptions'],
  [/^\/channels/, 'messages'],
  [/^\/auth\/users/, 'users'],
  [/^\/auth\/roles/, 'roles'],
  [/^\/auth\/invitations/, 'invitations'],
  [/^\/auth\/api-keys/, 'api_keys'],
];
const FIELDS: Record<string, string> = {
  contactId: 'contacts',
  sourceId: 'contacts',
  contactIds: 'contacts',
  recipientId: 'contacts',
  companyId: 'companies',
  listId: 'segments',
  segmentId: 'segments',
  templateId: 'email_templates',
  topicId: 'email_topics',
  formId: 'forms',
  campaignId: 'campaigns',
  runId: 'analytics_report_runs',
  providerId: 'channel_providers',
  subscriptionId: 'push_subscriptions',
};

type Ids = Map<string, number[]>;

async function idsOf(tenantId: string): Promise<Ids> {
  const ids: Ids = new Map();
  for (const table of new Set([...PATHS.map(([, name]) => name), ...Object.values(FIELDS)])) {
    const { rows } = await owner.query<{ id: string }>(`select id from ${table} where tenant_id = $1`, [tenantId]);
    assert.ok(rows.length > 0, `${tenantId} has ${table}`);
    ids.set(
      table,
      rows.map((row) => Number(row.id)),
    );
  }
  return ids;
}

/** Everything that is a tenant's, as one text. */
async function allOf(tenantId: string): Promise<string> {
  const parts: string[] = [];
  for (const table of tables) {
    const { rows } = await owner.query<{ all: string | null }>(
      `select string_agg(t::text, chr(10) order by t::text) as all from "${table}" t where tenant_id = $1`,
      [tenantId],
    );
    parts.push(`${table}: ${rows[0]!.all ?? ''}`);
  }
  return parts.join('\n');
}

/** Ends the caller's own session or account, which is no matter of tenants. */
const LEFT_OUT = /^\/auth\/(logout|password|totp)/;
const callable = routesWhere((route) => route.access !== 'public' && !LEFT_OUT.test(route.path)).map(
  ({ route }) => route,
);

/** A request to a route with the other tenant's ids wherever an id belongs. */
function requestOf(route: RouteSpec, ids: Ids, pick: <T>(from: readonly T[]) => T): { path: string; body: unknown } {
  const some = (table: string): number => pick(ids.get(table)!);
  const withIds = (schema: TSchema | undefined, given: Record<string, unknown>): Record<string, unknown> => {
    const names = Object.keys(partsOf(schema).properties ?? {}).filter((name) => name in FIELDS);
    for (const name of names) {
      if (name in given || pick([true, false]))
        given[name] = name.endsWith('s') ? [some(FIELDS[name]!)] : some(FIELDS[name]!);
    }
    return given;
  };
  const table = PATHS.find(([path]) => path.test(route.path))?.[1];
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(some(FIELDS[name] ?? table!)));
  const query = new URLSearchParams(
    Object.entries(withIds(route.query, {})).map(([name, value]): [string, string] => [name, String(value)]),
  );
  const isJson = route.body !== undefined && (route.bodyTypes ?? ['json']).includes('json');
  return {
    path: `${path}?${query.toString()}`,
    body: isJson ? withIds(route.body, requestExample(route.body!) as Record<string, unknown>) : undefined,
  };
}

for (const [from, to] of [
  [0, 1],
  [1, 0],
] as const) {
  test(`${OPERATIONS} operations of ${MARKS[from]} with the ids of ${MARKS[to]} see nothing and change nothing`, async () => {
    const [mine, theirs] = [members[from], members[to]];
    const ids = await idsOf(theirs.user.tenantId as string);
    const before = await allOf(theirs.user.tenantId as string);
    const next = seededRandom(from + 1);
    const pick = <T>(choices: readonly T[]): T => choices[Math.floor(next() * choices.length)]!;
    // Every route once, and then whichever.
    const chosen = [
      ...callable,
      ...Array.from({ length: Math.max(0, OPERATIONS - callable.length) }, () => pick(callable)),
    ];
    let notFound = 0;
    for (const route of chosen) {
      const { path, body } = requestOf(route, ids, pick);
      const what = `${route.method} ${path} ${JSON.stringify(body)}`;
      const answer = await service.api(route.method, path, body, { token: mine.token });
      assert.ok(answer.status < 500 && answer.status !== 403, `${what}: ${answer.status}`);
      if (route.path.includes('{'))
        assert.ok([400, 404].includes(answer.status), `${what}: ${answer.status} ${JSON.stringify(answer.body)}`);
      if (answer.status === 404) notFound += 1;
      const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
      assert.ok(
        !text.includes(MARKS[to]) &&
          !text.includes(MARKS[to].toLowerCase()) &&
          !text.includes(theirs.user.tenantId as string),
        `${what}: ${text}`,
      );
    }
    assert.ok(notFound > OPERATIONS / 3, `${notFound} of ${chosen.length} were 404`);
    assert.equal(await allOf(theirs.user.tenantId as string), before);
  });
}
