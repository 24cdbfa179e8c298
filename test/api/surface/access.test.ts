import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { routes } from '../../../api/routes.ts';
import { USER_PERMISSIONS } from '../../../domain/auth/access/permissions.ts';
import { updateBuiltInRoles } from '../../../domain/accounts/provision-tenant.ts';
import { engineEm, rows, sql } from '../../../db/orm.ts';
import { memberWith, newTenant } from '../../support/accounts.ts';
import { routesWhere } from '../../support/routes.ts';
import { startService, type Service } from '../../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

/**
 * Who may what, reviewed by hand: each operation under the access that it needs, and whether the role User has that. An
 * Admin may all of it. A new route fails the test until somebody has decided where it belongs.
 */
const TABLE: { access: string; user: boolean; operations: string }[] = [
  // Anybody: what the contract lists as public.
  {
    access: 'public',
    user: true,
    operations: `
    getHealth getAuthHealth getContactsHealth getSegmentsHealth getEmailsHealth getCampaignsHealth getFormsHealth getScoringHealth getAnalyticsHealth getChannelsHealth getWebhooksHealth
    getOpenapi getAsyncapi getDocs getDocsStart getDocsScript getDocsStyle getEventsDocs getMetrics getRoot getFavicon
    register login refresh forgotPassword resetPassword verifyEmail resendVerification acceptInvitation
    showResetPassword submitResetPassword showVerifyEmail submitVerifyEmail showAcceptInvitation submitAcceptInvitation
    trackOpen trackClick followShortLink receiveChannelCallback receiveWebhook showUnsubscribe submitUnsubscribe showPreferences submitPreferences showConfirm submitConfirm showConfirmSender submitConfirmSender viewEmail
    getFormPage getFormFields getFormToken getFormCaptcha getFormScript getFormAsset submitForm abandonForm
    getVisitScript tellVisit
    getPushScript getPushWorker createPushSubscription deletePushSubscription reportPushEvent`,
  },
  // The own account: whoever is logged in, and no API key.
  {
    access: 'user',
    user: true,
    operations: 'logout getProfile updateProfile changePassword startTotp confirmTotp removeTotp',
  },
  // Daily work.
  {
    access: 'contacts:read',
    user: true,
    operations: `
    listContacts searchContacts getContact listContactActivities listContactSegments explainContactEmails exportContacts exportContactData
    listCompanies getCompany listCompanyContacts listCustomFields getCustomField
    listImports getImport getImportErrors listImportKept
    listSegments getSegment listSegmentContacts getSegmentHistory previewSegment listLists getList listListContacts getListHistory
    listSegmentsAndLists getSegmentOrList listSegmentOrListContacts getSegmentOrListHistory`,
  },
  {
    access: 'contacts:write',
    user: true,
    operations: `
    createContact updateContact deleteContact batchContacts mergeContacts createCompany updateCompany deleteCompany
    createCustomField updateCustomField deleteCustomField importContacts cancelImport undoImport
    createSegment updateSegment deleteSegment addSegmentContacts removeSegmentContacts rebuildSegment
    createList updateList deleteList addListContacts removeListContacts rebuildList
    createSegmentOrList updateSegmentOrList deleteSegmentOrList rebuildSegmentOrList`,
  },
  {
    access: 'emails:read',
    user: true,
    operations: `
    listEmails getEmail explainEmail getTracking listEmailCampaigns getEmailCampaign getEmailCampaignStats listEmailCampaignRecipients
    listTemplates listTemplateVariables getTemplate previewTemplate listTopics getTopic listSuppressions getSuppression listSenders getSender listProviders`,
  },
  // A sender is who a template's mail is from, so it comes with templates; its private key is never answered.
  {
    access: 'emails:write',
    user: true,
    operations: `
    resolveEmail createTemplate updateTemplate deleteTemplate createTopic updateTopic deleteTopic createSuppression deleteSuppression
    createSender updateSender deleteSender verifySender requestSenderConfirmation`,
  },
  {
    access: 'emails:send',
    user: true,
    operations: `
    sendEmail testTemplate createEmailCampaign updateEmailCampaign deleteEmailCampaign sendEmailCampaign pauseEmailCampaign resumeEmailCampaign
    cancelEmailCampaign`,
  },
  {
    access: 'campaigns:read',
    user: true,
    operations: `
    listCampaigns getCampaign getCampaignStats listCampaignVersions getCampaignVersion listCampaignExecutions getCampaignExecution explainCampaignContact getCampaignEnrolment getCampaignMigration
    simulateCampaign getCampaignSimulation`,
  },
  {
    access: 'campaigns:write',
    user: true,
    operations: `
    createCampaign updateCampaign deleteCampaign startCampaign stopCampaign pauseCampaign resumeCampaign archiveCampaign unarchiveCampaign stopCampaignExecution retryCampaignExecution migrateCampaign`,
  },
  {
    access: 'forms:read',
    user: true,
    operations:
      'listForms getForm getFormEmbed getFormStats listFormSubmissions exportFormSubmissions downloadFormFile',
  },
  { access: 'forms:write', user: true, operations: 'createForm updateForm deleteForm' },
  {
    access: 'scoring:read',
    user: true,
    operations: `
    listScoringRules getScoringRule listScoreThresholds getScoreThreshold getContactScore getContactScoreAlias getCompanyScore getLeaderboard getScoringReplay
    getVisitEmbed`,
  },
  {
    access: 'scoring:write',
    user: true,
    operations: `
    createScoringRule updateScoringRule deleteScoringRule createScoreThreshold updateScoreThreshold deleteScoreThreshold recordScoringEvent replayScoringRule`,
  },
  {
    access: 'analytics:read',
    user: true,
    operations: `
    getDashboard getCampaignsAnalytics getContactsAnalytics getEmailsAnalytics getFormsAnalytics
    exportAnalytics listReports getReport listReportRuns downloadReport`,
  },
  { access: 'analytics:write', user: true, operations: 'createReport updateReport deleteReport' },
  {
    access: 'channels:read',
    user: true,
    operations: `
    listChannelTemplates getChannelTemplate previewChannelTemplate getChannelAnalytics checkMessage explainMessage getChannelPreferences
    listChannelProviders getChannelProvider listPushSites getPushSite listPushSubscriptions getPushSubscription listMessages getMessage
    listInboundTexts listChannelSuppressions getChannelSuppression`,
  },
  {
    access: 'channels:write',
    user: true,
    operations: `
    updateChannelPreferences createChannelTemplate updateChannelTemplate deleteChannelTemplate
    createChannelProvider updateChannelProvider deleteChannelProvider createPushSite updatePushSite deletePushSite linkPushSubscription resolveMessage
    createChannelSuppression deleteChannelSuppression`,
  },
  { access: 'channels:send', user: true, operations: 'sendText sendPush testChannelProvider' },
  // Other systems are told about people; who may decide to whom, may read the key that vouches for it.
  {
    access: 'webhooks:read',
    user: true,
    operations: `
    listWebhooks getWebhook listWebhookEventTypes listWebhookDeliveries getWebhookDelivery pullWebhookEvents getWebhookProof getWebhookReplay`,
  },
  // What is the Admin's.
  {
    access: 'webhooks:write',
    user: false,
    operations: `
    createWebhook updateWebhook deleteWebhook testWebhook rotateWebhookSecret retryWebhookDelivery replayWebhook getDefaultWebhookKey`,
  },
  { access: 'users:read', user: false, operations: 'listUsers getUser listInvitations getInvitation' },
  { access: 'users:write', user: false, operations: 'updateUser removeUserTotp createInvitation deleteInvitation' },
  { access: 'roles:read', user: false, operations: 'listRoles getRole listPermissions' },
  { access: 'roles:write', user: false, operations: 'createRole updateRole deleteRole' },
  { access: 'api-keys:read', user: false, operations: 'listApiKeys getApiKey' },
  { access: 'api-keys:write', user: false, operations: 'createApiKey deleteApiKey' },
  { access: 'settings:read', user: false, operations: 'getEmailSettings getChannelSettings getScoringSettings' },
  {
    access: 'settings:write',
    user: false,
    operations: 'updateEmailSettings updateChannelSettings updateScoringSettings',
  },
  { access: 'audit-log:read', user: false, operations: 'listAuditLog' },
  { access: 'erasure:read', user: false, operations: 'listErasures getErasure' },
  { access: 'erasure:write', user: false, operations: 'eraseContact' },
];

