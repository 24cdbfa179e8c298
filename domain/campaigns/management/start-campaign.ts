import { isDeepStrictEqual } from 'node:util';
import { LockMode } from '@mikro-orm/core';
import { Campaign, CampaignEnrolment, CampaignVersion } from '../../../db/entities/campaigns.ts';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { appendJob, type Origin } from '../../../events/outbox.ts';
import { appendAudit, type Author } from '../../audit/audit.ts';
import { AppError, assertNoneMissing, assertValid, notFound, type Violation } from '../../../lib/checks/errors.ts';
import { lockSegment } from '../../membership/members/lock-segment.ts';
import type { CheckUrl } from '../../outbound/check-url.ts';
import { lockReferenced } from '../../common/references.ts';
import { definitionViolations } from '../../campaign-definitions/validation/check-definition.ts';
import { readNames } from '../../campaign-definitions/validation/read-names.ts';
import type { Definition } from '../../campaign-definitions/definition.ts';
import { draftOf } from './save-campaign.ts';
import { scheduleFollows } from './schedule-follows.ts';
import { workflowId } from '../../../registry/workflows.ts';

/** The contacts to enrol: at most one of the three; if all are absent, nobody is enrolled. */
export interface Audience {
  contactIds?: number[];
  segmentId?: number;
  listId?: number;
}

const PARTS = ['contactIds', 'segmentId', 'listId'] as const;

const givenParts = (audience: { [P in keyof Audience]?: unknown }) =>
  PARTS.filter((part) => audience[part] !== undefined);

/** The violations of an unchecked audience: more than one of the three is given. */
export function audienceViolations(audience: { [P in keyof Audience]?: unknown }): Violation[] {
  const given = givenParts(audience);
  return given
    .slice(1)
    .map((part) => ({ path: `/${part}`, code: 'conflict', message: `must not be combined with ${given[0]}` }));
}

/**
 * Makes a campaign ACTIVE, publishes its edits as the next version, and starts the workflow `campaignEnrolment` for the
 * audience. Throws 404 for a missing campaign, segment or contact, 400 if the definition has no steps or has become
 * invalid, 409 if the campaign is PAUSED or ARCHIVED.
 */
export async function startCampaign(
  em: EntityManager,
  author: Author,
  id: number,
  audience: Audience,
  checkUrl?: CheckUrl,
): Promise<{ campaign: Campaign; enrolmentId: number | null }> {
  const isNobody = givenParts(audience).length === 0 || audience.contactIds?.length === 0;
  assertValid(audienceViolations(audience));
  return em.transactional(async (tx) => {
    const campaign = await tx.findOne(Campaign, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!campaign) throw notFound('campaign', id);
    if (campaign.status === 'PAUSED') throw new AppError('conflict', 'The campaign is PAUSED: resume it instead');
    if (campaign.status === 'ARCHIVED')
      throw new AppError('conflict', 'The campaign is ARCHIVED and cannot be started');
    const before = { status: campaign.status, publishedVersion: campaign.publishedVersion };
    await publish(tx, campaign, checkUrl);
    if (campaign.status !== 'ACTIVE')
      tx.assign(campaign, { status: 'ACTIVE', activatedAt: new Date(), closingTotal: null });
    await tx.flush();
    const enrolmentId = isNobody ? null : await enrol(tx, author, campaign, audience);
    const after = {
      status: campaign.status,
      publishedVersion: campaign.publishedVersion,
      ...(enrolmentId === null ? {} : { enrolmentId }),
    };
    await appendAudit(tx, author, {
      action: 'campaign.started',
      resourceType: 'campaign',
      resourceId: id,
      before,
      after,
    });
    await scheduleFollows(tx, campaign);
    return { campaign, enrolmentId };
  });
}

/** Publishes the draft as the next version, unless it equals the published one. */
async function publish(tx: EntityManager, campaign: Campaign, checkUrl: CheckUrl | undefined): Promise<void> {
  const { tenantId, id: campaignId, publishedVersion } = campaign;
  const definition = draftOf(campaign);
  const noSteps = {
    path: '/steps',
    code: 'too_few',
    message: 'the campaign has no steps, so contacts would complete it at once: give it at least one, then start it',
  };
  assertValid([
    ...(definition.steps.length === 0 ? [noSteps] : []),
    ...(await definitionViolations(tx, tenantId, definition, checkUrl, lockReferenced)),
  ]);
  if (publishedVersion !== null && publishedVersion !== undefined) {
    const published = await tx.findOneOrFail(CampaignVersion, { tenantId, campaignId, version: publishedVersion });
    if (isDeepStrictEqual(published.definition, definition)) return;
    // A changed trigger sees only events from now on.
    if (!isDeepStrictEqual((published.definition as Definition).trigger, definition.trigger))
      campaign.activatedAt = new Date();
  }
  const version = (publishedVersion ?? 0) + 1;
  const names = await readNames(tx, tenantId, definition);
  tx.create(CampaignVersion, { tenantId, campaignId, version, definition, names, publishedAt: new Date() });
  campaign.publishedVersion = version;
}

async function enrol(
  tx: EntityManager,
  { tenantId, requestId }: Origin,
  campaign: Campaign,
  audience: Audience,
): Promise<number> {
  const segmentId = audience.segmentId ?? audience.listId ?? null;
  if (segmentId !== null && !(await lockSegment(tx, tenantId, segmentId))) {
    assertNoneMissing([
      audience.listId === undefined
        ? { path: '/segmentId', what: 'segment', id: segmentId }
        : { path: '/listId', what: 'list', id: segmentId },
    ]);
  }
  if (audience.contactIds) await assertContacts(tx, tenantId, audience.contactIds);
  const contactIds = audience.contactIds ? [...new Set(audience.contactIds)].sort((a, b) => a - b) : null;
  // Get the enrolment's id first, because it is part of the workflow id.
  const [next] = await rows<{ id: number }>(tx, sql`select nextval('campaign_enrolments_id_seq') as id`);
  const enrolmentId = next!.id;
  const input = {
    tenantId,
    enrolmentId,
    campaignId: campaign.id,
    campaignName: campaign.name,
    campaignVersion: campaign.publishedVersion!,
  };
  tx.create(CampaignEnrolment, {
    id: enrolmentId,
    tenantId,
    campaignId: campaign.id,
    campaignVersion: campaign.publishedVersion!,
    segmentId,
    contactIds,
    requestId,
    workflowId: workflowId('campaignEnrolment', input),
  });
  await tx.flush();
  await appendJob(tx, 'campaignEnrolment', input);
  return enrolmentId;
}

/** Throws 404 that names each missing contact. */
export async function assertContacts(tx: EntityManager, tenantId: string, ids: number[]): Promise<void> {
  const missing = await rows<{ index: number; id: number }>(
    tx,
    sql`
    select r.n - 1 as index, r.id from unnest(${ids}::bigint[]) with ordinality as r(id, n)
    where not exists (select 1 from contacts c where c.tenant_id = ${tenantId} and c.id = r.id) order by r.n`,
  );
  assertNoneMissing(missing.map(({ index, id }) => ({ path: `/contactIds/${index}`, what: 'contact', id })));
}
