import type { Context } from 'koa';
import type { Static } from 'typebox';
import { engineEm, tenantEm } from '../../db/orm.ts';
import { findTokenContact } from '../../domain/addresses/contact-token.ts';
import { pushHostsOf } from '../../domain/channels/push/push-hosts.ts';
import { readSubscriptionToken, subscriptionToken } from '../../domain/channels/push/push-token.ts';
import { recordPushReports, type PushReport } from '../../domain/tracking/push-reports.ts';
import { findSite, originsOfSubscription, type CalledSite } from '../../domain/channels/devices/sites.ts';
import { saveDevice, type DeviceInput } from '../../domain/channels/devices/subscriptions.ts';
import {
  factViolations,
  keptFacts,
  keptKey,
  subscriptionViolations,
} from '../../domain/channels/devices/subscription-violations.ts';
import type { Caller } from '../../domain/audit/principal.ts';
import { AppError, assertValid, type Violation } from '../../lib/checks/errors.ts';
import { notOneWrittenLine } from '../../lib/checks/schema-check.ts';
import type { ValidPart } from '../../lib/checks/valid-part.ts';
import type { Deps } from '../../runtime/deps.ts';
import { inBatches } from '../route/in-batches.ts';
import type { Reply } from '../route/route.ts';
import type { PushSubscribe } from './push-schema.ts';
import { admitOrigin } from './site-origins.ts';

type Body = Static<typeof PushSubscribe>;
interface Call {
  body: Body;
  requestId: string;
  /** With a token of the API. */
  caller: Caller | undefined;
}

const endpointsOf = ({ env, outbound }: Deps) => ({ hosts: pushHostsOf(env), checkUrl: outbound.checkUrl });

const required = (path: string): Violation => ({ path, code: 'required', message: 'is required' });

/** All violations of a subscription beyond its schema. `tenantId` is that of a caller with a token of the API. */
export function subscribeViolations(deps: Deps, body: ValidPart<Body>, tenantId: string | undefined): Violation[] {
  const isApp = body.type === 'fcm' && tenantId !== undefined;
  const wrongPlatform = notOneWrittenLine(body.platform);
  const missing = isApp ? (['contactId', 'token'] as const) : (['siteKey', 'subscription'] as const);
  return [
    ...missing.filter((field) => body[field] === undefined).map((field) => required(`/${field}`)),
    ...(isApp || !body.subscription ? [] : subscriptionViolations(body.subscription, endpointsOf(deps))),
    ...(wrongPlatform ? [{ path: '/platform', ...wrongPlatform }] : []),
    ...factViolations(body),
  ];
}

/** Subscribes a device. Throws 400, 401, 403, 404, 409. */
export async function subscribe(ctx: Context, deps: Deps, call: Call): Promise<Reply> {
  const { body, caller } = call;
  const tenantId = caller?.tenantId;
  if (tenantId === undefined && (body.type === 'fcm' || body.contactId !== undefined))
    throw new AppError('unauthorized', 'Apps, and subscriptions with contactId, need a token of the API');
  const errors = subscribeViolations(deps, body, tenantId);
  if (body.type === 'fcm') {
    assertValid(errors);
    return save(deps, tenantId!, call, {
      ...{ type: 'fcm', endpoint: body.token!, platform: body.platform ?? null },
      ...{ ...keptFacts(body), contactId: body.contactId!, contactPath: '/contactId' },
    });
  }
  const site = body.siteKey === undefined ? null : await findSite(engineEm(deps.orm), body.siteKey);
  if (site && tenantId === undefined) admitOrigin(ctx, site.origins);
  assertValid(errors);
  if (!site || (tenantId !== undefined && site.tenantId !== tenantId))
    throw new AppError('not_found', 'There is no push site with this siteKey', {
      errors: [{ path: '/siteKey', code: 'not_found', message: 'is not the key of a push site' }],
    });
  return save(deps, site.tenantId, call, await browserOf(deps, site, body));
}

async function browserOf(deps: Deps, site: CalledSite, body: Body): Promise<DeviceInput> {
  const { endpoint, expirationTime, keys } = body.subscription!;
  const contactId =
    body.contactId ??
    (body.contactToken == null
      ? undefined
      : await findTokenContact(tenantEm(deps.orm, site.tenantId), deps.links, body.contactToken, site.tenantId));
  const replaces = body.replaces == null ? undefined : formerOf(deps, site.tenantId, body.replaces);
  assertValid([
    ...(contactId === null
      ? [{ path: '/contactToken', code: 'token_invalid', message: 'is not a valid token, or has expired' }]
      : []),
    ...(replaces === null
      ? [{ path: '/replaces', code: 'token_invalid', message: 'must be an endpoint, or the token of a subscription' }]
      : []),
  ]);
  return {
    ...{ type: 'webpush', endpoint, siteId: site.id, p256dh: keptKey(keys.p256dh), auth: keptKey(keys.auth) },
    ...{ expiresAt: expirationTime == null ? null : new Date(expirationTime), platform: body.platform ?? null },
    ...keptFacts(body),
    ...(contactId == null ? {} : { contactId }),
    contactPath: body.contactId === undefined ? '/contactToken' : '/contactId',
    ...(replaces == null ? {} : { replaces }),
  };
}

/** The subscription that `replaces` names. Who knows an endpoint has had it from its browser (RFC 8030 section 8.3). */
function formerOf(deps: Deps, tenantId: string, replaces: string): { endpoint: string } | { id: number } | null {
  if (/^https?:\/\//.test(replaces)) return { endpoint: replaces };
  const token = readSubscriptionToken(deps.links, replaces);
  return token?.tenantId === tenantId ? { id: token.id } : null;
}

async function save(deps: Deps, tenantId: string, call: Call, device: DeviceInput): Promise<Reply> {
  const { requestId, caller } = call;
  const { id, isNew } = await saveDevice(tenantEm(deps.orm, tenantId), { tenantId, requestId }, device, caller);
  const body = { id, token: subscriptionToken(deps.links, tenantId, id) };
  return isNew
    ? { status: 201, body, headers: { Location: `/api/v1/channels/push/subscriptions/${id}` } }
    : { status: 200, body };
}

/** The tenant of a subscription that its own token ends. Throws 401 without one, 400 for a wrong one, 403. */
export async function assertEndToken(ctx: Context, deps: Deps, id: number, token: string | undefined): Promise<string> {
  if (token === undefined)
    throw new AppError('unauthorized', 'A token of the API, or of the subscription, is required');
  const read = readSubscriptionToken(deps.links, token);
  if (read?.id !== id) throw new AppError('token_invalid', 'The token is not that of this subscription');
  const origins = ctx.get('origin') === '' ? null : await originsOfSubscription(engineEm(deps.orm), read);
  if (origins) admitOrigin(ctx, origins);
  return read.tenantId;
}

const MOST_WAITING = 10_000;

/** Records a report of a device; resolves when it is stored. Throws 503 while too many wait. */
export const recordReport = inBatches<PushReport>(({ orm }, reports) => recordPushReports(engineEm(orm), reports), {
  most: MOST_WAITING,
  refusal: () =>
    new AppError('unavailable', 'Too many reports are being recorded; try again', { headers: { 'Retry-After': '5' } }),
});
