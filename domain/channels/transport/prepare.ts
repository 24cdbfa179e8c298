import type { ProviderType } from '../../../db/entities/channels.ts';
import { outboundError } from '../../outbound/outbound-error.ts';
import type { OutboundAnswer, Outbound } from '../../outbound/outbound.ts';
import { isPushEndpoint } from '../push/push-hosts.ts';
import { pushPayload } from '../push/push-payload.ts';
import type { SiteKeys } from '../push/site-keys.ts';
import { AccessTokens, type ServiceAccount } from './access-token.ts';
import { callbackPath } from './callback.ts';
import { FCM_TOKEN_URL, fcmCall, judgeFcm, type PushToSend } from './fcm.ts';
import { httpCall, judgeHttp, type HttpConfig } from './http.ts';
import { outcome, outcomeOfError, type CallOutcome, type MessageCall } from './outcome.ts';
import { judgeTwilio, twilioCall, type TwilioConfig, type TwilioCredentials } from './twilio.ts';
import { forgetToken, judgeWebPush, webPushCall } from './webpush.ts';
import { withoutSecrets } from './without-secrets.ts';

/** How a send leaves: by a provider of a type, or by Web Push, which needs none. */
export type CarrierType = ProviderType | 'webpush';

/** A provider with its credentials, decrypted. */
export interface SendingProvider {
  id: number;
  config: Record<string, unknown>;
  credentials: Record<string, unknown>;
}

/** A send with all that its request needs. */
export interface SendToPrepare {
  tenantId: string;
  sendId: number;
  messageId: number;
  /** Null for Web Push. */
  provider: SendingProvider | null;
  /** sms: the number (E.164). fcm: the registration token. webpush: the endpoint. */
  address: string;
  /** webpush: the keys of the subscription, and its site. */
  subscription?: { id: number; p256dh: string | null; auth: string | null; siteId: number | null } | null;
  /** webpush: the keys of its site, what its device reports with, and the hosts that may be called. */
  webpush?: { site: SiteKeys; token: string; hosts: readonly string[] };
  /** fcm: what its device reports with. */
  reportToken?: string;
  /** `body`: the fields of the `body` of a provider of type `http`. */
  rendered:
    | { kind: 'sms'; text: string; body: Record<string, string> | null }
    | ({ kind: 'push' } & Omit<PushToSend, 'messageId' | 'reportToken'>);
}

export interface PrepareServices {
  outbound: Outbound;
  /** The base URL of this service's API, without a slash at the end. */
  apiUrl: string;
}

/** Nothing was sent, and why. */
export interface PrepareFailure {
  failed: CallOutcome;
}

interface Carrier {
  prepare: (
    send: SendToPrepare,
    services: PrepareServices,
  ) => MessageCall | PrepareFailure | Promise<MessageCall | PrepareFailure>;
  judge: (answer: OutboundAnswer, config: Record<string, unknown>) => CallOutcome;
}

const textOf = ({ provider, address, messageId, sendId, rendered }: SendToPrepare, { apiUrl }: PrepareServices) => ({
  to: address,
  text: rendered.kind === 'sms' ? rendered.text : '',
  messageId,
  callbackUrl: `${apiUrl}${callbackPath(provider!.id, sendId)}`,
});

const tokensOf = new WeakMap<Outbound, AccessTokens>();
function accessTokens(outbound: Outbound): AccessTokens {
  let tokens = tokensOf.get(outbound);
  if (!tokens) tokensOf.set(outbound, (tokens = new AccessTokens(outbound)));
  return tokens;
}

const tokenUrlOf = ({ tokenUrl }: { tokenUrl?: string }): string => tokenUrl ?? FCM_TOKEN_URL;

