import type { WebhookEndpoint } from '../../../db/entities/webhooks.ts';

/** An event as webhooks tell it. */
export interface ToldEvent {
  /** The id of the CloudEvent. */
  id: string;
  tenantId: string;
  type: string;
  time: Date;
  requestId: string | null;
  /** Its data, as on NATS, as JSON; null if it was about a person who was erased. */
  data: string | null;
}

/** A body with a contact is not larger than this. */
export const MOST_BYTES = 256 * 1024;

export const CONTENT_TYPES = { standard: 'application/json', cloudevents: 'application/cloudevents+json' } as const;

/**
 * The body of a webhook, the same at every attempt: as Standard Webhooks 1.0 says, with `sequence`; or the CloudEvent
 * (1.0, structured JSON) with the extension `sequence`. `contact` is JSON that is put into the data, unless the body
 * would become too large.
 */
export function bodyOf(
  event: ToldEvent,
  { format, sequence }: { format: WebhookEndpoint['format']; sequence: number },
  contact?: string,
): string {
  const { data } = event;
  if (contact !== undefined && data !== null) {
    const told = { ...event, data: `${data.slice(0, -1)},"contact":${contact}}` };
    const body = bodyOf(told, { format, sequence });
    if (Buffer.byteLength(body) <= MOST_BYTES) return body;
  }
  const time = event.time.toISOString();
  const common =
    format === 'standard'
      ? { type: event.type, timestamp: time, sequence }
      : {
          specversion: '1.0',
          id: event.id,
          source: 'perennial',
          type: event.type,
          time,
          datacontenttype: 'application/json',
          tenantid: event.tenantId,
          ...(event.requestId === null ? {} : { requestid: event.requestId }),
          sequence,
        };
  return `${JSON.stringify(common).slice(0, -1)},"data":${data ?? 'null'}}`;
}
