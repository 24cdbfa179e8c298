import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { routes } from '../../../api/routes.ts';
import { engineEm, rows, sql } from '../../../db/orm.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

type Body = Record<string, unknown>;

/** A resource to put back unchanged: where it is, and what it was made of, where that can be put too. */
interface Put {
  path: string;
  /** The query with which it is read. */
  query?: string;
  made?: Body;
}

async function make(path: string, made: Body, also = true): Promise<Put> {
  const { status, body } = await service.api('POST', path, made);
  assert.equal(status, 201, `${path}: ${JSON.stringify(body)}`);
  return { path: `${path}/${body.id}`, ...(also ? { made } : {}) };
}
const idOf = ({ path }: Put): number => Number(path.split('/').at(-1));
const template = () =>
  make('/emails/templates', {
    name: 'Letter',
    subject: 'Hello {{firstName}}',
    content: '<p>Hello</p>',
    text: '',
    previewText: 'Look',
    category: 'transactional',
    fromName: 'Example',
    fromEmail: 'no-reply@example.com',
  });
const list = () => make('/contacts/lists', { name: 'Guests', description: '', doubleOptIn: true });
const fields = [
  { label: 'Email', name: 'email', type: 'email' },
  {
    type: 'select',
    name: 'size',
    label: 'Size',
    options: [
      { label: 'Large', value: 'l' },
      { value: 's', label: 'Small' },
    ],
    placeholder: '',
  },
];

