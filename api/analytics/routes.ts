import type { RouteSpec } from '../guard.ts';

export const analyticsRoutes: RouteSpec[] = [];
