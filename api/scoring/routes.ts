import type { RouteSpec } from '../guard.ts';

export const scoringRoutes: RouteSpec[] = [];
