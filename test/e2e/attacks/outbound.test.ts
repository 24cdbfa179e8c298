import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer as createTcpServer } from 'node:net';
import { afterAll, beforeAll, test } from '@jest/globals';
import { WorkflowFailedError } from '@temporalio/client';
import { sql } from '../../../db/orm.ts';
import { makeDevice } from '../../../dev/fakes/device.ts';
import { makeFcmKey } from '../../../dev/fakes/fcm.ts';
import { problemsOf } from '../../support/accounts.ts';
import { channelsOf } from '../../support/channels.ts';
import { newBrowser, pushing } from '../../support/channels/pushing.ts';
import { eventOf, publish } from '../../support/events.ts';
import { makeContact } from '../../support/mail/emails.ts';
import { startNameServer } from '../../support/name-server.ts';
import { onTestFinished } from '../../support/on-test-finished.ts';
import { listening, outbound, trustedCertificate } from '../../support/outbound.ts';
import { REFUSED_ADDRESSES, REFUSED_URLS } from '../../support/refused-urls.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

/** The address of somebody else's server, as if it were public. 127.0.0.1 is not allowed: the trap is there. */
const OUTSIDE = '127.0.0.2';
const TRAP = '127.0.0.1';
const ADDRESSES = Object.values(REFUSED_ADDRESSES).flat();

/** Where the names of the attacker lead. Those that rebind lead to the trap after the first answer. */
const NAMES: Record<string, (turn: number) => readonly string[]> = {
  ...Object.fromEntries(ADDRESSES.map((address, index) => [`n${index}.example.com`, () => [address]])),
  'rebinding.example.com': (turn) => (turn === 1 ? [OUTSIDE] : [TRAP]),
  'mixed.example.com': () => [TRAP, OUTSIDE, '::1'],
  'outside.example.com': () => [OUTSIDE],
};

let service: Service;
beforeAll(async () => {
  service = await startService({ worker: true, env: { PUSH_HOSTS: '*.example.com' } });
});
afterAll(() => service.stop());

/** Gives the service a guard that asks a name server of the attacker. Returns how often that was asked for a name. */
async function askAttacker(): Promise<Map<string, number>> {
  const asked = new Map<string, number>();
  const { resolver, close } = await startNameServer((name, turn) => {
    asked.set(name, turn);
    return NAMES[name]?.(turn);
  });
  onTestFinished(close);
  service.deps.outbound = outbound(`${OUTSIDE}/32`, {}, resolver);
  return asked;
}

async function made(answer: Promise<Answer>, status = 201): Promise<Answer['body']> {
  const { status: is, body } = await answer;
  assert.equal(is, status, JSON.stringify(body));
  return body;
}

/** What became of a message that was accepted. */
const SENT = 'sent';
const key = makeFcmKey();
const account = { client_email: 'sender@project-1.iam.gserviceaccount.com', private_key: key };

/** Something that calls URLs of users. Add it here when it is built. */
interface Feature {
  /** Tries to save a URL, in something new and in something that is there. Returns the problems of each. */
  save: (url: string) => Promise<string[][]>;
  /** Where the problem of a URL is. */
  path: string;
  /** Has each URL called. Returns why each failed; null = it did not. */
  call: (urls: string[]) => Promise<(string | null)[]>;
}

const campaign = (...urls: string[]) => ({
  name: 'A campaign',
  steps: urls.map((url) => ({ id: 'call', type: 'WEBHOOK', config: { url } })),
});
const threshold = (url: string) => ({ name: 'Hot', score: 40, action: { type: 'WEBHOOK', url } });
const webhook = (url: string, type = 'CONTACT_CREATED') => ({ name: 'CRM', url, types: [type] });

/** What is there, and changed: a campaign, a threshold and a webhook. */
const there = new Map<string, Promise<Answer['body']>>();
const existing = (path: string, body: object): Promise<{ id: number }> => {
  const one = there.get(path) ?? made(service.api('POST', path.split('#')[0]!, body));
  there.set(path, one);
  return one;
};

async function saveWebhook(url: string): Promise<string[][]> {
  const { id } = await existing('/webhooks', webhook('https://example.com/'));
  const answers = [
    await service.api('POST', '/webhooks', webhook(url)),
    await service.api('PUT', `/webhooks/${id}`, webhook(url)),
  ];
  return answers.map(problemsOf);
}

