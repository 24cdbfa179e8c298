import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, test } from '@jest/globals';
import { makeTemplate } from '../../support/mail/emails.ts';
import { startService, type Service } from '../../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const GONE = 999_999;
const wait = (id: string, waitMinutes = 60) => ({ id, type: 'WAIT', config: { waitMinutes } });
const eventOf = (field: string) => ({
  event: field === 'formId' ? 'FORM_SUBMITTED' : 'EMAIL_OPENED',
  operator: 'atLeast',
  where: [{ field, operator: 'eq', value: GONE }],
});

test('one 400 names every fault of the body, the trigger, the entry and the steps', async () => {
  const body = {
    name: '',
    colour: 'red',
    trigger: { type: 'FORM_SUBMITTED', formId: GONE, extra: 1 },
    entry: { reentry: 'sometimes', sendWindow: { from: '17:00', to: '09:00', timezone: 'Mars/Base' } },
    steps: [
      { id: 'dance', type: 'DANCE', config: { a: 1 }, next: 'nowhere' },
      5,
      { id: 'mail', type: 'EMAIL', config: { templateId: GONE, subject: 'x' }, next: 'nowhere' },
      { id: 'join', type: 'SEGMENT', config: { action: 'add', listId: GONE } },
      {
        id: 'if',
        type: 'CONDITION',
        config: {
          if: { field: 'segmentId', operator: 'eq', value: GONE },
          branches: [{ if: eventOf('formId'), next: 'nowhere' }, { if: eventOf('campaignId') }],
          then: 'nowhere',
          elseif: 1,
        },
      },
      { id: 'loop', type: 'SCORE', config: { points: 1, why: 'x' }, next: 'loop' },
      { id: 'join', type: 'WAIT', config: {}, when: 'now' },
    ],
  };
  const answer = await service.api('POST', '/campaigns', body);
  assert.equal(answer.status, 400);
  const errors = answer.body.errors as { path: string; code: string; message: string }[];
  assert.deepEqual(errors.map(({ path, code }) => `${path} ${code}`).sort(), [
    '/colour unknown_field',
    '/entry/reentry enum',
    '/entry/sendWindow/timezone timezone',
    '/entry/sendWindow/to range',
    '/name too_short',
    '/steps/0/next unknown_step',
    '/steps/0/type unknown_type',
    '/steps/1 type',
    '/steps/2/config/subject unknown_field',
    '/steps/2/config/templateId not_found',
    '/steps/2/next unknown_step',
    '/steps/3/config/listId not_found',
    '/steps/4/config/branches/0/if/where/0/value not_found',
    '/steps/4/config/branches/0/next unknown_step',
    '/steps/4/config/branches/1/if/where/0/value not_found',
    '/steps/4/config/elseif unknown_field',
    '/steps/4/config/if/value not_found',
    '/steps/4/config/then unknown_step',
    '/steps/5/config/why unknown_field',
    '/steps/5/next loop_without_wait',
    '/steps/6/config invalid',
    '/steps/6/id duplicate',
    '/steps/6/when unknown_field',
    '/trigger/extra unknown_field',
    '/trigger/formId not_found',
  ]);
  for (const { path, message } of errors.filter(({ path, code }) => /^\/steps\/\d+\/(?!when)/.test(path) && code)) {
    const { id } = body.steps[Number(path.split('/')[2])] as { id: string };
    assert.ok(message.startsWith(`step "${id}": `), `${path}: ${message}`);
  }
});

test('answers of a campaign have warnings, which a PUT accepts unchanged', async () => {
  const list = (await service.api('POST', '/contacts/lists', { name: 'Guests' })).body;
  const made = await service.api('POST', '/campaigns', {
    name: 'A campaign',
    trigger: { type: 'SEGMENT_ENTERED', segmentId: list.id },
    entry: { reentry: 'always' },
    steps: [
      { ...wait('first'), next: 'join' },
      wait('lost'),
      { id: 'join', type: 'SEGMENT', config: { action: 'add', listId: list.id } },
    ],
  });
  assert.deepEqual(made.body.warnings, [
    { path: '/steps/1', code: 'unreachable_step', message: 'step "lost": no path from the first step leads to it' },
    {
      path: '/trigger',
      code: 'starts_itself',
      message: 'trigger: step "join" can start this campaign again, and reentry is always',
    },
  ]);
  const { id, warnings } = made.body;
  assert.deepEqual((await service.api('GET', `/campaigns/${id}`)).body.warnings, warnings);
  assert.deepEqual((await service.api('GET', '/campaigns')).body.data[0].warnings, warnings);
  const mended = await service.api('PUT', `/campaigns/${id}`, { ...made.body, entry: { reentry: 'never' }, steps: [] });
  assert.deepEqual([mended.status, mended.body.warnings], [200, []]);
  const written = await service.api('PUT', `/campaigns/${id}`, { warnings });
  assert.deepEqual([written.status, written.body.errors[0].code], [400, 'read_only']);
});

