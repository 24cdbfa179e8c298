import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { afterAll, beforeAll, test } from '@jest/globals';
import { WorkflowFailedError } from '@temporalio/client';
import { problemsOf } from '../../support/accounts.ts';
import { eventOf, publish } from '../../support/events.ts';
import { makeContact } from '../../support/mail/emails.ts';
import { startNameServer } from '../../support/name-server.ts';
import { onTestFinished } from '../../support/on-test-finished.ts';
import { listening, outbound } from '../../support/outbound.ts';
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
  service = await startService({ worker: true });
});
afterAll(() => service.stop());

/** Gives the service a guard that asks a name server of the attacker. */
async function askAttacker(): Promise<void> {
  const { resolver, close } = await startNameServer((name, turn) => NAMES[name]?.(turn));
  onTestFinished(close);
  service.deps.outbound = outbound(`${OUTSIDE}/32`, {}, resolver);
}

async function made(answer: Promise<Answer>, status = 201): Promise<Answer['body']> {
  const { status: is, body } = await answer;
  assert.equal(is, status, JSON.stringify(body));
  return body;
}

/** Something that calls URLs of users. Add it here when it is built. */
interface Feature {
  /** Tries to save a URL, in something new and in something that is there. Returns the problems of each. */
  save: (url: string) => Promise<string[][]>;
  /** Where the problem of a URL is. */
  path: string;
  /** Has each URL called. Returns why each failed; null = it did not. */
  call: (urls: string[]) => Promise<(string | null)[]>;
}

const campaign = (urls: string[]) => ({
  name: 'A campaign',
  steps: urls.map((url, index) => ({ id: `call${index}`, type: 'WEBHOOK', config: { url } })),
});
const threshold = (url: string) => ({ name: 'Hot', score: 40, action: { type: 'WEBHOOK', url } });

/** What is there, and changed: a campaign and a threshold. */
const there = new Map<string, Promise<Answer['body']>>();
const existing = (path: string, body: object): Promise<{ id: number }> => {
  const one = there.get(path) ?? made(service.api('POST', path, body));
  there.set(path, one);
  return one;
};

const FEATURES: Record<string, Feature> = {
  'the step WEBHOOK': {
    path: '/steps/0/config/url',
    save: async (url) => {
      const { id } = await existing('/campaigns', campaign([]));
      const answers = [
        await service.api('POST', '/campaigns', campaign([url])),
        await service.api('PUT', `/campaigns/${id}`, campaign([url])),
      ];
      return answers.map(problemsOf);
    },
    call: async (urls) => {
      const { id } = await made(service.api('POST', '/campaigns', campaign(urls)));
      const { id: contactId } = await makeContact(service);
      await made(service.api('POST', `/campaigns/${id}/start`, { contactIds: [contactId] }), 202);
      const [execution] = await until('the contact has gone through', async () => {
        const { data } = (await service.api('GET', `/campaigns/${id}/executions?status=COMPLETED`)).body;
        return data.length > 0 && data;
      });
      const { steps } = await made(service.api('GET', `/campaigns/executions/${execution.id}`), 200);
      return steps.map(({ result, reason }: { result: string; reason: string }) =>
        result === 'success' ? null : reason,
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
      return Promise.all(ids.map((id) => failureOf(`threshold-call/default/${id}/${contactId}`)));
    },
  },
};

/** Why a workflow failed; null = it did not. */
async function failureOf(id: string): Promise<string | null> {
  const workflow = service.deps.temporal.workflow.getHandle(id);
  await until('it is started', () => workflow.describe().catch(() => null));
  return workflow.result().then(
    () => null,
    (error) => {
      assert.ok(error instanceof WorkflowFailedError, String(error));
      return (error.cause!.cause as Error).message;
    },
  );
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
      paths.push(request.url!);
      // Without a kept connection, the next attempt asks for the address again.
      if (request.url === '/again') response.writeHead(503, { connection: 'close' });
      if (request.url === '/elsewhere') response.writeHead(307, { location: `http://${TRAP}:${port}/` });
      response.end();
    });
    await listening(server, OUTSIDE, port);

    const refused = ADDRESSES.map((_, index) => `n${index}.example.com`);
    const told = (host: string, more = ''): string =>
      `outbound_refused: ${host} leads to an address that may not be called${more}`;
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
    assert.deepEqual(paths.sort(), ['/again', '/elsewhere', '/mixed']);
    assert.equal(trapped, 0);
  });
}