const lines = TABLE.flatMap(({ access, user, operations }) =>
  operations
    .trim()
    .split(/\s+/)
    .filter((operationId) => operationId !== '')
    .map((operationId) => ({ operationId, access, user })),
);

test('every route needs what the table says, and the table names no other', () => {
  const nameOf = ({ operationId, access }: { operationId: string; access: string }): string =>
    `${operationId} ${access}`;
  const [there, listed] = [routes.map(nameOf), lines.map(nameOf)];
  assert.deepEqual(
    there.filter((one) => !listed.includes(one)),
    [],
    'without a line in the table',
  );
  assert.deepEqual(
    listed.filter((one, index) => !there.includes(one) || listed.indexOf(one) < index),
    [],
    'in the table, and no such route',
  );
});

test('the role User has what the table gives it, and no more', () => {
  const given = TABLE.filter(({ access, user }) => user && access.includes(':')).map(({ access }) => access);
  assert.deepEqual([...USER_PERMISSIONS].sort(), given.sort());
});

test("a User gets 403 from what is the Admin's, and from nothing else", async () => {
  const { token } = await memberWith(service, 'User');
  const mayUser = new Map(lines.map(({ operationId, user }) => [operationId, user]));
  for (const { route, path } of routesWhere(({ access }) => access.includes(':'))) {
    // An operation that takes nothing is called on what does not exist; the others get a field that no route has.
    const body = route.body && !(route.bodyTypes ?? ['json']).includes('multipart') ? { nobodyKnows: 1 } : undefined;
    const { status } = await service.api(route.method, path.replace(/\/1(?=\/|$)/g, '/999999999'), body, { token });
    assert.equal(status !== 403, mayUser.get(route.operationId), `${route.operationId}: ${status}`);
  }
});

