import type { Static } from 'typebox';
import { EmailCampaign } from '../../../db/entities/email-campaigns.ts';
import type { EntityManager } from '../../../db/orm.ts';
import type { Author } from '../../../domain/audit/audit.ts';
import {
  cancelEmailCampaign,
  pauseEmailCampaign,
  resumeEmailCampaign,
  sendEmailCampaign,
} from '../../../domain/email-campaigns/change-email-campaign.ts';
import { listEmailCampaigns, listRecipients } from '../../../domain/email-campaigns/list-email-campaigns.ts';
import { readEmailCampaignStats } from '../../../domain/email-campaigns/read-email-campaign-stats.ts';
import {
  createEmailCampaign,
  deleteEmailCampaign,
  emailCampaignViolations,
  updateEmailCampaign,
  type EmailCampaignInput,
} from '../../../domain/email-campaigns/save-email-campaign.ts';
import { notFound } from '../../../lib/checks/errors.ts';
import { IdParams, listOf } from '../../route/schemas.ts';
import type { ValidPart } from '../../../lib/checks/valid-part.ts';
import * as schema from './schema.ts';
import { presentEmailCampaign, presentRecipients } from './presenter.ts';
import {
  accepted,
  assertIfMatch,
  assertUnchanged,
  changedReadOnly,
  created,
  noContent,
  route,
  type RouteSpec,
} from '../../route/route.ts';

async function findCampaign(em: EntityManager, id: number): Promise<EmailCampaign> {
  const campaign = await em.findOne(EmailCampaign, { id });
  if (!campaign) throw notFound('email campaign', id);
  return campaign;
}

/** A state change, answered with the campaign. */
const change = (
  verb: string,
  summary: string,
  description: string,
  run: (em: EntityManager, author: Author, id: number) => Promise<EmailCampaign>,
) =>
  route({
    method: 'POST',
    path: `/emails/campaigns/{id}/${verb}`,
    operationId: `${verb}EmailCampaign`,
    summary,
    description,
    access: 'emails:send',
    params: IdParams,
    responses: { 202: { schema: schema.EmailCampaign } },
    errors: ['conflict'],
    handler: async ({ em, caller, params }) =>
      accepted(`/emails/campaigns/${params.id}`, presentEmailCampaign(await run(em, caller, params.id))),
  });

const timeOf = (time: string | null | undefined) => (typeof time === 'string' ? new Date(time) : time);

type Given = ValidPart<Static<typeof schema.EmailCampaignUpdate>>;
/** Variants and a winner may lack their invalid members. */
const inputOf = (body: Given): Partial<EmailCampaignInput> =>
  ({ ...body, scheduledAt: timeOf(body.scheduledAt) }) as Partial<EmailCampaignInput>;
/** Whether a member was sent but removed as invalid. */
const lostOf =
  (given: Record<string, unknown>, body: Given) =>
  (member: keyof EmailCampaignInput): boolean =>
    given[member] !== undefined && body[member] === undefined;

