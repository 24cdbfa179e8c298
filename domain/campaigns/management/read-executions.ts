import { CampaignEnrolment, CampaignExecution, CampaignStepExecution } from '../../../db/entities/campaigns.ts';
import type { EntityManager } from '../../../db/orm.ts';
import { notFound } from '../../../lib/checks/errors.ts';

/** An execution with the records of its steps, in the order they were done. Throws 404. */
export async function readExecution(
  em: EntityManager,
  id: number,
): Promise<{ execution: CampaignExecution; steps: CampaignStepExecution[] }> {
  return em.transactional(async (tx) => {
    const execution = await tx.findOne(CampaignExecution, { id });
    if (!execution) throw notFound('execution', id);
    return { execution, steps: await tx.find(CampaignStepExecution, { executionId: id }, { orderBy: { seq: 'asc' } }) };
  });
}

/** Throws 404. */
export async function readEnrolment(em: EntityManager, id: number): Promise<CampaignEnrolment> {
  const enrolment = await em.findOne(CampaignEnrolment, { id });
  if (!enrolment) throw notFound('enrolment', id);
  return enrolment;
}
