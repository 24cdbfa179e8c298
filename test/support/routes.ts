import { partsOf } from '../../lib/checks/schema-check.ts';
import { routes } from '../../api/routes.ts';
import type { RouteSpec } from '../../api/route/route.ts';

/** A route's path under /api/v1, or null for those at the root, with `id` for ids and `other` for other parameters. */
export function pathOf(route: RouteSpec, id: string | number = 1, other = 'x'): string | null {
  if (route.path.startsWith('//')) return null;
  const { properties = {} } = (route.params ?? {}) as { properties?: Record<string, { type?: string }> };
  return route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    String(properties[name]?.type === 'integer' ? id : other),
  );
}

/** Every route under /api/v1 that `wanted` selects, with a path to call it. */
export function routesWhere(wanted: (route: RouteSpec) => boolean): { route: RouteSpec; path: string }[] {
  return routes.flatMap((route) => {
    const path = pathOf(route);
    return path !== null && wanted(route) ? [{ route, path }] : [];
  });
}

export const hasId = (route: RouteSpec): boolean =>
  Object.values(partsOf(route.params).properties ?? {}).some((property) => property.type === 'integer');
export const takesJson = (route: RouteSpec): boolean =>
  route.body !== undefined && (route.bodyTypes ?? ['json']).includes('json');
