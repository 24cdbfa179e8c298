import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { referencedIds } from '../../../domain/campaign-definitions/validation/references.ts';
import { validateDefinition } from '../../../domain/campaign-definitions/validation/validate.ts';
import { always, definitionOf, refs } from './support.ts';

const email = { type: 'EMAIL', config: { templateId: 1 } };
const wait = (config: object, rest: object = {}) => ({ type: 'WAIT', config, ...rest });
const condition = (config: object, rest: object = {}) => ({ type: 'CONDITION', config, ...rest });

/** `code path` of every violation of these steps. */
function codes(steps: unknown[], rest: object = {}): string[] {
  return validateDefinition({ ...definitionOf(steps), ...rest }, refs).map(({ code, path }) => `${code} ${path}`);
}

test('a definition with every type of step and every form of its config is valid', () => {
  assert.deepEqual(
    codes([
      { ...email, id: 'A-z_9' },
      wait({ waitMinutes: 0 }),
      wait({ waitMinutes: 5_256_000 }),
      wait({ until: '2026-05-01T09:00:00+02:00' }),
      wait({ untilLocalTime: { time: '23:59' } }),
      wait({ untilLocalTime: { weekday: 7, time: '00:00' } }),
      condition({
        if: { event: 'EMAIL_OPENED', operator: 'none', where: [{ field: 'stepId', operator: 'eq', value: 'A-z_9' }] },
      }),
      condition({ if: always, then: null, branches: [{ if: always, next: 'A-z_9' }], else: 'out' }),
      { type: 'SEGMENT', config: { action: 'remove', listId: 20 }, next: null },
      { id: 'out', type: 'EXIT' },
    ]),
    [],
  );
});

test('every slip is told, with its place, and by the name of the step', () => {
  const violations = validateDefinition(
    definitionOf([
      { id: 'hi', type: 'EMAIL', config: { templateId: 'one', subject: 'x' } },
      { id: 'hi', type: 'FAX' },
      { type: 'SEGMENT', config: { action: 'move' }, next: 7 },
      { id: 'no good', type: 'EXIT', config: { because: 1 }, when: 'now' },
      email,
    ]),
    refs,
  );
  assert.deepEqual(violations.map(({ code, path }) => `${code} ${path}`).sort(), [
    'duplicate /steps/1/id',
    'enum /steps/2/config/action',
    'format /steps/3/id',
    'required /steps/2/config/listId',
    'type /steps/0/config/templateId',
    'type /steps/2/next',
    'unknown_field /steps/0/config/subject',
    'unknown_field /steps/3/config/because',
    'unknown_field /steps/3/when',
    'unknown_type /steps/1/type',
  ]);
  for (const { path, message } of violations) {
    const name = ['step "hi"', 'step "hi"', 'step "step-1"', 'step "no good"'][Number(path.split('/')[2])]!;
    assert.ok(message.startsWith(`${name}: `), message);
  }
  assert.ok(
    violations.some(
      ({ message }) =>
        message ===
        'step "hi": type must be one of EMAIL, SMS, PUSH, MESSAGE, WAIT, WAIT_FOR_EVENT, CONDITION, SPLIT, SEGMENT, UPDATE_CONTACT, SCORE, GOAL, WEBHOOK, NOTIFY, EXIT',
    ),
  );
});

test('WAIT takes exactly one of its forms, within its limits', () => {
  const place = '/steps/0/config';
  assert.deepEqual(codes([wait({})]), [`invalid ${place}`]);
  assert.deepEqual(codes([wait({ waitMinutes: 1, until: '2026-05-01T09:00:00Z' })]), [`invalid ${place}`]);
  for (const waitMinutes of [-1, 5_256_001])
    assert.deepEqual(codes([wait({ waitMinutes })]), [`out_of_range ${place}/waitMinutes`]);
  for (const waitMinutes of [1.5, '60', null])
    assert.deepEqual(codes([wait({ waitMinutes })]), [`type ${place}/waitMinutes`]);
  for (const until of [
    '2026-05-01',
    '2026-05-01T09:00:00',
    '2026-02-30T09:00:00Z',
    '2200-01-01T00:00:00Z',
    'soon',
    '',
  ]) {
    assert.deepEqual(codes([wait({ until })]), [`format ${place}/until`], until);
  }
  for (const time of ['24:00', '9:00', '09:60', '09:00\n']) {
    assert.deepEqual(codes([wait({ untilLocalTime: { time } })]), [`format ${place}/untilLocalTime/time`], time);
  }
  assert.deepEqual(codes([wait({ untilLocalTime: { weekday: 'mon', time: '09:00' } })]), [
    `enum ${place}/untilLocalTime/weekday`,
  ]);
  assert.deepEqual(codes([wait({ untilLocalTime: { weekday: 8, time: '09:00' } })]), [
    `enum ${place}/untilLocalTime/weekday`,
  ]);
  assert.deepEqual(codes([wait({ untilLocalTime: {} })]), [`required ${place}/untilLocalTime/time`]);
});