test('a campaign that mails who has not confirmed the address yet has a warning, wherever it is shown', async () => {
  const list = (await service.api('POST', '/contacts/lists', { name: 'Subscribers' })).body;
  const fields = [{ name: 'email', label: 'Email', type: 'email' }];
  const form = (await service.api('POST', '/forms', { name: 'Sign up', fields, listId: list.id, doubleOptIn: true }))
    .body;
  const steps = [{ id: 'welcome', type: 'EMAIL', config: { templateId: await makeTemplate(service) } }];
  const trigger = { type: 'FORM_SUBMITTED', formId: form.id };
  const made = await service.api('POST', '/campaigns', { name: 'Welcome', trigger, steps });
  assert.deepEqual(
    made.body.warnings.map(({ path, code }: { path: string; code: string }) => [path, code]),
    [['/trigger', 'before_confirmation']],
  );
  const { id, warnings } = made.body;
  assert.match(warnings[0].message, new RegExp(`"Sign up" .* SEGMENT_ENTERED of its list ${list.id}`));
  assert.deepEqual((await service.api('GET', `/campaigns/${id}`)).body.warnings, warnings);
  assert.deepEqual((await service.api('GET', '/campaigns?sort=-id')).body.data[0].warnings, warnings);
  const echoed = await service.api('PUT', `/campaigns/${id}`, { ...made.body, description: 'The first' });
  assert.deepEqual([echoed.status, echoed.body.warnings], [200, warnings]);
  assert.deepEqual((await service.api('POST', `/campaigns/${id}/start`)).body.campaign.warnings, warnings);

  const tag = (await service.api('GET', `/campaigns/${id}`)).headers.get('etag')!;
  assert.equal((await service.api('PUT', `/forms/${form.id}`, { doubleOptIn: false })).status, 200);
  const read = await service.api('GET', `/campaigns/${id}`, undefined, { headers: { 'If-None-Match': tag } });
  assert.deepEqual([read.status, read.body.warnings], [200, []], 'though the campaign has the same version');
  assert.equal((await service.api('PUT', `/contacts/lists/${list.id}`, { doubleOptIn: true })).status, 200);
  assert.deepEqual((await service.api('GET', `/campaigns/${id}`)).body.warnings, warnings, 'the list asks, too');
  const entered = { trigger: { type: 'SEGMENT_ENTERED', segmentId: list.id } };
  assert.deepEqual((await service.api('PUT', `/campaigns/${id}`, entered)).body.warnings, []);
});

