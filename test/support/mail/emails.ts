import assert from 'node:assert/strict';
import {
  startEmails,
  type RenderedRow,
  type Start,
  type StartedEmail,
} from '../../../domain/emails/ledger/start-emails.ts';
import { eventSubject, type AnyEvent, type EventType } from '../../../events/contracts.ts';
import { EVENTS } from '../../../transport/streams.ts';
import type { Service } from '../service.ts';
import { until } from '../until.ts';

let made = 0;

/** Creates a template (by default with two links and a name); returns its id. */
export async function makeTemplate(service: Service, fields: Record<string, unknown> = {}): Promise<number> {
  made += 1;
  const answer = await service.api('POST', '/emails/templates', {
    name: `Template ${made}`,
    subject: 'Hello {{firstName}}',
    content:
      '<p>Hello {{firstName}}, <a href="https://example.com/one?x=1&amp;y=2">one</a> and <a href="https://example.com/two">two</a></p>',
    ...fields,
  });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body.id;
}

/** Creates a contact with a unique address; returns id and address. */
export async function makeContact(
  service: Service,
  fields: Record<string, unknown> = {},
): Promise<{ id: number; email: string }> {
  made += 1;
  const answer = await service.api('POST', '/contacts', {
    firstName: 'Ada',
    lastName: `Byron ${made}`,
    email: `person${made}@example.org`,
    ...fields,
  });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body;
}

/** Requests an email; returns its id. It is QUEUED. */
export async function send(service: Service, body: Record<string, unknown>): Promise<number> {
  const answer = await service.api('POST', '/emails/send', body);
  assert.equal(answer.status, 202, JSON.stringify(answer.body));
  assert.equal(answer.body.status, 'QUEUED');
  return answer.body.emailId;
}

/** Waits until an email has a status; returns the email. */
export async function untilStatus(service: Service, emailId: number, status: string, timeoutMs?: number) {
  return until(
    `email ${emailId} is ${status}`,
    async () => {
      const { body } = await service.api('GET', `/emails/${emailId}`);
      return body.status === status ? body : null;
    },
    timeoutMs,
  );
}

/**
 * Starts rendered emails like a sender that holds their leases; `sent` were the previous emails on the same
 * connections.
 */
export async function startAs(
  service: Service,
  holder: string,
  rendered: readonly RenderedRow[],
  { sent = [], name = holder, leaseSeconds = 60 }: Partial<Pick<Start, 'sent' | 'name' | 'leaseSeconds'>> = {},
): Promise<StartedEmail[]> {
  return startEmails((statements) => service.deps.pipelined.once('engine', statements), {
    holder,
    name,
    leaseSeconds,
    sent,
    emails: rendered.map((one) => ({ rendered: one, provider: 'mx:25' })),
  });
}

/** The events of a type published so far, oldest first. */
export async function published<T extends EventType>(
  service: Service,
  type: T,
  tenantId = 'default',
): Promise<Extract<AnyEvent, { type: T }>[]> {
  const { jsm } = service.deps.nats;
  const events: Extract<AnyEvent, { type: T }>[] = [];
  const subject = eventSubject(tenantId, type);
  for (let seq = 1; ; seq += 1) {
    const message = await jsm.streams
      .getMessage(EVENTS, { seq, next_by_subj: subject } as { seq: number })
      .catch(() => null);
    if (!message) return events;
    events.push(message.json());
    seq = message.seq;
  }
}
