/**
 * `npm run bench:webhooks -- --only rate,slow,burst`: deliveries per second of one deliverer, of what was held and of
 * events that happen now, compared to node:http posting the same signed bodies over as many connections; how long
 * deliveries to 10,000 endpoints take when one of them takes 15 s to answer and 100 never do, compared to without those;
 * and how long those of a tenant take while another one has a burst of events.
 */
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import { engineEm, rows, sql } from '../db/orm.ts';
import { freePorts } from '../dev/stack/ports.ts';
import { makeKey } from '../domain/webhooks/endpoints/keys.ts';
import type { EventBatch } from '../events/contracts.ts';
import { appendEventsOfTenants } from '../events/outbox.ts';
import { batchSubject, OUTBOX_PING } from '../transport/streams.ts';
import { startService, type Service } from '../test/support/service.ts';
import { until } from '../test/support/until.ts';
import { at } from './support/load.ts';
import { endProcess, processorSeconds, startProcess, startWorker } from './support/processes.ts';
import { onStack, printPairs } from './support/stack.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: 'rate,slow,burst' },
    pairs: { type: 'string', default: '3' },
    deliveries: { type: 'string', default: '20000' },
    endpoints: { type: 'string', default: '10000' },
    seconds: { type: 'string', default: '60' },
    burst: { type: 'string', default: '100000' },
    together: { type: 'string', default: '1000' },
  },
});
const parts = values.only.split(',');
const HOUR_MS = 3_600_000;
const MAX_IN_FLIGHT = 20;
const PER_TENANT = 100;
const EVENTS_PER_SECOND = 50;
/** How many transactions at a time write a burst. */
const WRITERS = 4;

interface Setting {
  service: Service;
  receiver: string;
}

/** An event that the endpoint `name` of a tenant wants. */
interface Visit {
  tenantId: string;
  name: string;
}

const engine = <T>({ service }: Setting, query: Parameters<typeof rows>[1]) =>
  engineEm(service.deps.orm).transactional((tx) => rows<T>(tx, query));

/** Makes endpoints with their tenants; each gets its own visits: those whose URL has its name. */
async function makeEndpoints(
  setting: Setting,
  wanted: readonly { tenantId: string; name: string; path: string; active?: boolean }[],
): Promise<void> {
  const { env } = setting.service.deps;
  const ids = await engine<{ id: number }>(
    setting,
    sql`select nextval('webhook_endpoints_id_seq') as id from generate_series(1, ${wanted.length}::int)`,
  );
  const made = wanted.map(({ tenantId, name, path, active = true }, n) => {
    const { id } = ids[n]!;
    const filter = [{ field: 'url', operator: 'endsWith', value: `/${name}` }];
    const { key } = makeKey(env, { tenantId, id }, 'v1');
    return { t: tenantId, id, name, url: `${setting.receiver}${path}`, filter, key, active };
  });
  const record = sql`json_to_recordset(${JSON.stringify(made)}::json) as r(t text, id bigint, name text, url text, filter jsonb, key text, active boolean)`;
  for (const query of [
    sql`insert into tenants (tenant_id) select distinct t from ${record} on conflict do nothing`,
    sql`
      insert into webhook_endpoints (id, tenant_id, name, url, types, filter, key, active, max_in_flight)
      select id, t, name, url, '{WEBSITE_VISITED}', filter, key, active, ${MAX_IN_FLIGHT}::int from ${record}`,
    sql`insert into webhook_lanes (tenant_id, endpoint_id, active) select t, id, active from ${record}`,
    sql`insert into webhook_health (tenant_id, endpoint_id) select t, id from ${record}`,
    sql`
      insert into webhook_tenants (tenant_id) select distinct t from ${record}
      on conflict (tenant_id) do update set version = webhook_tenants.version + 1`,
  ])
    await engine(setting, query);
}

const happen = ({ service }: Setting, visits: readonly Visit[]): Promise<void> =>
  engineEm(service.deps.orm).transactional((tx) =>
    appendEventsOfTenants(
      tx,
      visits.map(({ tenantId, name }) => ({
        tenantId,
        event: { type: 'WEBSITE_VISITED', data: { contactId: 1, url: `https://example.com/pages/${name}` } },
      })),
    ),
  );

const countOf = async (setting: Setting, which: ReturnType<typeof sql>): Promise<number> =>
  (await engine<{ n: number }>(setting, sql`select count(*) as n from webhook_deliveries where ${which}`))[0]!.n;

