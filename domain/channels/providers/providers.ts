import { LockMode } from '@mikro-orm/core';
import { ChannelProvider, type MessageChannel, type ProviderType } from '../../../db/entities/channels.ts';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { appendAudit, type Author } from '../../audit/audit.ts';
import { assertValid, notFound, type Referrer, type Violation } from '../../../lib/checks/errors.ts';
import { byName, commonSort, listPage, type Present } from '../../common/list-page.ts';
import type { ListQuery, Page } from '../../common/paging.ts';
import type { BoxSecrets } from '../../../lib/text/secret-box.ts';
import type { CheckUrl } from '../../outbound/check-url.ts';
import { configViolations, credentialViolations, PROVIDERS, sendsElsewhere } from './config.ts';
import { openCredentials, sealCredentials } from './credentials.ts';
import { notOneWrittenLine } from '../../../lib/checks/schema-check.ts';
import { deleteUnused } from '../../common/references.ts';

export interface ProviderInput {
  name: string;
  channel: MessageChannel;
  type: ProviderType;
  priority?: number;
  ratePerSecond?: number | null;
  config: Record<string, unknown>;
  credentials?: Record<string, unknown>;
  active?: boolean;
}

interface Services {
  env: BoxSecrets;
  checkUrl: CheckUrl;
}

/** A provider with the names of its credentials. */
export interface ProviderView {
  provider: ChannelProvider;
  credentials: string[];
}

const resourceOf = (id: number) => ({ resourceType: 'channel_provider', resourceId: id });

/** What the audit log has of a provider: nothing of its credentials but that they changed. */
const contentOf = ({ name, channel, type, priority, ratePerSecond, config, active }: ChannelProvider) => ({
  ...{ name, channel, type, priority, ratePerSecond: ratePerSecond ?? null, config, active },
});

/** The credentials that a change gives; undefined if those that are there stay: none are given, or just as GET shows them. */
function newCredentials(
  { credentials }: Partial<ProviderInput>,
  { credentials: stored }: ProviderView,
): ProviderInput['credentials'] {
  const isShown =
    credentials &&
    Object.keys(credentials).length === stored.length &&
    stored.every((name) => credentials[name] === true);
  return isShown ? undefined : credentials;
}

/** All violations of a new provider, or of a change of `current`. Throws 422 `template_limit`, 503. */
export async function providerViolations(
  tenantId: string,
  input: Partial<ProviderInput>,
  checkUrl: CheckUrl,
  current?: ProviderView,
): Promise<Violation[]> {
  const before = current?.provider;
  const type = before?.type ?? input.type;
  if (type === undefined) return [];
  const fixed = before
    ? (['type', 'channel'] as const)
        .filter((field) => input[field] !== undefined && input[field] !== before[field])
        .map((field) => ({ path: `/${field}`, code: 'read_only', message: 'cannot be changed' }))
    : [];
  const kind = PROVIDERS[type];
  const channel =
    !before && input.channel !== undefined && input.channel !== kind.channel
      ? [{ path: '/channel', code: 'conflict', message: `${type} is a provider of ${kind.channel}` }]
      : [];
  const config = input.config === undefined ? [] : await configViolations(tenantId, type, input.config, checkUrl);
  const credentials = current ? newCredentials(input, current) : input.credentials;
  const isMissing = before ? config.length === 0 && wouldMove(input, before) : kind.required;
  const missing =
    credentials === undefined && isMissing
      ? [{ path: '/credentials', code: 'required', message: before ? GIVE_AGAIN : 'is required' }]
      : [];
  const wrongName = notOneWrittenLine(input.name);
  return [
    ...(wrongName ? [{ path: '/name', ...wrongName }] : []),
    ...fixed,
    ...channel,
    ...config,
    ...missing,
    ...(credentials === undefined ? [] : credentialViolations(type, credentials)),
  ];
}

const GIVE_AGAIN = 'must be given again, because the stored ones would be sent to another address';

/**
 * Whether a change would send the stored credentials to another origin. Nobody may read them, so whoever changes the
 * address must know them.
 */
const wouldMove = ({ config }: Partial<ProviderInput>, before: ChannelProvider): boolean =>
  Boolean(before.credentials) && config !== undefined && sendsElsewhere(before.type, before.config, config);

const sealedOrNull = (env: BoxSecrets, key: Pick<ChannelProvider, 'tenantId' | 'id'>, credentials: object) =>
  Object.keys(credentials).length === 0 ? null : sealCredentials(env, key, credentials);

