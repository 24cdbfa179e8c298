import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import {
  StepsSchema,
  TriggerSchema,
  normaliseDefinition,
  normaliseSteps,
} from '../../../domain/campaign-definitions/definition.ts';
import { EntrySchema } from '../../../domain/campaign-definitions/entry.ts';
import { prebuiltSteps } from '../../../domain/campaign-definitions/prebuilt.ts';
import { validateDefinition } from '../../../domain/campaign-definitions/validation/validate.ts';
import { compileRequest, compileResponse } from '../../../lib/checks/schema-check.ts';
import { moment, refs, valid, walk } from './support.ts';

const exit = { type: 'EXIT' };

test('missing ids are made in order, around those that are taken, the same every time', () => {
  const input = [exit, { ...exit, id: 'step-2' }, exit, { ...exit, id: 'step-1' }, exit];
  const ids = normaliseSteps(input).map((step) => step.id);
  assert.deepEqual(ids, ['step-3', 'step-2', 'step-4', 'step-1', 'step-5']);
  assert.deepEqual(
    normaliseSteps(input).map((step) => step.id),
    ids,
  );
  assert.deepEqual(normaliseSteps(normaliseSteps(input)), normaliseSteps(input));
});

test('next is kept as it is: absent, null or an id; a missing config is an empty one', () => {
  assert.deepEqual(normaliseSteps([exit, { ...exit, next: null }, { ...exit, next: 'step-1', config: {} }]), [
    { id: 'step-1', type: 'EXIT', config: {} },
    { id: 'step-2', type: 'EXIT', config: {}, next: null },
    { id: 'step-3', type: 'EXIT', config: {}, next: 'step-1' },
  ]);
});

test('defaults', () => {
  assert.deepEqual(normaliseDefinition({}), {
    trigger: { type: 'MANUAL' },
    steps: [],
    entry: { reentry: 'never', minIntervalMinutes: 0, exitOnUnsubscribe: true, sendWindow: null, frequencyCap: null },
  });
  assert.equal(normaliseDefinition({ entry: { exitOnUnsubscribe: false } }).entry.exitOnUnsubscribe, false);
});

test('the schemas of requests take and return what is valid, and nothing is filled in or cut off', () => {
  const steps = [
    { id: 'a', type: 'EMAIL', config: { templateId: 1 }, next: null },
    { type: 'WAIT', config: { untilLocalTime: { weekday: 'monday', time: '09:00' } } },
    {
      type: 'CONDITION',
      config: { if: { op: 'not', conditions: [{ field: 'tags', operator: 'eq', value: 'x' }] }, then: null },
    },
  ];
  const trigger = { type: 'DATE', field: 'createdAt', offsetDays: 3, time: '09:00' };
  const entry = { sendWindow: { from: '09:00', to: '17:00', timezone: 'contact' }, frequencyCap: null };
  for (const compile of [compileRequest, compileResponse]) {
    for (const [schema, value] of [
      [StepsSchema, steps],
      [TriggerSchema, trigger],
      [EntrySchema, entry],
    ] as const) {
      const before = structuredClone(value);
      assert.deepEqual(compile(schema)(value), []);
      assert.deepEqual(value, before);
    }
  }
  assert.equal(compileRequest(StepsSchema)([{ type: 'EXIT', wen: 1 }])[0]?.path, '/0/wen');
  assert.equal(compileRequest(TriggerSchema)({ type: 'FULL_MOON' })[0]?.path, '/type');
});

test('prebuilt types: three, five and two emails with waits between', () => {
  const cases = [
    ['WELCOME_SERIES', [7, 8, 9], 5],
    ['NURTURE', [1, 2, 3, 4, 5], 28],
    ['RE_ENGAGEMENT', [4, 4], 7],
  ] as const;
  for (const [type, templateIds, days] of cases) {
    const { steps, violations } = prebuiltSteps(type, templateIds);
    assert.deepEqual(violations, []);
    const emails = steps.filter((step) => step.type === 'EMAIL');
    assert.deepEqual(
      emails.map((step) => step.config),
      templateIds.map((templateId) => ({ templateId })),
    );
    const start = moment('2026-03-02T12:00:00Z');
    const { way, now } = walk(valid(steps), start);
    assert.deepEqual(
      way,
      steps.map((step) => `${step.id}#1`),
    );
    assert.deepEqual(
      steps.map((step, index) => step.type === (index % 2 === 0 ? 'EMAIL' : 'WAIT')),
      steps.map(() => true),
    );
    assert.equal(now.getTime() - start.now.getTime(), days * 86_400_000);
  }
});

test('prebuilt types with another number of templates, or templates that are not there', () => {
  assert.deepEqual(prebuiltSteps('WELCOME_SERIES', [1, 2]), {
    steps: [],
    violations: [
      { path: '/templateIds', code: 'too_few', message: 'a WELCOME_SERIES campaign needs 3 templates, not 2' },
    ],
  });
  assert.equal(prebuiltSteps('RE_ENGAGEMENT', [1, 2, 3]).violations[0]?.code, 'too_many');
  const { steps } = prebuiltSteps('RE_ENGAGEMENT', [1, 99]);
  assert.deepEqual(
    validateDefinition(normaliseDefinition({ steps }), refs).map(({ path }) => path),
    ['/steps/2/config/templateId'],
  );
});
