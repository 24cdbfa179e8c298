/**
 * `npm run bench:neighbours -- --seconds 20 --pairs 3`: how long another tenant waits for a mail, a password reset, a
 * step of a journey, a text, a report, an import, the test of a webhook and `GET /auth/profile`, alone and with each
 * attack of one tenant beside it: p50 and p99 of all pairs, which alternate, and the ratios. `--only <name>` runs one
 * attack, `--scale 0.2` a fifth of what each attack does. Wanted: p99 at most three times as long as alone.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { engineEm, rows, sql } from '../db/orm.ts';
import { apiAt, type Api } from '../test/support/call-api.ts';
import { startEndpoint } from '../test/support/endpoint.ts';
import { startService, type Service } from '../test/support/service.ts';
import { until } from '../test/support/until.ts';
import { newMember } from '../test/support/users.ts';
import { startApiProcess } from '../test/support/api-process.ts';
import { endProcess, startWorker } from './support/processes.ts';
import { onStack } from './support/stack.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '20' },
    pairs: { type: 'string', default: '3' },
    scale: { type: 'string', default: '1' },
    only: { type: 'string' },
  },
});
const scaled = (count: number): number => Math.max(1, Math.round(count * Number(values.scale)));
const PAUSE_MS = 100;
const L = (k: number): string =>
  `{% for i in (1..${k}) %}{% for j in (1..100) %}{% assign a = j %}{% endfor %}{% endfor %}`;

interface Tenant {
  id: string;
  call: Api;
  email: string;
}
interface World {
  service: Service;
  url: string;
  /** Of a provider that answers at once. */
  gateway: string;
  /** Of a host that never answers. */
  silent: string;
}

async function newNeighbour({ service, url }: World): Promise<Tenant> {
  const member = await newMember(service.api);
  const call = apiAt(url, () => member.token);
  const { body } = await call('GET', '/auth/profile');
  return { id: body.tenantId as string, call, email: member.user.email as string };
}
async function make({ call }: Tenant, path: string, body: object): Promise<number> {
  const answer = await call('POST', path, body);
  if (answer.status > 202) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body.id as number;
}
const httpProvider = (url: string, body: object) => ({
  ...{ name: 'Gateway', channel: 'sms', type: 'http' },
  config: { url, body, idPath: 'id' },
});

const many = <T>(count: number, one: (n: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => one(n)));

/** A file of contacts as the body of an import. */
function fileOf(name: string, people: number): FormData {
  const lines = Array.from({ length: people }, (_, n) => `First${n},Last,${name}-${n}@example.com`);
  const form = new FormData();
  form.set('file', new Blob([`firstName,lastName,email\n${lines.join('\n')}\n`]), `${name}.csv`);
  return form;
}
const REPORT = { name: 'Monthly', type: 'emails', format: 'pdf' };

/** An attack: prepares it, and returns what is done as soon as what was done before is over. */
type Attack = (world: World, tenant: Tenant) => Promise<() => Promise<unknown>>;
const BOOM = `{% if text contains 'BOOM' %}${L(300)}{% endif %}`;
const fiftyFields = (value: string) => Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`f${n}`, value]));
const SLOW_CONTENT = `{% if email contains "@" %}${L(900)}{% endif %}<p>Hello</p>`;

const contactsOf = (tenant: Tenant, count: number): Promise<number[]> =>
  many(count, (n) =>
    make(tenant, '/contacts', { firstName: 'A', lastName: 'B', email: `${tenant.id}-${n}@example.org` }),
  );

