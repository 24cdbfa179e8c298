import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { makeTemplate } from '../../support/mail/emails.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';

let service: Service;
let templateId: number;
beforeAll(async () => {
  service = await startService();
  templateId = await makeTemplate(service);
});
afterAll(() => service.stop());

const email = (id: string) => ({ id, type: 'EMAIL', config: { templateId } });
const wait = (id: string, waitMinutes: number) => ({ id, type: 'WAIT', config: { waitMinutes } });

async function create(fields: Record<string, unknown> = {}): Promise<Answer['body']> {
  const answer = await service.api('POST', '/campaigns', {
    name: 'A campaign',
    steps: [email('one'), wait('pause', 60), email('two')],
    ...fields,
  });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body;
}

async function refused(body: Record<string, unknown>): Promise<{ path: string; code: string; message: string }[]> {
  const answer = await service.api('POST', '/campaigns', { name: 'A campaign', ...body });
  assert.equal(answer.status, 400, JSON.stringify(answer.body));
  assert.equal(answer.body.code, 'validation_failed');
  return answer.body.errors;
}

test('a campaign is created as a DRAFT with every default, read, changed and deleted', async () => {
  const answer = await service.api('POST', '/campaigns', {
    name: 'Welcome',
    steps: [{ type: 'WAIT', config: { waitMinutes: 5 } }],
  });
  const { id, createdAt, updatedAt } = answer.body;
  assert.equal(answer.headers.get('location'), `/api/v1/campaigns/${id}`);
  assert.deepEqual(answer.body, {
    id,
    name: 'Welcome',
    description: null,
    status: 'DRAFT',
    pauseReason: null,
    type: 'CUSTOM',
    trigger: { type: 'MANUAL' },
    steps: [{ id: 'step-1', type: 'WAIT', config: { waitMinutes: 5 } }],
    entry: { reentry: 'never', minIntervalMinutes: 0, exitOnUnsubscribe: true, sendWindow: null, frequencyCap: null },
    warnings: [],
    publishedVersion: null,
    closing: null,
    version: 1,
    createdAt,
    updatedAt,
  });
  const read = await service.api('GET', `/campaigns/${id}`);
  assert.deepEqual(read.body, answer.body);
  assert.equal(read.headers.get('etag'), '"1"');

  const same = await service.api('PUT', `/campaigns/${id}`, read.body);
  assert.deepEqual([same.status, same.body.version], [200, 1]);
  const changed = await service.api('PUT', `/campaigns/${id}`, {
    description: 'For new contacts',
    entry: { reentry: 'always' },
  });
  assert.deepEqual(
    [changed.body.name, changed.body.description, changed.body.version],
    ['Welcome', 'For new contacts', 2],
  );
  assert.deepEqual([changed.body.entry.reentry, changed.body.entry.exitOnUnsubscribe], ['always', true]);
  assert.equal((await service.api('PUT', `/campaigns/${id}`, { description: '' })).body.description, null);
  const cleared = await service.api('PUT', `/campaigns/${id}`, { trigger: null, entry: null, steps: null });
  assert.deepEqual(
    [cleared.status, cleared.body.trigger, cleared.body.entry, cleared.body.steps],
    [200, { type: 'MANUAL' }, answer.body.entry, []],
  );

  assert.equal(
    (await service.api('PUT', `/campaigns/${id}`, { name: 'No' }, { headers: { 'if-match': '"1"' } })).status,
    412,
  );
  for (const [field, value] of Object.entries({
    status: 'ACTIVE',
    type: 'NURTURE',
    publishedVersion: 3,
    id: 999_999,
  })) {
    const readOnly = await service.api('PUT', `/campaigns/${id}`, { [field]: value });
    assert.deepEqual([readOnly.status, readOnly.body.errors[0].code], [400, 'read_only'], field);
  }
  assert.equal((await service.api('DELETE', `/campaigns/${id}`)).status, 204);
  assert.equal((await service.api('GET', `/campaigns/${id}`)).status, 404);
});