test('SPLIT has at least two branches with whole weights, whose targets are steps', () => {
  const split = (...branches: unknown[]) => ({ type: 'SPLIT', config: { branches } });
  const place = '/steps/0/config/branches';
  assert.deepEqual(codes([split({ weight: 1 }, { weight: 1000, next: null })]), []);
  assert.deepEqual(codes([split({ weight: 1 })]), [`too_few ${place}`]);
  assert.deepEqual(codes([split({ weight: 0 }, { weight: 1001 })]), [
    `out_of_range ${place}/0/weight`,
    `out_of_range ${place}/1/weight`,
  ]);
  assert.deepEqual(codes([split({ weight: 1, next: 'gone' }, { weight: 1.5 })]), [`type ${place}/1/weight`]);
  assert.deepEqual(codes([split({ weight: 1, next: 'gone' }, { weight: 1 })]), [`unknown_step ${place}/0/next`]);
});

test('UPDATE_CONTACT takes what a PUT of the contact takes', () => {
  const update = (set: unknown) => ({ type: 'UPDATE_CONTACT', config: { set } });
  const place = '/steps/0/config/set';
  assert.deepEqual(codes([update({ jobTitle: null, tags: ['vip'], customFields: { plan: 'pro', seats: null } })]), []);
  assert.deepEqual(codes([update({})]), [`too_few ${place}`]);
  assert.deepEqual(codes([update({ email: 'x@example.org' })]), [`unknown_field ${place}/email`]);
  assert.deepEqual(codes([update({ firstName: '' })]), [`required ${place}/firstName`]);
  assert.deepEqual(
    codes([update({ timezone: 'Mars/Base', customFields: { shoeSize: 1, seats: 'many', plan: 'gold' } })]).sort(),
    [
      `invalid_number ${place}/customFields/seats`,
      `invalid_option ${place}/customFields/plan`,
      `invalid_timezone ${place}/timezone`,
      `unknown_custom_field ${place}/customFields/shoeSize`,
    ],
  );
});

test('targets must be steps, wherever they stand', () => {
  const steps = [
    { ...email, next: 'gone' },
    condition(
      {
        if: always,
        then: 'x',
        branches: [
          { if: always, next: 'step-1' },
          { if: always, next: 'y' },
        ],
        else: 'z',
      },
      { next: 'w' },
    ),
    { type: 'EXIT', next: '__proto__' },
  ];
  assert.deepEqual(codes(steps), [
    'unknown_step /steps/0/next',
    'unknown_step /steps/1/next',
    'unknown_step /steps/1/config/then',
    'unknown_step /steps/1/config/branches/1/next',
    'unknown_step /steps/1/config/else',
    'unknown_step /steps/2/next',
  ]);
  const [first] = validateDefinition(definitionOf(steps), refs);
  assert.equal(first?.message, 'step "step-1": there is no step "gone"');
});

test('a step with a slip in it is still a target', () => {
  assert.deepEqual(
    codes([
      { ...email, next: 'b' },
      { id: 'b', type: 'FAX' },
    ]),
    ['unknown_type /steps/1/type'],
  );
});

