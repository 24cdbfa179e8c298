import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { routes } from '../../../api/routes.ts';
import { memberWith, newRole, problemsOf } from '../../support/accounts.ts';
import { makeContact, makeTemplate } from '../../support/mail/emails.ts';
import { startService, type Service } from '../../support/service.ts';

const LONG = 'x'.repeat(101);
const NOWHERE = 999_999_999;

let service: Service;
const ids: Record<string, number> = {};
let member: string;

beforeAll(async () => {
  service = await startService();
  const made = async (name: string, path: string, body: object): Promise<void> => {
    const answer = await service.api('POST', path, body);
    assert.equal(answer.status, 201, `${path}: ${JSON.stringify(answer.body)}`);
    ids[name] = answer.body.id;
  };
  ids['contact'] = (await makeContact(service)).id;
  ids['template'] = await makeTemplate(service);
  await made('plan', '/contacts/custom-fields', { entity: 'contact', name: 'plan', type: 'number' });
  await made('tier', '/contacts/custom-fields', { entity: 'contact', name: 'tier', type: 'enum', options: ['a', 'b'] });
  await made('company', '/contacts/companies', { name: 'Mill' });
  await made('segment', '/contacts/segments', {
    name: 'Active',
    type: 'dynamic',
    filter: { field: 'status', operator: 'eq', value: 'active' },
  });
  await made('list', '/contacts/lists', { name: 'Guests' });
  await made('topic', '/emails/topics', { name: 'News' });
  await made('sender', '/emails/senders', { email: 'news@example.com', dkim: {} });
  await made('emailCampaign', '/emails/campaigns', { name: 'May', templateId: ids['template'], listId: ids['list'] });
  await made('campaign', '/campaigns', { name: 'Welcome', steps: [] });
  await made('form', '/forms', { name: 'Contact', fields: [{ name: 'email', type: 'email', label: 'Email' }] });
  await made('rule', '/scoring/rules', { name: 'Open', eventType: 'EMAIL_OPENED', points: 3 });
  await made('threshold', '/scoring/thresholds', { name: 'Hot', score: 50 });
  await made('channelTemplate', '/channels/templates', { name: 'Text', channel: 'sms', body: 'Hello' });
  await made('channelProvider', '/channels/providers', {
    ...{ name: 'Gateway', channel: 'sms', type: 'http' },
    config: { url: 'https://example.com/', body: { to: '{{to}}' } },
  });
  const site = { name: 'Website', origins: ['https://example.com'], subject: 'mailto:a@example.com' };
  await made('pushSite', '/channels/push/sites', site);
  const app = { type: 'fcm', contactId: ids['contact'], token: 'a-token' };
  await made('pushSubscription', '/channels/push/subscriptions', app);
  await made('webhook', '/webhooks', { name: 'CRM', url: 'https://example.com/', types: ['*'] });
  const report = { name: 'Monthly', type: 'emails', format: 'csv' };
  ids['report'] = (await service.api('POST', '/analytics/reports', report)).body.id;
  ids['role'] = (await newRole(service, 'Editor', [])).id;
  const one = await memberWith(service, 'User');
  ids['user'] = one.user.id;
  member = one.token;
});
afterAll(() => service.stop());

interface Case {
  path: string;
  body: unknown;
  /** All that is wrong with the body: what its schema says and what only the domain knows. */
  wrong: string[];
  as?: 'member' | 'nobody';
}
const filter = { field: 'nope', operator: 'eq', value: 1 };
const contact = {
  firstName: LONG,
  email: 'nope',
  status: 'bounced',
  companyId: NOWHERE,
  tags: ['fine', 5, 'a\u0007'],
  customFields: { plan: 'x', nobody: 1 },
};
const contactWrong = [
  '/companyId not_found',
  '/customFields/nobody unknown_custom_field',
  '/customFields/plan invalid_number',
  '/email invalid_email',
  '/firstName too_long',
  '/status invalid_status',
  '/tags invalid_character',
  '/tags/1 type',
];
const company = { name: '\u0007', domain: 'x'.repeat(256), customFields: { nobody: 1 } };
const companyWrong = ['/customFields/nobody unknown_custom_field', '/domain too_long', '/name invalid_character'];
const form = {
  name: '',
  redirectUrl: 'ftp://example.com/',
  allowedOrigins: [5, 'x', 'https://example.com'],
  listId: NOWHERE,
  fields: [
    { name: 'email', type: 'email', label: '', mapTo: 'customFields.nobody' },
    5,
    { name: 'plan', type: 'select', label: 'Plan' },
    { name: 'plan', type: 'text', label: 'Plan', validationRegex: '(' },
  ],
};
const formWrong = [
  '/allowedOrigins/0 type',
  '/allowedOrigins/1 format',
  '/fields/0/label too_short',
  '/fields/0/mapTo unknown_custom_field',
  '/fields/1 type',
  '/fields/2/options required',
  '/fields/3/name duplicate',
  '/fields/3/validationRegex format',
  '/listId not_found',
  '/name too_short',
  '/redirectUrl format',
];
const definition = {
  trigger: { type: 'SCHEDULE', cron: '0 9 31 2 *', timezone: 'UTC', segmentId: NOWHERE },
  entry: { sendWindow: { from: '10:00', to: '09:00', timezone: 'Mars/One' } },
};
const definitionWrong = [
  '/entry/sendWindow/timezone timezone',
  '/entry/sendWindow/to range',
  '/trigger/cron cron',
  '/trigger/segmentId not_found',
];
const registration = { username: 'a b', password: 'short', firstName: LONG, lastName: '\u0007' };
const weak = (path: string) =>
  ['no_digit', 'no_special_character', 'no_upper_case', 'too_short'].map((code) => `${path} ${code}`);
