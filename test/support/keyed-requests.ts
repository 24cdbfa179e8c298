import type pg from 'pg';
import type { Answer, Service } from './service.ts';
import { columnsOf, insertRow } from './database/schema-rows.ts';
import { makeContact, makeTemplate } from './mail/emails.ts';
import { makeMailed } from './mail/bounces.ts';

/** A request that changes something, on resources created only for it. */
export interface KeyedRequest {
  path: string;
  body?: unknown;
}

/** Example requests for all POSTs that accept an Idempotency-Key, by operationId; each call creates what it needs. */
export function keyedRequests(service: Service, owner: pg.Client): Record<string, () => Promise<KeyedRequest>> {
  let made = 0;
  const name = () => `Keyed ${(made += 1)}`;
  const address = () => `keyed-${(made += 1)}@example.org`;
  const make = async (path: string, body: unknown): Promise<Answer['body']> => {
    const answer = await service.api('POST', path, body);
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const idOf = async (path: string, body: unknown): Promise<number> => (await make(path, body)).id;
  const contact = async () => (await makeContact(service)).id;
  const list = () => idOf('/contacts/lists', { name: name() });
  const filter = { field: 'email', operator: 'contains', value: 'keyed' };
  const csv = () => {
    const form = new FormData();
    form.set('file', new Blob([`email,firstName,lastName\n${address()},A,B\n`], { type: 'text/csv' }), 'people.csv');
    return form;
  };
  const text = () => ({ name: name(), channel: 'sms', body: 'Hello' });
  const gateway = () => ({
    ...{ name: name(), channel: 'sms', type: 'http', active: false },
    config: { url: 'https://example.com/', body: { to: '{{to}}', text: '{{text}}' } },
  });
  const webhook = () => ({ name: name(), url: 'https://example.com/', types: ['CONTACT_CREATED'], active: false });
  const member = async (action: '' | '/remove', base: string): Promise<KeyedRequest> => {
    const [listId, contactId] = [await list(), await contact()];
    if (action) await make(`/contacts/lists/${listId}/contacts`, { contactIds: [contactId] });
    return { path: `${base}/${listId}/contacts${action}`, body: { contactIds: [contactId] } };
  };
  const dynamic = () => idOf('/contacts/segments', { name: name(), type: 'dynamic', filter });
  const journey = async () =>
    idOf('/campaigns', {
      name: name(),
      steps: [{ id: 'mail', type: 'EMAIL', config: { templateId: await makeTemplate(service) } }],
    });
  const started = async () => {
    const id = await journey();
    await make(`/campaigns/${id}/start`, { contactIds: [await contact()] });
    return id;
  };
  const execution = async (status: string): Promise<number> => {
    const [campaignId, contactId] = [await started(), await contact()];
    await insertRow(owner, 'campaign_executions', await columnsOf(owner, 'campaign_executions'), {
      tenant_id: service.admin.tenantId,
      campaign_id: campaignId,
      contact_id: contactId,
      campaign_version: 1,
      status,
      workflow_id: `keyed/${contactId}`,
      state: JSON.stringify({ ahead: null }),
    });
    const { rows } = await owner.query<{ id: string }>(
      'select id from campaign_executions where campaign_id = $1 and contact_id = $2',
      [campaignId, contactId],
    );
    return Number(rows[0]!.id);
  };
  const mailing = async (fields: object) => ({
    name: name(),
    templateId: await makeTemplate(service),
    listId: await list(),
    ...fields,
  });
  const mailingIn = async (...verbs: string[]) => {
    const id = await idOf('/emails/campaigns', await mailing({}));
    for (const verb of verbs) await make(`/emails/campaigns/${id}/${verb}`, {});
    return id;
  };

  return {
    createContact: async () => ({ path: '/contacts', body: { firstName: 'A', lastName: 'B', email: address() } }),
    batchContacts: async () => ({
      path: '/contacts/batch',
      body: { contacts: [{ firstName: 'A', lastName: 'B', email: address() }] },
    }),
    mergeContacts: async () => ({ path: `/contacts/${await contact()}/merge`, body: { sourceId: await contact() } }),
    eraseContact: async () => ({ path: `/contacts/${await contact()}/erase` }),
    createCompany: async () => ({ path: '/contacts/companies', body: { name: name() } }),
    createCustomField: async () => ({
      path: '/contacts/custom-fields',
      body: { entity: 'contact', name: `keyed${(made += 1)}`, type: 'string' },
    }),
    importContacts: async () => ({ path: '/contacts/import', body: csv() }),
    cancelImport: async () => ({ path: `/contacts/imports/${await idOf('/contacts/import', csv())}/cancel` }),
    undoImport: async () => {
      const id = await idOf('/contacts/import', csv());
      await owner.query(
        `update contact_imports set status = 'COMPLETED', started_at = now(), finished_at = now() where id = $1`,
        [id],
      );
      return { path: `/contacts/imports/${id}/undo` };
    },
    createSegment: async () => ({ path: '/contacts/segments', body: { name: name(), type: 'dynamic', filter } }),
    createSegmentOrList: async () => ({ path: '/segments', body: { name: name(), filter } }),
    createList: async () => ({ path: '/contacts/lists', body: { name: name() } }),
    previewSegment: async () => ({ path: '/contacts/segments/preview', body: { filter } }),
    addSegmentContacts: () => member('', '/contacts/segments'),
    addListContacts: () => member('', '/contacts/lists'),
    removeSegmentContacts: () => member('/remove', '/contacts/segments'),
    removeListContacts: () => member('/remove', '/contacts/lists'),
    rebuildSegment: async () => ({ path: `/contacts/segments/${await dynamic()}/rebuild` }),
    rebuildSegmentOrList: async () => ({ path: `/segments/${await dynamic()}/rebuild` }),
    rebuildList: async () => ({ path: `/contacts/lists/${await list()}/rebuild` }),

    createTemplate: async () => ({
      path: '/emails/templates',
      body: { name: name(), subject: 'Hello', content: '<p>Hello</p>' },
    }),
    previewTemplate: async () => ({ path: `/emails/templates/${await makeTemplate(service)}/preview`, body: {} }),
    testTemplate: async () => ({
      path: `/emails/templates/${await makeTemplate(service)}/test`,
      body: { to: address() },
    }),
    sendEmail: async () => ({
      path: '/emails/send',
      body: { templateId: await makeTemplate(service), recipientId: await contact() },
    }),
    resolveEmail: async () => ({
      path: `/emails/${(await makeMailed(service, 'UNKNOWN')).emailId}/resolve`,
      body: { outcome: 'sent' },
    }),
    createEmailCampaign: async () => ({
      path: '/emails/campaigns',
      body: await mailing({ scheduleType: 'immediate' }),
    }),
    sendEmailCampaign: async () => ({ path: `/emails/campaigns/${await mailingIn()}/send` }),
    pauseEmailCampaign: async () => ({ path: `/emails/campaigns/${await mailingIn('send')}/pause` }),
    resumeEmailCampaign: async () => ({ path: `/emails/campaigns/${await mailingIn('send', 'pause')}/resume` }),
    cancelEmailCampaign: async () => ({ path: `/emails/campaigns/${await mailingIn('send')}/cancel` }),
    createTopic: async () => ({ path: '/emails/topics', body: { name: name() } }),
    createSuppression: async () => ({ path: '/emails/suppressions', body: { email: address() } }),
    createSender: async () => ({ path: '/emails/senders', body: { email: address(), name: name() } }),
    requestSenderConfirmation: async () => ({
      path: `/emails/senders/${await idOf('/emails/senders', { email: address() })}/confirmation`,
    }),
    // Without a DKIM key there is nothing to look up, so the response is the refusal.
    verifySender: async () => ({
      path: `/emails/senders/${await idOf('/emails/senders', { email: address() })}/verify`,
    }),

    createCampaign: async () => ({
      path: '/campaigns',
      body: { name: name(), steps: [{ id: 'wait', type: 'WAIT', config: { waitMinutes: 1 } }] },
    }),
    startCampaign: async () => ({
      path: `/campaigns/${await journey()}/start`,
      body: { contactIds: [await contact()] },
    }),
    simulateCampaign: async () => ({
      path: `/campaigns/${await journey()}/simulate`,
      body: { contactIds: [await contact()] },
    }),
    stopCampaign: async () => ({ path: `/campaigns/${await started()}/stop` }),
    pauseCampaign: async () => ({ path: `/campaigns/${await started()}/pause` }),
    resumeCampaign: async () => {
      const id = await started();
      await make(`/campaigns/${id}/pause`, {});
      return { path: `/campaigns/${id}/resume` };
    },
    archiveCampaign: async () => ({ path: `/campaigns/${await journey()}/archive` }),
    unarchiveCampaign: async () => {
      const id = await journey();
      await make(`/campaigns/${id}/archive`, {});
      return { path: `/campaigns/${id}/unarchive` };
    },
    migrateCampaign: async () => {
      const id = await started();
      const steps = [{ id: 'wait', type: 'WAIT', config: { waitMinutes: 1 } }];
      const { status } = await service.api('PUT', `/campaigns/${id}`, { steps });
      if (status !== 200) throw new Error(`PUT /campaigns/${id}: ${status}`);
      await make(`/campaigns/${id}/start`, {});
      return { path: `/campaigns/${id}/migrate`, body: { from: 1, to: 2 } };
    },
    stopCampaignExecution: async () => ({ path: `/campaigns/executions/${await execution('RUNNING')}/stop` }),
    retryCampaignExecution: async () => ({ path: `/campaigns/executions/${await execution('FAILED')}/retry` }),

    createForm: async () => ({
      path: '/forms',
      body: { name: name(), fields: [{ name: 'email', label: 'Email', type: 'email', required: true }] },
    }),
    createScoringRule: async () => ({
      path: '/scoring/rules',
      body: { name: name(), eventType: 'EMAIL_OPENED', points: 1 },
    }),
    replayScoringRule: async () => {
      const { id } = await make('/scoring/rules', { name: name(), eventType: 'EMAIL_OPENED', points: 1 });
      return { path: `/scoring/rules/${id}/replay`, body: { from: '2020-01-01T00:00:00Z' } };
    },
    recordScoringEvent: async () => ({
      path: '/scoring/events',
      body: { contactId: await contact(), type: 'WEBSITE_VISITED', data: {} },
    }),
    createReport: async () => ({
      path: '/analytics/reports',
      body: { name: name(), type: 'emails', format: 'csv' },
    }),
    createChannelTemplate: async () => ({ path: '/channels/templates', body: text() }),
    previewChannelTemplate: async () => ({
      path: `/channels/templates/${await idOf('/channels/templates', text())}/preview`,
      body: {},
    }),
    sendText: async () => {
      await make('/channels/providers', { ...gateway(), active: true });
      return { path: '/channels/sms/send', body: { to: '+442079460958', body: 'Hello' } };
    },
    sendPush: async () => ({
      path: '/channels/push/send',
      body: { recipientId: await contact(), title: 'Hello', body: 'There' },
    }),
    resolveMessage: async () => {
      await make('/channels/providers', { ...gateway(), active: true });
      const { messageId } = await make('/channels/sms/send', {
        ...{ to: '+442079460958', body: 'Hello', category: 'transactional' },
      });
      for (const [table, key] of [
        ['message_sends', 'message_id'],
        ['messages', 'id'],
      ] as const)
        await owner.query(`update ${table} set status = 'UNKNOWN' where ${key} = ${messageId}`);
      return { path: `/channels/messages/${messageId}/resolve`, body: { outcome: 'sent' } };
    },
    createChannelProvider: async () => ({ path: '/channels/providers', body: gateway() }),
    testChannelProvider: async () => ({
      path: `/channels/providers/${await idOf('/channels/providers', gateway())}/test`,
      body: { to: '+442079460958' },
    }),
    createPushSite: async () => ({
      path: '/channels/push/sites',
      body: { name: 'Website', origins: ['https://www.example.com'], subject: 'mailto:web@example.com' },
    }),
    createChannelSuppression: async () => ({
      path: '/channels/suppressions',
      body: { channel: 'sms', address: `+1202555${5000 + (made += 1)}` },
    }),
    checkMessage: async () => ({ path: '/channels/check', body: { contactId: await contact(), channel: 'email' } }),

    createWebhook: async () => ({ path: '/webhooks', body: webhook() }),
    // Nobody is there, which is an attempt too.
    testWebhook: async () => ({
      path: `/webhooks/${await idOf('/webhooks', { ...webhook(), url: 'https://nobody.invalid/' })}/test`,
      body: { type: 'CONTACT_CREATED' },
    }),
    rotateWebhookSecret: async () => ({ path: `/webhooks/${await idOf('/webhooks', webhook())}/rotate-secret` }),
    replayWebhook: async () => ({
      path: `/webhooks/${await idOf('/webhooks', webhook())}/replay`,
      body: { from: '2020-01-01T00:00:00Z' },
    }),
    retryWebhookDelivery: async () => {
      const id = await idOf('/webhooks', webhook());
      await owner.query(
        `with event as (
           insert into webhook_events (day, tenant_id, event_id, type, time, data)
           values (current_date, $1, gen_random_uuid(), 'CONTACT_CREATED', now(), '{}') returning id)
         insert into webhook_deliveries (endpoint_id, sequence, day, tenant_id, event, type, at, status, most_attempts)
         select $2, 1, current_date, $1, id, 'CONTACT_CREATED', now(), 'FAILED', 10 from event`,
        [service.admin.tenantId, id],
      );
      return { path: `/webhooks/${id}/deliveries/1/retry` };
    },
    createScoreThreshold: async () => ({ path: '/scoring/thresholds', body: { name: name(), score: 100_000 } }),
  };
}