const FEATURES: Record<string, Feature> = {
  'the step WEBHOOK': {
    path: '/steps/0/config/url',
    save: async (url) => {
      const { id } = await existing('/campaigns', campaign());
      const answers = [
        await service.api('POST', '/campaigns', campaign(url)),
        await service.api('PUT', `/campaigns/${id}`, campaign(url)),
      ];
      return answers.map(problemsOf);
    },
    call: async (urls) => {
      const { id: contactId } = await makeContact(service);
      return Promise.all(
        urls.map(async (url) => {
          const { id } = await made(service.api('POST', '/campaigns', campaign(url)));
          await made(service.api('POST', `/campaigns/${id}/start`, { contactIds: [contactId] }), 202);
          const { failure } = await until(`${url} is called`, async () => {
            const [execution] = (await service.api('GET', `/campaigns/${id}/executions`)).body.data;
            if (!execution?.workflowId) return null;
            if (execution.status !== 'COMPLETED') return refusalOf(url, execution.workflowId);
            const { steps } = await made(service.api('GET', `/campaigns/executions/${execution.id}`), 200);
            return { failure: steps[0].result === 'success' ? null : (steps[0].reason as string) };
          });
          const { status } = await service.api('POST', `/campaigns/${id}/stop`);
          assert.ok(status < 300, String(status));
          return failure;
        }),
      );
    },
  },
  'the action WEBHOOK of a threshold': {
    path: '/action/url',
    save: async (url) => {
      const { id } = await existing('/scoring/thresholds', { name: 'Hot', score: 1_000_000 });
      const answers = [
        await service.api('POST', '/scoring/thresholds', threshold(url)),
        await service.api('PUT', `/scoring/thresholds/${id}`, threshold(url)),
      ];
      return answers.map(problemsOf);
    },
    call: async (urls) => {
      const ids: number[] = [];
      for (const url of urls) ids.push((await made(service.api('POST', '/scoring/thresholds', threshold(url)))).id);
      const { id: contactId } = await makeContact(service);
      const submitted = () => eventOf('FORM_SUBMITTED', { formId: 1, contactId, submissionId: 1 });
      await publish(service, submitted(), submitted());
      const workflows = ids.map((id) => `threshold-call/default/${id}/${contactId}`);
      const failures = await Promise.all(urls.map((url, index) => failureOf(url, workflows[index]!)));
      for (const id of ids) await made(service.api('DELETE', `/scoring/thresholds/${id}`), 204);
      return failures;
    },
  },
  'a webhook': {
    path: '/url',
    save: saveWebhook,
    call: async (urls) => {
      const ids: number[] = [];
      for (const url of urls) ids.push((await made(service.api('POST', '/webhooks', webhook(url)))).id);
      await makeContact(service);
      const failures = urls.map((url, index) => failureOfDelivery(ids[index]!, url.endsWith('/again') ? 2 : 1));
      return Promise.all(failures);
    },
  },
  'the test of a webhook': {
    path: '/url',
    save: saveWebhook,
    call: (urls) =>
      Promise.all(
        urls.map(async (url) => {
          const type = 'GOAL_MET';
          const { id } = await made(service.api('POST', '/webhooks', webhook(url, type)));
          const tries = url.endsWith('/again') ? 2 : 1;
          let error: string | null = null;
          for (let attempt = 1; attempt <= tries; attempt += 1)
            ({ error } = await made(service.api('POST', `/webhooks/${id}/test`, { type }), 200));
          return error && tries > 1 ? `${error} after ${tries} attempts` : error;
        }),
      ),
  },
  'a provider of texts, http': providerFeature('url', (url) => ({
    ...{ name: 'Gateway', channel: 'sms', type: 'http' },
    config: { url, body: { to: '{{to}}', text: '{{text}}' } },
  })),
  'a provider of texts, twilio': providerFeature('baseUrl', (baseUrl) => ({
    ...{ name: 'Twilio', channel: 'sms', type: 'twilio' },
    config: { accountSid: `AC${'0'.repeat(32)}`, from: '+15005550006', baseUrl },
    credentials: { authToken: 'a token' },
  })),
  'a provider of pushes': providerFeature('baseUrl', (baseUrl, port) => ({
    ...{ name: 'FCM', channel: 'push', type: 'fcm' },
    config: { projectId: 'project-1', baseUrl, tokenUrl: `http://${OUTSIDE}:${port}/mixed` },
    credentials: account,
  })),
  'the tokens of a provider of pushes': providerFeature('tokenUrl', (tokenUrl, port) => ({
    ...{ name: 'FCM', channel: 'push', type: 'fcm' },
    config: { projectId: 'project-1', baseUrl: `http://${OUTSIDE}:${port}/mixed`, tokenUrl },
    credentials: account,
  })),
};

