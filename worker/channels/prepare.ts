import type { ChannelProvider } from '../../db/entities/channels.ts';
import type { SendToPrepare } from '../../domain/channels/transport/prepare.ts';
import { messageLinks } from '../../domain/channels/content/message-links.ts';
import type { EmailLinks } from '../../domain/emails/rendering/links.ts';
import { renderMessage } from '../../domain/channels/content/render-message.ts';
import { newCode } from '../../domain/channels/content/short-links.ts';
import { heldUntil } from '../../domain/channels/gates/hours.ts';
import type { LeasedSend } from '../../domain/channels/ledger/lease-sends.ts';
import type { PreparedSend } from '../../domain/channels/ledger/start-sends.ts';
import type { PushContent } from '../../domain/channels/content/render-message.ts';

/** What a send shows; or why it cannot be rendered. */
export interface Rendered {
  failure?: string;
  text: string | null;
  push: PushContent | null;
  /** The ledger's part of it. */
  noted: Pick<PreparedSend, 'segments' | 'encoding' | 'links'>;
  /** How long it took. */
  ms: number;
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

/** Renders a complete send. `base` is that of short links, `links` makes those to pages. Never throws for what a template or a contact contains. */
export function render(leased: LeasedSend, base: string, links: EmailLinks): Rendered {
  const begun = performance.now();
  const { contact, data, channel, content } = leased;
  const known = new Map(Object.entries(leased.linkCodes ?? {}));
  const shown = renderMessage(
    { ...content!, channel, smartEncoding: content!.smartEncoding ?? true },
    {
      contact,
      address: typeof contact?.['email'] === 'string' ? contact['email'] : (leased.address ?? ''),
      data,
      links: messageLinks({ tenantId: leased.tenantId, contactId: leased.contactId, at: leased.createdAt }, links),
      base,
      optOutText: leased.optOutText,
      codeFor: (url) => known.get(url) ?? newCode(),
    },
  );
  const rendered = {
    ...{ text: null, push: null, noted: { segments: null, encoding: null, links: [] } },
    ms: performance.now() - begun,
  };
  if ('failure' in shown) return { ...rendered, failure: shown.failure };
  const short = shown.links.map((link) => ({ ...link, isStored: known.has(link.url) }));
  if (shown.kind === 'push') return { ...rendered, push: shown.content, noted: { ...rendered.noted, links: short } };
  const { text, segments, encoding } = shown;
  return { ...rendered, text, noted: { segments, encoding, links: short } };
}

const DEFAULT_TTL_SECONDS = 86_400;

/** What the request of a rendered send needs; the provider is null for Web Push. */
export function requestOf(
  leased: LeasedSend,
  { text, push }: Pick<Rendered, 'text' | 'push'>,
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
        ? { kind: 'sms', text }
        : {
            kind: 'push',
            payload: { ...push! },
            ttlSeconds: content?.ttlSeconds ?? DEFAULT_TTL_SECONDS,
            urgency: content?.urgency ?? null,
            collapseKey: content?.collapseKey ?? null,
          },
  };
}
