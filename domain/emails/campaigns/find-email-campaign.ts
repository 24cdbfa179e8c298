import { LockMode } from '@mikro-orm/core';
import { EmailCampaign } from '../../../db/entities/email-campaigns.ts';
import { EmailTemplate } from '../../../db/entities/email-templates.ts';
import type { EntityManager } from '../../../db/orm.ts';
import { assertNoneMissing, notFound, type Missing } from '../../../lib/checks/errors.ts';
import { lockSegment } from '../../segments/membership/lock-segment.ts';

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
  const found = new Set(
    (
      await tx.find(EmailTemplate, { id: { $in: wanted.map(({ id }) => id) }, systemKey: null }, { fields: ['id'] })
    ).map(({ id }) => id),
  );
  const missing: Missing[] = wanted.filter(({ id }) => !found.has(id)).map((one) => ({ ...one, what: 'template' }));
  const isList = segmentId === listId;
  if (!(await lockSegment(tx, tenantId, segmentId!)))
    missing.push({ path: isList ? '/listId' : '/segmentId', what: isList ? 'list' : 'segment', id: segmentId! });
  assertNoneMissing(missing);
}
