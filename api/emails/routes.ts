import type { RouteSpec } from '../route/route.ts';
import { emailCampaignRoutes } from './campaigns/routes.ts';
import { suppressionRoutes } from './consent/suppression-routes.ts';
import { topicRoutes } from './consent/topic-routes.ts';
import { ledgerRoutes } from './ledger/routes.ts';
import { pageRoutes } from './pages/routes.ts';
import { providerRoutes } from './senders/provider-routes.ts';
import { senderRoutes } from './senders/sender-routes.ts';
import { emailSettingsRoutes } from './campaigns/settings-routes.ts';
import { templateRoutes } from './templates/routes.ts';
import { trackingRoutes } from './tracking/tracking-routes.ts';
import { webhookRoutes } from './webhooks/routes.ts';

export const emailRoutes: RouteSpec[] = [
  ...ledgerRoutes,
  ...emailCampaignRoutes,
  ...emailSettingsRoutes,
  ...suppressionRoutes,
  ...templateRoutes,
  ...topicRoutes,
  ...trackingRoutes,
  ...senderRoutes,
  ...providerRoutes,
  ...webhookRoutes,
  ...pageRoutes,
];