test('a trigger that recurs lets contacts enter again, and a reentry that forbids it is told', async () => {
  const { id: segmentId } = (await service.api('POST', '/contacts/lists', { name: 'Readers' })).body;
  await service.api('POST', '/contacts/custom-fields', { entity: 'contact', name: 'birthday', type: 'date' });
  const birthday = { type: 'DATE', field: 'customFields.birthday', offsetDays: 0, time: '09:00' };
  const weekly = { type: 'SCHEDULE', cron: '0 9 * * 1', timezone: 'UTC', segmentId };
  const create = async (fields: object) => {
    const { status, body } = await service.api('POST', '/campaigns', {
      name: 'Again',
      steps: [wait('rest')],
      ...fields,
    });
    assert.equal(status, 201, JSON.stringify(body));
    return body;
  };
  const reentryOf = async (trigger: object, entry?: object) => {
    const { entry: stored, warnings } = await create({ trigger, ...(entry ? { entry } : {}) });
    return [stored.reentry, warnings.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`)];
  };
  const told = ['/entry/reentry enters_once'];
  assert.deepEqual(await reentryOf(weekly), ['after_completion', []]);
  assert.deepEqual(await reentryOf({ ...birthday, annual: true }), ['after_completion', []]);
  assert.deepEqual(await reentryOf({ ...birthday, annual: true }, { minIntervalMinutes: 5 }), ['after_completion', []]);
  assert.deepEqual(await reentryOf(weekly, { reentry: 'never' }), ['never', told]);
  assert.deepEqual(await reentryOf({ ...birthday, annual: true }, { reentry: 'never' }), ['never', told]);
  assert.deepEqual(await reentryOf(weekly, { reentry: 'always' }), ['always', []]);
  assert.deepEqual(await reentryOf(birthday), ['never', []]);
  assert.deepEqual(await reentryOf({ type: 'CONTACT_CREATED' }), ['never', []]);

  // What is stored stays as it is, and is told.
  const { id } = await create({});
  const changed = (await service.api('PUT', `/campaigns/${id}`, { trigger: weekly })).body;
  assert.deepEqual([changed.entry.reentry, changed.warnings[0].code], ['never', 'enters_once']);
  assert.match(changed.warnings[0].message, /fires at each time of its schedule, but reentry is never/);
  const reset = (await service.api('PUT', `/campaigns/${id}`, { entry: null })).body;
  assert.deepEqual([reset.entry.reentry, reset.warnings], ['after_completion', []]);
});

test('a campaign without steps is not started', async () => {
  const { id } = (await service.api('POST', '/campaigns', { name: 'Empty' })).body;
  const refused = await service.api('POST', `/campaigns/${id}/start`);
  assert.deepEqual(
    [refused.status, refused.body.code, refused.body.errors],
    [
      400,
      'validation_failed',
      [
        {
          path: '/steps',
          code: 'too_few',
          message:
            'the campaign has no steps, so contacts would complete it at once: give it at least one, then start it',
        },
      ],
    ],
  );
  assert.equal((await service.api('GET', `/campaigns/${id}`)).body.status, 'DRAFT');
  await service.api('PUT', `/campaigns/${id}`, { steps: [wait('rest')] });
  assert.equal((await service.api('POST', `/campaigns/${id}/start`)).status, 202);
  // Nor are edits published that leave none.
  await service.api('PUT', `/campaigns/${id}`, { steps: [] });
  assert.equal((await service.api('POST', `/campaigns/${id}/start`)).status, 400);
  const { status, publishedVersion } = (await service.api('GET', `/campaigns/${id}`)).body;
  assert.deepEqual([status, publishedVersion], ['ACTIVE', 1]);
});

test('what a running campaign refers to is not deleted, wherever it does so', async () => {
  const make = async (path: string, body: object): Promise<number> => {
    const answer = await service.api('POST', path, body);
    assert.ok(answer.status < 300, JSON.stringify(answer.body));
    return answer.body.id;
  };
  const list = () => make('/contacts/lists', { name: `List ${randomUUID()}` });
  const form = () => make('/forms', { name: 'Form', fields: [{ label: 'Email', name: 'email', type: 'email' }] });
  const template = () => makeTemplate(service);
  const segment = () =>
    make('/contacts/segments', {
      name: `Segment ${randomUUID()}`,
      type: 'dynamic',
      filter: { field: 'status', operator: 'eq', value: 'active' },
    });
  const campaign = (fields: object = {}) => make('/campaigns', { name: 'Another', steps: [wait('rest')], ...fields });
  const leaf = (event: string, field: string, value: number) => ({
    event,
    operator: 'atLeast',
    where: [{ field, operator: 'eq', value }],
  });
  const condition = (filter: object) => [
    { id: 'if', type: 'CONDITION', config: { if: { op: 'and', conditions: [{ op: 'not', conditions: [filter] }] } } },
  ];
  const places: [string, () => Promise<number>, (id: number) => object][] = [
    ['/emails/templates', template, (id) => ({ steps: [{ type: 'EMAIL', config: { templateId: id } }] })],
    ['/emails/templates', template, (id) => ({ steps: condition(leaf('EMAIL_OPENED', 'templateId', id)) })],
    ['/emails/templates', template, (id) => ({ trigger: { type: 'EMAIL_OPENED', templateId: id } })],
    ['/contacts/lists', list, (id) => ({ steps: [{ type: 'SEGMENT', config: { action: 'add', listId: id } }] })],
    ['/contacts/lists', list, (id) => ({ steps: condition({ field: 'listId', operator: 'eq', value: id }) })],
    ['/contacts/lists', list, (id) => ({ trigger: { type: 'SEGMENT_ENTERED', segmentId: id } })],
    ['/contacts/segments', segment, (id) => ({ steps: condition({ field: 'segmentId', operator: 'eq', value: id }) })],
    ['/contacts/segments', segment, (id) => ({ trigger: { type: 'SEGMENT_ENTERED', segmentId: id } })],
    ['/forms', form, (id) => ({ steps: condition(leaf('FORM_SUBMITTED', 'formId', id)) })],
    ['/forms', form, (id) => ({ trigger: { type: 'FORM_SUBMITTED', formId: id } })],
    ['/campaigns', campaign, (id) => ({ steps: condition(leaf('EMAIL_CLICKED', 'campaignId', id)) })],
    ['/campaigns', campaign, (id) => ({ trigger: { type: 'EMAIL_CLICKED', campaignId: id } })],
    ['/campaigns', campaign, (id) => ({ trigger: { type: 'GOAL_MET', campaignId: id } })],
  ];
  for (const [path, thing, definition] of places) {
    const id = await thing();
    const user = await campaign({ name: 'User', ...definition(id) });
    const label = `${path} of ${JSON.stringify(definition(id))}`;
    assert.equal((await service.api('POST', `/campaigns/${user}/start`)).status, 202, label);
    const refused = await service.api('DELETE', `${path}/${id}`);
    assert.deepEqual([refused.status, refused.body.code], [409, 'in_use'], label);
    assert.deepEqual(
      refused.body.errors.map(({ message }: { message: string }) => message),
      [`campaign ${user}: User`],
      label,
    );
    await service.api('POST', `/campaigns/${user}/stop`);
    assert.equal((await service.api('DELETE', `${path}/${id}`)).status, 204, label);
  }
});
