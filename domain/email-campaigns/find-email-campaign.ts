import { LockMode } from '@mikro-orm/core';
import { EmailCampaign } from '../../db/entities/email-campaigns.ts';
import { sql, type EntityManager } from '../../db/orm.ts';
import { lockReferenced } from '../common/references.ts';
import { assertNoneMissing, notFound, type Missing } from '../../lib/checks/errors.ts';
import { lockSegment } from '../membership/members/lock-segment.ts';

/** Locks the campaign until the transaction ends. Throws 404. */
export async function lockEmailCampaign(tx: EntityManager, id: number): Promise<EmailCampaign> {
  const campaign = await tx.findOne(EmailCampaign, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!campaign) throw notFound('email campaign', id);
  return campaign;
}

/**
 * Throws a 404 listing each template, and the segment, that does not exist. `listId`: the segment's id if the client
 * gave it as `listId`.
 */
export async function assertReferences(
  tx: EntityManager,
  { tenantId, templateId, variants, segmentId }: EmailCampaign,
  listId?: number | null,
): Promise<void> {
  const wanted = variants
    ? variants.map((variant, index) => ({ path: `/variants/${index}/templateId`, id: variant.templateId }))
    : [{ path: '/templateId', id: templateId! }];
  const found = await lockReferenced(
    tx,
    'email_templates',
    tenantId,
    wanted.map(({ id }) => id),
    sql`system_key is null`,
  );
  const missing: Missing[] = wanted.filter(({ id }) => !found.has(id)).map((one) => ({ ...one, what: 'template' }));
  const isList = segmentId === listId;
  if (!(await lockSegment(tx, tenantId, segmentId!)))
    missing.push({ path: isList ? '/listId' : '/segmentId', what: isList ? 'list' : 'segment', id: segmentId! });
  assertNoneMissing(missing);
}