test('the prebuilt types make 3, 5 and 2 emails', async () => {
  for (const [type, count] of [
    ['WELCOME_SERIES', 3],
    ['NURTURE', 5],
    ['RE_ENGAGEMENT', 2],
  ] as const) {
    const { steps } = await create({
      type,
      steps: undefined,
      templateIds: Array.from({ length: count }, () => templateId),
    });
    assert.deepEqual(
      steps.map((step: { type: string }) => step.type),
      Array.from({ length: 2 * count - 1 }, (_, n) => (n % 2 === 0 ? 'EMAIL' : 'WAIT')),
    );
    const errors = await refused({ type, templateIds: [templateId] });
    assert.equal(errors[0]!.path, '/templateIds');
    assert.equal((await refused({ type }))[0]!.path, '/templateIds');
  }
  assert.equal((await refused({ templateIds: [templateId] }))[0]!.path, '/templateIds');
});

test('a definition that can not work is a 400 that names the step', async () => {
  const cases: [object[], string, string][] = [
    [[{ id: 'x', type: 'DANCE', config: {} }], '/steps/0/type', 'step "x"'],
    [[wait('a', 1), { ...wait('b', 1), next: 'nowhere' }], '/steps/1/next', 'step "b"'],
    [[{ id: 'mail', type: 'EMAIL', config: { templateId: 999_999 } }], '/steps/0/config/templateId', 'step "mail"'],
    [[{ ...email('a'), next: 'a' }], '/steps/0/next', 'step "a"'],
    [[wait('a', 1), wait('a', 2)], '/steps/1/id', 'step "a"'],
    [
      [{ id: 'list', type: 'SEGMENT', config: { action: 'add', listId: 999_999 } }],
      '/steps/0/config/listId',
      'step "list"',
    ],
    ...(
      [
        ['templateId', 'EMAIL_OPENED'],
        ['campaignId', 'EMAIL_OPENED'],
        ['formId', 'FORM_SUBMITTED'],
      ] as const
    ).map(([field, event]): [object[], string, string] => [
      [
        {
          id: 'if',
          type: 'CONDITION',
          config: { if: { event, operator: 'atLeast', where: [{ field, operator: 'eq', value: 999_999 }] } },
        },
      ],
      '/steps/0/config/if/where/0/value',
      'step "if"',
    ]),
    [
      [{ id: 'if', type: 'CONDITION', config: { if: { field: 'shoeSize', operator: 'eq', value: 1 } } }],
      '/steps/0/config/if/field',
      'step "if"',
    ],
  ];
  for (const [steps, path, named] of cases) {
    const [error] = await refused({ steps });
    assert.equal(error!.path, path);
    assert.ok(error!.message.includes(named), error!.message);
  }
  assert.equal((await refused({ trigger: { type: 'FORM_SUBMITTED', formId: 999_999 } }))[0]!.path, '/trigger/formId');
  assert.equal(
    (await refused({ trigger: { type: 'SEGMENT_ENTERED', segmentId: 999_999 } }))[0]!.path,
    '/trigger/segmentId',
  );
  const daily = { type: 'SCHEDULE', cron: '0 9 31 2 *', timezone: 'Mars/One', segmentId: 999_999 };
  assert.deepEqual(
    (await refused({ trigger: daily })).map(({ path, code, message }) => [path, code, message]),
    [
      ['/trigger/cron', 'cron', 'trigger: cron never matches any date'],
      ['/trigger/timezone', 'timezone', 'trigger: timezone must be an IANA timezone'],
      ['/trigger/segmentId', 'not_found', 'trigger: there is no segment or list 999999'],
    ],
  );
  const birthday = { type: 'DATE', field: 'customFields.birthday', offsetDays: 0, time: '09:00', annual: true };
  assert.deepEqual([(await refused({ trigger: birthday }))[0]!.path], ['/trigger/field']);
  const { id } = await create();
  assert.equal((await service.api('PUT', `/campaigns/${id}`, { steps: [{ type: 'DANCE' }] })).status, 400);
});

test('a WEBHOOK to an address that is not public, and a NOTIFY to a stranger, are violations', async () => {
  const call = (url: string) => ({ id: 'call', type: 'WEBHOOK', config: { url } });
  for (const url of ['https://127.1/', 'https://0x7f000001/', 'https://[::ffff:127.0.0.1]/', 'http://example.com/']) {
    const [error] = await refused({ steps: [call(url)] });
    assert.deepEqual([error!.path, error!.code], ['/steps/0/config/url', 'outbound_refused'], url);
    assert.ok(error!.message.startsWith('step "call": '), error!.message);
  }
  const tell = (to: string) => ({ id: 'tell', type: 'NOTIFY', config: { to, subject: 'Hi', body: '{{firstName}}' } });
  const [error] = await refused({ steps: [tell('stranger@example.com')] });
  assert.deepEqual([error!.path, error!.code], ['/steps/0/config/to', 'not_found']);
  const { id } = await create({ steps: [call('https://hooks.example.com/a'), tell(' Admin@Example.com')] });
  assert.equal((await service.api('POST', `/campaigns/${id}/start`)).status, 202);
  const edited = await service.api('PUT', `/campaigns/${id}`, { steps: [call('https://10.0.0.1/')] });
  assert.deepEqual([edited.status, edited.body.errors[0].code], [400, 'outbound_refused']);
});

