import { User } from '../../db/entities/auth.ts';
import { rows, sql } from '../../db/orm.ts';
import { retryExecution } from '../../domain/campaigns/execution/change-execution.ts';
import { startEndpoint, type EndpointAnswer, type Received } from '../support/endpoint.ts';
import { ended, wait, walk, type Path, type Walked } from './campaign-paths.ts';
import { TENANT, type Journeys } from './campaign-support.ts';

const origin = { tenantId: TENANT, actor: null, requestId: null, address: null };

/** Walks one contact through a WEBHOOK step `call`, whose endpoint gives these answers, and a WAIT `end`. */
export async function walkToEndpoint(
  journeys: Journeys,
  answers: (EndpointAnswer | null)[],
  { before = [], ...config }: { before?: object[]; onError?: 'fail'; url?: string } = {},
): Promise<Walked & { received: Received[] }> {
  const endpoint = await startEndpoint(answers);
  try {
    const call = { id: 'call', type: 'WEBHOOK', config: { url: `${endpoint.url}/hook`, ...config } };
    const walked = await walk(journeys, [...(before as (typeof call)[]), call, wait('end', 60)]);
    return { ...walked, received: endpoint.received };
  } finally {
    await endpoint.close();
  }
}

/** Walks to an endpoint whose first answer fails the execution, and then retries that. */
export async function walkAndRetry(
  journeys: Journeys,
): Promise<Walked & { received: Received[]; failed: Walked & { workflow: string } }> {
  const endpoint = await startEndpoint([{ status: 404, body: 'no such hook' }, { status: 200 }]);
  try {
    const config = { url: endpoint.url, onError: 'fail' };
    const campaignId = await journeys.start(
      { steps: [{ id: 'call', type: 'WEBHOOK', config }, wait('end', 60)] },
      { contactIds: [await journeys.contact()] },
    );
    for (const id of await journeys.relay()) await journeys.finished(id);
    const workflowId = (await journeys.executions(campaignId))[0]!.workflowId!;
    await journeys.settled(workflowId);
    const [execution] = await journeys.executions(campaignId);
    const failed = { execution: execution!, workflowId, workflow: await journeys.status(workflowId) };
    await retryExecution(journeys.em(), origin, execution!.id);
    await journeys.relay();
    return { ...(await ended(journeys, execution!)), received: endpoint.received, failed };
  } finally {
    await endpoint.close();
  }
}

/** Makes a user of the tenant with this address. */
export async function makeUser(journeys: Journeys, email: string): Promise<void> {
  const fields = { tenantId: TENANT, firstName: 'Grace', lastName: 'Owner', passwordHash: '-', roles: ['Admin'] };
  const key = email.toLowerCase();
  await journeys.em().transactional(async (tx) => {
    await rows(tx, sql`delete from users where email_key = ${key}`);
    tx.create(User, { ...fields, username: key, usernameKey: key, email, emailKey: key });
    await tx.flush();
  });
}

export const notice = { subject: 'About {{firstName}}', body: 'Call {{ firstName }} <{{ email }}>,\nplease.' };

/** Further ways that the execution's workflow can go: steps that reach out of the service. */
export const outboundPaths = {
  webhook: (journeys) => walkToEndpoint(journeys, [{ status: 204 }]),
  'webhook-after-wait': (journeys) => walkToEndpoint(journeys, [{ status: 204 }], { before: [wait('pause', 60)] }),
  'webhook-repeated': (journeys) => walkToEndpoint(journeys, [{ status: 503 }, { status: 200, body: 'ok' }]),
  'webhook-failed-and-retried': walkAndRetry,
  notify: async (journeys) => {
    await makeUser(journeys, 'Owner@example.com');
    const config = { to: 'owner@example.com', ...notice };
    return walk(journeys, [{ id: 'tell', type: 'NOTIFY', config }, wait('end', 60)]);
  },
} satisfies Record<string, Path>;