const CARRIERS: Record<CarrierType, Carrier> = {
  twilio: {
    prepare: (send, services) =>
      twilioCall(
        send.provider!.config as unknown as TwilioConfig,
        send.provider!.credentials as unknown as TwilioCredentials,
        textOf(send, services),
      ),
    judge: judgeTwilio,
  },
  http: {
    prepare: (send, services) => {
      const { config, credentials } = send.provider!;
      const body = (send.rendered.kind === 'sms' && send.rendered.body) || {};
      return httpCall(config as unknown as HttpConfig, credentials, textOf(send, services), body);
    },
    judge: (answer, config) => judgeHttp(config as unknown as HttpConfig, answer),
  },
  fcm: {
    prepare: async ({ tenantId, provider, address, messageId, reportToken, rendered }, { outbound }) => {
      const config = provider!.config as { projectId: string; baseUrl?: string; tokenUrl?: string };
      const account = provider!.credentials as unknown as ServiceAccount;
      if (rendered.kind !== 'push' || reportToken === undefined) throw new TypeError('FCM carries pushes only');
      try {
        const token = await accessTokens(outbound).get(tenantId, tokenUrlOf(config), account);
        return fcmCall(config, token, address, { ...rendered, messageId, reportToken });
      } catch (error) {
        // Without a token nothing was sent: whatever the reason is, it speaks against the provider.
        const { code, message } = outboundError(error);
        return {
          failed: {
            ...outcomeOfError(outboundError(error)),
            result: 'QUEUED',
            reason: null,
            ...(code === 'busy' ? {} : { fault: 'refused' as const }),
            reply: message,
          },
        };
      }
    },
    judge: judgeFcm,
  },
  webpush: {
    prepare: ({ tenantId, messageId, address, subscription, webpush, rendered }, { outbound: { checkUrl } }) => {
      if (rendered.kind !== 'push' || !webpush || !subscription?.p256dh || !subscription.auth)
        throw new TypeError('Web Push carries pushes to browsers only');
      const { site, token, hosts } = webpush;
      if (!isPushEndpoint(address, hosts, checkUrl))
        return { failed: outcome('FAILED', 'not a push service', { reason: 'outbound_refused' }) };
      return webPushCall({
        ...{ tenantId, site, endpoint: address, p256dh: subscription.p256dh, auth: subscription.auth },
        payload: pushPayload(site, rendered.payload, { messageId, token }),
        ...{ ttlSeconds: rendered.ttlSeconds, urgency: rendered.urgency, topic: rendered.collapseKey },
      });
    },
    judge: judgeWebPush,
  },
};

/**
 * The request that carries a send; its last byte is held back by the caller until it may be sent. Or the outcome, if
 * there is nothing to ask a provider for.
 */
export async function prepareRequest(
  type: CarrierType,
  send: SendToPrepare,
  services: PrepareServices,
): Promise<MessageCall | PrepareFailure> {
  return CARRIERS[type].prepare(send, services);
}

/**
 * What an answer to the request of `prepareRequest`, or its error, means. Credentials that the provider repeats in its
 * answer are kept nowhere.
 */
export function judgeAnswer(
  type: CarrierType,
  { tenantId, provider, address, webpush }: Pick<SendToPrepare, 'tenantId' | 'provider' | 'address' | 'webpush'>,
  answer: OutboundAnswer | Error,
  { outbound }: Pick<PrepareServices, 'outbound'>,
): CallOutcome {
  if (answer instanceof Error) {
    const judged = outcomeOfError(outboundError(answer));
    return {
      ...judged,
      isRepeatable: judged.result === 'UNKNOWN' && provider?.config['idempotencyHeader'] !== undefined,
    };
  }
  if (type === 'fcm' && answer.status === 401 && provider)
    accessTokens(outbound).forget(
      tenantId,
      tokenUrlOf(provider.config),
      provider.credentials as unknown as ServiceAccount,
    );
  if (webpush && (answer.status === 401 || answer.status === 403))
    forgetToken({ tenantId, site: webpush.site, endpoint: address });
  return CARRIERS[type].judge(withoutSecrets(answer, provider?.credentials ?? {}), provider?.config ?? {});
}