test('Liquid in UPDATE_CONTACT is checked when it is saved, and a URL with Liquid is refused', async () => {
  const set = (fields: object) => ({ id: 'set', type: 'UPDATE_CONTACT', config: { set: fields } });
  await create({
    steps: [set({ jobTitle: '{{ contact.firstName }}', timezone: '{{ customFields.zone }}', tags: ['a', '{{ x }}'] })],
  });
  for (const [fields, path, code] of [
    [{ jobTitle: '{{ firstName' }, 'jobTitle', 'template_syntax'],
    [{ tags: ['a', '{{ x | nothing }}'] }, 'tags/1', 'template_syntax'],
    [{ customFields: { gone: '{{ x }}' } }, 'customFields/gone', 'unknown_custom_field'],
  ] as const) {
    const [error] = await refused({ steps: [set(fields)] });
    assert.deepEqual([error!.path, error!.code], [`/steps/0/config/set/${path}`, code]);
  }
  for (const url of [
    'https://{{ company.domain }}/a',
    'https://example.com/{{id}}',
    'https://example.com/{% if a %}b',
  ]) {
    const [error] = await refused({ steps: [{ id: 'call', type: 'WEBHOOK', config: { url } }] });
    assert.deepEqual([error!.path, error!.code], ['/steps/0/config/url', 'liquid_unavailable']);
    assert.match(error!.message, /Liquid such as \{\{firstName\}\} is not available here/);
  }
});

test('texts that are used as they are written take no Liquid', async () => {
  const template = { name: 'T', subject: 'S', content: '<p>x</p>' };
  const field = { name: 'email', label: 'Email', type: 'email' };
  for (const [method, path, body, at] of [
    ['POST', '/emails/templates', { ...template, fromName: '{{ company }}' }, '/fromName'],
    ['POST', '/emails/templates', { ...template, replyTo: '{{owner}}@example.com' }, '/replyTo'],
    ['POST', '/emails/senders', { email: 'a@example.com', name: '{{ company }}' }, '/name'],
    ['POST', '/emails/topics', { name: 'News', description: 'For {{ firstName }}' }, '/description'],
    ['POST', '/forms', { name: 'F', fields: [field], successMessage: 'Thanks, {{ firstName }}' }, '/successMessage'],
    ['POST', '/forms', { name: 'F', fields: [field], redirectUrl: 'https://example.com/{{id}}' }, '/redirectUrl'],
    ['POST', '/webhooks', { url: 'https://example.com/{{id}}', events: ['CONTACT_CREATED'] }, '/url'],
    ['PUT', '/channels/settings', { stopText: 'Bye {{ firstName }}' }, '/stopText'],
  ] as const) {
    const answer = await service.api(method, path, body);
    const { errors } = answer.body as { errors?: { path: string; code: string }[] };
    assert.equal(answer.status, 400, `${path} ${JSON.stringify(answer.body)}`);
    assert.ok(
      errors!.some((error) => error.path === at && error.code === 'liquid_unavailable'),
      `${path} ${JSON.stringify(errors)}`,
    );
  }
});

test('start publishes, PUT edits the next version, stop keeps both', async () => {
  const { id } = await create();
  const start = () => service.api('POST', `/campaigns/${id}/start`);
  const first = await start();
  assert.deepEqual(
    [first.status, first.body.campaign.status, first.body.campaign.publishedVersion, first.body.enrolmentId],
    [202, 'ACTIVE', 1, null],
  );
  assert.equal((await start()).body.campaign.publishedVersion, 1);
  const ofNobody = await service.api('POST', `/campaigns/${id}/start`, { contactIds: [] });
  assert.deepEqual([ofNobody.status, ofNobody.body.enrolmentId], [202, null]);
  assert.equal((await service.api('DELETE', `/campaigns/${id}`)).status, 409);
  const edited = await service.api('PUT', `/campaigns/${id}`, { steps: [email('one')] });
  assert.deepEqual([edited.status, edited.body.publishedVersion, edited.body.steps.length], [200, 1, 1]);
  assert.equal((await service.api('GET', `/campaigns/${id}/stats`)).body.steps.length, 3);
  assert.equal((await start()).body.campaign.publishedVersion, 2);
  assert.equal((await service.api('GET', `/campaigns/${id}/stats`)).body.steps.length, 1);

  const stopped = await service.api('POST', `/campaigns/${id}/stop`);
  assert.deepEqual([stopped.status, stopped.body.status, stopped.body.publishedVersion], [202, 'STOPPED', 2]);
  assert.equal((await service.api('POST', `/campaigns/${id}/stop`)).status, 202);
  assert.equal((await start()).body.campaign.status, 'ACTIVE');
});

