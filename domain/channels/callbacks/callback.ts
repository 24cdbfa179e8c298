import type { ProviderType } from '../../../db/entities/channels.ts';
import type { ReceivedText } from '../inbound/record-inbound.ts';

/** A call of a provider, unparsed. */
export interface CallbackRequest {
  body: Buffer;
  /** The value of a header, or '' if it is absent. */
  header: (name: string) => string;
  /** The full URL that was called, as the provider knows it. */
  url: string;
}

/** A provider with its credentials, decrypted. */
export interface CalledProvider {
  id: number;
  tenantId: string;
  type: ProviderType;
  credentials: Record<string, unknown>;
}

/** What became of a send, as the provider says. */
export interface StatusReport {
  kind: 'status';
  /** The send, if the call has our reference to it; else its message, or the provider's id of it. */
  sendId: number | null;
  messageId: number | null;
  providerMessageId: string | null;
  status: 'SENT' | 'DELIVERED' | 'UNDELIVERED' | 'FAILED';
  /** The error code of the provider. */
  code: string | null;
}

export type Callback = StatusReport | ({ kind: 'inbound' } & Omit<ReceivedText, 'providerId'>);

/** The longest texts that are kept of a call. */
export const MOST_ID = 255;
export const MOST_CODE = 100;

/** A text as it is stored; null if there is none. */
export function keptText(value: unknown, most: number): string | null {
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value : '';
  return text.replaceAll('\0', '').slice(0, most).toWellFormed().trim() || null;
}

/** An id of ours; null for anything else. */
export function idOf(value: unknown): number | null {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || !/^[1-9]\d{0,15}$/.test(text)) return null;
  return Number.isSafeInteger(Number(text)) ? Number(text) : null;
}
