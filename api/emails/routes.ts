import type { RouteSpec } from '../guard.ts';

export const emailRoutes: RouteSpec[] = [];
