import assert from 'node:assert/strict';
import pg from 'pg';
import { afterAll, beforeAll, test } from '@jest/globals';
import { renderMessage } from '../../../domain/channels/content/render-message.ts';
import { sql } from '../../../db/orm.ts';
import { channelsOf } from '../../support/channels.ts';
import { startEndpoint, type EndpointAnswer } from '../../support/endpoint.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

const CONNECTIONS = 8;
const ACCEPTED: EndpointAnswer = { status: 200, body: '{"id":"a"}' };

let service: Service;
let query: ReturnType<typeof channelsOf>['engine'];
beforeAll(async () => {
  const env = { OUTBOUND_ALLOW: '127.0.0.1/32', MESSAGE_CONNECTIONS: String(CONNECTIONS) };
  service = await startService({ worker: ['senders'], env });
  query = channelsOf(service).engine;
});
afterAll(() => service.stop());

const addProvider = (tenant: string, url: string) =>
  query(sql`insert into channel_providers (tenant_id, name, channel, type, config)
    values (${tenant}, 'Gateway', 'sms', 'http', ${JSON.stringify({ url, body: { to: '{{to}}' } })}::jsonb)`);
/** Queues texts to numbers at once, behind the API. */
const queue = (tenant: string, count: number, body = 'Hi') =>
  query(sql`
    with m as (
      insert into messages (tenant_id, send_key, channel, category, to_address, status, content)
      select ${tenant}, 'fair/' || gen_random_uuid(), 'sms', 'transactional', '+442079461' || lpad(n::text, 3, '0'), 'QUEUED',
        ${JSON.stringify({ body })}::jsonb
      from generate_series(1, ${count}::int) n returning id)
    insert into message_sends (tenant_id, message_id, type, lane) select ${tenant}, id, 'sms', 'transactional' from m`);
const count = async (tenant: string, status: string): Promise<number> => {
  const [found] = await query<{ n: number }>(
    sql`select count(*) as n from messages where tenant_id = ${tenant} and status = ${status}`,
  );
  return found!.n;
};
const areSent = (tenant: string, n: number) =>
  until(`${n} of ${tenant} are sent`, async () => {
    const ended = await query(
      sql`select status, reason from messages where tenant_id = ${tenant} and reason is not null`,
    );
    assert.deepEqual(ended, []);
    return (await count(tenant, 'SENT')) === n;
  });
/** An answer that is not given before `give` is called. */
function heldAnswer(): { answer: EndpointAnswer; give: () => void } {
  let give = (): void => {};
  const given = new Promise<void>((resolve) => (give = resolve));
  return { answer: { ...ACCEPTED, before: () => given }, give };
}

/**
 * A template that takes about 45 ms of CPU time: a tenant with such is slow, and the limit of a template, 250 ms by the
 * clock, is not reached on a machine with five times as much work as processors.
 */
function slowTemplate(): string {
  const loop = (n: number) => `{% for i in (1..${n}) %}{% if false %}{{ i }}{% endif %}{% endfor %}Hi`;
  const [turns, wanted] = [20_000, 45];
  const render = (): number => {
    const before = process.threadCpuUsage();
    const context = {
      ...{ contact: null, address: '', data: null, base: 'https://p.example/r', optOutText: null, codes: {} },
      links: { publicUrl: 'https://p.example', linkSecret: service.deps.env.LINK_SECRET },
      owner: { tenantId: 'heavy', contactId: null, at: new Date() },
    };
    renderMessage({ channel: 'sms', body: loop(turns), smartEncoding: true }, context);
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000;
  };
  const fastest = Math.min(...Array.from({ length: 5 }, render));
  return loop(Math.round((turns * wanted) / fastest));
}

test('a provider of which nothing is known gets one text, however many wait: its answer may leave it in doubt', async () => {
  const moved = await startEndpoint([{ status: 303, headers: { location: '/sent' } }]);
  await addProvider('moved', moved.url);
  await queue('moved', 60);
  await until('one is in doubt', async () => (await count('moved', 'UNKNOWN')) === 1);
  await until('all others were put off', async () => {
    const [waiting] = await query<{ n: number }>(
      sql`select count(*) as n from message_sends where tenant_id = 'moved' and status = 'QUEUED' and next_attempt_at > updated_at`,
    );
    return waiting!.n === 59;
  });
  assert.equal(moved.received.length, 1);
  await moved.close();
});

test('a start that fails while its provider is tried leaves the provider usable', async () => {
  const gateway = await startEndpoint([ACCEPTED]);
  await addProvider('tried', gateway.url);
  const owner = new pg.Client({ connectionString: service.slot.env['DATABASE_MIGRATION_URL']! });
  await owner.connect();
  const starting = `select pid from pg_locks where relation = 'message_links'::regclass and not granted`;
  await owner.query('begin');
  await owner.query('lock table message_links in exclusive mode');
  await queue('tried', 1);
  await until('the start waits', async () => (await query(sql.raw(starting))).length > 0);
  await owner.query(`select pg_terminate_backend(pid) from (${starting}) s`);
  await owner.query('rollback');
  await owner.end();
  await areSent('tried', 1);
  assert.equal(gateway.received.length, 1);
  await gateway.close();
});

