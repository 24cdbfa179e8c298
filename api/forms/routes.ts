import type { RouteSpec } from '../guard.ts';

export const formRoutes: RouteSpec[] = [];