/** A provider whose calls go to `url`; `port` is that of the server outside. */
type ProviderOf = (url: string, port: string) => { channel: 'sms' | 'push'; config: object; [field: string]: unknown };

/** Providers of messages: each has its own message to send, and tells the last failure as its health. */
function providerFeature(name: string, of: ProviderOf): Feature {
  return {
    path: `/config/${name}`,
    save: async (url) => {
      const sound = of('https://example.com/', '443');
      const { id } = await existing(`/channels/providers#${sound['type'] as string}`, sound);
      const answers = [
        await service.api('POST', '/channels/providers', of(url, '443')),
        await service.api('PUT', `/channels/providers/${id}`, { config: of(url, '443').config }),
      ];
      return answers.map(problemsOf);
    },
    call: async (urls) => {
      const { port } = new URL(urls[0]!);
      const { device } = channelsOf(service);
      return Promise.all(
        urls.map(async (url, index) => {
          const { channel, ...provider } = of(url, port);
          const { id } = await made(service.api('POST', '/channels/providers', { channel, ...provider }));
          const to =
            channel === 'sms'
              ? { to: `+1202555${String(1000 + index)}` }
              : { subscriptionId: await device(null), title: 'Hello' };
          const body = { ...to, body: 'Hello', category: 'transactional', providerId: id };
          const { messageId } = await made(
            service.api('POST', `/channels/${channel === 'sms' ? 'sms' : 'push'}/send`, body),
            202,
          );
          const failure = await until(`${url} is tried`, async () => {
            const { health } = (await service.api('GET', `/channels/providers/${id}`)).body;
            // The first time it is only told to wait.
            if (health.lastError && !(url.endsWith('/again') && /503/.test(health.lastError)))
              return health.lastError as string;
            const { status } = (await service.api('GET', `/channels/messages/${messageId}`)).body;
            return status === 'SENT' && SENT;
          });
          await made(service.api('PUT', `/channels/providers/${id}`, { active: false }), 200);
          if (failure === SENT) return null;
          if (failure.includes('307')) return 'answered 307';
          return `outbound_refused: ${failure}${url.endsWith('/again') ? ' after 2 attempts' : ''}`;
        }),
      );
    },
  };
}
/** Why a webhook's delivery failed, once it was tried so often; null = it did not. */
async function failureOfDelivery(id: number, tries: number): Promise<string | null> {
  const { status, attempts } = await until('it is tried', async () => {
    const [first] = (await service.api('GET', `/webhooks/${id}/deliveries`)).body.data;
    return first?.attempts.length >= tries ? first : null;
  });
  if (status === 'DELIVERED') return null;
  return `${attempts[tries - 1].error}${tries > 1 ? ` after ${tries} attempts` : ''}`;
}

/** Why the guard refused a call that a workflow tries again and again; null before it has. */
async function refusalOf(url: string, workflowId: string): Promise<{ failure: string } | null> {
  const is = await service.deps.temporal.workflow
    .getHandle(workflowId)
    .describe()
    .catch(() => null);
  const message = is?.raw.pendingActivities?.map(({ lastFailure }) => lastFailure?.message).find(Boolean);
  // The first time it is only told to wait.
  if (!message || (url.endsWith('/again') && /503/.test(message))) return null;
  return { failure: `${message}${url.endsWith('/again') ? ' after 2 attempts' : ''}` };
}

/** Why a workflow failed, or that the guard has refused its call; null = neither. */
async function failureOf(url: string, id: string): Promise<string | null> {
  const workflow = service.deps.temporal.workflow.getHandle(id);
  const { failure } = await until(`${url} is called`, async () => {
    const is = await workflow.describe().catch(() => null);
    if (!is) return null;
    if (is.status.name === 'RUNNING') return refusalOf(url, id);
    return workflow.result().then(
      () => ({ failure: null }),
      (error) => {
        assert.ok(error instanceof WorkflowFailedError, String(error));
        return { failure: (error.cause!.cause as Error).message };
      },
    );
  });
  return failure;
}