const takenAt = async ({ receiver }: Setting): Promise<Record<string, number[]>> =>
  (await fetch(`${receiver}/taken`)).json() as Promise<Record<string, number[]>>;

/** Deliveries per second over so many connections. */
async function measureRate(setting: Setting, deliveries: number, pairs: number, endpoints: number): Promise<void> {
  const connections = endpoints * MAX_IN_FLIGHT;
  const names = Array.from({ length: endpoints }, (_, n) => `rate-${endpoints}-${n}`);
  await makeEndpoints(
    setting,
    names.map((name) => ({ tenantId: 'rate', name, path: `/rate/${name}`, active: false })),
  );
  const ours = await engine<{ id: number }>(
    setting,
    sql`select id from webhook_endpoints where name = any(${names}::text[]) order by id`,
  );
  const ids = sql`${ours.map(({ id }) => id)}::bigint[]`;
  const consumers = startWorker(setting.service, 'consumers,relay');
  const deliverer = startWorker(setting.service, 'webhooks');
  const held: [number, number][] = [];
  const now: [number, number][] = [];
  const cost: [number, number][] = [];
  const visits = Array.from({ length: deliveries }, (_, n) => ({ tenantId: 'rate', name: names[n % endpoints]! }));
  const activate = (active: boolean) =>
    engine(
      setting,
      sql`update webhook_lanes set active = ${active}, due_at = case when ${active} then now() else due_at end where endpoint_id = any(${ids})`,
    );
  /** Waits for the receiver's count first, because counting the rows is work that would be measured too. */
  const delivered = async (begun: number): Promise<number> => {
    for (let arrived = 0; arrived < deliveries; await delay(50))
      arrived += (await takenAt(setting))['rate']?.length ?? 0;
    await until(
      'all are settled',
      async () => (await countOf(setting, sql`endpoint_id = any(${ids}) and status <> 'DELIVERED'`)) === 0,
      HOUR_MS,
    );
    return deliveries / ((performance.now() - begun) / 1000);
  };
  const body = JSON.stringify({
    ...{ type: 'WEBSITE_VISITED', timestamp: new Date().toISOString(), sequence: 123_456 },
    data: { contactId: 1, url: `https://example.com/pages/${names[0]}`, tenantId: 'rate', timestamp: new Date() },
  });
  try {
    for (let pair = 0; pair < pairs; pair += 1) {
      await activate(false);
      const before = await countOf(setting, sql`endpoint_id = any(${ids})`);
      for (let from = 0; from < deliveries; from += 1000) await happen(setting, visits.slice(from, from + 1000));
      await until(
        'all are numbered',
        async () => (await countOf(setting, sql`endpoint_id = any(${ids})`)) === before + deliveries,
        HOUR_MS,
      );
      // What the other consumers have to do with these events is not to be measured.
      await delay(5000);
      const used = await processorSeconds(deliverer);
      const begun = performance.now();
      await activate(true);
      setting.service.deps.pingOutbox('webhook_lanes');
      const ofHeld = await delivered(begun);
      const spent = ((await processorSeconds(deliverer)) - used) / deliveries;
      const { stdout } = await promisify(execFile)(process.execPath, [
        resolve('bench/references/bare-posts.ts'),
        ...[`${setting.receiver}/bare`, String(deliveries), String(connections), body],
      ]);
      const [seconds, cpu] = stdout.split(' ').map(Number) as [number, number];
      held.push([ofHeld, deliveries / seconds]);
      cost.push([(cpu * 1000) / deliveries, spent * 1000]);
      const started = performance.now();
      for (let from = 0; from < deliveries; from += 1000) await happen(setting, visits.slice(from, from + 1000));
      now.push([await delivered(started), deliveries / seconds]);
    }
  } finally {
    await Promise.all([consumers, deliverer].map(endProcess));
  }
  console.log(`${deliveries} deliveries to ${endpoints} endpoints over ${connections} connections`);
  printPairs('deliveries/s', 'of what was held', 'bare posts', held);
  printPairs('deliveries/s', 'from the event on, with all consumers', 'bare posts', now);
  printPairs('ms', 'CPU of a bare post', 'of the deliverer', cost);
}