/** Creates a provider. Throws 400 with every violation. */
export async function createProvider(
  em: EntityManager,
  { env, checkUrl }: Services,
  author: Author,
  { credentials, ...input }: ProviderInput,
): Promise<ProviderView> {
  const { tenantId } = author;
  assertValid(await providerViolations(tenantId, { ...input, ...(credentials ? { credentials } : {}) }, checkUrl));
  return em.transactional(async (tx) => {
    const [next] = await rows<{ id: number }>(tx, sql`select nextval('channel_providers_id_seq') as id`);
    const key = { tenantId, id: next!.id };
    const sealed = sealedOrNull(env, key, credentials ?? {});
    const provider = tx.create(ChannelProvider, { ...input, ...key, credentials: sealed });
    await tx.flush();
    await appendAudit(tx, author, {
      action: 'channel_provider.created',
      ...resourceOf(provider.id),
      after: contentOf(provider),
    });
    return { provider, credentials: Object.keys(credentials ?? {}) };
  });
}

/**
 * Changes the given fields; `check` gets the current provider, locked. `credentials` replace those that are there,
 * unless they are just as GET shows them. Throws 400, 404.
 */
export async function updateProvider(
  em: EntityManager,
  { env, checkUrl }: Services,
  author: Author,
  id: number,
  given: Partial<ProviderInput>,
  check: (current: ProviderView) => void,
): Promise<ProviderView> {
  return em.transactional(async (tx) => {
    const provider = await lockProvider(tx, id);
    const current = viewOf(env, provider);
    check(current);
    assertValid(await providerViolations(author.tenantId, given, checkUrl, current));
    const before = contentOf(provider);
    const { credentials: _, ...input } = given;
    const credentials = newCredentials(given, current);
    tx.assign(provider, input);
    if (credentials) provider.credentials = sealedOrNull(env, provider, credentials);
    await tx.flush();
    await appendAudit(tx, author, {
      action: 'channel_provider.updated',
      ...resourceOf(id),
      before,
      after: { ...contentOf(provider), ...(credentials ? { credentials: 'changed' } : {}) },
    });
    return viewOf(env, provider);
  });
}

/** Deletes a provider. Throws 404, 409 `in_use` if messages that are not sent yet may only go through it. */
export async function deleteProvider(
  em: EntityManager,
  author: Author,
  id: number,
  check: (current: ChannelProvider) => void,
): Promise<void> {
  await em.transactional(async (tx) => {
    const provider = await lockProvider(tx, id);
    check(provider);
    const before = contentOf(provider);
    await deleteUnused(tx, provider, () => boundMessages(tx, provider));
    await appendAudit(tx, author, { action: 'channel_provider.deleted', ...resourceOf(id), before });
  });
}

const boundMessages = (tx: EntityManager, { tenantId, id }: ChannelProvider): Promise<Referrer[]> =>
  rows<Referrer>(
    tx,
    sql`
    select 'message' as kind, m.id, m.channel || ' ' || m.id as name from message_sends s
    join messages m on m.tenant_id = s.tenant_id and m.id = s.message_id
    where s.tenant_id = ${tenantId} and s.is_open and m.provider_id = ${id} order by m.id limit 10`,
  );

/** Throws 404. */
export async function readProvider(em: EntityManager, env: BoxSecrets, id: number): Promise<ProviderView> {
  const provider = await em.findOne(ChannelProvider, { id });
  if (!provider) throw notFound('provider', id);
  return viewOf(env, provider);
}

async function lockProvider(tx: EntityManager, id: number): Promise<ChannelProvider> {
  const provider = await tx.findOne(ChannelProvider, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!provider) throw notFound('provider', id);
  return provider;
}

/** The names of credentials are told, not their values; none if they cannot be decrypted. */
export function viewOf(env: BoxSecrets, provider: ChannelProvider): ProviderView {
  try {
    return { provider, credentials: Object.keys(openCredentials(env, provider)) };
  } catch {
    return { provider, credentials: [] };
  }
}

interface ProviderQuery extends ListQuery {
  channel?: string;
  active?: boolean;
}

/** A page of the tenant's providers. Throws `validation_failed` for a wrong cursor. */
export const listProviders = <T>(
  em: EntityManager,
  query: ProviderQuery,
  present: Present<ChannelProvider, T>,
): Promise<Page<T>> =>
  listPage(
    em,
    ChannelProvider,
    query,
    {
      from: sql`channel_providers t`,
      sortable: { ...commonSort, name: byName },
      where: [
        query.channel !== undefined && sql`t.channel = ${query.channel}`,
        query.active !== undefined && sql`t.active = ${query.active}`,
      ],
    },
    present,
  );
