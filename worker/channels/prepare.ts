import type { ChannelProvider } from '../../db/entities/channels.ts';
import type { HttpConfig } from '../../domain/channels/transport/http.ts';
import type { SendToPrepare } from '../../domain/channels/transport/prepare.ts';
import type { LinkSettings } from '../../domain/emails/rendering/link-settings.ts';
import type {
  MessageSource,
  RenderContext,
  RenderedPush,
  RenderedText,
  RenderFailure,
} from '../../domain/channels/content/render-message.ts';
import { heldUntil } from '../../domain/delivery/gates/hours.ts';
import type { LeasedSend } from '../../domain/channels/ledger/lease-sends.ts';
import type { PreparedSend } from '../../domain/channels/ledger/start-sends.ts';
import type { PushContent } from '../../domain/channels/content/render-message.ts';

/** What a send shows; or why it cannot be rendered. */
export interface Rendered {
  failure?: string;
  text: string | null;
  push: PushContent | null;
  /** The fields of the provider's `body`. */
  body: Record<string, string> | null;
  /** The ledger's part of it. */
  noted: Pick<PreparedSend, 'segments' | 'encoding' | 'links'>;
}

/** The ledger's part of a leased send that is not rendered yet: it may be held for its hours. */
export function rowOf(leased: LeasedSend, now: Date = new Date()): PreparedSend {
  const held = leased.hours && heldUntil(leased.hours, leased.createdAt, now);
  return {
    id: leased.id,
    tenantId: leased.tenantId,
    messageId: leased.messageId,
    contactVersion: leased.contactVersion,
    contentVersion: leased.contentVersion,
    address: leased.address,
    segments: null,
    encoding: null,
    links: [],
    cappedContactId: leased.cappedContactId,
    providerId: null,
    isSendable: false,
    ...(held === 'expired' ? { expired: true } : held ? { notBefore: held } : {}),
  };
}

/** Whether there is something to send, and somewhere to send it. The gates say why if not. */
export const isComplete = (leased: LeasedSend): boolean =>
  leased.content !== null && (leased.channel === 'sms' ? leased.address !== null : leased.device !== null);

/** What a complete send is rendered from. `base` is that of short links, `links` makes those to pages. */
export function toRender(
  leased: LeasedSend,
  provider: Pick<ChannelProvider, 'type' | 'config'> | null,
  { base, links }: { base: string; links: LinkSettings },
): { source: MessageSource; context: RenderContext } {
  const { contact, data, channel, content, tenantId, contactId } = leased;
  const { body, title, url, iconUrl, imageUrl, actions, smartEncoding } = content!;
  return {
    source: { channel, body, title, url, iconUrl, imageUrl, actions, smartEncoding: smartEncoding ?? true },
    context: {
      contact,
      address: typeof contact?.['email'] === 'string' ? contact['email'] : (leased.address ?? ''),
      data,
      links,
      owner: { tenantId, contactId, at: leased.linksAt },
      base,
      optOutText: leased.optOutText,
      codes: leased.linkCodes ?? {},
      provider: provider?.type === 'http' ? bodyOf(provider.config as unknown as HttpConfig, leased) : null,
    },
  };
}

const bodyOf = ({ body, from = '' }: HttpConfig, { address, messageId }: LeasedSend): RenderContext['provider'] => ({
  body,
  to: address!,
  from,
  messageId: String(messageId),
});

const NOTHING: Rendered = { text: null, push: null, body: null, noted: { segments: null, encoding: null, links: [] } };

/** What came of rendering a send. */
export function renderedOf(shown: RenderedText | RenderedPush | RenderFailure, { linkCodes }: LeasedSend): Rendered {
  if ('failure' in shown) return { ...NOTHING, failure: shown.failure };
  const links = shown.links.map((link) => ({ ...link, isStored: Object.hasOwn(linkCodes ?? {}, link.url) }));
  if (shown.kind === 'push') return { ...NOTHING, push: shown.content, noted: { ...NOTHING.noted, links } };
  const { text, segments, encoding, body } = shown;
  return { ...NOTHING, text, body, noted: { segments, encoding, links } };
}

const DEFAULT_TTL_SECONDS = 86_400;

/** What the request of a rendered send needs; the provider is null for Web Push. */
export function requestOf(
  leased: LeasedSend,
  { text, push, body }: Pick<Rendered, 'text' | 'push' | 'body'>,
  provider: Pick<ChannelProvider, 'id' | 'config'> | null,
  credentials: Record<string, unknown>,
): SendToPrepare {
  const { content, device } = leased;
  return {
    tenantId: leased.tenantId,
    sendId: leased.id,
    messageId: leased.messageId,
    provider: provider && { id: provider.id, config: provider.config, credentials },
    address: device?.endpoint ?? leased.address!,
    subscription: device,
    rendered:
      text !== null
        ? { kind: 'sms', text, body }
        : {
            kind: 'push',
            payload: { ...push! },
            ttlSeconds: content?.ttlSeconds ?? DEFAULT_TTL_SECONDS,
            urgency: content?.urgency ?? null,
            collapseKey: content?.collapseKey ?? null,
          },
  };
}