const registrationWrong = [
  '/firstName too_long',
  '/lastName invalid_character',
  ...weak('/password'),
  '/username format',
];

/** A body for each operation that has both: something that its schema refuses, and something that the domain does. */
const CASES: Record<string, () => Case> = {
  createContact: () => ({ path: '/contacts', body: contact, wrong: [...contactWrong, '/lastName required'] }),
  updateContact: () => ({
    path: `/contacts/${ids['contact']}`,
    body: { ...contact, id: NOWHERE },
    wrong: [...contactWrong, '/id read_only'],
  }),
  createCompany: () => ({ path: '/contacts/companies', body: company, wrong: companyWrong }),
  updateCompany: () => ({
    path: `/contacts/companies/${ids['company']}`,
    body: { ...company, version: 77 },
    wrong: [...companyWrong, '/version read_only'],
  }),
  createCustomField: () => ({
    path: '/contacts/custom-fields',
    body: { entity: 'contact', name: 'email', type: 'number', options: ['a', 5], description: 5 },
    wrong: ['/description type', '/name reserved', '/options not_allowed', '/options/1 type'],
  }),
  updateCustomField: () => ({
    path: `/contacts/custom-fields/${ids['tier']}`,
    body: { options: [5, 'a', 'a'], description: 5, name: 'other' },
    wrong: ['/description type', '/name read_only', '/options/0 type', '/options/2 duplicate'],
  }),
  createSegment: () => ({
    path: '/contacts/segments',
    body: { name: ' ', type: 'dynamic', filter, contactIds: [1], description: 5, doubleOptIn: true },
    wrong: [
      '/contactIds not_allowed',
      '/description type',
      '/doubleOptIn not_allowed',
      '/filter/field unknown_field',
      '/name required',
    ],
  }),
  createList: () => ({
    path: '/contacts/lists',
    body: { name: ' ', contactIds: ['x', NOWHERE], description: 5 },
    wrong: ['/contactIds/0 type', '/contactIds/1 not_found', '/description type', '/name required'],
  }),
  updateSegment: () => ({
    path: `/contacts/segments/${ids['segment']}`,
    body: { name: ' ', filter, description: 5, version: 77 },
    wrong: ['/description type', '/filter/field unknown_field', '/name required', '/version read_only'],
  }),
  createSegmentOrList: () => ({
    path: '/segments',
    body: { name: ' ', filter, contactIds: [1], description: 5, doubleOptIn: true },
    wrong: [
      '/contactIds not_allowed',
      '/description type',
      '/doubleOptIn not_allowed',
      '/filter/field unknown_field',
      '/name required',
    ],
  }),
  updateSegmentOrList: () => ({
    path: `/segments/${ids['segment']}`,
    body: { name: ' ', filter, description: 5, type: 'static' },
    wrong: ['/description type', '/filter/field unknown_field', '/name required', '/type read_only'],
  }),
  updateList: () => ({
    path: `/contacts/lists/${ids['list']}`,
    body: { name: ' ', filter, description: 5 },
    wrong: ['/description type', '/filter not_allowed', '/name required'],
  }),
  addSegmentContacts: () => ({
    path: `/contacts/segments/${ids['list']}/contacts`,
    body: { contactIds: ['x', NOWHERE] },
    wrong: ['/contactIds/0 type', '/contactIds/1 not_found'],
  }),
  addListContacts: () => ({
    path: `/contacts/lists/${ids['list']}/contacts`,
    body: { contactIds: ['x', NOWHERE] },
    wrong: ['/contactIds/0 type', '/contactIds/1 not_found'],
  }),
  previewSegment: () => ({
    path: '/contacts/segments/preview',
    body: { filter, extra: 1 },
    wrong: ['/extra unknown_field', '/filter/field unknown_field'],
  }),
  mergeContacts: () => ({
    path: `/contacts/${ids['contact']}/merge`,
    body: { sourceId: ids['contact'], extra: 1 },
    wrong: ['/extra unknown_field', '/sourceId conflict'],
  }),
  sendEmail: () => ({
    path: '/emails/send',
    body: { templateId: 'x', to: 'nope' },
    wrong: ['/templateId type', '/to invalid_email'],
  }),
  createChannelTemplate: () => ({
    path: '/channels/templates',
    body: { name: '', channel: 'sms', body: '{{', title: 'T', ttlSeconds: -1, urgency: 'now', topicId: NOWHERE },
    wrong: [
      '/body template_syntax',
      '/name too_short',
      '/title not_allowed',
      '/topicId not_found',
      '/ttlSeconds out_of_range',
      '/urgency enum',
    ],
  }),
  updateChannelTemplate: () => ({
    path: `/channels/templates/${ids['channelTemplate']}`,
    body: { name: '', channel: 'push', body: '{% nope %}', collapseKey: 'a b', topicId: NOWHERE, contentVersion: 7 },
    wrong: [
      '/body template_syntax',
      '/channel read_only',
      '/collapseKey format',
      '/contentVersion read_only',
      '/name too_short',
      '/topicId not_found',
    ],
  }),
  createChannelProvider: () => ({
    path: '/channels/providers',
    body: {
      ...{ name: '', channel: 'push', type: 'http', priority: 0, ratePerSecond: 0, nope: 1 },
      config: { url: 'https://127.0.0.1/', body: { to: '{% nope %}' }, idempotencyHeader: 'Host' },
      credentials: { headers: { Host: 'example.org', 'X-Break': 'a\nb' } },
    },
    wrong: [
      '/channel conflict',
      '/config/body/to template_syntax',
      '/config/idempotencyHeader invalid',
      '/config/url outbound_refused',
      '/credentials/headers/Host invalid',
      '/credentials/headers/X-Break invalid_character',
      '/name too_short',
      '/nope unknown_field',
      '/priority out_of_range',
      '/ratePerSecond out_of_range',
    ],
  }),
  updateChannelProvider: () => ({
    path: `/channels/providers/${ids['channelProvider']}`,
    body: {
      ...{ type: 'twilio', version: 77, active: 'yes' },
      config: { url: 'https://user@example.com/', body: { to: '{{to}}' } },
      credentials: { callbackSecret: 'secret' },
    },
    wrong: [
      '/active type',
      '/config/url outbound_refused',
      '/credentials/callbackSecret format',
      '/type read_only',
      '/version read_only',
    ],
  }),
  createPushSite: () => ({
    path: '/channels/push/sites',
    body: {
      ...{
        name: ' ',
        origins: ['https://www.example.com', 'http://example.com', 5],
        subject: 'web@example.com',
        siteKey: 'x',
      },
      ...{ iconUrl: 'javascript:1', defaultUrl: 5, nope: 1 },
    },
    wrong: [
      '/defaultUrl type',
      '/iconUrl invalid_url',
      '/name invalid_character',
      '/nope unknown_field',
      '/origins/1 format',
      '/origins/2 type',
      '/siteKey read_only',
      '/subject format',
    ],
  }),
  updatePushSite: () => ({
    path: `/channels/push/sites/${ids['pushSite']}`,
    body: { origins: [], subject: 'http://example.com', publicKey: 'x', version: 77 },
    wrong: ['/origins too_few', '/publicKey read_only', '/subject format', '/version read_only'],
  }),
  createPushSubscription: () => ({
    path: '/channels/push/subscriptions',
    body: {
      subscription: { endpoint: 'https://10.0.0.1/', keys: { p256dh: 'AA', auth: 5 }, expirationTime: -1 },
      ...{ timezone: 'Mars', locale: 5, platform: '\n' },
    },
    wrong: [
      '/locale type',
      '/platform invalid_character',
      '/siteKey required',
      '/subscription/endpoint outbound_refused',
      '/subscription/expirationTime out_of_range',
      '/subscription/keys/auth type',
      '/subscription/keys/p256dh invalid_key',
      '/timezone invalid_timezone',
    ],
    as: 'nobody',
  }),
  linkPushSubscription: () => ({
    path: `/channels/push/subscriptions/${ids['pushSubscription']}`,
    body: { contactId: 'x', status: 'gone' },
    wrong: ['/contactId type', '/status read_only'],
  }),
  sendText: () => ({
    path: '/channels/sms/send',
    body: { to: '123', recipientId: 'x', body: '{{', templateId: 1, priority: 10 },
    wrong: [
      '/body template_syntax',
      '/priority out_of_range',
      '/recipientId type',
      '/templateId required',
      '/to format',
    ],
  }),
  sendPush: () => ({
    path: '/channels/push/send',
    body: { body: '{% nope %}', ttlSeconds: -1, urgency: 'now', actions: [{ action: 'a b', title: '' }] },
    wrong: [
      '/actions/0/action format',
      '/actions/0/title too_short',
      '/body template_syntax',
      '/recipientId required',
      '/title required',
      '/ttlSeconds out_of_range',
      '/urgency enum',
    ],
  }),
  createTemplate: () => ({
    path: '/emails/templates',
    body: { name: '', subject: '{{', content: '<p>{% nope %}</p>', fromEmail: 'nope', topicId: NOWHERE },
    wrong: [
      '/content template_syntax',
      '/fromEmail invalid_email',
      '/name too_short',
      '/subject template_syntax',
      '/topicId not_found',
    ],
  }),
  updateTemplate: () => ({
    path: `/emails/templates/${ids['template']}`,
    body: {
      name: '',
      content: '<mjml><mj-nope></mj-nope></mjml>',
      fromName: 'a\nb',
      replyTo: 'nope',
      topicId: NOWHERE,
      contentVersion: 77,
    },
    wrong: [
      '/content mjml_syntax',
      '/contentVersion read_only',
      '/fromName invalid_character',
      '/name too_short',
      '/replyTo invalid_email',
      '/topicId not_found',
    ],
  }),
  testChannelProvider: () => ({
    path: `/channels/providers/${ids['channelProvider']}/test`,
    body: { to: 'nope', nope: 1 },
    wrong: ['/nope unknown_field', '/to format'],
  }),
  createChannelSuppression: () => ({
    path: '/channels/suppressions',
    body: { channel: 'sms', address: 'nope', reason: 'x' },
    wrong: ['/address format', '/reason enum'],
  }),
  testTemplate: () => ({
    path: `/emails/templates/${ids['template']}/test`,
    body: { to: 'nope', data: 5 },
    wrong: ['/data type', '/to invalid_email'],
  }),
  createTopic: () => ({
    path: '/emails/topics',
    body: { name: ' ', description: 5 },
    wrong: ['/description type', '/name required'],
  }),
  updateTopic: () => ({
    path: `/emails/topics/${ids['topic']}`,
    body: { name: ' ', description: 5, id: 77 },
    wrong: ['/description type', '/id read_only', '/name required'],
  }),
  createSender: () => ({
    path: '/emails/senders',
    body: {
      email: 'nope',
      name: 5,
      replyTo: 'nope',
      dkim: { selector: '-bad-', privateKey: 'x', publicKey: 'x', extra: 1 },
    },
    wrong: [
      '/dkim/extra unknown_field',
      '/dkim/privateKey invalid_key',
      '/dkim/publicKey read_only',
      '/dkim/selector invalid_selector',
      '/email invalid_email',
      '/name type',
      '/replyTo invalid_email',
    ],
  }),
  updateSender: () => ({
    path: `/emails/senders/${ids['sender']}`,
    body: { name: 5, replyTo: 'nope', version: 77, dkim: { domain: 'example.net', publicKey: 'x' } },
    wrong: [
      '/dkim/domain not_aligned',
      '/dkim/publicKey read_only',
      '/name type',
      '/replyTo invalid_email',
      '/version read_only',
    ],
  }),
  updateEmailSettings: () => ({
    path: '/emails/settings',
    body: {
      sendWindow: { from: '10:00', to: '09:00', timezone: 'Mars/One' },
      frequencyCap: { maxEmails: 0, perDays: 1 },
      version: 77,
    },
    wrong: [
      '/frequencyCap/maxEmails out_of_range',
      '/sendWindow/timezone timezone',
      '/sendWindow/to range',
      '/version read_only',
    ],
  }),
  updateChannelSettings: () => ({
    path: '/channels/settings',
    body: {
      caps: [
        { channels: ['sms'], max: 0, perDays: 1 },
        { channels: ['sms'], max: 1, perDays: 1 },
      ],
      sendWindows: { push: { from: '10:00', to: '09:00', timezone: 'Mars/One' } },
      timezone: 'Mars/One',
      maxHoldHours: 0,
      version: 77,
    },
    wrong: [
      '/caps/0/max out_of_range',
      '/caps/1/channels duplicate',
      '/maxHoldHours out_of_range',
      '/sendWindows/push/timezone timezone',
      '/sendWindows/push/to range',
      '/timezone timezone',
      '/version read_only',
    ],
  }),
  updateChannelPreferences: () => ({
    path: '/channels/preferences',
    body: {
      contactId: ids['contact'],
      channels: { sms: { consent: 'maybe' }, push: { devices: 9 } },
      topics: [{ topicId: NOWHERE, sms: 1 }],
      quietHours: { from: '25:00', to: '07:00', timezone: 'Mars/One' },
      preferredChannel: 'fax',
    },
    wrong: [
      '/channels/push/devices read_only',
      '/channels/sms/consent enum',
      '/preferredChannel enum',
      '/quietHours/from format',
      '/quietHours/timezone timezone',
      '/topics/0/sms type',
      '/topics/0/topicId not_found',
    ],
  }),
  checkMessage: () => ({
    path: '/channels/check',
    body: { contactId: 'x', channel: 'fax', topicId: NOWHERE, at: 'soon' },
    wrong: ['/at format', '/channel enum', '/contactId type', '/topicId not_found'],
  }),
  createSuppression: () => ({
    path: '/emails/suppressions',
    body: { email: 'nope', reason: 'x' },
    wrong: ['/email invalid_email', '/reason enum'],
  }),
  createEmailCampaign: () => ({
    path: '/emails/campaigns',
    body: { name: ' ', scheduleType: 'recurring', timezone: 'Mars/One', ratePerMinute: 0 },
    wrong: [
      '/cron required',
      '/name required',
      '/ratePerMinute out_of_range',
      '/segmentId required',
      '/templateId required',
      '/timezone timezone',
    ],
  }),
  updateEmailCampaign: () => ({
    path: `/emails/campaigns/${ids['emailCampaign']}`,
    body: {
      name: ' ',
      ratePerMinute: 0,
      version: 77,
      templateId: null,
      variants: [
        { name: 'A', templateId: 1, weight: 0 },
        { name: 'A', templateId: 1, weight: 1 },
      ],
    },
    wrong: [
      '/name required',
      '/ratePerMinute out_of_range',
      '/variants/0/weight out_of_range',
      '/variants/1/name unique',
      '/version read_only',
    ],
  }),
  createCampaign: () => ({
    path: '/campaigns',
    body: {
      name: '',
      ...definition,
      steps: [{ id: 'a', type: 'NOPE' }, 5, { id: '?', type: 'EMAIL', config: { templateId: NOWHERE } }],
      templateIds: [1],
    },
    wrong: [
      '/name too_short',
      ...definitionWrong,
      '/steps/0/type unknown_type',
      '/steps/1 type',
      '/steps/2/config/templateId not_found',
      '/steps/2/id format',
      '/templateIds invalid',
    ],
  }),
  updateCampaign: () => ({
    path: `/campaigns/${ids['campaign']}`,
    body: { name: '', ...definition, steps: [{ id: 'a', type: 'NOPE' }], version: 77 },
    wrong: ['/name too_short', ...definitionWrong, '/steps/0/type unknown_type', '/version read_only'],
  }),
  startCampaign: () => ({
    path: `/campaigns/${ids['campaign']}/start`,
    body: { contactIds: [1], listId: 1, segmentId: 'x' },
    wrong: ['/listId conflict', '/segmentId type'],
  }),
  migrateCampaign: () => ({
    path: `/campaigns/${ids['campaign']}/migrate`,
    body: { from: 1, to: 1, dryRun: 'x', map: { nowhere: 5 } },
    wrong: ['/dryRun type', '/map/nowhere type', '/to same_version'],
  }),
  simulateCampaign: () => ({
    path: `/campaigns/${ids['campaign']}/simulate`,
    body: { contactIds: [1], listId: 1, at: '1999-01-01T00:00:00Z', paths: 1001 },
    wrong: ['/at format', '/listId conflict', '/paths out_of_range'],
  }),
  createForm: () => ({ path: '/forms', body: form, wrong: formWrong }),
  updateForm: () => ({
    path: `/forms/${ids['form']}`,
    body: { ...form, version: 77 },
    wrong: [...formWrong, '/version read_only'],
  }),
  createScoringRule: () => ({
    path: '/scoring/rules',
    body: { name: '', eventType: 'EMAIL_OPENED', points: 10_000, weight: 1000, conditions: [filter] },
    wrong: ['/conditions/0/field unknown_field', '/name too_short', '/weight out_of_range'],
  }),
  updateScoringRule: () => ({
    path: `/scoring/rules/${ids['rule']}`,
    body: { name: '', points: 10_000, weight: 1000, conditions: [filter], version: 77 },
    wrong: ['/conditions/0/field unknown_field', '/name too_short', '/version read_only', '/weight out_of_range'],
  }),
  recordScoringEvent: () => ({
    path: '/scoring/events',
    body: { contactId: 0, type: 'WEBSITE_VISITED', data: { url: 'javascript:1', title: LONG.repeat(3) } },
    wrong: ['/contactId out_of_range', '/data/title too_long', '/data/url format'],
  }),
  tellVisit: () => ({
    path: '/scoring/visits',
    body: { site: 'default', url: 'javascript:1', referrer: '/prices' },
    wrong: ['/contactToken required', '/referrer format', '/url format'],
    as: 'nobody',
  }),
  replayScoringRule: () => ({
    path: `/scoring/rules/${ids['rule']}/replay`,
    body: { from: '2999-01-01T00:00:00Z', dryRun: 'x', nope: 1 },
    wrong: ['/dryRun type', '/from out_of_range', '/nope unknown_field'],
  }),
  createScoreThreshold: () => ({
    path: '/scoring/thresholds',
    body: { name: '', score: 1, action: { type: 'NOTIFY', to: 'stranger@example.com' } },
    wrong: ['/action/to not_found', '/name too_short'],
  }),
  updateScoreThreshold: () => ({
    path: `/scoring/thresholds/${ids['threshold']}`,
    body: { name: '', version: 99, action: { type: 'WEBHOOK', url: 'https://10.0.0.1/' } },
    wrong: ['/action/url outbound_refused', '/name too_short', '/version read_only'],
  }),
  createWebhook: () => ({
    path: '/webhooks',
    body: {
      ...{ name: '', url: 'https://127.0.0.1/', types: ['*', 'CONTACT_CREATED'], maxInFlight: 21, nope: 1 },
      filter: [{ field: 'colour', operator: 'eq', value: 1 }],
      headers: { Host: 'example.org', 'Webhook-Id': '1', 'X-Old': true, 'bad name': 'x', 'X-Break': 'a\nb' },
    },
    wrong: [
      '/filter/0/field unknown_field',
      '/headers/Host invalid',
      '/headers/Webhook-Id invalid',
      '/headers/X-Break invalid_character',
      '/headers/X-Old type',
      '/headers/bad name format',
      '/maxInFlight out_of_range',
      '/name too_short',
      '/nope unknown_field',
      '/types conflict',
      '/url outbound_refused',
    ],
  }),
  updateWebhook: () => ({
    path: `/webhooks/${ids['webhook']}`,
    body: {
      url: 'https://user@example.com/',
      timeoutMs: 1,
      version: 77,
      filter: [{ field: 'colour', operator: 'eq' }],
    },
    wrong: ['/filter/0/field unknown_field', '/timeoutMs out_of_range', '/url outbound_refused', '/version read_only'],
  }),
  replayWebhook: () => ({
    path: `/webhooks/${ids['webhook']}/replay`,
    body: { from: '2999-01-01T00:00:00Z', only: 'some', nope: 1 },
    wrong: ['/from out_of_range', '/nope unknown_field', '/only enum'],
  }),
  createReport: () => ({
    path: '/analytics/reports',
    body: {
      name: '',
      type: 'emails',
      format: 'doc',
      from: '2026-01-01T00:00:00Z',
      schedule: { cron: '0 6 L * *', timezone: 'Mars/One', recipients: ['nobody@example.org'], period: 'year' },
    },
    wrong: [
      '/format enum',
      '/from not_allowed',
      '/name too_short',
      '/schedule/cron cron',
      '/schedule/period enum',
      '/schedule/recipients/0 not_found',
      '/schedule/timezone timezone',
    ],
  }),
  updateReport: () => ({
    path: `/analytics/reports/${ids['report']}`,
    body: {
      name: '',
      type: 'forms',
      schedule: { cron: '0 6 1 * *', timezone: 'UTC', recipients: ['nobody@example.org'], period: 'month' },
    },
    wrong: ['/name too_short', '/schedule/recipients/0 not_found', '/type read_only'],
  }),
  updateScoringSettings: () => ({
    path: '/scoring/settings',
    body: { warm: 99, nope: 1, version: 77 },
    wrong: ['/nope unknown_field', '/version read_only', '/warm out_of_range'],
  }),
  register: () => ({
    path: '/auth/register',
    body: { ...registration, email: 'nope' },
    wrong: [...registrationWrong, '/email invalid_email'],
    as: 'nobody',
  }),
  acceptInvitation: () => ({
    path: '/auth/invitations/accept',
    body: { ...registration, token: 5 },
    wrong: [...registrationWrong, '/token type'],
    as: 'nobody',
  }),
  updateProfile: () => ({
    path: '/auth/profile',
    body: { firstName: LONG, lastName: '\u0007', email: 'nope', username: 'other' },
    as: 'member',
    wrong: [
      '/currentPassword required',
      '/email invalid_email',
      '/firstName too_long',
      '/lastName invalid_character',
      '/username read_only',
    ],
  }),
  changePassword: () => ({
    path: '/auth/password',
    body: { currentPassword: '', newPassword: 'short' },
    wrong: ['/currentPassword too_short', ...weak('/newPassword')],
    as: 'member',
  }),
  resetPassword: () => ({
    path: '/auth/reset-password',
    body: { token: 5, password: 'short' },
    wrong: [...weak('/password'), '/token type'],
    as: 'nobody',
  }),
  forgotPassword: () => ({
    path: '/auth/forgot-password',
    body: { email: 'nope', extra: 1 },
    wrong: ['/email invalid_email', '/extra unknown_field'],
    as: 'nobody',
  }),
  resendVerification: () => ({
    path: '/auth/verify-email/resend',
    body: { email: 'nope', extra: 1 },
    wrong: ['/email invalid_email', '/extra unknown_field'],
    as: 'nobody',
  }),
  removeTotp: () => ({
    path: '/auth/totp',
    body: { extra: 1 },
    wrong: ['/extra unknown_field', '/totp required'],
    as: 'member',
  }),
  createInvitation: () => ({
    path: '/auth/invitations',
    body: { email: 'nope', roles: [5, 'Nobody'] },
    wrong: ['/email invalid_email', '/roles/0 type', '/roles/1 not_found'],
  }),
  updateUser: () => ({
    path: `/auth/users/${ids['user']}`,
    body: { active: 5, roles: ['User', 'Nobody'], username: 'other' },
    wrong: ['/active type', '/roles/1 not_found', '/username read_only'],
  }),
  createRole: () => ({
    path: '/auth/roles',
    body: { name: ' ', permissions: [5, 'nope'], description: 5 },
    wrong: ['/description type', '/name required', '/permissions/0 type', '/permissions/1 not_found'],
  }),
  updateRole: () => ({
    path: `/auth/roles/${ids['role']}`,
    body: { name: ' ', permissions: [5, 'nope'], builtIn: true },
    wrong: ['/builtIn read_only', '/name required', '/permissions/0 type', '/permissions/1 not_found'],
  }),
  createApiKey: () => ({
    path: '/auth/api-keys',
    body: { name: ' ', permissions: [5, 'nope'], expiresAt: '2000-01-01T00:00:00Z' },
    wrong: ['/expiresAt out_of_range', '/name required', '/permissions/0 type', '/permissions/1 not_found'],
  }),
};

