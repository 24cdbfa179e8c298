import { Type } from 'typebox';
import { EMAIL_LANES, EMAIL_STATUSES } from '../../../db/entities/emails.ts';
import { Id, listQuery, nullable, oneOf, strict, Timestamp } from '../../route/schemas.ts';

export const EmailAddress = Type.String({ maxLength: 255, examples: ['someone@example.com'] });
export const Data = Type.Record(Type.String(), Type.Unknown(), {
  description: 'Values for `{{data.x}}` in the template',
});

export const Send = strict(
  {
    templateId: Id,
    recipientId: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'The id of a contact; give either this or `to`',
      }),
    ),
    to: Type.Optional(EmailAddress),
    data: Type.Optional(Data),
    campaignId: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'The campaign whose statistics the email counts for',
      }),
    ),
  },
  { examples: [{ templateId: 1, recipientId: 1, data: { code: '123456' } }] },
);
const status = oneOf(EMAIL_STATUSES);
export const Queued = strict({ emailId: Id, status }, { title: 'QueuedEmail' });
export const Email = strict({
  id: Id,
  templateId: Id,
  contentVersion: nullable(Type.Integer()),
  contactId: nullable(Id),
  to: nullable(Type.String()),
  campaignId: nullable(Id),
  executionId: nullable(Id),
  stepId: nullable(Type.String()),
  externalId: nullable(Type.String()),
  lane: oneOf(EMAIL_LANES),
  status,
  reason: nullable(Type.String()),
  attempts: Type.Integer(),
  provider: nullable(Type.String()),
  sentAt: nullable(Timestamp),
  tenantId: Type.String(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export const EmailQuery = listQuery(['id', 'createdAt'], {
  contactId: Type.Optional(Id),
  campaignId: Type.Optional(Id),
  status: Type.Optional(status),
  externalId: Type.Optional(Type.String({ maxLength: 100 })),
});
const explained = {
  gates: Type.Array(
    strict({ gate: Type.String(), passed: Type.Boolean(), reason: nullable(Type.String()), at: Timestamp }),
  ),
  attempts: Type.Array(strict({ provider: Type.String(), at: Timestamp, reply: nullable(Type.String()) })),
};
export const Explanation = strict({ emailId: Id, status, ...explained });
export const ContactExplanation = strict(
  {
    contactId: Id,
    campaignId: nullable(Id),
    emailId: nullable(Id),
    status: nullable(status),
    ...explained,
    emails: Type.Array(strict({ emailId: Id, status, createdAt: Timestamp }), {
      description: 'All matching emails, latest first',
    }),
  },
  { description: 'Explains the latest email; if there is none, what prevents one' },
);
export const ContactExplanationQuery = strict({
  campaignId: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'An email campaign or an automation campaign; if absent, all emails to the contact',
    }),
  ),
});
export const Tracking = strict({
  emailId: Id,
  status,
  opens: Type.Integer(),
  clicks: Type.Integer(),
  firstOpenedAt: nullable(Timestamp),
  lastOpenedAt: nullable(Timestamp),
  firstClickedAt: nullable(Timestamp),
  events: Type.Array(
    strict({
      type: oneOf(['OPEN', 'CLICK', 'UNSUBSCRIBE']),
      at: Timestamp,
      url: nullable(Type.String()),
      ip: nullable(Type.String()),
      userAgent: nullable(Type.String()),
      automated: Type.Boolean(),
      first: Type.Boolean(),
      inferred: Type.Optional(
        Type.Boolean({
          description:
            'An open without a picture: a person followed a link, and so opened the email. Counts like another open',
        }),
      ),
    }),
  ),
});

export const TrackingParams = Type.Object({ trackingId: Type.String() });
export const ClickQuery = strict({
  url: Type.String({ minLength: 1, maxLength: 8192, description: 'The original link of the email' }),
});
export const TokenParams = Type.Object({ token: Type.String() });

export const Resolve = strict({
  outcome: oneOf(['sent', 'failed', 'resend'], {
    description:
      '`sent`: it was sent. `failed`: it was not sent, and will not be. `resend`: it was not sent, and will be sent again',
  }),
});