for (const [what, { path, save, call }] of Object.entries(FEATURES)) {
  test(`${what}: a URL that may not be called is a violation when it is saved`, async () => {
    await askAttacker();
    for (const [code, urls] of Object.entries(REFUSED_URLS))
      for (const url of urls) {
        const problem = [`${path} ${code}`];
        assert.deepEqual(await save(url), [problem, problem], url);
      }
  });

  test(`${what}: what a name leads to is judged when it is called, and nothing else is connected to`, async () => {
    await askAttacker();
    let trapped = 0;
    const port = await listening(createTcpServer(() => (trapped += 1)).unref(), TRAP);
    const paths: string[] = [];
    const server = createServer((request, response) => {
      // Some append to the URL.
      const path = `/${request.url!.split('/')[1]}`;
      paths.push(path);
      // Without a kept connection, the next attempt asks for the address again.
      if (path === '/again') response.writeHead(503, { connection: 'close' });
      if (path === '/elsewhere') response.writeHead(307, { location: `http://${TRAP}:${port}/` });
      // An answer before the end of a request that sends a message accepts nothing.
      const token = path === '/mixed' ? '{"access_token":"a-token","expires_in":3600}' : '';
      request.resume().on('end', () => response.end(token));
    });
    await listening(server, OUTSIDE, port);

    const refused = ADDRESSES.map((_, index) => `n${index}.example.com`);
    const told = (host: string, more = ''): string =>
      `outbound_refused: ${host} leads to no address that may be called${more}`;
    const expected: [string, string | null][] = [
      ...refused.map((host): [string, string] => [`https://${host}:${port}/`, told(host)]),
      [`http://n3.example.com:${port}/`, told('n3.example.com')],
      [`http://rebinding.example.com:${port}/again`, told('rebinding.example.com', ' after 2 attempts')],
      [`http://mixed.example.com:${port}/mixed`, null],
      [`http://outside.example.com:${port}/elsewhere`, 'answered 307'],
    ];
    assert.deepEqual(
      await call(expected.map(([url]) => url)),
      expected.map(([, failure]) => failure),
    );
    // A webhook that redirects is tried again; the name that rebinds is called once.
    assert.deepEqual([...new Set(paths)].sort(), ['/again', '/elsewhere', '/mixed']);
    assert.equal(paths.filter((one) => one === '/again').length, 1);
    assert.equal(trapped, 0);
  });
}

const push = () => pushing(service);

/** Devices at these endpoints: whoever subscribes chooses the endpoint. Those that are refused are written behind the API. */
async function devicesAt(endpoints: string[], refused: string[] = []): Promise<number[]> {
  const site = await push().makeSite();
  const ids: number[] = [];
  const subscribe = async (endpoint: string): Promise<number> =>
    (await made(push().subscribe(site, makeDevice(endpoint)))).id;
  for (const endpoint of endpoints) ids.push(await subscribe(endpoint));
  for (const endpoint of refused) {
    const id = await subscribe(newBrowser('https://push.example.com').subscription.endpoint);
    await channelsOf(service).engine(sql`update push_subscriptions set endpoint = ${endpoint} where id = ${id}`);
    ids.push(id);
  }
  return ids;
}

/** Sends a push to each device. Returns the messages. */
async function pushTo(ids: number[]): Promise<number[]> {
  const messages: number[] = [];
  for (const subscriptionId of ids) {
    const body = { subscriptionId, title: 'Hello', body: 'There', category: 'transactional' };
    messages.push((await made(service.api('POST', '/channels/push/send', body), 202)).messageId);
  }
  return messages;
}

async function stateOf(id: number) {
  const { status, reason } = (await service.api('GET', `/channels/messages/${id}`)).body;
  const { body } = await service.api('GET', `/channels/messages/${id}/explain`);
  const attempts = body.attempts as { outcome: string; at: string; reply: string | null }[];
  return {
    ...{ status: status as string, reason: reason as string | null, attempts },
    replies: attempts.map(({ reply }) => reply?.trim()),
    times: attempts.map(({ at }) => Date.parse(at)),
  };
}

/** Waits until a push was tried and waits for its next attempt. */
const restsAgain = (id: number) =>
  until(`push ${id} waits again`, async () => {
    const waiting = await channelsOf(service).engine(sql`
      select 1 from message_sends where message_id = ${id} and status = 'QUEUED' and holder is null and next_attempt_at > now() + interval '2 s'`);
    return waiting.length > 0;
  });

