/**
 * `npm run bench:neighbours -- --seconds 20`: how long another tenant waits for a mail, a password reset, a step of a
 * journey, a text and `GET /auth/profile`, alone and with each attack of one tenant beside it: p50 and p99, and the
 * ratio to alone in the same run. `--only <name>` runs one attack. Wanted: p99 at most three times as long as alone.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { newTenant } from '../test/support/accounts.ts';
import { apiAt, type Api } from '../test/support/call-api.ts';
import { startEndpoint } from '../test/support/endpoint.ts';
import { startService, type Service } from '../test/support/service.ts';
import { until } from '../test/support/until.ts';
import { startApiProcess } from '../test/support/api-process.ts';
import { endProcess, startWorker } from './support/processes.ts';
import { onStack } from './support/stack.ts';

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '20' }, only: { type: 'string' } },
});
const PAUSE_MS = 100;
const L = (k: number): string =>
  `{% for i in (1..${k}) %}{% for j in (1..100) %}{% assign a = j %}{% endfor %}{% endfor %}`;

interface Tenant {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- JSON of many shapes
  call: (method: string, path: string, body?: object) => Promise<{ status: number; body: any }>;
  email: string;
}
interface World {
  service: Service;
  url: string;
  gateway: string;
}

async function newNeighbour({ service, url }: World): Promise<Tenant> {
  const member = await newTenant(service);
  const api: Api = apiAt(url, () => member.token);
  return { call: (method, path, body) => api(method, path, body), email: member.user.email as string };
}
async function make({ call }: Tenant, path: string, body: object): Promise<number> {
  const answer = await call('POST', path, body);
  if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body.id as number;
}
const httpProvider = (url: string, body: object) => ({
  ...{ name: 'Gateway', channel: 'sms', type: 'http' },
  config: { url, body, idPath: 'id' },
});

/** An attack: prepares it, and returns what is done again and again until `isOver`. */
type Attack = (world: World, tenant: Tenant) => Promise<() => Promise<unknown>>;
const BOOM = `{% if text contains 'BOOM' %}${L(300)}{% endif %}`;
const fiftyFields = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`f${n}`, BOOM]));
const SLOW_CONTENT = `{% if email contains "@" %}${L(900)}{% endif %}<p>Hello</p>`;

const ATTACKS: Record<string, Attack> = {
  'texts of a provider with 50 slow fields': async ({ gateway }, tenant) => {
    await make(tenant, '/channels/providers', httpProvider(gateway, fiftyFields));
    const send = (n: number) =>
      tenant.call('POST', '/channels/sms/send', { to: '+15005550006', body: `BOOM ${n}`, category: 'transactional' });
    return () => Promise.all(Array.from({ length: 15 }, (_, n) => send(n)));
  },
  'saving such providers': async ({ gateway }, tenant) => {
    const body = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`f${n}`, L(300)]));
    return () =>
      Promise.all(
        Array.from({ length: 5 }, () => tenant.call('POST', '/channels/providers', httpProvider(gateway, body))),
      );
  },
  'emails of a slow template': async (_, tenant) => {
    const templateId = await make(tenant, '/emails/templates', {
      ...{ name: 'Slow', subject: 'Slow', category: 'transactional', content: SLOW_CONTENT },
    });
    const send = (n: number) => tenant.call('POST', '/emails/send', { templateId, to: `slow${n}@example.org` });
    return () => Promise.all(Array.from({ length: 40 }, (__, n) => send(n)));
  },
  'NOTIFY steps with slow texts': async (_, tenant) => {
    const contactIds: number[] = [];
    for (let n = 0; n < 40; n += 1)
      contactIds.push(await make(tenant, '/contacts', { firstName: 'A', lastName: 'B', email: `n${n}@example.org` }));
    const body = `${L(600)}Hello`;
    return async () => {
      const steps = [{ id: 'tell', type: 'NOTIFY', config: { to: tenant.email, subject: 'S', body } }];
      const id = await make(tenant, '/campaigns', { name: 'Journey', steps });
      await tenant.call('POST', `/campaigns/${id}/start`, { contactIds });
      await delay(2_000);
    };
  },
  'previews of a slow push': async (_, tenant) => {
    const templateId = await make(tenant, '/channels/templates', {
      ...{ name: 'Slow', channel: 'push', title: 'T', body: `{% if email contains "@" %}${L(900)}{% endif %}Hello` },
    });
    const contactId = await make(tenant, '/contacts', { firstName: 'A', lastName: 'B', email: 'push@example.org' });
    const preview = () => tenant.call('POST', `/channels/templates/${templateId}/preview`, { contactId });
    return () => Promise.all(Array.from({ length: 5 }, preview));
  },
};