test('a loop needs a WAIT that takes time', () => {
  const loop = (middle: unknown) =>
    codes([{ ...email, id: 'a' }, ...[middle].flat(), condition({ if: always, then: 'a', else: null }, { id: 'end' })]);
  assert.deepEqual(loop([]), ['loop_without_wait /steps/1/config/then']);
  assert.deepEqual(loop(wait({ waitMinutes: 0 })), ['loop_without_wait /steps/2/config/then']);
  assert.deepEqual(loop(wait({ until: '2100-01-01T00:00:00Z' })), ['loop_without_wait /steps/2/config/then']);
  assert.deepEqual(loop(wait({ waitMinutes: 1 })), []);
  assert.deepEqual(loop(wait({ untilLocalTime: { time: '09:00' } })), []);
  assert.deepEqual(codes([{ ...email, id: 'a', next: 'a' }]), ['loop_without_wait /steps/0/next']);
  // One way round waits, the other does not.
  const detour = [
    condition({ if: always, then: 'pause', else: 'mail' }, { id: 'start' }),
    wait({ waitMinutes: 5 }, { id: 'pause' }),
    { ...email, id: 'mail', next: 'start' },
  ];
  const [violation] = validateDefinition(definitionOf(detour), refs);
  assert.equal(violation?.path, '/steps/2/next');
  assert.equal(
    violation.message,
    'step "mail": closes a loop that contains no WAIT with a duration: start → mail → start',
  );
});

test('a loop that nothing leads to is one too; an EXIT breaks a loop, steps that nothing leads to are no error', () => {
  const unreached = [
    { ...email, next: null },
    { ...email, id: 'x', next: 'y' },
    { ...email, id: 'y', next: 'x' },
  ];
  assert.deepEqual(codes(unreached), ['loop_without_wait /steps/2/next']);
  assert.deepEqual(codes([{ ...email, next: null }, { ...email }]), []);
  assert.deepEqual(
    codes([
      { ...email, id: 'a', next: 'b' },
      { id: 'b', type: 'EXIT', next: 'a' },
    ]),
    [],
  );
});

test('what is named must be there: templates, static lists, segments in filters, forms', () => {
  const steps = [
    { type: 'EMAIL', config: { templateId: 99 } },
    { type: 'SEGMENT', config: { action: 'add', listId: 98 } },
    condition({
      if: {
        op: 'and',
        conditions: [
          { field: 'segmentId', operator: 'in', value: [1, 97] },
          { field: 'listId', operator: 'exists' },
        ],
      },
      branches: [{ if: { field: 'listId', operator: 'eq', value: 96 } }],
    }),
  ];
  const trigger = { type: 'FORM_SUBMITTED', formId: 95 };
  assert.deepEqual(codes(steps, { trigger }), [
    'not_found /trigger/formId',
    'not_found /steps/0/config/templateId',
    'not_found /steps/1/config/listId',
    'not_found /steps/2/config/if/conditions/0/value/1',
    'not_found /steps/2/config/branches/0/if/value',
  ]);
  const [, template] = validateDefinition({ ...definitionOf(steps), trigger }, refs);
  assert.equal(template?.message, 'step "step-1": there is no template 99');
  assert.deepEqual(referencedIds({ ...definitionOf(steps), trigger }), {
    templateIds: new Set([99]),
    smsTemplateIds: new Set(),
    pushTemplateIds: new Set(),
    messageTemplateIds: new Set(),
    listIds: new Set([98]),
    segmentIds: new Set([1, 97, 96]),
    formIds: new Set([95]),
    campaignIds: new Set(),
  });
});

test('parts that are not sound name nothing', () => {
  const nothing = {
    templateIds: new Set(),
    smsTemplateIds: new Set(),
    pushTemplateIds: new Set(),
    messageTemplateIds: new Set(),
    listIds: new Set(),
    segmentIds: new Set(),
    formIds: new Set(),
    campaignIds: new Set(),
  };
  assert.deepEqual(referencedIds({}), nothing);
  const steps = [{ id: 'a', type: 'EMAIL', config: { templateId: -1 } }, null];
  assert.deepEqual(referencedIds({ trigger: { type: 'FORM_SUBMITTED', formId: '1' }, steps }), nothing);
});

test('filters are judged down to the leaf, and know the steps of the campaign', () => {
  const steps = (filter: unknown) => [
    { ...email, id: 'mail' },
    wait({ waitMinutes: 1 }, { id: 'pause' }),
    condition({ if: always, branches: [{ if: filter }] }),
  ];
  const opened = (value: unknown) => {
    const where = [{ field: 'stepId', operator: 'eq', value }];
    return { event: 'EMAIL_OPENED', operator: 'atLeast', count: 1, where };
  };
  assert.deepEqual(codes(steps(opened('mail'))), []);
  assert.deepEqual(codes(steps(opened('pause'))), ['enum /steps/2/config/branches/0/if/where/0/value']);
  assert.deepEqual(codes(steps({ op: 'and', conditions: [{ field: 'nope', operator: 'eq', value: 1 }] })), [
    'unknown_field /steps/2/config/branches/0/if/conditions/0/field',
  ]);
  assert.deepEqual(codes([condition({})]), ['required /steps/0/config/if']);
  assert.deepEqual(codes([condition({ if: null })]), ['type /steps/0/config/if']);
});

