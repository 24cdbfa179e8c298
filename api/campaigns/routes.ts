import type { Static } from 'typebox';
import { Campaign } from '../../db/entities/campaigns.ts';
import type { EntityManager } from '../../db/orm.ts';
import { archiveCampaign, unarchiveCampaign } from '../../domain/campaigns/management/archive-campaign.ts';
import { explainContact } from '../../domain/campaigns/management/explain-contact.ts';
import { listCampaigns, listExecutions } from '../../domain/campaigns/management/list-campaigns.ts';
import { pauseCampaign, resumeCampaign } from '../../domain/campaigns/management/pause-campaign.ts';
import { readEnrolment } from '../../domain/campaigns/management/read-executions.ts';
import { readStats } from '../../domain/campaigns/management/read-stats.ts';
import { listVersions, readVersion } from '../../domain/campaigns/management/read-versions.ts';
import {
  campaignViolations,
  createCampaign,
  deleteCampaign,
  updateCampaign,
  type CampaignInput,
} from '../../domain/campaigns/management/save-campaign.ts';
import { audienceViolations, startCampaign } from '../../domain/campaigns/management/start-campaign.ts';
import { stopCampaign } from '../../domain/campaigns/management/stop-campaign.ts';
import { notFound } from '../../lib/checks/errors.ts';
import { IdParams, listOf } from '../route/schemas.ts';
import { migrationRoutes } from './migration-routes.ts';
import { executionRoutes } from './execution-routes.ts';
import {
  presentCampaign,
  presentCampaigns,
  presentEnrolment,
  presentExecution,
  presentExplanation,
  presentVersion,
} from './presenter.ts';
import * as schema from './schema.ts';
import { simulationRoutes } from './simulation-routes.ts';
import {
  accepted,
  assertIfMatch,
  assertUnchanged,
  changedReadOnly,
  created,
  noContent,
  route,
  type Question,
  type RouteSpec,
} from '../route/route.ts';

/**
 * The definition as sent, for those parts that have the right JSON type: its validation handles any content and names
 * the step of each violation.
 */
function definitionGiven(
  body: Question<unknown, Static<typeof schema.CampaignUpdate>>['body'],
  given: { trigger?: unknown; entry?: unknown; steps?: unknown },
): Pick<CampaignInput, 'trigger' | 'entry' | 'steps' | 'templateIds'> {
  const asCame = (part: 'trigger' | 'entry' | 'steps') => (body[part] === undefined ? undefined : given[part]);
  const steps = (asCame('steps') as unknown[] | null | undefined)?.filter(
    (step) => typeof step === 'object' && step !== null && !Array.isArray(step),
  );
  return {
    trigger: asCame('trigger'),
    entry: asCame('entry'),
    steps: body.steps === null ? null : steps,
    templateIds: body.templateIds,
  } as Pick<CampaignInput, 'trigger' | 'entry' | 'steps' | 'templateIds'>;
}

const present = async (campaign: Campaign, em: EntityManager) => (await presentCampaigns([campaign], em))[0]!;

/**
 * The campaign for comparison with read-only fields. Since it was read, a stop may have gone on, and a form may ask for
 * confirmations or not any more.
 */
function readOnlyOf(campaign: Campaign, { closing, warnings }: Record<string, unknown>) {
  const shown = presentCampaign(campaign);
  const ofForms = (Array.isArray(warnings) ? (warnings as unknown[]) : []).filter((warning) => {
    const { code, path } = (warning ?? {}) as { code?: unknown; path?: unknown };
    return code === 'before_confirmation' && path === '/trigger';
  });
  return { ...shown, closing, warnings: [...shown.warnings, ...ofForms] };
}

