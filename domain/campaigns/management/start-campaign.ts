import { isDeepStrictEqual } from 'node:util';
import { LockMode } from '@mikro-orm/core';
import { Campaign, CampaignEnrolment, CampaignVersion } from '../../../db/entities/campaigns.ts';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { appendWorkflow, type Origin } from '../../../events/outbox.ts';
import { appendAudit, type Author } from '../../audit/audit.ts';
import { AppError, assertNoneMissing, assertValid, notFound, type Violation } from '../../common/errors.ts';
import { lockSegment } from '../../segments/membership/lock-segment.ts';
import { definitionViolations } from '../validation/check-definition.ts';
import type { Definition } from '../definition/definition.ts';
import { draftOf } from './save-campaign.ts';
import { workflowId } from '../../../workflows/registry.ts';

/** Whom to enrol: at most one of the three; none enrols no one. */
export interface Audience {
  contactIds?: number[];
  segmentId?: number;
  listId?: number;
}

const PARTS = ['contactIds', 'segmentId', 'listId'] as const;

const givenParts = (audience: { [P in keyof Audience]?: unknown }) =>
  PARTS.filter((part) => audience[part] !== undefined);

/** What is wrong with an audience as it came: more than one of the three. */
export function audienceViolations(audience: { [P in keyof Audience]?: unknown }): Violation[] {
  const given = givenParts(audience);
  return given.slice(1).map((part) => ({ path: `/${part}`, code: 'conflict', message: `must not be combined with ${given[0]}` }));
}

/**
 * Makes a campaign ACTIVE, publishes what was edited since its last version, and has an audience enrolled by the workflow
 * `campaignEnrolment`. Throws 404 for a campaign, segment or contact that is not there, 400 for a definition that has
 * become invalid, 409 from PAUSED or ARCHIVED.
 */
export async function startCampaign(
  em: EntityManager,
  author: Author,
  id: number,
  audience: Audience,
): Promise<{ campaign: Campaign; enrolmentId: number | null }> {
  const given = givenParts(audience);
  assertValid(audienceViolations(audience));
  return em.transactional(async (tx) => {
    const campaign = await tx.findOne(Campaign, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!campaign) throw notFound('campaign', id);
    if (campaign.status === 'PAUSED') throw new AppError('conflict', 'The campaign is PAUSED: resume it instead');
    if (campaign.status === 'ARCHIVED') throw new AppError('conflict', 'The campaign is ARCHIVED and cannot be started');
    const before = { status: campaign.status, publishedVersion: campaign.publishedVersion };
    await publish(tx, campaign);
    if (campaign.status !== 'ACTIVE') tx.assign(campaign, { status: 'ACTIVE', activatedAt: new Date() });
    await tx.flush();
    const enrolmentId = given.length > 0 ? await enrol(tx, author, campaign, audience) : null;
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
    return { campaign, enrolmentId };
  });
}

/** Makes the draft the next published version, unless it is the published one already. */
async function publish(tx: EntityManager, campaign: Campaign): Promise<void> {
  const { tenantId, id: campaignId, publishedVersion } = campaign;
  const definition = draftOf(campaign);
  assertValid(await definitionViolations(tx, tenantId, definition));
  if (publishedVersion !== null && publishedVersion !== undefined) {
    const published = await tx.findOneOrFail(CampaignVersion, { tenantId, campaignId, version: publishedVersion });
    if (isDeepStrictEqual(published.definition, definition)) return;
    // A new trigger sees only what happens after it.
    if (!isDeepStrictEqual((published.definition as Definition).trigger, definition.trigger))
      campaign.activatedAt = new Date();
  }
  const version = (publishedVersion ?? 0) + 1;
  tx.create(CampaignVersion, { tenantId, campaignId, version, definition, publishedAt: new Date() });
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
  // The id is part of the workflow's, so it is drawn first.
  const [next] = await rows<{ id: number }>(tx, sql`select nextval('campaign_enrolments_id_seq') as id`);
  const enrolmentId = next!.id;
  const input = { tenantId, enrolmentId };
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
  await appendWorkflow(tx, 'campaignEnrolment', input);
  return enrolmentId;
}

async function assertContacts(tx: EntityManager, tenantId: string, ids: number[]): Promise<void> {
  const missing = await rows<{ index: number; id: number }>(
    tx,
    sql`
    select r.n - 1 as index, r.id from unnest(${ids}::bigint[]) with ordinality as r(id, n)
    where not exists (select 1 from contacts c where c.tenant_id = ${tenantId} and c.id = r.id) order by r.n`,
  );
  assertNoneMissing(missing.map(({ index, id }) => ({ path: `/contactIds/${index}`, what: 'contact', id })));
}