test('triggers take their own settings', () => {
  const good = [
    { type: 'MANUAL' },
    { type: 'CONTACT_CREATED' },
    { type: 'FORM_SUBMITTED', formId: 1 },
    { type: 'EMAIL_OPENED' },
    { type: 'EMAIL_CLICKED', templateId: 1, campaignId: 5, url: 'https://example.com/x?y=1' },
    { type: 'SEGMENT_ENTERED', segmentId: 1 },
    { type: 'GOAL_MET' },
    { type: 'GOAL_MET', campaignId: 5 },
    { type: 'SCORE_REACHED', score: 50 },
    { type: 'SCHEDULE', cron: '0 9 * * mon-fri', timezone: 'Europe/Warsaw', segmentId: 2 },
    { type: 'DATE', field: 'customFields.renewal', offsetDays: -7, time: '09:00', annual: true },
  ];
  for (const trigger of good) assert.deepEqual(codes([], { trigger }), [], trigger.type);
  const bad: [unknown, string[]][] = [
    [null, ['type /trigger']],
    [{}, ['unknown_type /trigger/type']],
    [{ type: '__proto__' }, ['unknown_type /trigger/type']],
    [{ type: 'MANUAL', formId: 1 }, ['unknown_field /trigger/formId']],
    [{ type: 'FORM_SUBMITTED' }, ['required /trigger/formId']],
    [
      { type: 'GOAL_MET', campaignId: 999, stepId: 'g' },
      ['unknown_field /trigger/stepId', 'not_found /trigger/campaignId'],
    ],
    [{ type: 'SCHEDULE', cron: 'daily', timezone: 'Europe/Warsaw', segmentId: 2 }, ['format /trigger/cron']],
    [{ type: 'SCHEDULE', cron: '0 9 * * *', timezone: 'Here', segmentId: 2 }, ['timezone /trigger/timezone']],
    [
      { type: 'SCHEDULE', cron: '0 9 30 2 *', timezone: 'Here', segmentId: 21 },
      ['cron /trigger/cron', 'timezone /trigger/timezone', 'not_found /trigger/segmentId'],
    ],
    [{ type: 'DATE', field: 'customFields.plan', offsetDays: 0, time: '09:00' }, ['type /trigger/field']],
    [
      { type: 'DATE', field: 'updatedAt', offsetDays: 0.5, time: '9:00' },
      ['type /trigger/offsetDays', 'format /trigger/time'],
    ],
    [{ type: 'SEGMENT_ENTERED', segmentId: 21 }, ['not_found /trigger/segmentId']],
    [{ type: 'DATE', field: 'firstName', offsetDays: 0, time: '09:00' }, ['type /trigger/field']],
    [{ type: 'EMAIL_CLICKED', url: 'javascript:alert(1)' }, ['format /trigger/url']],
  ];
  for (const [trigger, expected] of bad) assert.deepEqual(codes([], { trigger }), expected, JSON.stringify(trigger));
});

test('entry: values, windows that open, days and timezones', () => {
  const window = { from: '09:00', to: '17:00', timezone: 'contact' };
  const good = [
    {},
    {
      reentry: 'after_completion',
      minIntervalMinutes: 60,
      exitOnUnsubscribe: false,
      sendWindow: null,
      frequencyCap: null,
    },
    { sendWindow: { ...window, days: ['monday', 7], to: '24:00', timezone: 'America/New_York' } },
    { frequencyCap: { maxEmails: 3, perDays: 7 } },
  ];
  for (const entry of good) assert.deepEqual(codes([], { entry }), [], JSON.stringify(entry));
  const bad: [unknown, string][] = [
    [7, 'type /entry'],
    [{ reentry: 'sometimes' }, 'enum /entry/reentry'],
    [{ minIntervalMinutes: -1 }, 'out_of_range /entry/minIntervalMinutes'],
    [{ sendWindow: { ...window, to: '09:00' } }, 'range /entry/sendWindow/to'],
    [{ sendWindow: { ...window, timezone: 'Mars' } }, 'timezone /entry/sendWindow/timezone'],
    [{ sendWindow: { ...window, days: ['monday', 'noday'] } }, 'enum /entry/sendWindow/days/1'],
    [{ surprise: 1 }, 'unknown_field /entry/surprise'],
  ];
  for (const [entry, expected] of bad) assert.deepEqual(codes([], { entry }), [expected], JSON.stringify(entry));
});

