import { accountRoutes } from './auth/account-routes.ts';
import { apiKeyRoutes } from './auth/api-key-routes.ts';
import { invitationRoutes } from './auth/invitation-routes.ts';
import { roleRoutes } from './auth/role-routes.ts';
import { authRoutes } from './auth/routes.ts';
import { userRoutes } from './auth/user-routes.ts';
import { contactRoutes } from './contacts/routes.ts';
import { emailRoutes } from './emails/routes.ts';
import { campaignRoutes } from './campaigns/routes.ts';
import { formRoutes } from './forms/routes.ts';
import { scoringRoutes } from './scoring/routes.ts';
import { analyticsRoutes } from './analytics/routes.ts';
import { exportRoutes } from './analytics/export-routes.ts';
import { reportRoutes } from './analytics/report-routes.ts';
import { channelRoutes } from './channels/routes.ts';
import { webhookRoutes } from './webhooks/routes.ts';
import { systemRoutes } from './system/routes.ts';
import type { RouteSpec } from './route/route.ts';

/** Every route of the service, also the source of openapi.json. */
export const routes: readonly RouteSpec[] = [
  ...systemRoutes(() => routes),
  ...authRoutes,
  ...accountRoutes,
  ...userRoutes,
  ...roleRoutes,
  ...invitationRoutes,
  ...apiKeyRoutes,
  ...contactRoutes,
  ...emailRoutes,
  ...campaignRoutes,
  ...formRoutes,
  ...scoringRoutes,
  ...analyticsRoutes,
  ...exportRoutes,
  ...reportRoutes,
  ...channelRoutes,
  ...webhookRoutes,
];
