import type { RouteSpec } from '../route/route.ts';
import { channelAnalyticsRoutes } from './analytics-routes.ts';
import { callbackRoutes } from './callback-routes.ts';
import { channelGateRoutes } from './gate-routes.ts';
import { inboundRoutes } from './inbound-routes.ts';
import { linkRoutes } from './link-routes.ts';
import { messageRoutes } from './message-routes.ts';
import { pushScriptRoutes } from './push-script-routes.ts';
import { pushSiteRoutes } from './push-site-routes.ts';
import { pushSubscriptionRoutes } from './push-subscription-routes.ts';
import { channelSettingsRoutes } from './settings-routes.ts';
import { channelPreferenceRoutes } from './preference-routes.ts';
import { channelProviderRoutes } from './provider-routes.ts';
import { channelSuppressionRoutes } from './suppression-routes.ts';
import { channelTemplateRoutes } from './template-routes.ts';

export const channelRoutes: RouteSpec[] = [
  ...channelTemplateRoutes,
  ...channelSettingsRoutes,
  ...channelGateRoutes,
  ...channelPreferenceRoutes,
  ...channelProviderRoutes,
  ...callbackRoutes,
  ...inboundRoutes,
  ...channelSuppressionRoutes,
  ...channelAnalyticsRoutes,
  ...messageRoutes,
  ...pushSiteRoutes,
  ...pushScriptRoutes,
  ...pushSubscriptionRoutes,
  ...linkRoutes,
];
