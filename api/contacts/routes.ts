import { batchRoutes } from './batch-routes.ts';
import { companyRoutes } from './company-routes.ts';
import { contactRoutes as contacts } from './contact-routes.ts';
import { customFieldRoutes } from './custom-field-routes.ts';
import { erasureRoutes } from './erasure-routes.ts';
import { exportRoutes } from './export-routes.ts';
import { importRoutes } from './import-routes.ts';
import { mergeRoutes } from './merge-routes.ts';
import { segmentMemberships } from './segment-memberships.ts';
import { segmentRoutes } from './segment-routes.ts';
import type { RouteSpec } from '../route/route.ts';

export const contactRoutes: RouteSpec[] = [
  ...contacts,
  ...batchRoutes,
  ...companyRoutes,
  ...customFieldRoutes,
  ...erasureRoutes,
  ...exportRoutes,
  ...importRoutes,
  ...mergeRoutes,
  ...segmentRoutes,
  ...segmentMemberships,
];