/** Operations with a body of which the schema says everything, or whose other refusals are no violations of it, and why. */
const ELSEWHERE: Record<string, string> = {
  login: 'wrong credentials are a 401',
  refresh: 'a wrong token is a 401',
  verifyEmail: 'a wrong token is a 400 token_invalid',
  startTotp: 'a password is only tried when all else is right',
  confirmTotp: 'a code is only tried when all else is right',
  submitResetPassword: 'a page, as resetPassword',
  submitAcceptInvitation: 'a page, as acceptInvitation',
  submitPreferences: 'a page',
  submitVerifyEmail: 'a page, as verifyEmail',
  batchContacts: 'each row has its own errors, below',
  submitForm: 'fields have their own errors, below',
  abandonForm: 'nothing but a name, which may be unknown',
  importContacts: 'a file, below',
  removeSegmentContacts: 'who is not there is not in it',
  removeListContacts: 'who is not there is not in it',
  previewChannelTemplate: 'nothing but ids',
  previewTemplate: 'nothing but ids',
  resolveEmail: 'nothing but an enum',
  resolveMessage: 'nothing but an enum',
  reportPushEvent: 'a wrong token is a 400 token_invalid',
  testWebhook: 'nothing but an enum',
  rotateWebhookSecret: 'nothing but a number',
};

