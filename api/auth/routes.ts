import type { RouteSpec } from '../guard.ts';

export const authRoutes: RouteSpec[] = [];