test('what the state forbids is a 409', async () => {
  const { id } = await create();
  const post = async (verb: string) => (await service.api('POST', `/campaigns/${id}/${verb}`)).status;
  assert.deepEqual([await post('stop'), await post('pause'), await post('resume')], [409, 409, 409]);
  assert.equal(await post('start'), 202);
  assert.deepEqual([await post('pause'), await post('pause')], [200, 200]);
  assert.equal(await post('start'), 409);
  assert.equal((await service.api('DELETE', `/campaigns/${id}`)).status, 409);
  assert.deepEqual([await post('resume'), await post('resume'), await post('stop')], [200, 200, 202]);
  assert.equal((await service.api('DELETE', `/campaigns/${id}`)).status, 204);
});

test('an audience must be there, and be one', async () => {
  const { id } = await create();
  const start = (audience: unknown) => service.api('POST', `/campaigns/${id}/start`, audience);
  for (const audience of [{ contactIds: [999_999] }, { segmentId: 999_999 }, { listId: 999_999 }]) {
    const answer = await start(audience);
    assert.deepEqual([answer.status, answer.body.code], [404, 'not_found']);
  }
  const { body: several } = await start({ contactIds: [999_998, 999_999] });
  assert.deepEqual(
    [several.detail, several.errors.map(({ path }: { path: string }) => path)],
    ['There is no contact 999998, no contact 999999', ['/contactIds/0', '/contactIds/1']],
  );
  assert.equal((await start({ segmentId: 1, listId: 1 })).body.errors[0].path, '/listId');
  assert.equal((await start({ contactIds: ['1'] })).status, 400);
  assert.equal((await start({ everyone: true })).status, 400);
  const { status, publishedVersion } = (await service.api('GET', `/campaigns/${id}`)).body;
  assert.deepEqual([status, publishedVersion], ['DRAFT', null], 'a start that is refused changes nothing');
});

test('unknown ids are a 404', async () => {
  const found = await Promise.all(
    [
      ['GET', '/campaigns/999999'],
      ['PUT', '/campaigns/999999'],
      ['DELETE', '/campaigns/999999'],
      ['POST', '/campaigns/999999/start'],
      ['POST', '/campaigns/999999/stop'],
      ['POST', '/campaigns/999999/pause'],
      ['POST', '/campaigns/999999/resume'],
      ['GET', '/campaigns/999999/stats'],
      ['GET', '/campaigns/999999/executions'],
      ['GET', '/campaigns/executions/999999'],
      ['POST', '/campaigns/executions/999999/stop'],
      ['POST', '/campaigns/executions/999999/retry'],
      ['GET', '/campaigns/enrolments/999999'],
      ['GET', '/campaigns/999999/contacts/1/explain'],
    ].map(async ([method, path]) => [
      path,
      (await service.api(method!, path!, method === 'PUT' ? {} : undefined)).status,
    ]),
  );
  assert.deepEqual(
    found.filter(([, status]) => status !== 404),
    [],
  );
});

test('its figures are of all mail that names it, as the list of emails has it', async () => {
  const { id } = await create();
  for (const campaignId of [id, id, undefined])
    assert.equal(
      (await service.api('POST', '/emails/send', { templateId, to: `direct${campaignId}@example.org`, campaignId }))
        .status,
      202,
    );
  const {
    body: { emails },
  } = await service.api('GET', `/campaigns/${id}/stats`);
  const listed = await service.api('GET', `/emails?campaignId=${id}&includeTotal=true`);
  assert.deepEqual([emails.queued, listed.body.page.total], [2, 2]);
});

