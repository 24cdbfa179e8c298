import { engineEm, freshTransaction, rows, sql } from '../../../db/orm.ts';
import { recordReports } from '../../../domain/emails/bounces/record-reports.ts';
import type { DeliveryReport, Outcome } from '../../../domain/emails/bounces/report.ts';
import { messageIdFor } from '../../../domain/emails/message/compose.ts';
import { returnPathOf } from '../../../domain/emails/mime/return-path.ts';
import { makeContact, makeTemplate, send } from './emails.ts';
import type { Service } from '../service.ts';

/** Queues an email and records, like a sender, that it is being sent or was accepted. */
export async function makeSent(
  service: Service,
  to: { contactId: number } | { address: string },
  status = 'SENT',
  templateId?: number,
): Promise<number> {
  const template = templateId ?? (await makeTemplate(service));
  const emailId = await send(service, {
    templateId: template,
    ...('address' in to ? { to: to.address } : { recipientId: to.contactId }),
  });
  await engineEm(service.deps.orm).transactional((tx) =>
    rows(
      tx,
      sql`
    update emails m set status = ${status}, attempt = 1, provider = 'mx:25', accepted_at = now(), content_version = 1, link_count = 2,
      to_address = coalesce(m.to_address, (select email from contacts c where c.tenant_id = m.tenant_id and c.id = m.contact_id)),
      sent_at = case when ${status} = 'SENT' then now() end, holder = case when ${status} = 'SENDING' then 'sender-x' end,
      lease_until = case when ${status} = 'SENDING' then now() + interval '1 minute' end, reason = case when ${status} = 'UNKNOWN' then 'no_reply' end
    where id = ${emailId}`,
    ),
  );
  return emailId;
}

/** Creates a contact and an email that was sent to it. */
export async function makeMailed(
  service: Service,
  status = 'SENT',
): Promise<{ contact: { id: number; email: string }; emailId: number }> {
  const contact = await makeContact(service);
  return { contact, emailId: await makeSent(service, { contactId: contact.id }, status) };
}

let made = 0;

/** A report of one outcome, with a new name unless one is given. */
export function reportOf(
  emailId: number,
  verdict: Outcome['verdict'],
  fields: Partial<DeliveryReport & Outcome> = {},
): DeliveryReport {
  made += 1;
  const { recipients = [], statusCode = null, diagnostic = null, ...rest } = fields;
  return {
    emailId,
    source: 'mailbox',
    eventKey: `<report-${made}@mx.example.net>`,
    at: new Date(),
    outcomes: [{ verdict, recipients, statusCode, diagnostic }],
    ...rest,
  };
}

/** Records reports in one transaction. */
export const takeIn = (service: Service, ...reports: DeliveryReport[]): Promise<{ deferred: number }> =>
  freshTransaction(engineEm(service.deps.orm), (tx) => recordReports(tx, reports));

/** A delivery report, as a mail system sends it to the return path of an email. */
export function bounceMail(
  service: Service,
  emailId: number,
  {
    to,
    status = '5.1.1',
    name = `b${emailId}`,
    action = 'failed',
  }: { to: string; status?: string; name?: string; action?: 'failed' | 'delivered' },
): string {
  const path = returnPathOf(emailId, 'bounces@example.com', service.deps.links);
  return `Return-Path: <>
Delivered-To: ${path}
From: Mail Delivery System <MAILER-DAEMON@mx.example.net>
To: ${path}
Subject: Undelivered Mail Returned to Sender
Message-ID: <${name}@mx.example.net>
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status; boundary="b"

--b
Content-Type: text/plain

It could not be delivered.

--b
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example.net

Final-Recipient: rfc822; ${to}
Action: ${action}
Status: ${status}
Diagnostic-Code: smtp; 550 ${status} <${to}> refused

--b
Content-Type: text/rfc822-headers

To: ${to}
Message-ID: ${messageIdFor(emailId, 'no-reply@example.com', service.deps.links)}

--b--
`.replaceAll('\n', '\r\n');
}