/** How long deliveries to many endpoints take, without and with bad ones. */
async function measureSlow(setting: Setting, endpoints: number, seconds: number): Promise<void> {
  const names = Array.from({ length: endpoints }, (_, n) => ({
    tenantId: `many${Math.floor(n / PER_TENANT)}`,
    name: `many-${n}`,
    path: `/good/${n}`,
  }));
  for (let from = 0; from < names.length; from += 2000) await makeEndpoints(setting, names.slice(from, from + 2000));
  const bad = names.slice(0, 101);
  const good = names.slice(101);
  const running = [startWorker(setting.service, 'consumers,relay'), startWorker(setting.service, 'webhooks')];
  /** Visits of random endpoints, and one of each bad one now and then. */
  const run = async (): Promise<number[]> => {
    await takenAt(setting);
    for (let second = 0; second < seconds; second += 1) {
      const begun = performance.now();
      for (let tenth = 0; tenth < 10; tenth += 1) {
        const some = Array.from(
          { length: EVENTS_PER_SECOND / 10 },
          () => good[Math.floor(Math.random() * good.length)]!,
        );
        await happen(setting, tenth === 0 && second % 10 === 0 ? [...some, ...bad] : some);
        await delay(Math.max(0, (tenth + 1) * 100 - (performance.now() - begun)));
      }
    }
    await delay(5000);
    const { good: taken = [] } = await takenAt(setting);
    // While all are good, the bad ones' are among these; they are as many in both runs.
    return taken.sort((a, b) => a - b);
  };
  try {
    // New endpoints become known ones.
    for (let from = 0; from < names.length; from += 500) {
      await happen(setting, names.slice(from, from + 500));
      await delay(500);
    }
    await until('all were told once', async () => (await countOf(setting, sql`status <> 'DELIVERED'`)) === 0, HOUR_MS);
    const without = await run();
    await engine(
      setting,
      sql`
      update webhook_endpoints set url = case when name = 'many-0' then ${`${setting.receiver}/slow/0`} else ${`${setting.receiver}/never/`} || id end,
        timeout_ms = 30000, version = version + 1 where name = any(${bad.map(({ name }) => name)}::text[])`,
    );
    const withBad = await run();
    const print = (name: string, taken: number[]): void =>
      console.log(
        `  ${name}: ${taken.length}, median ${at(taken, 0.5)} ms, p99 ${at(taken, 0.99)} ms, most ${taken.at(-1)} ms`,
      );
    console.log(
      `${EVENTS_PER_SECOND} events/s for ${seconds} s to ${endpoints} endpoints, from the event to its arrival`,
    );
    print('all are good', without);
    print('one takes 15 s, 100 never answer', withBad);
    console.log(`  ratio of p99 ${(at(withBad, 0.99) / at(without, 0.99)).toFixed(2)}`);
  } finally {
    await Promise.all(running.map(endProcess));
  }
}

/** Times of a tenant's events on their way, by Date.now(). */
interface Seen {
  /** When an event was published for the service's own consumers, by its id. */
  published: Map<string, number>;
  /** When deliveries up to a number were written. */
  numbered: { upTo: number; at: number }[];
}

/** Watches the events of a tenant, which has one endpoint. */
function watch({ service }: Setting, tenantId: string, endpointId: number): Seen {
  const { connection } = service.deps.nats;
  const seen: Seen = { published: new Map(), numbered: [] };
  connection.subscribe(batchSubject('WEBSITE_VISITED'), {
    callback: (_error, message) => {
      const at = Date.now();
      const batch = message.json<EventBatch>();
      if (batch.tenantid === tenantId) for (const { id } of batch.events) seen.published.set(id, at);
    },
  });
  connection.subscribe(OUTBOX_PING, {
    callback: (_error, message) => {
      const found = new RegExp(`^webhook_lanes .*\\b${endpointId}:(\\d+)`).exec(message.string());
      if (found) seen.numbered.push({ upTo: Number(found[1]), at: Date.now() });
    },
  });
  return seen;
}

/** Prints how long a tenant's events since `begun` took from each stage to the next. */
async function printStages(setting: Setting, endpointId: number, { published, numbered }: Seen, begun: Date) {
  const deliveries = await engine<{ id: string; sequence: number; happened: Date; begun: Date; sent: Date }>(
    setting,
    sql`
    select v.event_id as id, d.sequence, v.time as happened, d.at as begun, d.last_at as sent
    from webhook_deliveries d join webhook_events v on v.id = d.event and v.day = d.day
    where d.endpoint_id = ${endpointId} and v.time >= ${begun} and d.last_at is not null`,
  );
  const ways = deliveries.map((one) => [
    one.happened.getTime(),
    published.get(one.id) ?? NaN,
    one.begun.getTime(),
    numbered.find(({ upTo }) => upTo >= one.sequence)?.at ?? NaN,
    one.sent.getTime(),
  ]);
  const stages = ['published', 'taken by the consumer', 'numbered', 'sent'];
  for (const [n, stage] of stages.entries()) {
    const took = ways.map((way) => way[n + 1]! - way[n]!).sort((a, b) => a - b);
    console.log(`    until ${stage}: median ${at(took, 0.5)} ms, p99 ${at(took, 0.99)} ms, most ${took.at(-1)} ms`);
  }
}