test("a release brings every tenant's Admin and User up to date, and leaves its own roles alone", async () => {
  const tenant = await newTenant(service);
  const own = { name: 'Mailer', permissions: ['emails:read', 'emails:write'] };
  assert.equal((await service.api('POST', '/auth/roles', own, { token: tenant.token })).status, 201);
  const of = () =>
    engineEm(service.deps.orm).transactional((tx) =>
      rows<{ name: string; permissions: string[] }>(
        tx,
        sql`
    select name, permissions from roles where tenant_id = ${tenant.user.tenantId} order by id`,
      ),
    );
  const now = await of();
  // As a release before had them: no settings for the Admin, and for the User.
  await engineEm(service.deps.orm).transactional((tx) =>
    rows(
      tx,
      sql`
    update roles set permissions = case name when 'Admin' then array['contacts:read'] else permissions || '{settings:write}' end
    where tenant_id = ${tenant.user.tenantId} and name <> 'Mailer'`,
    ),
  );
  assert.notDeepEqual(await of(), now);
  await engineEm(service.deps.orm).transactional((tx) => updateBuiltInRoles(tx));
  assert.deepEqual(await of(), now);
  assert.deepEqual(
    now.find(({ name }) => name === 'Mailer'),
    own,
  );
  assert.equal(
    (await service.api('PUT', '/emails/settings', {}, { token: tenant.token })).status,
    200,
    'its Admin may',
  );
});