test('the endpoint of a push: a URL that may not be called is a violation when a browser subscribes', async () => {
  await askAttacker();
  const site = await push().makeSite();
  for (const [code, urls] of Object.entries(REFUSED_URLS))
    for (const url of urls) {
      const { subscription } = makeDevice(url);
      const answers = [
        await push().subscribe(site, { ...newBrowser(), subscription }),
        // As its own backend would, with a token of the API.
        await service.api('POST', '/channels/push/subscriptions', { siteKey: site.siteKey, subscription }),
      ];
      const problem = [`/subscription/endpoint ${code}`];
      assert.deepEqual(answers.map(problemsOf), [problem, problem], url);
    }
});

test('the endpoint of a push: what its name leads to is judged when it is called, and other hosts are not called', async () => {
  const asked = await askAttacker();
  let trapped = 0;
  const port = await listening(createTcpServer(() => (trapped += 1)).unref(), TRAP);
  const names = ADDRESSES.map((_, index) => `n${index}.example.com`);
  const elsewhere = [`https://${TRAP}:${port}/`, `http://n3.example.com:${port}/`, `https://localhost:${port}/`];
  const messages = await pushTo(
    await devicesAt(
      names.map((name) => `https://${name}:${port}/`),
      elsewhere,
    ),
  );
  const ends = messages.splice(names.length);
  await until('all names are asked for', () => names.every((name) => asked.has(name)));
  await until('what is no push service has failed', async () => {
    const states = await Promise.all(ends.map(stateOf));
    return states.every(({ status, reason }) => status === 'FAILED' && reason === 'outbound_refused');
  });
  for (const [index, id] of messages.entries()) {
    // They are tried again later, as when a push service cannot be reached.
    await restsAgain(id);
    const { status, reason, attempts } = await stateOf(id);
    assert.deepEqual([status, reason], ['QUEUED', null]);
    assert.partialDeepStrictEqual(attempts[0], {
      ...{ providerId: null, outcome: 'outbound_refused' },
      reply: `${names[index]} leads to no address that may be called`,
    });
  }
  assert.equal(trapped, 0);
});

test('the endpoint of a push: a name that rebinds, and a redirect, lead to nothing that may not be called', async () => {
  const asked = await askAttacker();
  let trapped = 0;
  const port = await listening(createTcpServer(() => (trapped += 1)).unref(), TRAP);
  const paths: string[] = [];
  const server = createTlsServer(trustedCertificate('*.example.com'), (request, response) => {
    paths.push(request.url!);
    // Without a kept connection, the next attempt asks for the address again.
    if (request.url === '/again') response.writeHead(503, { connection: 'close' });
    else if (request.url === '/busy') response.writeHead(503);
    else if (request.url === '/elsewhere') response.writeHead(307, { location: `https://${TRAP}:${port}/` });
    else response.writeHead(201);
    request.resume().on('end', () => response.end());
  });
  await listening(server, OUTSIDE, port);
  const [rebinding, mixed, redirected, busy] = await pushTo(
    await devicesAt([
      `https://rebinding.example.com:${port}/again`,
      `https://mixed.example.com:${port}/mixed`,
      `https://outside.example.com:${port}/elsewhere`,
      `https://outside.example.com:${port}/busy`,
    ]),
  );
  await until('the name that rebinds is asked for again', () => (asked.get('rebinding.example.com') ?? 0) > 1);
  await restsAgain(rebinding!);
  const refused = await stateOf(rebinding!);
  assert.deepEqual(
    [refused.status, refused.attempts.slice(0, 2).map(({ outcome }) => outcome)],
    ['QUEUED', ['queued', 'outbound_refused']],
  );
  await until('the one beside private addresses is sent', async () => (await stateOf(mixed!)).status === 'SENT');
  // Nobody can tell what a redirect means for the push.
  await until('the redirect is settled', async () => (await stateOf(redirected!)).status === 'UNKNOWN');
  assert.deepEqual((await stateOf(redirected!)).replies, ['307']);
  await until('the busy one is asked again', async () => (await stateOf(busy!)).replies.length > 2);
  const { replies, times } = await stateOf(busy!);
  assert.deepEqual([...new Set(replies)], ['503']);
  // Less and less often.
  const [first, second, third] = times as [number, number, number];
  assert.ok(second - first >= 1000 && third - second >= 2000, times.join());
  assert.deepEqual([...new Set(paths)].sort(), ['/again', '/busy', '/elsewhere', '/mixed']);
  for (const once of ['/again', '/elsewhere']) assert.equal(paths.filter((path) => path === once).length, 1);
  assert.equal(trapped, 0);
});