test('the list is filtered and sorted', async () => {
  const { id } = await create({ name: '0 first', type: 'RE_ENGAGEMENT' });
  const list = async (query: string) =>
    (await service.api('GET', `/campaigns?${query}`)).body.data.map((campaign: { id: number }) => campaign.id);
  assert.equal((await list('sort=name'))[0], id);
  assert.equal((await list('sort=-name')).at(-1), id);
  assert.ok((await list('type=RE_ENGAGEMENT')).includes(id));
  assert.ok(!(await list('status=ACTIVE')).includes(id));
});

test('a campaign that a threshold starts, or an active campaign asks for, is not deleted', async () => {
  const { id } = await create();
  const opened = {
    event: 'EMAIL_OPENED',
    operator: 'atLeast',
    where: [{ field: 'campaignId', operator: 'eq', value: id }],
  };
  const asking = await create({ name: 'Asking', steps: [{ type: 'CONDITION', config: { if: opened } }] });
  await service.api('POST', `/campaigns/${asking.id}/start`);
  const threshold = (
    await service.api('POST', '/scoring/thresholds', {
      name: 'Hot',
      score: 70,
      action: { type: 'START_CAMPAIGN', campaignId: id },
    })
  ).body;
  const answer = await service.api('DELETE', `/campaigns/${id}`);
  assert.deepEqual([answer.status, answer.body.code], [409, 'in_use']);
  assert.deepEqual(
    answer.body.errors.map((error: { message: string }) => error.message),
    [`campaign ${asking.id}: Asking`, `threshold ${threshold.id}: Hot`],
  );
  await service.api('POST', `/campaigns/${asking.id}/stop`);
  assert.equal((await service.api('DELETE', `/scoring/thresholds/${threshold.id}`)).status, 204);
  assert.equal((await service.api('DELETE', `/campaigns/${id}`)).status, 204);
});

test('archived: from DRAFT or STOPPED, and back; it cannot be started meanwhile', async () => {
  const { id } = await create();
  const call = async (verb: string) => {
    const { status, body } = await service.api('POST', `/campaigns/${id}/${verb}`);
    return [status, body.code ?? body.status];
  };
  assert.deepEqual(await call('unarchive'), [409, 'conflict']);
  assert.deepEqual(await call('archive'), [200, 'ARCHIVED']);
  assert.deepEqual(await call('archive'), [409, 'conflict']);
  assert.equal((await call('start'))[0], 409);
  assert.deepEqual(await call('unarchive'), [200, 'DRAFT']);
  assert.equal((await call('start'))[0], 202);
  assert.deepEqual(await call('archive'), [409, 'conflict']);
  assert.equal((await call('stop'))[0], 202);
  assert.deepEqual(await call('archive'), [200, 'ARCHIVED']);
  const listed = await service.api('GET', '/campaigns?status=ARCHIVED');
  assert.deepEqual(
    listed.body.data.map((campaign: { id: number }) => campaign.id),
    [id],
  );
  assert.deepEqual(await call('unarchive'), [200, 'STOPPED']);
  assert.equal((await service.api('POST', '/campaigns/999999/archive')).status, 404);
});

test('published versions are listed, the newest first, and stay as they were', async () => {
  const { id } = await create();
  const versions = async (query = '') => (await service.api('GET', `/campaigns/${id}/versions${query}`)).body;
  assert.deepEqual((await versions()).data, []);
  await service.api('POST', `/campaigns/${id}/start`);
  const first = (await service.api('GET', `/campaigns/${id}/versions/1`)).body;
  assert.deepEqual([first.campaignId, first.version, first.running, first.trigger], [id, 1, 0, { type: 'MANUAL' }]);
  await service.api('PUT', `/campaigns/${id}`, { steps: [email('other')] });
  await service.api('POST', `/campaigns/${id}/start`);
  assert.deepEqual((await service.api('GET', `/campaigns/${id}/versions/1`)).body, first);
  const page = await versions('?limit=1&includeTotal=true');
  assert.deepEqual([page.data[0].version, page.data[0].steps[0].id, page.page.total], [2, 'other', 2]);
  const next = await versions(`?limit=1&cursor=${page.page.nextCursor}`);
  assert.deepEqual([next.data[0], next.page.hasMore], [first, false]);
  assert.equal((await service.api('GET', `/campaigns/${id}/versions/3`)).status, 404);
  assert.equal((await service.api('GET', '/campaigns/999999/versions')).status, 404);
});