export const emailCampaignRoutes: RouteSpec[] = [
  route({
    method: 'GET',
    path: '/emails/campaigns',
    operationId: 'listEmailCampaigns',
    summary: 'List email campaigns',
    description: 'One-time and recurring sends to a segment or list. Journeys are at `GET /campaigns`.',
    access: 'emails:read',
    query: schema.EmailCampaignQuery,
    responses: { 200: { schema: listOf(schema.EmailCampaign) } },
    handler: async ({ em, query }) => ({
      body: await listEmailCampaigns(em, query, (found) => found.map(presentEmailCampaign)),
    }),
  }),
  route({
    method: 'POST',
    path: '/emails/campaigns',
    operationId: 'createEmailCampaign',
    summary: 'Create an email campaign, and schedule it if scheduleType is given',
    access: 'emails:send',
    description:
      'Without `scheduleType`, the campaign is a DRAFT until `POST /emails/campaigns/{id}/send`. `immediate` starts sending right away. The audience is the members of the segment when sending starts; each gets the email once.',
    body: schema.EmailCampaignCreate,
    responses: { 201: { schema: schema.EmailCampaign } },
    errors: ['not_found'],
    check: ({ body, given }) => emailCampaignViolations(inputOf(body), null, lostOf(given, body)),
    handler: async ({ em, caller, body }) => {
      const campaign = await createEmailCampaign(em, caller, { ...body, scheduledAt: timeOf(body.scheduledAt) });
      return created(`/emails/campaigns/${campaign.id}`, presentEmailCampaign(campaign));
    },
  }),
  route({
    method: 'GET',
    path: '/emails/campaigns/{id}',
    operationId: 'getEmailCampaign',
    summary: 'Get an email campaign',
    description: 'Its figures are at `GET /emails/campaigns/{id}/stats`.',
    access: 'emails:read',
    params: IdParams,
    responses: { 200: { schema: schema.EmailCampaign } },
    handler: async ({ em, params }) => ({ body: presentEmailCampaign(await findCampaign(em, params.id)) }),
  }),
  route({
    method: 'PUT',
    path: '/emails/campaigns/{id}',
    operationId: 'updateEmailCampaign',
    summary: 'Change an email campaign',
    access: 'emails:send',
    description:
      'While SENDING or PAUSED, only `name` and `ratePerMinute` can be changed; once the campaign has ended, only `name`.',
    params: IdParams,
    body: schema.EmailCampaignUpdate,
    responses: { 200: { schema: schema.EmailCampaign } },
    errors: ['conflict', 'precondition_failed'],
    check: async ({ tx, params, body, given, readOnly }) => {
      const current = await tx.findOne(EmailCampaign, { id: params.id ?? 0 });
      if (!current) return [];
      return [
        ...changedReadOnly(readOnly, presentEmailCampaign(current)),
        ...emailCampaignViolations(inputOf(body), current, lostOf(given, body)),
      ];
    },
    handler: async ({ em, params, body, readOnly, ifMatch }) => ({
      body: presentEmailCampaign(
        await updateEmailCampaign(em, params.id, { ...body, scheduledAt: timeOf(body.scheduledAt) }, (current) => {
          assertIfMatch(ifMatch, current.version);
          assertUnchanged(readOnly, presentEmailCampaign(current));
        }),
      ),
    }),
  }),
  route({
    method: 'DELETE',
    path: '/emails/campaigns/{id}',
    operationId: 'deleteEmailCampaign',
    summary: 'Delete an email campaign',
    access: 'emails:send',
    description: 'The emails of the campaign are not deleted.',
    params: IdParams,
    responses: { 204: { description: 'Deleted' } },
    errors: ['conflict', 'in_use', 'precondition_failed'],
    handler: async ({ em, caller, params, ifMatch }) => {
      await deleteEmailCampaign(em, caller, params.id, (current) => assertIfMatch(ifMatch, current.version));
      return noContent;
    },
  }),
  change(
    'send',
    'Send a DRAFT',
    'Sends as scheduled, or right away if the campaign has no schedule. No effect if it is SCHEDULED or SENDING.',
    sendEmailCampaign,
  ),
  change(
    'pause',
    'Pause an email campaign',
    'Emails that are not being delivered at this moment wait until the campaign is resumed; a SCHEDULED campaign does not start.',
    pauseEmailCampaign,
  ),
  change(
    'resume',
    'Resume a paused email campaign',
    'Continues with the recipients who have not had the email yet. A campaign that has not started is SCHEDULED again: a recurring one for its next time; any other starts right away if its time has passed.',
    resumeEmailCampaign,
  ),
  change(
    'cancel',
    'Cancel an email campaign',
    'No more emails are sent; emails that are still QUEUED become SUPPRESSED.',
    cancelEmailCampaign,
  ),
  route({
    method: 'GET',
    path: '/emails/campaigns/{id}/stats',
    operationId: 'getEmailCampaignStats',
    summary: 'Get email campaign statistics',
    access: 'emails:read',
    description: 'Automated hits (link scanners, prefetchers) are not counted.',
    params: IdParams,
    responses: { 200: { schema: schema.EmailCampaignStats } },
    handler: async ({ em, params }) => ({ body: await readEmailCampaignStats(em, params.id) }),
  }),
  route({
    method: 'GET',
    path: '/emails/campaigns/{id}/recipients',
    operationId: 'listEmailCampaignRecipients',
    summary: 'List the recipients of an email campaign with the status of their emails',
    description: 'Those who were in the audience when sending started, with what became of the email of each.',
    access: 'emails:read',
    params: IdParams,
    query: schema.RecipientQuery,
    responses: { 200: { schema: listOf(schema.Recipient) } },
    handler: async ({ em, params, query }) => {
      await findCampaign(em, params.id);
      return { body: await listRecipients(em, params.id, query, presentRecipients) };
    },
  }),
];
