import type { RouteSpec } from '../guard.ts';

export const campaignRoutes: RouteSpec[] = [];
