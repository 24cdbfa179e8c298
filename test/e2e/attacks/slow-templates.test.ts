import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { engineEm, rows, sql } from '../../../db/orm.ts';
import { providerName } from '../../../domain/channels/providers/provider-health.ts';
import { renderTexts } from '../../../domain/emails/rendering/render-texts.ts';
import { queueEmails } from '../../../domain/emails/ledger/queue-emails.ts';
import { newTenant } from '../../support/accounts.ts';
import { apiAt, type Api } from '../../support/call-api.ts';
import { startEndpoint } from '../../support/endpoint.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import type { Member } from '../../support/users.ts';

/** Two nested loops of 100 x k assigns. */
const L = (k: number): string =>
  `{% for i in (1..${k}) %}{% for j in (1..100) %}{% assign a = j %}{% endfor %}{% endfor %}`;

let service: Service;
beforeAll(async () => {
  service = await startService({ worker: true, env: { OUTBOUND_ALLOW: '127.0.0.1/32' } });
});
afterAll(() => service.stop());

interface Tenant extends Member {
  id: string;
  call: Api;
}
async function tenant(): Promise<Tenant> {
  const member = await newTenant(service);
  const call = apiAt(service.url, () => member.token);
  const { body } = await call('GET', '/auth/profile');
  return { ...member, call, id: body.tenantId as string };
}
const engine = <T>(query: Parameters<typeof rows>[1]): Promise<T[]> =>
  engineEm(service.deps.orm).transactional((tx) => rows<T>(tx, query));

async function make({ call }: Tenant, path: string, body: object): Promise<number> {
  const answer = await call('POST', path, body);
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body.id as number;
}

/** A template of this size takes about so many milliseconds, of a thread's whole processor. */
function sizeOf(ms: number): number {
  const took = (k: number): number => {
    const begun = process.threadCpuUsage();
    renderTexts([{ source: L(k), most: 1 }], null);
    const { user, system } = process.threadCpuUsage(begun);
    return (user + system) / 1000;
  };
  took(100);
  return Math.ceil((100 * ms) / Math.min(took(100), took(100), took(100)));
}

/** How long this process, which is the API and the worker, was kept busy by one turn of its event loop (CPU time, ms). */
function watchLoop(): () => number {
  let last = process.threadCpuUsage();
  let longest = 0;
  const look = (): void => {
    const { user, system } = process.threadCpuUsage(last);
    longest = Math.max(longest, (user + system) / 1000);
    last = process.threadCpuUsage();
  };
  const timer = setInterval(look, 5);
  return () => {
    clearInterval(timer);
    return longest;
  };
}
/** What is rendered on an event loop may have so long, if nothing else stops it. */
const A_RENDER_MS = 250;

const statuses = async (table: 'messages' | 'emails', { id }: Tenant) =>
  Object.fromEntries(
    (
      await engine<{ status: string; n: number }>(
        sql`select status, count(*)::int as n from ${sql.table(table)} where tenant_id = ${id} group by status`,
      )
    ).map(({ status, n }) => [status, n]),
  );

test('texts of a provider whose body takes too long fail, and nobody else waits for them', async () => {
  const [attacker, other] = [await tenant(), await tenant()];
  const endpoint = await startEndpoint([{ status: 200, body: '{"id":"a"}' }]);
  const provider = (body: object) => ({
    ...{ name: 'Gateway', channel: 'sms', type: 'http', ratePerSecond: 1 },
    config: { url: endpoint.url, body, idPath: 'id' },
  });
  const boom = `{% if text contains 'BOOM' %}${L(sizeOf(40))}{% endif %}`;
  const fields = Array.from({ length: 50 }, (_, n) => [`f${n}`, boom]);
  const busy = watchLoop();
  const slow = await make(attacker, '/channels/providers', provider(Object.fromEntries(fields)));
  await make(other, '/channels/providers', provider({ text: '{{text}}' }));
  const text = async ({ call }: Tenant, body: string) => {
    const answer = await call('POST', '/channels/sms/send', { to: '+15005550006', body, category: 'transactional' });
    assert.equal(answer.status, 202, JSON.stringify(answer.body));
  };
  const COUNT = 8;
  for (let n = 0; n < COUNT; n += 1) await text(attacker, `BOOM ${n}`);
  await until('the first is over', async () => (await statuses('messages', attacker))['FAILED'] !== undefined);
  await text(other, 'Hello');
  await until('the text of the other is sent', async () => (await statuses('messages', other))['SENT'] === 1);
  assert.ok((await statuses('messages', attacker))['QUEUED']! > 0, 'they were not waited for');
  await until('all have failed', async () => (await statuses('messages', attacker))['FAILED'] === COUNT);
  const reasons = await engine(sql`select distinct reason from messages where tenant_id = ${attacker.id}`);
  assert.deepEqual(reasons, [{ reason: 'template_limit' }]);
  assert.equal(endpoint.received.length, 1);
  // They took nothing of the provider's rate.
  const rates = await engine(sql`select 1 from email_provider_rates where provider = ${providerName(slow)}`);
  assert.equal(rates.length, 0);
  const ms = busy();
  assert.ok(ms < A_RENDER_MS, `the event loop stood still for ${ms} ms`);
  await endpoint.close();
});

