import { settingsViolations } from '../../domain/channels/settings/settings-violations.ts';
import { readSettings, updateSettings } from '../../domain/channels/settings/settings.ts';
import { assertIfMatch, assertUnchanged, changedReadOnly, route, type RouteSpec } from '../route/route.ts';
import { ChannelSettings, ChannelSettingsUpdate } from './settings-schema.ts';

export const channelSettingsRoutes: RouteSpec[] = [
  route({
    method: 'GET',
    path: '/channels/settings',
    operationId: 'getChannelSettings',
    summary: 'Get the rules for marketing messages on all channels',
    description:
      'Caps, hours and the text that tells how to opt out. `GET /emails/settings` shows what of this is about email alone.',
    access: 'settings:read',
    responses: { 200: { schema: ChannelSettings } },
    handler: async ({ em, principal }) => ({ body: await readSettings(em, principal.tenantId) }),
  }),
  route({
    method: 'PUT',
    path: '/channels/settings',
    operationId: 'updateChannelSettings',
    summary: 'Change the rules for marketing messages on all channels',
    description:
      'Of messages under a cap, those with the higher `priority` are sent; the others are SUPPRESSED with `outranked`, or with `frequency_cap`. Outside the hours a message waits. `/emails/settings` shows the same rules for email: its cap is the one of `["email"]`.',
    access: 'settings:write',
    body: ChannelSettingsUpdate,
    responses: { 200: { schema: ChannelSettings } },
    errors: ['precondition_failed'],
    check: async ({ tx, caller, body, readOnly }) => [
      ...changedReadOnly(readOnly, await readSettings(tx, caller.tenantId)),
      ...settingsViolations(body),
    ],
    handler: async ({ em, caller, body, readOnly, ifMatch }) => ({
      body: await updateSettings(em, caller, body, (current) => {
        assertIfMatch(ifMatch, current.version);
        assertUnchanged(readOnly, current);
      }),
    }),
  }),
];