test('every operation with a body has a case, or a reason to have none', () => {
  const withBody = routes.filter(({ body }) => body).map(({ operationId }) => operationId);
  assert.deepEqual([...Object.keys(CASES), ...Object.keys(ELSEWHERE)].sort(), withBody.sort());
});

const call = async (operationId: string, { path, body, as }: Case, change: object = {}) => {
  const { method } = routes.find((route) => route.operationId === operationId)!;
  const token = as === 'nobody' ? { token: null } : as === 'member' ? { token: member } : {};
  return service.api(method, path, { ...(body as object), ...change }, token);
};

for (const [operationId, makeCase] of Object.entries(CASES)) {
  test(`${operationId} tells of everything at once`, async () => {
    const one = makeCase();
    const answer = await call(operationId, one);
    assert.deepEqual([answer.status, answer.body.code], [400, 'validation_failed'], JSON.stringify(answer.body));
    assert.deepEqual(problemsOf(answer), [...one.wrong].sort());
    assert.equal(answer.body.detail, `${one.wrong.length} problems in the request`);
  });
}

test('one rule after the other: a body that fits its schema is told of everything too', async () => {
  const two = { path: '/auth/invitations', body: { email: 'nope', roles: ['Nobody'] }, wrong: [] };
  assert.deepEqual(problemsOf(await call('createInvitation', two)), ['/email invalid_email', '/roles/0 not_found']);
  const role = {
    path: `/auth/roles/${ids['role']}`,
    body: { name: ' ', permissions: ['nope'], builtIn: true },
    wrong: [],
  };
  assert.deepEqual(problemsOf(await call('updateRole', role)), [
    '/builtIn read_only',
    '/name required',
    '/permissions/0 not_found',
  ]);
  const put = {
    path: `/contacts/${ids['contact']}`,
    body: { email: 'nope', companyId: NOWHERE, version: 77 },
    wrong: [],
  };
  assert.deepEqual(problemsOf(await call('updateContact', put)), [
    '/companyId not_found',
    '/email invalid_email',
    '/version read_only',
  ]);
  const mail = { path: '/emails/send', body: { templateId: 'x' }, wrong: [] };
  assert.deepEqual(problemsOf(await call('sendEmail', mail)), ['/recipientId required', '/templateId type']);
});