const ATTACKS: Record<string, Attack> = {
  'texts of a provider with 50 slow fields': async ({ gateway }, tenant) => {
    await make(tenant, '/channels/providers', httpProvider(gateway, fiftyFields(BOOM)));
    return () =>
      many(scaled(45), (n) =>
        tenant.call('POST', '/channels/sms/send', { to: '+15005550006', body: `BOOM ${n}`, category: 'transactional' }),
      );
  },
  'saving such providers':
    async ({ gateway }, tenant) =>
    () =>
      many(scaled(10), () => tenant.call('POST', '/channels/providers', httpProvider(gateway, fiftyFields(L(300))))),
  'an email campaign of 200 with a slow template': async (_, tenant) => {
    const templateId = await make(tenant, '/emails/templates', {
      ...{ name: 'Slow', subject: 'Slow', category: 'marketing', content: SLOW_CONTENT },
    });
    const listId = await make(tenant, '/contacts/lists', {
      name: 'All',
      contactIds: await contactsOf(tenant, scaled(200)),
    });
    return async () => {
      const id = await make(tenant, '/emails/campaigns', {
        name: 'Slow',
        templateId,
        listId,
        scheduleType: 'immediate',
      });
      const sent = await tenant.call('POST', `/emails/campaigns/${id}/send`);
      if (sent.status > 202) throw new Error(JSON.stringify(sent.body));
    };
  },
  'NOTIFY steps with slow texts': async (_, tenant) => {
    const contactIds = await contactsOf(tenant, scaled(40));
    const config = { to: tenant.email, subject: 'S', body: `${L(600)}Hello` };
    return async () => {
      const id = await make(tenant, '/campaigns', { name: 'Journey', steps: [{ id: 'tell', type: 'NOTIFY', config }] });
      await tenant.call('POST', `/campaigns/${id}/start`, { contactIds });
    };
  },
  'previews of a slow push': async (_, tenant) => {
    const templateId = await make(tenant, '/channels/templates', {
      ...{ name: 'Slow', channel: 'push', title: 'T', body: `{% if email contains "@" %}${L(900)}{% endif %}Hello` },
    });
    const [contactId] = await contactsOf(tenant, 1);
    return () =>
      many(scaled(20), () => tenant.call('POST', `/channels/templates/${templateId}/preview`, { contactId }));
  },
  '120 reports': async (_, tenant) => () => many(scaled(120), () => tenant.call('POST', '/analytics/reports', REPORT)),
  '30 imports of 6,000 rows': async (_, tenant) => {
    let round = 0;
    return () => {
      round += 1;
      return many(scaled(30), (n) =>
        tenant.call('POST', '/contacts/import', fileOf(`${tenant.id}-${round}-${n}`, 6_000)),
      );
    };
  },
  '70 tests of a webhook that hangs': async ({ silent }, tenant) => {
    const id = await make(tenant, '/webhooks', { name: 'Silent', url: silent, types: ['CONTACT_CREATED'] });
    return () => many(scaled(70), () => tenant.call('POST', `/webhooks/${id}/test`, { type: 'CONTACT_CREATED' }));
  },
};

/** How much of what a tenant has asked for is not done. */
async function leftOf({ service }: World, { id }: Tenant): Promise<number> {
  const [found] = await engineEm(service.deps.orm).transactional((tx) =>
    rows<{ n: number }>(
      tx,
      sql`select (select count(*) from emails where tenant_id = ${id} and status in ('QUEUED', 'SENDING'))
        + (select count(*) from messages where tenant_id = ${id} and status in ('QUEUED', 'SENDING'))
        + (select count(*) from campaign_executions where tenant_id = ${id} and status = 'RUNNING')
        + (select count(*) from outbox_workflows where tenant_id = ${id}) as n`,
    ),
  );
  return Number(found!.n);
}

/** Makes what a neighbour asks for, and returns the request that is measured until it is done. */
type Need = () => Promise<() => Promise<unknown>>;

async function needs({ service, gateway }: World, tenant: Tenant): Promise<Record<string, Need>> {
  await make(tenant, '/channels/providers', httpProvider(gateway, { text: '{{text}}' }));
  const templateId = await make(tenant, '/emails/templates', {
    ...{ name: 'Plain', subject: 'Plain', category: 'transactional', content: '<p>Hello {{email}}</p>' },
  });
  const steps = [{ id: 'score', type: 'SCORE', config: { points: 1, reason: 'bench' } }];
  const contactId = await make(tenant, '/contacts', { firstName: 'A', lastName: 'B', email: tenant.email });
  const webhookId = await make(tenant, '/webhooks', { name: 'CRM', url: gateway, types: ['CONTACT_CREATED'] });
  let n = 0;
  const arrived = (what: string, to: string, since: number) =>
    until(what, () => service.sink.mails.slice(since).some((mail) => mail.to[0] === to), 120_000);
  const becomes = (what: string, path: string, status: string) =>
    until(what, async () => (await tenant.call('GET', path)).body.status === status, 120_000);
  return {
    mail: async () => async () => {
      const to = `plain${(n += 1)}@example.org`;
      const since = service.sink.mails.length;
      await tenant.call('POST', '/emails/send', { templateId, to });
      await arrived('the mail', to, since);
    },
    reset: async () => {
      // Of a new user each time: an address gets few of them.
      const member = await newMember(service.api);
      const since = service.sink.mails.length;
      return async () => {
        await tenant.call('POST', '/auth/forgot-password', { email: member.user.email });
        await arrived('the reset', member.user.email as string, since);
      };
    },
    step: async () => {
      const id = await make(tenant, '/campaigns', { name: `Journey ${(n += 1)}`, steps });
      return async () => {
        await tenant.call('POST', `/campaigns/${id}/start`, { contactIds: [contactId] });
        await until(
          'the step',
          async () => (await tenant.call('GET', `/campaigns/${id}/executions`)).body.data[0]?.status === 'COMPLETED',
        );
      };
    },
    text: async () => async () => {
      const { body } = await tenant.call('POST', '/channels/sms/send', {
        ...{ to: '+15005550007', body: `Hello ${(n += 1)}`, category: 'transactional' },
      });
      await becomes('the text', `/channels/messages/${body.messageId}`, 'SENT');
    },
    report: async () => async () => {
      const id = await make(tenant, '/analytics/reports', REPORT);
      await becomes('the report', `/analytics/reports/${id}`, 'COMPLETED');
    },
    import: async () => {
      const file = fileOf(`one-${(n += 1)}`, 1);
      return async () => {
        const { body } = await tenant.call('POST', '/contacts/import', file);
        await becomes('the import', `/contacts/imports/${body.id}`, 'COMPLETED');
      };
    },
    webhook: async () => async () => {
      const { body } = await tenant.call('POST', `/webhooks/${webhookId}/test`, { type: 'CONTACT_CREATED' });
      if (body.outcome !== undefined && body.statusCode !== 200) console.log('the test of a webhook:', body);
    },
    profile: async () => () => tenant.call('GET', '/auth/profile'),
  };
}