/** One of each kind, with something in all that it can hold; by the operationId of its PUT. */
const resources: Record<string, () => Promise<Put>> = {
  updateForm: async () =>
    make('/forms', {
      name: 'Sign-up',
      description: 'A form',
      fields,
      successMessage: '',
      redirectUrl: 'https://www.example.com/thanks',
      listId: idOf(await list()),
      allowedOrigins: ['https://www.example.com'],
      updateExisting: 'overwrite',
      doubleOptIn: true,
      status: 'DRAFT',
    }),
  updateContact: async () => {
    await service.api('POST', '/contacts/custom-fields', { entity: 'contact', name: 'plan', type: 'string' });
    return make('/contacts', {
      firstName: 'Ada',
      lastName: 'Byron',
      email: 'Ada@Example.com',
      phone: '+44 20 7946 0958',
      jobTitle: '',
      company: 'Mill',
      tags: ['b', 'a'],
      customFields: { plan: 'gold' },
      timezone: 'Europe/London',
      locale: 'en-GB',
      source: 'api',
    });
  },
  updateCompany: async () => {
    await service.api('POST', '/contacts/custom-fields', { entity: 'company', name: 'size', type: 'number' });
    return make('/contacts/companies', {
      name: 'Mill',
      domain: 'example.com',
      industry: '',
      employeeCount: 12,
      address: '1 Example Street',
      customFields: { size: 3 },
    });
  },
  updateCustomField: () =>
    make(
      '/contacts/custom-fields',
      { entity: 'contact', name: 'tier', type: 'enum', options: ['b', 'a'], description: '' },
      false,
    ),
  updateSegment: () =>
    make('/contacts/segments', {
      name: 'Larger',
      description: '',
      type: 'dynamic',
      filter: {
        op: 'or',
        conditions: [
          { value: 'a', operator: 'eq', field: 'firstName' },
          { event: 'EMAIL_OPENED', count: 1, operator: 'atLeast', withinDays: 3 },
        ],
      },
    }),
  updateSegmentOrList: () =>
    make('/segments', { name: 'Smaller', filter: { value: 'a', operator: 'eq', field: 'firstName' } }),
  updateList: list,
  updateTemplate: template,
  updateTopic: () => make('/emails/topics', { name: 'Offers', description: 'Now and then' }),
  updateSender: () =>
    make('/emails/senders', {
      email: 'News@example.org',
      name: 'News',
      replyTo: 'Help@example.org',
      dkim: { selector: 'Spring', domain: 'Example.org' },
    }),
  updateEmailSettings: async () => {
    const made = {
      frequencyCap: { perDays: 7, maxEmails: 3 },
      sendWindow: { to: '17:00', from: '09:00', timezone: 'Europe/Warsaw', days: ['monday', 'friday'] },
    };
    assert.equal((await service.api('PUT', '/emails/settings', made)).status, 200);
    return { path: '/emails/settings', made };
  },
  updateChannelSettings: async () => {
    const made = {
      caps: [{ perDays: 7, max: 3, channels: ['push', 'email'] }],
      sendWindows: { email: null, sms: { to: '17:00', from: '09:00', timezone: 'contact' }, push: null },
      timezone: 'Europe/Warsaw',
      smsConsent: 'implied',
      stopWords: ['basta'],
      helpText: 'Call us',
      maxHoldHours: 1,
    };
    assert.equal((await service.api('PUT', '/channels/settings', made)).status, 200);
    return { path: '/channels/settings', made };
  },
  updateChannelPreferences: async () => {
    const { path } = await make('/contacts', { email: 'choice@example.org', firstName: 'A', lastName: 'B' });
    const made = {
      contactId: idOf({ path }),
      topics: [{ push: false, topicId: idOf(await make('/emails/topics', { name: 'Choice' })) }],
      quietHours: { to: '07:00', from: '22:00', timezone: 'Europe/Warsaw' },
      preferredChannel: 'push',
    };
    assert.equal((await service.api('PUT', '/channels/preferences', made)).status, 200);
    return { path: '/channels/preferences', query: `?contactId=${made.contactId}`, made };
  },
  updateEmailCampaign: async () => {
    const [one, two] = [idOf(await template()), idOf(await template())];
    return make('/emails/campaigns', {
      name: 'News',
      segmentId: idOf(await list()),
      scheduleType: 'scheduled',
      scheduledAt: '2100-01-31T10:30:00+01:00',
      ratePerMinute: 100,
      variants: [
        { weight: 1, templateId: one, name: 'A' },
        { name: 'B', templateId: two, weight: 2 },
      ],
      winner: { testPercent: 20, metric: 'opens', afterMinutes: 60 },
    });
  },
  updateCampaign: async () =>
    make('/campaigns', {
      name: 'Journey',
      description: '',
      trigger: { type: 'FORM_SUBMITTED', formId: idOf(await resources['updateForm']!()) },
      steps: [
        { type: 'EMAIL', id: 'hello', config: { templateId: idOf(await template()) } },
        { id: 'wait', type: 'WAIT', config: { waitMinutes: 5 } },
        { type: 'EXIT', id: 'end', config: {} },
      ],
      entry: {
        reentry: 'always',
        minIntervalMinutes: 5,
        sendWindow: { to: '17:00', from: '09:00', timezone: 'contact' },
        frequencyCap: { perDays: 1, maxEmails: 1 },
      },
    }),
  updateScoringRule: () =>
    make('/scoring/rules', {
      name: 'Pricing',
      eventType: 'EMAIL_CLICKED',
      points: 5,
      category: '',
      weight: 1.5,
      maxPerContact: 50,
      conditions: [{ value: 'pricing', operator: 'contains', field: 'url' }],
      target: 'contact',
    }),
  updateScoreThreshold: async () =>
    make('/scoring/thresholds', {
      name: 'Hot',
      score: 70,
      action: { listId: idOf(await list()), type: 'ADD_TO_LIST' },
    }),
  updateChannelTemplate: () =>
    make('/channels/templates', {
      name: 'Order shipped',
      channel: 'push',
      category: 'transactional',
      title: 'Dear {{firstName}}',
      body: 'It is on its way',
      url: 'https://example.com/orders',
      iconUrl: '',
      ttlSeconds: 0,
      urgency: 'high',
      collapseKey: 'orders',
    }),
  updateChannelProvider: () =>
    make('/channels/providers', {
      name: 'Gateway',
      channel: 'sms',
      type: 'http',
      priority: 2,
      ratePerSecond: 5,
      config: { url: 'https://example.com/send', contentType: 'form', body: { text: '{{text}}', to: '{{to}}' } },
      active: false,
    }),
  updatePushSite: () =>
    make('/channels/push/sites', {
      name: 'Website',
      origins: ['https://b.example.com', 'https://a.example.com'],
      subject: 'https://example.com/push',
      iconUrl: 'https://example.com/icon.png',
    }),
  linkPushSubscription: async () => {
    const contactId = idOf(await make('/contacts', { firstName: 'Ada', lastName: 'B', email: 'app@example.com' }));
    const made = { contactId, type: 'fcm', token: 'a-token', platform: 'ios' };
    const { status, body } = await service.api('POST', '/channels/push/subscriptions', made);
    assert.equal(status, 201);
    return { path: `/channels/push/subscriptions/${body.id}`, made: { contactId } };
  },
  updateWebhook: () =>
    make('/webhooks', {
      name: 'CRM',
      url: 'https://example.com/hook',
      types: ['EMAIL_CLICKED', 'CONTACT_CREATED'],
      filter: [{ value: 'pricing', operator: 'contains', field: 'url' }],
      format: 'cloudevents',
      signature: 'v1a',
      ordering: 'contact',
      include: ['contact'],
      maxInFlight: 3,
      timeoutMs: 2000,
    }),
  updateScoringSettings: async () => ({ path: '/scoring/settings', made: { hot: 70, warm: 30 } }),
  updateReport: async () => {
    const made = {
      name: 'Monthly',
      format: 'pdf',
      interval: 'week',
      schedule: { period: 'month', recipients: ['admin@example.com'], timezone: 'Europe/Warsaw', cron: '0 6 1 * *' },
    };
    const { status, body } = await service.api('POST', '/analytics/reports', { ...made, type: 'emails' });
    assert.equal(status, 202);
    return { path: `/analytics/reports/${body.id}`, made };
  },
  updateRole: () =>
    make('/auth/roles', { name: 'Readers', description: '', permissions: ['contacts:read', 'analytics:read'] }),
  updateUser: async () => {
    const { status, body } = await service.api(
      'POST',
      '/auth/register',
      { username: 'ada', email: 'ada@example.org', password: 'Battery-Staple-9', firstName: 'Ada', lastName: 'Byron' },
      { token: null },
    );
    assert.equal(status, 201);
    return { path: `/auth/users/${body.id}`, made: { active: true, roles: ['User'] } };
  },
  updateProfile: async () => ({
    path: '/auth/profile',
    made: { firstName: (await service.api('GET', '/auth/profile')).body.firstName },
  }),
};

