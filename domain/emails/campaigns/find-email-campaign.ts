import { LockMode } from '@mikro-orm/core';
import { EmailCampaign } from '../../../db/entities/email-campaigns.ts';
import { EmailTemplate } from '../../../db/entities/email-templates.ts';
import type { EntityManager } from '../../../db/orm.ts';
import { notFound } from '../../errors.ts';
import { holdSegment } from '../../segments/hold-segment.ts';

/** The campaign, locked until the transaction ends. Throws 404. */
export async function lockEmailCampaign(tx: EntityManager, id: number): Promise<EmailCampaign> {
  const campaign = await tx.findOne(EmailCampaign, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!campaign) throw notFound('email campaign', id);
  return campaign;
}

/** Throws 404 for a template or segment that does not exist. */
export async function assertReferences(tx: EntityManager, { tenantId, templateId, variants, segmentId }: EmailCampaign): Promise<void> {
  const wanted = variants ? variants.map((variant) => variant.templateId) : [templateId!];
  const found = new Set((await tx.find(EmailTemplate, { id: { $in: wanted }, systemKey: null }, { fields: ['id'] })).map((template) => template.id));
  const missing = wanted.find((id) => !found.has(id));
  if (missing !== undefined) throw notFound('template', missing);
  if (segmentId == null || !(await holdSegment(tx, tenantId, segmentId))) throw notFound('segment', segmentId ?? 'of it');
}
