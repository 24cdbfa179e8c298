import { checkSendWindow } from '../../../domain/campaign-definitions/entry.ts';
import { emailSettingsOf, readSettings, updateEmailSettings } from '../../../domain/channels/settings/settings.ts';
import { EmailSettings, EmailSettingsUpdate } from './schema.ts';
import { presentEmailSettings } from './presenter.ts';
import { assertIfMatch, assertUnchanged, changedReadOnly, route, type RouteSpec } from '../../route/route.ts';

export const emailSettingsRoutes: RouteSpec[] = [
  route({
    method: 'GET',
    path: '/emails/settings',
    operationId: 'getEmailSettings',
    summary: 'Get the rules for all marketing email',
    description: 'Null means no limit. Text messages and pushes have theirs at `GET /channels/settings`.',
    access: 'settings:read',
    responses: { 200: { schema: EmailSettings } },
    handler: async ({ em, principal }) => ({
      body: presentEmailSettings(emailSettingsOf(await readSettings(em, principal.tenantId))),
    }),
  }),
  route({
    method: 'PUT',
    path: '/emails/settings',
    operationId: 'updateEmailSettings',
    summary: 'Change the rules for all marketing email',
    access: 'settings:write',
    description: 'Marketing email to a contact beyond `frequencyCap` is SUPPRESSED. Outside `sendWindow` it waits.',
    body: EmailSettingsUpdate,
    responses: { 200: { schema: EmailSettings } },
    errors: ['precondition_failed'],
    check: async ({ tx, caller, body: { sendWindow }, readOnly }) => [
      ...changedReadOnly(readOnly, presentEmailSettings(emailSettingsOf(await readSettings(tx, caller.tenantId)))),
      ...checkSendWindow({ sendWindow }),
    ],
    handler: async ({ em, caller, body, readOnly, ifMatch }) => ({
      body: presentEmailSettings(
        await updateEmailSettings(em, caller, body, (current) => {
          assertIfMatch(ifMatch, current.version);
          assertUnchanged(readOnly, presentEmailSettings(current));
        }),
      ),
    }),
  }),
];
