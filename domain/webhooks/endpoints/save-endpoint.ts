import { WebhookEndpoint } from '../../../db/entities/webhooks.ts';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { touchOutbox } from '../../../events/outbox.ts';
import { appendAudit, type Author } from '../../audit/audit.ts';
import { AppError, assertValid } from '../../../lib/checks/errors.ts';
import type { BoxSecrets } from '../../../lib/text/secret-box.ts';
import type { CheckUrl } from '../../outbound/check-url.ts';
import { endpointViolations } from './endpoint-violations.ts';
import { lockEndpoint, noteChange, viewOf, type EndpointView } from './endpoints.ts';
import { makeKey, sealHeader } from './keys.ts';

export interface EndpointInput {
  name: string;
  url: string;
  types: string[];
  filter?: WebhookEndpoint['filter'];
  format?: WebhookEndpoint['format'];
  signature?: WebhookEndpoint['signature'];
  ordering?: WebhookEndpoint['ordering'];
  include?: string[];
  /** `true` keeps the value that a header has. */
  headers?: Record<string, string | true>;
  maxInFlight?: number;
  timeoutMs?: number;
  active?: boolean;
}

interface Services {
  env: BoxSecrets;
  checkUrl: CheckUrl;
}

const MOST_ENDPOINTS = 10_000;
const resourceOf = (id: number) => ({ resourceType: 'webhook', resourceId: id });

/**
 * What the audit log has of an endpoint. The version tells of changes of what is not in it: the values of headers, and the
 * filter, which may name a person, while entries cannot be removed.
 */
const contentOf = (endpoint: WebhookEndpoint) => ({
  name: endpoint.name,
  url: endpoint.url,
  types: endpoint.types,
  format: endpoint.format,
  signature: endpoint.signature,
  ordering: endpoint.ordering,
  include: endpoint.include,
  headers: Object.keys(endpoint.headers ?? {}),
  maxInFlight: endpoint.maxInFlight,
  timeoutMs: endpoint.timeoutMs,
  active: endpoint.active,
  version: endpoint.version,
});

/**
 * Creates an endpoint, which gets what happens from now on. Returns its secret, which cannot be read again (null for
 * v1a). Throws 400 with all violations, 409 `limit_reached`.
 */
export async function createEndpoint(
  em: EntityManager,
  { env, checkUrl }: Services,
  author: Author,
  { headers = {}, active = true, signature = 'v1', ...input }: EndpointInput,
): Promise<EndpointView & { secret: string | null }> {
  assertValid(endpointViolations({ ...input, headers }, checkUrl));
  const { tenantId } = author;
  return em.transactional(async (tx) => {
    await noteChange(tx, tenantId);
    const [counted] = await rows<{ n: number; id: number }>(
      tx,
      sql`
      select count(*) as n, nextval('webhook_endpoints_id_seq') as id from webhook_endpoints where tenant_id = ${tenantId}`,
    );
    if (counted!.n >= MOST_ENDPOINTS)
      throw new AppError('limit_reached', `An account may have ${MOST_ENDPOINTS} webhooks`);
    const key = { tenantId, id: counted!.id };
    const { secret, ...made } = makeKey(env, key, signature);
    const endpoint = tx.create(WebhookEndpoint, {
      ...input,
      ...key,
      ...made,
      signature,
      include: input.include ?? [],
      headers: sealed(env, key, headers, {}),
      ...stateOf(active),
    });
    await tx.flush();
    await rows(
      tx,
      sql`insert into webhook_lanes (tenant_id, endpoint_id, active) values (${tenantId}, ${endpoint.id}, ${active})`,
    );
    await rows(tx, sql`insert into webhook_health (tenant_id, endpoint_id) values (${tenantId}, ${endpoint.id})`);
    await appendAudit(tx, author, {
      action: 'webhook.created',
      ...resourceOf(endpoint.id),
      after: contentOf(endpoint),
    });
    return { endpoint, lastSuccessAt: null, secret };
  });
}

const stateOf = (active: boolean) =>
  active
    ? { active, disabledReason: null, disabledAt: null }
    : { active, disabledReason: 'manual' as const, disabledAt: new Date() };

function sealed(
  env: BoxSecrets,
  key: Parameters<typeof sealHeader>[1],
  headers: Record<string, string | true>,
  before: Record<string, string>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      const lower = name.toLowerCase();
      return [lower, value === true ? before[lower]! : sealHeader(env, key, lower, value)];
    }),
  );
}

/**
 * Changes the given fields; `check` gets the current endpoint, locked. Another `signature` makes another key. Activating
 * sends what was held. Throws 400, 404.
 */
