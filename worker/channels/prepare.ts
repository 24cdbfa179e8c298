import type { ChannelProvider } from '../../db/entities/channels.ts';
import type { SendToPrepare } from '../../domain/channels/transport/prepare.ts';
import { renderMessage } from '../../domain/channels/content/render-message.ts';
import { newCode } from '../../domain/channels/content/short-links.ts';
import { heldUntil } from '../../domain/channels/gates/hours.ts';
import type { LeasedSend } from '../../domain/channels/ledger/lease-sends.ts';
import type { PreparedSend } from '../../domain/channels/ledger/start-sends.ts';
import type { PushContent } from '../../domain/channels/content/render-message.ts';

/** What is sent, and the ledger's part of it. */
export interface Prepared {
  leased: LeasedSend;
  row: PreparedSend;
  text: string | null;
  push: PushContent | null;
}

/** Renders a leased send. `base` is that of short links. Never throws for what a template or a contact contains. */
export function prepare(leased: LeasedSend, base: string, now: Date = new Date()): Prepared {
  const row: PreparedSend = {
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
  };
  const held = leased.hours && heldUntil(leased.hours, leased.createdAt, now);
  if (held === 'expired') row.expired = true;
  else if (held) row.notBefore = held;
  const prepared: Prepared = { leased, row, text: null, push: null };
  // The gates say why.
  if (!leased.content) return prepared;
  const { contact, data, channel, content } = leased;
  const known = new Map(Object.entries(leased.linkCodes ?? {}));
  const shown = renderMessage(
    { ...content, channel, smartEncoding: content.smartEncoding ?? true },
    {
      contact,
      address: typeof contact?.['email'] === 'string' ? contact['email'] : (leased.address ?? ''),
      data,
      base,
      optOutText: leased.optOutText,
      codeFor: (url) => known.get(url) ?? newCode(),
    },
  );
  if ('failure' in shown) return { ...prepared, row: { ...row, failure: shown.failure } };
  row.links = shown.links.map((link) => ({ ...link, isStored: known.has(link.url) }));
  if (shown.kind === 'push') return { ...prepared, push: shown.content };
  row.segments = shown.segments;
  row.encoding = shown.encoding;
  return { ...prepared, text: shown.text };
}

const DEFAULT_TTL_SECONDS = 86_400;

/** What the request of a prepared send needs; the provider is null for Web Push. */
export function requestOf(
  { leased, text, push }: Prepared,
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