async function queueMails({ id }: Tenant, templateId: number, count: number): Promise<void> {
  await engineEm(service.deps.orm).transactional((tx) =>
    queueEmails(
      tx,
      id,
      Array.from({ length: count }, (_, n) => ({
        ...{ sendKey: `slow/${templateId}/${n}`, templateId, contactId: null, requestId: null, accepted: true },
        ...{ toAddress: `slow${n}@example.org`, lane: 'transactional' as const },
      })),
    ),
  );
}

test('emails of a slow template are sent, once each, and mail and resets of others do not wait for them', async () => {
  const [attacker, other] = [await tenant(), await tenant()];
  const COUNT = 15;
  const slow = await make(attacker, '/emails/templates', {
    ...{ name: 'Slow', category: 'transactional', subject: 'Slow' },
    content: `{% if email contains "slow" %}${L(sizeOf(60))}{% endif %}<p>Hello</p>`,
  });
  const plain = await make(other, '/emails/templates', {
    ...{ name: 'Plain', category: 'transactional', subject: 'Plain', content: '<p>Hello {{email}}</p>' },
  });
  const busy = watchLoop();
  await queueMails(attacker, slow, COUNT);
  await until('the first is sent', async () => (await statuses('emails', attacker))['SENT'] !== undefined);
  const mail = await other.call('POST', '/emails/send', { templateId: plain, to: 'plain@example.org' });
  assert.equal(mail.status, 202, JSON.stringify(mail.body));
  const forgot = await service.api('POST', '/auth/forgot-password', { email: other.user.email }, { token: null });
  assert.equal(forgot.status, 202);
  await until('they have arrived', () =>
    ['plain@example.org', other.user.email].every((to) => service.sink.mails.some((got) => got.to[0] === to)),
  );
  assert.equal((await other.call('GET', '/auth/profile')).status, 200);
  assert.ok((await statuses('emails', attacker))['QUEUED']! > 0, 'they were not waited for');
  await until('all are sent', async () => (await statuses('emails', attacker))['SENT'] === COUNT);
  const arrived = service.sink.mails.filter((got) => got.to[0]!.startsWith('slow')).map((got) => got.to[0]);
  assert.deepEqual([arrived.length, new Set(arrived).size], [COUNT, COUNT]);
  const ms = busy();
  assert.ok(ms < A_RENDER_MS, `the event loop stood still for ${ms} ms`);
});

test('an email that takes too long has failed, with the reason', async () => {
  const attacker = await tenant();
  const endless = await make(attacker, '/emails/templates', {
    ...{ name: 'Endless', category: 'transactional', subject: 'Endless' },
    content: `{% if email contains "slow" %}${L(1_000_000)}{% endif %}<p>Hello</p>`,
  });
  await queueMails(attacker, endless, 2);
  await until('they have failed', async () => (await statuses('emails', attacker))['FAILED'] === 2);
  const reasons = await engine(sql`select distinct reason from emails where tenant_id = ${attacker.id}`);
  assert.deepEqual(reasons, [{ reason: 'template_limit' }]);
});

test('NOTIFY steps with slow texts hold up no step of others', async () => {
  const [attacker, other] = [await tenant(), await tenant()];
  const COUNT = 12;
  const journey = async (who: Tenant, steps: object[], people: number) => {
    const contactIds: number[] = [];
    for (let n = 0; n < people; n += 1)
      contactIds.push(
        await make(who, '/contacts', { firstName: 'Ada', lastName: 'B', email: `person${n}@${who.id}.example` }),
      );
    const listId = await make(who, '/contacts/lists', { name: 'All', contactIds });
    const id = await make(who, '/campaigns', { name: 'Journey', steps });
    return { id, start: () => who.call('POST', `/campaigns/${id}/start`, { segmentId: listId }) };
  };
  const slow = { to: attacker.user.email, subject: 'Slow', body: `${L(sizeOf(60))}Hello` };
  const busy = watchLoop();
  const theirs = await journey(attacker, [{ id: 'tell', type: 'NOTIFY', config: slow }], COUNT);
  const ours = await journey(other, [{ id: 'score', type: 'SCORE', config: { points: 1, reason: 'r' } }], 1);
  const started = await theirs.start();
  assert.equal(started.status, 202, JSON.stringify(started.body));
  const done = async ({ id }: Tenant): Promise<number> =>
    (
      await engine<{ n: number }>(
        sql`select count(*)::int as n from campaign_executions where tenant_id = ${id} and status = 'COMPLETED'`,
      )
    )[0]!.n;
  await until('the first is told', async () => (await done(attacker)) > 0);
  assert.equal((await ours.start()).status, 202);
  await until('the step of the other is done', async () => (await done(other)) === 1);
  const before = await done(attacker);
  assert.ok(before < COUNT, 'they were not waited for');
  await until('all are done', async () => (await done(attacker)) === COUNT);
  const told = await engine<{ result: string; n: number }>(
    sql`select result, count(*)::int as n from campaign_step_executions where tenant_id = ${attacker.id} and step_id = 'tell' group by result`,
  );
  assert.deepEqual(told, [{ result: 'success', n: COUNT }]);
  const ms = busy();
  assert.ok(ms < A_RENDER_MS, `the event loop stood still for ${ms} ms`);
});
