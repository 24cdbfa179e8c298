import type { RouteSpec } from '../guard.ts';

export const contactRoutes: RouteSpec[] = [];