export async function updateEndpoint(
  em: EntityManager,
  { env, checkUrl }: Services,
  author: Author,
  id: number,
  { headers, active, signature, ...input }: Partial<EndpointInput>,
  check: (current: EndpointView) => void,
): Promise<EndpointView> {
  return em.transactional(async (tx) => {
    await noteChange(tx, author.tenantId);
    const endpoint = await lockEndpoint(tx, id);
    check(await viewOf(tx, endpoint));
    assertValid(updateViolations(endpoint, { headers, ...input }, checkUrl));
    const before = contentOf(endpoint);
    tx.assign(endpoint, {
      ...input,
      ...(headers ? { headers: sealed(env, endpoint, headers, endpoint.headers ?? {}) } : {}),
      ...(active !== undefined && active !== endpoint.active ? stateOf(active) : {}),
    });
    if (signature && signature !== endpoint.signature) {
      const { key, publicKey } = makeKey(env, endpoint, signature);
      tx.assign(endpoint, { signature, key, publicKey, previousKey: null, previousExpiresAt: null });
    }
    await tx.flush();
    if (endpoint.active !== before.active) await switchLane(tx, endpoint);
    if (endpoint.ordering !== before.ordering && endpoint.ordering === 'none') await makeWaitingDue(tx, endpoint);
    touchOutbox(tx, 'webhook_lanes');
    await appendAudit(tx, author, { action: 'webhook.updated', ...resourceOf(id), before, after: contentOf(endpoint) });
    return viewOf(tx, endpoint);
  });
}

/** The violations of a change: the given parts with the stored ones that they must agree with. */
export function updateViolations(
  endpoint: WebhookEndpoint,
  {
    url,
    types,
    filter,
    headers,
  }: { url?: string; types?: string[]; filter?: unknown; headers?: Record<string, unknown> },
  checkUrl: CheckUrl,
) {
  const judged =
    types === undefined && filter === undefined
      ? {}
      : { types: types ?? endpoint.types, filter: filter === undefined ? endpoint.filter : filter };
  const stored = Object.keys(endpoint.headers ?? {});
  const violations = endpointViolations({ url, ...judged, headers }, checkUrl, stored);
  const keeps = headers ? Object.values(headers).includes(true) : stored.length > 0;
  // Their values are shown to nobody, so not to whoever has the other URL either.
  if (keeps && url !== undefined && URL.parse(url)?.origin !== URL.parse(endpoint.url)?.origin)
    violations.push({ path: '/headers', code: 'required', message: 'must be given again for a URL of another origin' });
  return violations;
}

/** Begins or ends to send to an endpoint. What was tried before it was activated is due at once. */
async function switchLane(tx: EntityManager, { tenantId, id, active }: WebhookEndpoint): Promise<void> {
  const of = sql`tenant_id = ${tenantId} and endpoint_id = ${id}`;
  if (!active) {
    await rows(
      tx,
      sql`update webhook_lanes set active = false, due_at = case when holder is not null then due_at end where ${of}`,
    );
    return;
  }
  await rows(tx, sql`update webhook_health set failures = 0, failing_since = null, slow = false where ${of}`);
  await rows(
    tx,
    sql`
    update webhook_lanes set active = true, nudges = nudges + 1, hurried_at = now(), due_at = case when holder is null then now() else due_at end
    where ${of}`,
  );
}

/** Makes due what waits for other deliveries of its contact and was never tried itself. */
async function makeWaitingDue(tx: EntityManager, { tenantId, id }: WebhookEndpoint): Promise<void> {
  await rows(
    tx,
    sql`
    update webhook_lanes set nudges = nudges + 1, hurried_at = coalesce(hurried_at, 'epoch'), due_at = case when active and holder is null then now() else due_at end
    where tenant_id = ${tenantId} and endpoint_id = ${id}`,
  );
}

/** Deletes an endpoint; its deliveries are deleted in the background. Throws 404. */
export async function deleteEndpoint(
  em: EntityManager,
  author: Author,
  id: number,
  check: (current: WebhookEndpoint) => void,
): Promise<void> {
  await em.transactional(async (tx) => {
    await noteChange(tx, author.tenantId);
    const endpoint = await lockEndpoint(tx, id);
    check(endpoint);
    const before = contentOf(endpoint);
    await tx.remove(endpoint).flush();
    await rows(
      tx,
      sql`
      update webhook_lanes set active = false, due_at = null, deleted_at = now() where tenant_id = ${author.tenantId} and endpoint_id = ${id}`,
    );
    touchOutbox(tx, 'webhook_lanes');
    await appendAudit(tx, author, { action: 'webhook.deleted', ...resourceOf(id), before });
  });
}
