import type { RouteSpec } from './guard.ts';
import { authRoutes } from './auth/routes.ts';
import { contactRoutes } from './contacts/routes.ts';
import { emailRoutes } from './emails/routes.ts';
import { campaignRoutes } from './campaigns/routes.ts';
import { formRoutes } from './forms/routes.ts';
import { scoringRoutes } from './scoring/routes.ts';
import { analyticsRoutes } from './analytics/routes.ts';
import { systemRoutes } from './system/routes.ts';

/** Every route of the service: what is not here does not exist, and what is here is described in openapi.json. */
export const routes: readonly RouteSpec[] = [
  ...systemRoutes(() => routes), ...authRoutes, ...contactRoutes, ...emailRoutes, ...campaignRoutes, ...formRoutes, ...scoringRoutes, ...analyticsRoutes,
];