test('validating leaves its argument as it was', () => {
  const definition = { trigger: { type: 'MANUAL' }, entry: {}, steps: [{ id: 'a', ...email }] };
  const before = structuredClone(definition);
  validateDefinition(definition, refs);
  assert.deepEqual(definition, before);
});

test('at most 200 steps', () => {
  const steps = (count: number) => Array.from({ length: count }, () => ({ ...email }));
  assert.deepEqual(codes(steps(200)), []);
  assert.deepEqual(codes(steps(201)), ['too_many /steps']);
});

test('a ladder of 200 steps with every way through, and 1000-leaf filters, are judged in a moment', () => {
  const leaves = Array.from({ length: 1000 }, (_, index) => ({ field: 'score', operator: 'gte', value: index }));
  const ladder = Array.from({ length: 198 }, (_, index) =>
    condition(
      {
        if: index % 40 === 0 ? { op: 'or', conditions: leaves } : always,
        then: `s${Math.min(index + 1, 197)}`,
        else: `s${Math.min(index + 2, 197)}`,
        branches: Array.from({ length: 18 }, (_unused, branch) => ({
          if: always,
          next: `s${Math.min(index + 3 + branch, 197)}`,
        })),
      },
      { id: `s${index}` },
    ),
  );
  ladder[197] = { ...email, id: 's197' } as unknown as (typeof ladder)[number];
  const before = process.threadCpuUsage();
  assert.deepEqual(codes(ladder), []);
  // A walk along each of the more than 2^197 ways would never end; one along each edge takes milliseconds.
  assert.ok(process.threadCpuUsage(before).user < 5_000_000);
});

test('what an event leaf names must exist', () => {
  const leaf = (event: string, ...where: [field: string, operator: string, value: unknown][]) => ({
    event,
    operator: 'atLeast',
    where: where.map(([field, operator, value]) => ({ field, operator, value })),
  });
  const steps = [
    condition({
      if: {
        op: 'or',
        conditions: [
          leaf('EMAIL_OPENED', ['templateId', 'eq', 99], ['campaignId', 'in', [1, 98]]),
          leaf('EMAIL_CLICKED', ['emailId', 'eq', 500]),
        ],
      },
      branches: [
        { if: leaf('FORM_SUBMITTED', ['formId', 'ne', 97]) },
        { if: leaf('SEGMENT_ENTERED', ['segmentId', 'eq', 96]) },
      ],
    }),
  ];
  assert.deepEqual(codes(steps), [
    'not_found /steps/0/config/if/conditions/0/where/0/value',
    'not_found /steps/0/config/if/conditions/0/where/1/value/1',
    'not_found /steps/0/config/branches/0/if/where/0/value',
    'not_found /steps/0/config/branches/1/if/where/0/value',
  ]);
});

test('WEBHOOK takes a URL that may be called, and says what an error does', () => {
  const webhook = (config: object) => codes([{ type: 'WEBHOOK', config }]);
  const place = '/steps/0/config';
  assert.deepEqual(webhook({ url: 'https://hooks.example.com/a?b=c' }), []);
  for (const onError of ['fail', 'continue'])
    assert.deepEqual(webhook({ url: 'https://hooks.example.com', onError }), []);
  assert.deepEqual(webhook({}), [`required ${place}/url`]);
  assert.deepEqual(webhook({ url: 'hooks.example.com' }), [`format ${place}/url`]);
  assert.deepEqual(webhook({ url: `https://example.com/${'a'.repeat(2048)}` }), [`too_long ${place}/url`]);
  assert.deepEqual(webhook({ url: 'https://hooks.example.com', onError: 'stop' }), [`enum ${place}/onError`]);
  for (const url of [
    'http://hooks.example.com',
    'https://127.1/',
    'https://[::ffff:10.0.0.1]/',
    'https://u:p@a.example',
  ])
    assert.deepEqual(webhook({ url }), [`outbound_refused ${place}/url`], url);
});