const puts = routes.filter((route) => route.method === 'PUT');

test('every PUT is among these, but for the one of what nobody can read', () => {
  assert.deepEqual(puts.map((route) => route.operationId).sort(), [...Object.keys(resources), 'changePassword'].sort());
});

/** The same with the keys of all objects the other way round. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, one]) => [key, turned(one)]),
  );
}

/** The same with `''` for null where a text can be: both are nothing. */
function emptied(shown: Body, schema: { properties?: Record<string, { type?: string | string[] }> }): Body {
  return Object.fromEntries(
    Object.entries(shown).map(([name, value]) => [
      name,
      value === null && [schema.properties?.[name]?.type].flat().includes('string') ? '' : value,
    ]),
  );
}

const written = () =>
  engineEm(service.deps.orm).transactional(
    async (tx) =>
      (
        await rows(
          tx,
          sql`
  select (select count(*) from audit_log) as audited, (select coalesce(sum(jsonb_array_length(events)), 0) from outbox_events) as events, (select count(*) from outbox_workflows) as workflows`,
        )
      )[0],
  );

for (const { operationId, body: schema } of puts.filter((route) => route.operationId in resources)) {
  test(`${operationId}: what changes nothing raises no version and writes nothing`, async () => {
    const { path, query = '', made } = await resources[operationId]!();
    const shown = (await service.api('GET', `${path}${query}`)).body;
    const before = await written();
    const same = async (what: string, put: unknown): Promise<void> => {
      const answer: Answer = await service.api('PUT', path, put);
      assert.equal(answer.status, 200, `${what}: ${JSON.stringify(answer.body)}`);
      assert.deepEqual(answer.body, shown, what);
      assert.deepEqual((await service.api('GET', `${path}${query}`)).body, shown, what);
      assert.deepEqual(await written(), before, what);
    };
    await same('as it is shown', shown);
    await same('in another order of keys', turned(shown));
    await same('with empty texts', emptied(shown, schema as object));
    // What has no path of its own says whose it is.
    await same('nothing of it', query ? { contactId: shown.contactId } : {});
    if (made) await same('as it was made', made);
    if (made) await same('as it was made, each field by itself', Object.fromEntries(Object.entries(made).slice(0, 1)));
  });
}