test('what came and can not be read is not said to be missing', async () => {
  const told = async (operationId: string, path: string, body: object) =>
    problemsOf(await call(operationId, { path, body, wrong: [] }));
  assert.deepEqual(await told('sendEmail', '/emails/send', { templateId: 1, to: 5 }), ['/to type']);
  const campaign = { name: 'May', segmentId: ids['segment'] };
  assert.deepEqual(await told('createEmailCampaign', '/emails/campaigns', { ...campaign, variants: 5 }), [
    '/variants type',
  ]);
  assert.deepEqual(
    await told('createEmailCampaign', '/emails/campaigns', { name: 'May', templateId: ids['template'], listId: 'x' }),
    ['/listId type'],
  );
  assert.deepEqual(
    await told('createForm', '/forms', { name: 'Contact', fields: [{ name: 'mail', type: 5, label: 'Email' }] }),
    ['/fields/0/type enum', '/fields/0/type type'],
  );
  assert.deepEqual(await told('createCampaign', '/campaigns', { name: 'Welcome', type: 'x', templateIds: [1] }), [
    '/type enum',
  ]);
  assert.deepEqual(
    await told('createCampaign', '/campaigns', {
      name: 'Welcome',
      steps: [
        { id: 'a b', type: 'EXIT' },
        { id: 'b', type: 'WAIT', config: { waitMinutes: 1 }, next: 'a b' },
      ],
    }),
    ['/steps/0/id format'],
  );
  const params = await call('updateContact', {
    path: '/contacts/x',
    body: { email: 'nope', firstName: LONG },
    wrong: [],
  });
  assert.deepEqual(problemsOf(params), ['/firstName too_long', '/id type'], 'of no contact nothing is known');
});