test('a tenant whose provider does not answer leaves connections to others', async () => {
  const held = heldAnswer();
  const [silent, prompt] = [await startEndpoint([ACCEPTED, held.answer]), await startEndpoint([ACCEPTED])];
  await addProvider('silent', silent.url);
  await addProvider('prompt', prompt.url);
  await queue('silent', 1);
  await areSent('silent', 1);
  await queue('silent', 100);
  await until('it has all connections that it may have', () => silent.received.length >= CONNECTIONS - 1);
  await queue('prompt', 40);
  await areSent('prompt', 40);
  assert.equal(await count('silent', 'SENT'), 1);
  held.give();
  await areSent('silent', 101);
  await Promise.all([silent.close(), prompt.close()]);
});

test('while templates of a tenant take long, answers to others are read', async () => {
  const held = heldAnswer();
  const [heavy, quick] = [await startEndpoint([ACCEPTED]), await startEndpoint([ACCEPTED, held.answer, ACCEPTED])];
  await addProvider('heavy', heavy.url);
  await addProvider('quick', quick.url);
  await queue('quick', 1);
  await areSent('quick', 1);
  await queue('quick', 1);
  await until('its answer is waited for', () => quick.received.length === 2);
  await queue('heavy', 60, slowTemplate());
  await until('the first is rendered', () => heavy.received.length > 0);
  await queue('quick', 5);
  held.give();
  await areSent('quick', 7);
  assert.ok((await count('heavy', 'QUEUED')) > 0, 'templates were still being rendered');
  await until('the others are rendered', async () => (await count('heavy', 'QUEUED')) === 0);
  await Promise.all([heavy.close(), quick.close()]);
});

test('what slow tenants have in hand together leaves room for others', async () => {
  const slow = ['slow-1', 'slow-2', 'slow-3', 'slow-4', 'slow-5', 'slow-6'];
  const gateway = await startEndpoint([ACCEPTED]);
  const template = slowTemplate();
  for (const tenant of [...slow, 'fast']) {
    await addProvider(tenant, gateway.url);
    // Several, because one render that takes long says little.
    await queue(tenant, 8, tenant === 'fast' ? 'Hi' : template);
    await areSent(tenant, 8);
  }
  for (const tenant of slow) await queue(tenant, 6, template);
  await until('they have what they may have in hand', async () => {
    const [inHand] = await query<{ n: number }>(
      sql`select count(*) as n from message_sends where tenant_id like 'slow-%' and holder is not null`,
    );
    return inHand!.n > 3;
  });
  await queue('fast', 3);
  await areSent('fast', 11);
  const waiting = await Promise.all(slow.map((tenant) => count(tenant, 'QUEUED')));
  assert.ok(waiting.reduce((sum, n) => sum + n) > 12, `they were not waited for: ${waiting.join(', ')} are left`);
  for (const tenant of slow) await areSent(tenant, 14);
  await gateway.close();
});

test('what others have in hand does not keep a tenant from being leased', async () => {
  const held = heldAnswer();
  const tenants = ['many-1', 'many-2', 'many-3'];
  const gateways = await Promise.all(tenants.map(() => startEndpoint([ACCEPTED, held.answer])));
  const quick = await startEndpoint([ACCEPTED]);
  for (const [n, tenant] of tenants.entries()) await addProvider(tenant, gateways[n]!.url);
  await addProvider('one', quick.url);
  for (const tenant of [...tenants, 'one']) {
    await queue(tenant, 1);
    await areSent(tenant, 1);
  }
  // Together more than half of what a process has in hand, and none of them has all.
  for (const tenant of tenants) await queue(tenant, 8);
  await until('they are in hand', async () => {
    const [inHand] = await query<{ n: number }>(
      sql`select count(*) as n from message_sends where tenant_id like 'many-%' and holder is not null`,
    );
    return inHand!.n === 24;
  });
  await queue('one', 2);
  const areInHand = async () => {
    const [inHand] = await query<{ n: number }>(
      sql`select count(*) as n from message_sends where tenant_id = 'one' and (holder is not null or status = 'SENT')`,
    );
    return inHand!.n === 3;
  };
  await until('those of the other tenant are in hand too', areInHand, 10_000);
  held.give();
  for (const tenant of tenants) await areSent(tenant, 9);
  await areSent('one', 3);
  await Promise.all([...gateways, quick].map((endpoint) => endpoint.close()));
});