test('NOTIFY goes to a user of the tenant, with texts in Liquid', () => {
  const notify = (config: object) =>
    codes([
      { id: 'tell', type: 'NOTIFY', config: { to: 'owner@example.com', subject: 'Hi', body: 'Hello', ...config } },
    ]);
  const place = '/steps/0/config';
  assert.deepEqual(notify({}), []);
  assert.deepEqual(
    notify({ to: ' Owner@Example.com', body: '{% if firstName %}{{ firstName | upcase }}{% endif %}' }),
    [],
  );
  assert.deepEqual(notify({ to: 'stranger@example.com' }), [`not_found ${place}/to`]);
  assert.deepEqual(notify({ subject: '{{ firstName', body: '{% if a %}' }), [
    `template_syntax ${place}/subject`,
    `template_syntax ${place}/body`,
  ]);
  assert.deepEqual(notify({ body: '{% include "/etc/passwd" %}' }), [`template_syntax ${place}/body`]);
  assert.deepEqual(notify({ subject: '', body: 'a'.repeat(10_001) }), [
    `too_short ${place}/subject`,
    `too_long ${place}/body`,
  ]);
  const [violation] = validateDefinition(
    definitionOf([{ id: 'tell', type: 'NOTIFY', config: { to: 'x@example.com', subject: 'Hi', body: 'Hi' } }]),
    refs,
  );
  assert.ok(violation!.message.startsWith('step "tell": '), violation!.message);
});

test('messages name templates of their channel, and MESSAGE an order of at least two', () => {
  const told = (config: object, type = 'MESSAGE') =>
    validateDefinition(definitionOf([{ id: 'a', type, config }]), { ...refs, smsTemplateIds: new Set([1]) }).map(
      ({ code, path }) => `${code} ${path}`,
    );
  const templates = { email: 1, sms: 1, push: 2 };
  for (const order of ['preferred', ['push', 'sms', 'email']]) assert.deepEqual(told({ templates, order }), []);
  assert.deepEqual(told({ templateId: 2 }, 'SMS'), ['not_found /steps/0/config/templateId']);
  assert.deepEqual(told({ templateId: 2 }, 'PUSH'), []);
  assert.deepEqual(told({ templates: { sms: 2, push: 99 }, order: ['sms', 'email', 'sms'] }), [
    'not_found /steps/0/config/order/1',
    'duplicate /steps/0/config/order/2',
    'required /steps/0/config/order',
    'not_found /steps/0/config/templates/sms',
    'not_found /steps/0/config/templates/push',
  ]);
  assert.deepEqual(
    told({ templates: { sms: 1 }, order: 'preferred' }).map((one) => one.split(' ')[1]),
    ['/steps/0/config/templates'],
  );
  assert.deepEqual(told({ templates, order: 'any' }).length > 0, true);
});

test('entry caps and priorities have limits', () => {
  const told = (entry: object) =>
    validateDefinition(definitionOf([], { entry: entry }), refs).map(({ code, path }) => `${code} ${path}`);
  assert.deepEqual(told({ priority: 9, frequencyCap: { maxEmails: 1, perDays: 1, channels: ['sms', 'push'] } }), []);
  assert.deepEqual(told({ priority: 10, frequencyCap: { maxEmails: 1, perDays: 1, channels: ['fax'] } }), [
    'enum /entry/frequencyCap/channels/0',
    'out_of_range /entry/priority',
  ]);
});

test('triggers by messages name templates of messages', () => {
  const told = (trigger: object) =>
    validateDefinition(definitionOf([], { trigger: trigger as never }), {
      ...refs,
      messageTemplateIds: new Set([50]),
    }).map(({ code, path }) => `${code} ${path}`);
  assert.deepEqual(told({ type: 'MESSAGE_CLICKED', templateId: 50, channel: 'sms', url: 'https://example.com/' }), []);
  assert.deepEqual(told({ type: 'MESSAGE_DELIVERED', templateId: 1 }), ['not_found /trigger/templateId']);
  assert.deepEqual(told({ type: 'MESSAGE_RECEIVED', optOut: 'perhaps' }), ['enum /trigger/optOut']);
  assert.deepEqual(told({ type: 'CHANNEL_SUBSCRIBED', channel: 'push' }), []);
  // Of emails, there are EMAIL_… and CONTACT_UNSUBSCRIBED.
  for (const type of [
    'MESSAGE_SENT',
    'MESSAGE_DELIVERED',
    'MESSAGE_CLICKED',
    'MESSAGE_RECEIVED',
    'CHANNEL_UNSUBSCRIBED',
  ])
    assert.deepEqual(told({ type, channel: 'email' }), ['enum /trigger/channel']);
});