export const campaignRoutes: RouteSpec[] = [
  route({
    method: 'GET',
    path: '/campaigns',
    operationId: 'listCampaigns',
    summary: 'List campaigns',
    description: 'Journeys. One-time sends to a segment are at `GET /emails/campaigns`.',
    access: 'campaigns:read',
    query: schema.CampaignQuery,
    responses: { 200: { schema: listOf(schema.Campaign) } },
    handler: async ({ em, query }) => ({ body: await listCampaigns(em, query, presentCampaigns) }),
  }),
  route({
    method: 'POST',
    path: '/campaigns',
    operationId: 'createCampaign',
    summary: 'Create a campaign',
    description:
      'Makes a DRAFT: nobody enters before `POST /campaigns/{id}/start`. A type other than CUSTOM makes its steps from `templateIds`. Unknown types, targets and loops without a WAIT are a 400 that names the step; `warnings` says what is valid and may not be meant.',
    access: 'campaigns:write',
    body: schema.CampaignCreate,
    responses: { 201: { schema: schema.Campaign } },
    check: ({ tx, deps, caller, body, given }) =>
      campaignViolations(
        tx,
        caller.tenantId,
        {
          ...definitionGiven(body, given),
          type: body.type,
          ...(given.type === body.type ? {} : { templateIds: undefined }),
        },
        undefined,
        deps.outbound.checkUrl,
      ),
    handler: async ({ em, deps, principal, body }) => {
      const campaign = await createCampaign(em, principal.tenantId, body, deps.outbound.checkUrl);
      return created(`/campaigns/${campaign.id}`, await present(campaign, em));
    },
  }),
  route({
    method: 'GET',
    path: '/campaigns/{id}',
    operationId: 'getCampaign',
    summary: 'Get a campaign',
    description:
      'The latest edit, which executions run only after `start` has published it; `GET /campaigns/{id}/versions` has what was published.',
    access: 'campaigns:read',
    params: IdParams,
    responses: { 200: { schema: schema.Campaign } },
    handler: async ({ em, params }) => {
      const campaign = await findCampaign(em, params.id);
      const body = await present(campaign, em);
      // The progress of a stop changes within a version, and so does whether a form asks for confirmations.
      return { body, derived: body.trigger.type === 'FORM_SUBMITTED' || Boolean(campaign.closingTotal) };
    },
  }),
  route({
    method: 'PUT',
    path: '/campaigns/{id}',
    operationId: 'updateCampaign',
    summary: 'Change a campaign',
    description: 'If the campaign is ACTIVE, the changes go into its next version, which `start` publishes.',
    access: 'campaigns:write',
    params: IdParams,
    body: schema.CampaignUpdate,
    responses: { 200: { schema: schema.Campaign } },
    check: async ({ tx, deps, caller, params, body, given, readOnly }) => {
      const { checkUrl } = deps.outbound;
      const current = await tx.findOne(Campaign, { id: params.id ?? 0 });
      if (!current) return [];
      return [
        ...changedReadOnly(readOnly, readOnlyOf(current, readOnly)),
        ...(await campaignViolations(tx, caller.tenantId, definitionGiven(body, given), current, checkUrl)),
      ];
    },
    handler: async ({ em, deps, principal, params, body, readOnly, ifMatch }) => {
      const check = (current: Campaign): void => {
        assertIfMatch(ifMatch, current.version);
        assertUnchanged(readOnly, readOnlyOf(current, readOnly));
      };
      const { checkUrl } = deps.outbound;
      const campaign = await updateCampaign(em, principal.tenantId, params.id, body, check, checkUrl);
      return { body: await present(campaign, em) };
    },
  }),
  route({
    method: 'DELETE',
    path: '/campaigns/{id}',
    operationId: 'deleteCampaign',
    summary: 'Delete a campaign and its executions',
    description:
      'Its emails remain. 409 `conflict` while it is ACTIVE, PAUSED or its workflows are still being closed; 409 `in_use` if a threshold or an active campaign refers to it.',
    access: 'campaigns:write',
    params: IdParams,
    responses: { 204: { description: 'Deleted' } },
    errors: ['conflict', 'in_use', 'precondition_failed'],
    handler: async ({ em, caller, params, ifMatch }) => {
      await deleteCampaign(em, caller, params.id, (current) => assertIfMatch(ifMatch, current.version));
      return noContent;
    },
  }),
  route({
    method: 'POST',
    path: '/campaigns/{id}/start',
    operationId: 'startCampaign',
    summary: 'Publish a campaign, make it ACTIVE and enrol contacts',
    description:
      'Enrols the given contacts as the entry rules allow; with `reentry` never, starting again enrols no contact twice. 400 if the campaign has no steps.',
    access: 'campaigns:write',
    params: IdParams,
    body: schema.Audience,
    bodyOptional: true,
    responses: { 202: { schema: schema.Started } },
    errors: ['conflict', 'limit_reached'],
    check: ({ given }) => audienceViolations(given),
    handler: async ({ em, deps, caller, params, body }) => {
      const { checkUrl } = deps.outbound;
      const { campaign, enrolmentId } = await startCampaign(em, caller, params.id, body, checkUrl);
      const location = enrolmentId === null ? `/campaigns/${campaign.id}` : `/campaigns/enrolments/${enrolmentId}`;
      return accepted(location, { campaign: await present(campaign, em), enrolmentId });
    },
  }),
  route({
    method: 'POST',
    path: '/campaigns/{id}/stop',
    operationId: 'stopCampaign',
    summary: 'Stop a campaign and every execution of it',
    description:
      'Nobody enters any more. Every running execution is STOPPED at once, no step of theirs runs again, and their QUEUED emails and messages are SUPPRESSED. Workflows are closed in the background (`closing`). `start` makes it ACTIVE again and revives no execution. No effect if it is STOPPED.',
    access: 'campaigns:write',
    params: IdParams,
    responses: { 202: { schema: schema.Campaign } },
    errors: ['conflict'],
    handler: async ({ em, caller, params }) => {
      const campaign = await stopCampaign(em, caller, params.id);
      return accepted(`/campaigns/${campaign.id}`, await present(campaign, em));
    },
  }),
  route({
    method: 'POST',
    path: '/campaigns/{id}/pause',
    operationId: 'pauseCampaign',
    summary: 'Pause a campaign: no step runs until it is resumed',
    description:
      'Waits go on, and steps that become due run when it is resumed. 409 `conflict` unless it is ACTIVE; no effect if it is PAUSED.',
    access: 'campaigns:write',
    params: IdParams,
    responses: { 200: { schema: schema.Campaign } },
    errors: ['conflict'],
    handler: async ({ em, caller, params }) => ({
      body: await present(await pauseCampaign(em, caller, params.id), em),
    }),
  }),
  route({
    method: 'POST',
    path: '/campaigns/{id}/resume',
    operationId: 'resumeCampaign',
    summary: 'Resume a paused campaign',
    description:
      'Steps that became due during the pause run now. 409 `conflict` unless it is PAUSED; no effect if it is ACTIVE.',
    access: 'campaigns:write',
    params: IdParams,
    responses: { 200: { schema: schema.Campaign } },
    errors: ['conflict'],
    handler: async ({ em, caller, params }) => ({
      body: await present(await resumeCampaign(em, caller, params.id), em),
    }),
  }),
  route({
    method: 'POST',
    path: '/campaigns/{id}/archive',
    operationId: 'archiveCampaign',
    summary: 'Archive a campaign that is DRAFT or STOPPED',
    description:
      'It keeps its executions and figures, and cannot be started. 409 `conflict` unless it is DRAFT or STOPPED.',
    access: 'campaigns:write',
    params: IdParams,
    responses: { 200: { schema: schema.Campaign } },
    errors: ['conflict'],
    handler: async ({ em, caller, params }) => ({
      body: await present(await archiveCampaign(em, caller, params.id), em),
    }),
  }),
  route({
    method: 'POST',
    path: '/campaigns/{id}/unarchive',
    operationId: 'unarchiveCampaign',
    summary: 'Make an archived campaign STOPPED again, or DRAFT if it was never started',
    description: 'Nobody enters before it is started. 409 `conflict` unless it is ARCHIVED.',
    access: 'campaigns:write',
    params: IdParams,
    responses: { 200: { schema: schema.Campaign } },
    errors: ['conflict'],
    handler: async ({ em, caller, params }) => ({
      body: await present(await unarchiveCampaign(em, caller, params.id), em),
    }),
  }),
  route({
    method: 'GET',
    path: '/campaigns/{id}/versions',
    operationId: 'listCampaignVersions',
    summary: 'List the published versions of a campaign',
    description:
      'One for each `start` that published something, with how many executions run it now. Versions never change.',
    access: 'campaigns:read',
    params: IdParams,
    query: schema.VersionQuery,
    responses: { 200: { schema: listOf(schema.PublishedVersion) } },
    handler: async ({ em, params, query }) => {
      await findCampaign(em, params.id);
      return { body: await listVersions(em, params.id, query, presentVersion) };
    },
  }),
  route({
    method: 'GET',
    path: '/campaigns/{id}/versions/{version}',
    operationId: 'getCampaignVersion',
    summary: 'Get a published version: what the executions that are pinned to it run',
    description: 'Executions keep the version with which they began, unless they are migrated.',
    access: 'campaigns:read',
    params: schema.VersionParams,
    responses: { 200: { schema: schema.PublishedVersion } },
    handler: async ({ em, params }) => ({ body: presentVersion(await readVersion(em, params.id, params.version)) }),
  }),
  route({
    method: 'GET',
    path: '/campaigns/{id}/stats',
    operationId: 'getCampaignStats',
    summary: 'Get campaign statistics',
    access: 'campaigns:read',
    description:
      '`emails` counts all emails of the campaign, as `GET /emails?campaignId=` and the analytics do: emails sent by its steps, and emails sent with `POST /emails/send` and its id. `steps` counts only executions.',
    params: IdParams,
    responses: { 200: { schema: schema.Stats } },
    handler: async ({ em, params }) => ({ body: await readStats(em, params.id) }),
  }),
  route({
    method: 'GET',
    path: '/campaigns/{id}/executions',
    operationId: 'listCampaignExecutions',
    summary: 'List the executions of a campaign',
    description:
      'One for each entry of a contact, by `entryNo`. `currentStep` is an index into `steps`; of a COMPLETED one, the number of steps.',
    access: 'campaigns:read',
    params: IdParams,
    query: schema.ExecutionQuery,
    responses: { 200: { schema: listOf(schema.Execution) } },
    handler: async ({ em, params, query }) => {
      await findCampaign(em, params.id);
      return { body: await listExecutions(em, params.id, query, (found) => found.map(presentExecution)) };
    },
  }),
  route({
    method: 'GET',
    path: '/campaigns/{id}/contacts/{contactId}/explain',
    operationId: 'explainCampaignContact',
    summary: 'Explain why a contact is, or is not, in a campaign',
    description: 'Whether the contact is in the campaign, whether it could enter now, and each rule with its reason.',
    access: 'campaigns:read',
    params: schema.ContactParams,
    responses: { 200: { schema: schema.Explanation } },
    handler: async ({ em, params }) => ({
      body: presentExplanation(await explainContact(em, params.id, params.contactId)),
    }),
  }),
  route({
    method: 'GET',
    path: '/campaigns/enrolments/{id}',
    operationId: 'getCampaignEnrolment',
    summary: 'Get the progress of an enrolment',
    description:
      'What one `start`, or one time of a schedule, has enrolled so far. `skipped` were kept out by the entry rules.',
    access: 'campaigns:read',
    params: IdParams,
    responses: { 200: { schema: schema.Enrolment } },
    handler: async ({ em, params }) => ({ body: presentEnrolment(await readEnrolment(em, params.id)) }),
  }),
  ...migrationRoutes,
  ...executionRoutes,
  ...simulationRoutes,
];

async function findCampaign(em: EntityManager, id: number): Promise<Campaign> {
  const campaign = await em.findOne(Campaign, { id });
  if (!campaign) throw notFound('campaign', id);
  return campaign;
}