test('a check leaves nothing behind', async () => {
  const version = async () => (await service.api('GET', `/emails/campaigns/${ids['emailCampaign']}`)).body;
  const before = await version();
  const answer = await service.api('PUT', `/emails/campaigns/${ids['emailCampaign']}`, {
    name: 'June',
    ratePerMinute: 0,
    timezone: 'Mars/One',
  });
  assert.deepEqual(problemsOf(answer), ['/ratePerMinute out_of_range', '/timezone timezone']);
  assert.deepEqual(await version(), before);
});

test('text that no column takes hides nothing else', async () => {
  const answer = await service.api('POST', '/contacts', { firstName: 'a\u0000b', lastName: LONG, email: 'nope' });
  assert.deepEqual(problemsOf(answer), ['/email invalid_email', '/firstName invalid_character', '/lastName too_long']);
});

test('rows of a batch, parts of an import and fields of a submission tell of everything too', async () => {
  const batch = await service.api('POST', '/contacts/batch', {
    contacts: [
      { ...contact, lastName: 'Byron' },
      { firstName: 'Ada', lastName: 'Byron', email: 'fine@example.org' },
    ],
  });
  assert.deepEqual(
    batch.body.results.map((row: { errors: { path: string; code: string }[] }) =>
      row.errors.map(({ path, code }) => `${path} ${code}`).sort(),
    ),
    [contactWrong, []],
  );
  const parts = new FormData();
  parts.set('mapping', '{');
  parts.set('mode', 'x');
  parts.set('listId', String(NOWHERE));
  assert.deepEqual(problemsOf(await service.api('POST', '/contacts/import', parts)), [
    '/file required',
    '/listId not_found',
    '/mapping format',
    '/mode enum',
  ]);
  const made = await service.api('POST', '/forms', {
    name: 'Zone',
    fields: [
      { name: 'email', type: 'email', label: 'Email' },
      { name: 'age', type: 'number', label: 'Age' },
      { name: 'zone', type: 'text', label: 'Zone', mapTo: 'timezone' },
    ],
  });
  const { status, body } = await service.api(
    'POST',
    `/forms/${made.body.id}/submit`,
    { email: 'fine@example.org', age: 'old', zone: 'Mars/One' },
    { token: null },
  );
  assert.deepEqual(
    [status, body.errors.map(({ field, code }: { field: string; code: string }) => `${field} ${code}`)],
    [422, ['age format', 'zone invalid_timezone']],
  );
});