const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;

type Times = Map<string, number[]>;

/** Measures each need again and again for some seconds; adds how long each took (ms). */
async function measure(of: Record<string, Need>, times: Times): Promise<void> {
  const end = performance.now() + Number(values.seconds) * 1_000;
  await Promise.all(
    Object.entries(of).map(async ([name, prepare]) => {
      const took = times.get(name) ?? [];
      times.set(name, took);
      do {
        const need = await prepare();
        const begun = performance.now();
        await need();
        took.push(performance.now() - begun);
        await delay(PAUSE_MS);
      } while (performance.now() < end);
    }),
  );
}

/** Measures while a tenant attacks, and then lets what it has begun come to its end. */
async function measureBeside(world: World, tenant: Tenant, strike: () => Promise<unknown>, work: () => Promise<void>) {
  let isOver = false;
  const attacking = (async () => {
    while (!isOver)
      if ((await leftOf(world, tenant)) === 0) await strike();
      else await delay(200);
  })();
  try {
    await work();
  } finally {
    isOver = true;
    await attacking;
    await until('the attack is over', async () => (await leftOf(world, tenant)) === 0, 600_000);
  }
}

function print(name: string, alone: Times, beside: Times): void {
  console.log(name);
  for (const [need, took] of beside) {
    const [ours, reference] = [took, alone.get(need)!].map((all) => [...all].sort((a, b) => a - b));
    const figures = [0.5, 0.99].map((share) => [at(reference!, share), at(ours!, share)] as const);
    const [p50, p99] = figures.map(
      ([a, b]) => `${a.toFixed(0)} alone, ${b.toFixed(0)} ms beside, ${(b / a).toFixed(2)} times`,
    );
    console.log(`  ${need}: p50 ${p50}; p99 ${p99} (${reference!.length} and ${ours!.length})`);
  }
}

await onStack(1, async () => {
  const service = await startService({
    env: { OUTBOUND_ALLOW: '127.0.0.1/32', ENABLE_MULTI_TENANT: 'true', ENABLE_RATE_LIMITING: 'false' },
  });
  const api = await startApiProcess(service);
  const worker = startWorker(service, 'temporal,intake,relay,consumers,senders');
  const gateway = await startEndpoint([{ status: 200, body: '{"id":"a"}' }]);
  const silent = await startEndpoint([null]);
  const world = { service, url: api.url, gateway: gateway.url, silent: silent.url };
  try {
    const of = await needs(world, await newNeighbour(world));
    // What is slow the first time is no neighbour's fault.
    await measure(of, new Map());
    for (const [name, attack] of Object.entries(ATTACKS)) {
      if (values.only !== undefined && !name.includes(values.only)) continue;
      const tenant = await newNeighbour(world);
      const strike = await attack(world, tenant);
      const [alone, beside]: [Times, Times] = [new Map(), new Map()];
      for (let pair = 0; pair < Number(values.pairs); pair += 1) {
        await measure(of, alone);
        await measureBeside(world, tenant, strike, () => measure(of, beside));
      }
      print(name, alone, beside);
    }
  } finally {
    await endProcess(worker);
    await api.end('SIGKILL');
    await service.stop();
    await gateway.close();
    await silent.close();
  }
});