/** How long a tenant's deliveries take while another one has a burst, of which so many events are written together. */
async function measureBurst(setting: Setting, events: number, together: number): Promise<void> {
  await makeEndpoints(setting, [
    { tenantId: 'large', name: 'large', path: '/large' },
    { tenantId: 'small', name: 'small', path: '/small' },
  ]);
  const running = [startWorker(setting.service, 'consumers,relay'), startWorker(setting.service, 'webhooks')];
  let arrived = 0;
  let isOver = false;
  /** Ten events a second of the small tenant, until `done`. */
  const trickle = async (done: () => boolean): Promise<number[]> => {
    const taken: number[] = [];
    while (!done()) {
      await happen(setting, [{ tenantId: 'small', name: 'small' }]);
      await delay(100);
      const { small = [], large = [] } = await takenAt(setting);
      taken.push(...small);
      arrived += large.length;
    }
    return taken.sort((a, b) => a - b);
  };
  try {
    await delay(3000);
    const end = performance.now() + 20_000;
    await trickle(() => performance.now() > end - 15_000);
    const before = await trickle(() => performance.now() > end);
    const [small] = await engine<{ id: number }>(setting, sql`select id from webhook_endpoints where name = 'small'`);
    const seen = watch(setting, 'small', small!.id);
    const since = new Date();
    const begun = performance.now();
    const seconds = (): string => ((performance.now() - begun) / 1000).toFixed(1);
    const visits = Array.from({ length: together }, () => ({ tenantId: 'large', name: 'large' }));
    const during = trickle(() => isOver);
    await Promise.all(
      Array.from({ length: WRITERS }, async (_, n) => {
        for (let written = n * together; written < events; written += WRITERS * together) await happen(setting, visits);
      }),
    );
    const written = seconds();
    await until(
      'the burst is published',
      async () =>
        (await engine(setting, sql`select 1 from outbox_events where tenant_id = 'large' limit 1`)).length === 0,
      HOUR_MS,
    );
    const relayed = seconds();
    await until('the burst has arrived', () => arrived >= events, HOUR_MS);
    isOver = true;
    const taken = await during;
    console.log(
      `a burst of ${events} events of one tenant, ${together} at once, written after ${written} s, published after ${relayed} s, delivered after ${seconds()} s`,
    );
    console.log(
      `  another tenant before: p99 ${at(before, 0.99)} ms of ${before.length}; meanwhile: median ${at(taken, 0.5)} ms, p99 ${at(taken, 0.99)} ms, most ${taken.at(-1)} ms of ${taken.length}`,
    );
    await printStages(setting, small!.id, seen, since);
  } finally {
    await Promise.all(running.map(endProcess));
  }
}

await onStack(parts.length, async () => {
  const [port = 0] = await freePorts(1);
  const receiver = startProcess(process.execPath, [resolve('bench/references/webhook-receiver.ts'), String(port)]);
  const apart = async (measure: (setting: Setting) => Promise<void>): Promise<void> => {
    const service = await startService({ env: { OUTBOUND_ALLOW: '127.0.0.1/32', LOG_LEVEL: 'silent' } });
    try {
      await measure({ service, receiver: `http://127.0.0.1:${port}` });
    } finally {
      await service.stop();
    }
  };
  const [pairs, deliveries] = [Number(values.pairs), Number(values.deliveries)];
  try {
    if (parts.includes('rate'))
      await apart(async (setting) => {
        for (const endpoints of [1, 5]) await measureRate(setting, deliveries, pairs, endpoints);
      });
    if (parts.includes('slow'))
      await apart((setting) => measureSlow(setting, Number(values.endpoints), Number(values.seconds)));
    if (parts.includes('burst'))
      await apart((setting) => measureBurst(setting, Number(values.burst), Number(values.together)));
  } finally {
    await endProcess(receiver);
  }
});
