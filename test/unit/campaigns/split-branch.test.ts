import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { splitBranch } from '../../../domain/campaigns/execution/split-branch.ts';

const subject = { tenantId: 'default', campaignId: 7, stepId: 'split', contactId: 1 };
const CONTACTS = 100_000;

/** How many of 100,000 contacts take each branch. */
function counts(weights: number[]): number[] {
  const found = weights.map(() => 0);
  for (let contactId = 1; contactId <= CONTACTS; contactId += 1)
    found[splitBranch({ ...subject, contactId }, weights)]! += 1;
  return found;
}

test('the shares are those of the weights', () => {
  for (const weights of [
    [1, 1],
    [90, 10],
    [1, 2, 3, 4],
    [1000, 1],
  ]) {
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    for (const [branch, count] of counts(weights).entries()) {
      const share = weights[branch]! / total;
      // Five standard deviations of a binomial distribution.
      const noise = 5 * Math.sqrt(CONTACTS * share * (1 - share));
      assert.ok(Math.abs(count - CONTACTS * share) <= noise, `${weights.join(':')} branch ${branch}: ${count}`);
    }
  }
});

test('a contact takes the same branch whenever it is asked, and another split divides independently', () => {
  const weights = [1, 1];
  let both = 0;
  for (let contactId = 1; contactId <= CONTACTS; contactId += 1) {
    const first = splitBranch({ ...subject, contactId }, weights);
    assert.equal(splitBranch({ ...subject, contactId }, weights), first);
    const second = splitBranch({ ...subject, contactId, stepId: 'another' }, weights);
    const third = splitBranch({ ...subject, contactId, campaignId: 8 }, weights);
    both += Number(first === 0 && second === 0) + Number(first === 0 && third === 0);
  }
  // Two pairs of independent halves: a quarter of the contacts each.
  assert.ok(Math.abs(both - CONTACTS / 2) < 5 * Math.sqrt(CONTACTS), `${both}`);
});
