import { createHash } from 'node:crypto';

const DRAWS = 2 ** 32;

/** The contact and the step whose branch is asked for. */
export interface SplitSubject {
  tenantId: string;
  campaignId: number;
  stepId: string;
  contactId: number;
}

/**
 * The branch (index into `weights`) that a contact takes at a SPLIT step. Always the same for the contact, whatever the
 * execution and visit; independent of its branch at other steps and in other campaigns. Over many contacts, the shares
 * are those of the weights.
 */
export function splitBranch(
  { tenantId, campaignId, stepId, contactId }: SplitSubject,
  weights: readonly number[],
): number {
  const digest = createHash('sha256').update(`${tenantId}/${campaignId}/${stepId}/${contactId}`).digest();
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let left = (digest.readUInt32BE(0) / DRAWS) * total;
  const branch = weights.findIndex((weight) => (left -= weight) < 0);
  return branch === -1 ? weights.length - 1 : branch;
}