/** What a neighbour waits for: each returns when it is there. */
async function needs({ service, gateway }: World, tenant: Tenant): Promise<Record<string, () => Promise<unknown>>> {
  await make(tenant, '/channels/providers', httpProvider(gateway, { text: '{{text}}' }));
  const templateId = await make(tenant, '/emails/templates', {
    ...{ name: 'Plain', subject: 'Plain', category: 'transactional', content: '<p>Hello {{email}}</p>' },
  });
  const steps = [{ id: 'score', type: 'SCORE', config: { points: 1, reason: 'bench' } }];
  const journey = await make(tenant, '/campaigns', { name: 'Journey', steps, entry: { reentry: 'always' } });
  const contactId = await make(tenant, '/contacts', { firstName: 'A', lastName: 'B', email: tenant.email });
  let n = 0;
  const arrived = (what: string, to: string, since: number) =>
    until(what, () => service.sink.mails.slice(since).some((mail) => mail.to[0] === to), 120_000);
  const score = async (): Promise<number> => (await tenant.call('GET', `/contacts/${contactId}`)).body.score as number;
  await tenant.call('POST', `/campaigns/${journey}/start`, { contactIds: [contactId] });
  return {
    mail: async () => {
      const to = `plain${(n += 1)}@example.org`;
      const since = service.sink.mails.length;
      await tenant.call('POST', '/emails/send', { templateId, to });
      await arrived('the mail', to, since);
    },
    reset: async () => {
      const since = service.sink.mails.length;
      // Of a new user each time: an address gets few of them.
      const member = await newTenant(service);
      await tenant.call('POST', '/auth/forgot-password', { email: member.user.email });
      await arrived('the reset', member.user.email as string, since);
    },
    step: async () => {
      const before = await score();
      const id = await make(tenant, '/campaigns', { name: `Journey ${(n += 1)}`, steps });
      await tenant.call('POST', `/campaigns/${id}/start`, { contactIds: [contactId] });
      await until('the step', async () => (await score()) > before, 120_000);
    },
    text: async () => {
      const { body } = await tenant.call('POST', '/channels/sms/send', {
        ...{ to: '+15005550007', body: `Hello ${(n += 1)}`, category: 'transactional' },
      });
      const path = `/channels/messages/${body.messageId}`;
      await until('the text', async () => (await tenant.call('GET', path)).body.status === 'SENT', 120_000);
    },
    profile: () => tenant.call('GET', '/auth/profile'),
  };
}

const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;

/** How long each need took, in the order of size (ms). */
async function measure(of: Record<string, () => Promise<unknown>>): Promise<Map<string, number[]>> {
  const end = performance.now() + Number(values.seconds) * 1_000;
  const took = await Promise.all(
    Object.entries(of).map(async ([name, need]): Promise<[string, number[]]> => {
      const times: number[] = [];
      while (performance.now() < end) {
        const begun = performance.now();
        await need();
        times.push(performance.now() - begun);
        await delay(PAUSE_MS);
      }
      return [name, times.sort((a, b) => a - b)];
    }),
  );
  return new Map(took);
}

await onStack(1, async () => {
  const service = await startService({
    env: { OUTBOUND_ALLOW: '127.0.0.1/32', ENABLE_MULTI_TENANT: 'true' },
  });
  const api = await startApiProcess(service);
  const worker = startWorker(service, 'temporal,intake,relay,consumers,senders');
  const gateway = await startEndpoint([{ status: 200, body: '{"id":"a"}' }]);
  const world = { service, url: api.url, gateway: gateway.url };
  try {
    const of = await needs(world, await newNeighbour(world));
    const alone = await measure(of);
    const print = (name: string, times: Map<string, number[]>) => {
      console.log(name);
      for (const [need, sorted] of times) {
        const ratios = [0.5, 0.99].map((share) => (at(sorted, share) / at(alone.get(need)!, share)).toFixed(1));
        const figures = `p50 ${at(sorted, 0.5).toFixed(0)} ms, p99 ${at(sorted, 0.99).toFixed(0)} ms`;
        console.log(`  ${need}: ${figures}, ${ratios.join(' and ')} times alone (${sorted.length})`);
      }
    };
    print('alone', alone);
    for (const [name, attack] of Object.entries(ATTACKS)) {
      if (values.only !== undefined && !name.includes(values.only)) continue;
      const strike = await attack(world, await newNeighbour(world));
      let isOver = false;
      const attacking = (async () => {
        while (!isOver) await strike();
      })();
      print(name, await measure(of));
      isOver = true;
      await attacking;
    }
  } finally {
    await endProcess(worker);
    await api.end('SIGKILL');
    await service.stop();
    await gateway.close();
  }
});
