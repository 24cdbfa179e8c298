import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { eventOf, publish, settled } from '../../support/events.ts';
import { makeContact } from '../../support/mail/emails.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ worker: ['intake', 'consumers', 'relay'] });
});
afterAll(() => service.stop());

async function post(path: string, body?: object): Promise<Answer['body']> {
  const answer = await service.api('POST', path, body);
  assert.ok(answer.status < 300, JSON.stringify(answer.body));
  return answer.body;
}
async function started(trigger: object): Promise<number> {
  const steps = [{ id: 'rest', type: 'WAIT', config: { waitMinutes: 60 } }];
  const { id } = await post('/campaigns', { name: 'Triggered', trigger, entry: { reentry: 'always' }, steps });
  await post(`/campaigns/${id}/start`);
  return id;
}
const person = async (): Promise<number> => (await makeContact(service)).id;
async function happen(...events: Parameters<typeof publish>[1][]): Promise<void> {
  await publish(service, ...events);
  await settled(service, 'campaign', 'contact');
}
const entered = async (id: number): Promise<number[]> =>
  (await service.api('GET', `/campaigns/${id}/executions`)).body.data.map(
    ({ contactId }: { contactId: number }) => contactId,
  );

test('a message enters its recipient when it was sent, not when it failed', async () => {
  const [reached, missed, pushed] = [await person(), await person(), await person()];
  const [any, texts] = [
    await started({ type: 'MESSAGE_SENT' }),
    await started({ type: 'MESSAGE_SENT', channel: 'sms' }),
  ];
  const sent = (recipientId: number | null, status: string, channel = 'sms') =>
    eventOf('MESSAGE_SENT', { messageId: 1, channel, recipientId, status });
  await happen(sent(reached, 'SENT'), sent(missed, 'FAILED'), sent(pushed, 'SENT', 'push'), sent(null, 'SENT'));
  assert.deepEqual((await entered(any)).sort(), [reached, pushed].sort());
  assert.deepEqual(await entered(texts), [reached]);
});

test('a goal that was met enters its contact, of any campaign or of the one that is named', async () => {
  const [one, other] = [await person(), await person()];
  const campaignId = await started({ type: 'MANUAL' });
  const [any, named] = [await started({ type: 'GOAL_MET' }), await started({ type: 'GOAL_MET', campaignId })];
  const met = (contactId: number, of: number) =>
    eventOf('GOAL_MET', { campaignId: of, executionId: 1, contactId, stepId: 'goal' });
  const event = met(one, campaignId);
  // Also when it is delivered again.
  await happen(event, met(other, campaignId + 1_000), event);
  assert.deepEqual((await entered(any)).sort(), [one, other].sort());
  assert.deepEqual(await entered(named), [one]);
  const { checks } = (await service.api('GET', `/campaigns/${named}/contacts/${other}/explain`)).body;
  assert.equal(checks.find(({ check }: { check: string }) => check === 'trigger').passed, false);
});
