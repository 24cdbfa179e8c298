import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import type { DefinitionInput } from '../../../domain/campaign-definitions/definition.ts';
import { definitionWarnings } from '../../../domain/campaign-definitions/validation/warnings.ts';
import { always, valid } from './support.ts';

const OWN = 7;
const email = { id: 'mail', type: 'EMAIL', config: { templateId: 1 } };
const wait = (id: string, next?: string | null) => ({
  id,
  type: 'WAIT',
  config: { waitMinutes: 60 },
  ...(next === undefined ? {} : { next }),
});

function told(steps: unknown[], rest: Omit<DefinitionInput, 'steps'> = {}): string[] {
  return definitionWarnings(valid(steps, rest), OWN).map(({ code, path }) => `${code} ${path}`);
}

test('steps to which no path leads are named', () => {
  assert.deepEqual(told([]), []);
  assert.deepEqual(told([email, wait('pause'), { id: 'out', type: 'EXIT' }]), []);
  const steps = [
    { id: 'if', type: 'CONDITION', config: { if: always, then: 'yes', else: null } },
    wait('lost'),
    wait('lost-too', null),
    { id: 'yes', type: 'EXIT' },
    wait('after-exit', 'island'),
    wait('island', 'after-exit'),
  ];
  assert.deepEqual(told(steps), [
    'unreachable_step /steps/1',
    'unreachable_step /steps/2',
    'unreachable_step /steps/4',
    'unreachable_step /steps/5',
  ]);
  assert.equal(
    definitionWarnings(valid(steps), OWN)[0]!.message,
    'step "lost": no path from the first step leads to it',
  );
  const split = { type: 'SPLIT', config: { branches: [{ weight: 1, next: 'b' }, { weight: 1 }] } };
  assert.deepEqual(told([split, wait('a', null), wait('b', null)]), []);
});

test('a goal needs no path, and neither does what follows it', () => {
  const goal = { id: 'goal', type: 'GOAL', config: { if: { field: 'status', operator: 'eq', value: 'active' } } };
  const out = { id: 'out', type: 'EXIT' };
  assert.deepEqual(told([out, wait('pause'), email]), ['unreachable_step /steps/1', 'unreachable_step /steps/2']);
  assert.deepEqual(told([out, goal, email]), []);
});

test('a campaign whose own effects fire its trigger is told, if a contact may enter again', () => {
  const entry = { reentry: 'always' } as const;
  const join = (listId: number, action = 'add') => ({ id: 'join', type: 'SEGMENT', config: { action, listId } });
  const points = (n: number) => ({ id: 'points', type: 'SCORE', config: { points: n } });
  const goal = { id: 'goal', type: 'GOAL', config: { if: always } };
  const sms = { id: 'text', type: 'SMS', config: { templateId: 1 } };
  const push = { id: 'note', type: 'PUSH', config: { templateId: 1 } };
  const message = (templates: object) => ({ id: 'any', type: 'MESSAGE', config: { templates, order: 'preferred' } });
  const starts = ['starts_itself /trigger'];
  const cases: [unknown, unknown, string[]][] = [
    [{ type: 'SEGMENT_ENTERED', segmentId: 5 }, join(5), starts],
    [{ type: 'SEGMENT_ENTERED', segmentId: 5 }, join(6), []],
    [{ type: 'SEGMENT_ENTERED', segmentId: 5 }, join(5, 'remove'), []],
    [{ type: 'GOAL_MET' }, goal, starts],
    [{ type: 'GOAL_MET', campaignId: OWN }, goal, starts],
    [{ type: 'GOAL_MET', campaignId: OWN + 1 }, goal, []],
    [{ type: 'GOAL_MET' }, wait('pause'), []],
    [{ type: 'SCORE_REACHED', score: 10 }, points(1), starts],
    [{ type: 'SCORE_REACHED', score: 10 }, points(-1), []],
    [{ type: 'CONTACT_CREATED' }, email, []],
    [{ type: 'FORM_SUBMITTED', formId: 1 }, email, []],
    [{ type: 'MANUAL' }, email, []],
  ];
  for (const type of ['EMAIL_OPENED', 'EMAIL_CLICKED']) {
    cases.push(
      [{ type, templateId: 1 }, email, starts],
      [{ type, templateId: 2 }, email, []],
      [{ type, campaignId: OWN }, email, starts],
      [{ type, campaignId: OWN }, wait('pause'), starts],
      [{ type, campaignId: OWN + 1 }, email, []],
      // Both must match the email.
      [{ type, templateId: 1, campaignId: OWN + 1 }, email, []],
      [{ type, templateId: 2, campaignId: OWN }, email, []],
      // Any email.
      [{ type }, email, starts],
      [{ type }, wait('pause'), []],
      [{ type }, message({ email: 1, sms: 2 }), starts],
      [{ type, templateId: 2 }, message({ email: 1, sms: 2 }), []],
      [{ type }, message({ sms: 1, push: 2 }), []],
      [{ type }, sms, []],
    );
  }
  for (const type of ['MESSAGE_SENT', 'MESSAGE_DELIVERED', 'MESSAGE_CLICKED']) {
    cases.push(
      [{ type }, sms, starts],
      [{ type }, push, starts],
      [{ type }, message({ email: 1, push: 2 }), starts],
      [{ type }, email, []],
      [{ type }, wait('pause'), []],
      [{ type, channel: 'sms' }, sms, starts],
      [{ type, channel: 'sms' }, push, []],
      [{ type, channel: 'push' }, message({ email: 1, sms: 2 }), []],
      [{ type, channel: 'push' }, message({ sms: 1, push: 2 }), starts],
      [{ type, templateId: 1 }, sms, starts],
      [{ type, templateId: 2 }, sms, []],
      // The template of another channel.
      [{ type, templateId: 1 }, message({ email: 1, sms: 2 }), []],
      [{ type, templateId: 2, channel: 'sms' }, message({ email: 1, sms: 2 }), starts],
      [{ type, campaignId: OWN }, sms, starts],
      [{ type, campaignId: OWN }, wait('pause'), starts],
      [{ type, campaignId: OWN + 1 }, sms, []],
      [{ type, templateId: 1, campaignId: OWN + 1 }, sms, []],
      [{ type, templateId: 2, campaignId: OWN }, sms, []],
    );
  }
  // What contacts do by themselves.
  for (const type of ['MESSAGE_RECEIVED', 'CHANNEL_SUBSCRIBED', 'CHANNEL_UNSUBSCRIBED'])
    cases.push([{ type }, sms, []]);
  for (const [trigger, step, expected] of cases) {
    const rest = { trigger: trigger as DefinitionInput['trigger'] & object };
    const label = JSON.stringify([trigger, step]);
    assert.deepEqual(told([step], { ...rest, entry }), expected, label);
    assert.deepEqual(told([step], { ...rest, entry: { reentry: 'after_completion' } }), expected, label);
    assert.deepEqual(told([step], rest), [], label);
  }
});
