import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { Refusals } from '../../../../worker/senders/refusals.ts';

/** Without a database, so that an attempt to pause a campaign is a warning in the log. */
function refusals() {
  const warnings: unknown[] = [];
  const deps = { log: { warn: (about: unknown) => warnings.push(about) } } as unknown as ConstructorParameters<
    typeof Refusals
  >[0];
  return { noted: new Refusals(deps), warnings };
}

const email = (id: number, attempt = 1) => ({ id, tenantId: 'default', campaignId: 1, attempt });
const provider = { setting: { provider: 'mx:25', url: 'smtp://mx:25' } } as unknown as Parameters<Refusals['note']>[1];
const outcome = {
  ...{ kind: 'retry', reply: '550 5.7.1 blocked', error: null, blames: 'provider', provider: 'mx:25' },
} as unknown as Parameters<Refusals['note']>[2];

test('one email that is refused again and again pauses no campaign, ten different ones in a row do', async () => {
  const { noted, warnings } = refusals();
  for (let attempt = 1; attempt <= 30; attempt += 1) await noted.note(email(1, attempt), provider, outcome);
  for (let id = 2; id <= 9; id += 1) await noted.note(email(id), provider, outcome);
  assert.equal(warnings.length, 0, 'nine different ones');
  await noted.note(email(10), provider, outcome);
  assert.equal(warnings.length, 1);
});

test('an accepted email ends the row', async () => {
  const { noted, warnings } = refusals();
  for (let id = 1; id <= 9; id += 1) await noted.note(email(id), provider, outcome);
  noted.accepted(email(10));
  await noted.note(email(11), provider, outcome);
  assert.equal(warnings.length, 0);
});
