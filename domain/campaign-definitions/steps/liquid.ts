import { hasLiquid } from '../../../lib/text/liquid.ts';
import type { Violation } from '../../../lib/checks/errors.ts';
import type { ContactInput } from '../../contact-values/contact-values.ts';

/** The violation of a text that is no valid Liquid, if the texts of the definition have that mistake. */
export function liquidViolations(path: string, source: string, mistakes: ReadonlyMap<string, string>): Violation[] {
  const message = mistakes.get(source);
  return message === undefined ? [] : [{ path, code: 'template_syntax', message }];
}

/** The texts with Liquid among the values of fields, with their paths, always in the same order. */
export function liquidIn(value: unknown, path = ''): { path: string; source: string }[] {
  if (hasLiquid(value)) return [{ path, source: value }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    liquidIn(inner, `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`),
  );
}

/** Fields whose texts with Liquid are replaced: the values of `customFields` too, the tags one by one. */
export function replaceLiquid(
  set: ContactInput,
  replace: {
    field: (source: string) => unknown;
    tag: (source: string) => string[];
    custom: (source: string, name: string) => unknown;
  },
): ContactInput {
  const fields = Object.entries(set).map(([name, value]): [string, unknown] => {
    if (name === 'tags' && Array.isArray(value))
      return [name, (value as string[]).flatMap((tag) => (hasLiquid(tag) ? replace.tag(tag) : [tag]))];
    if (name === 'customFields' && value)
      return [
        name,
        Object.fromEntries(
          Object.entries(value as Record<string, unknown>).map(([of, inner]) => [
            of,
            hasLiquid(inner) ? replace.custom(inner, of) : inner,
          ]),
        ),
      ];
    return [name, hasLiquid(value) ? replace.field(value) : value];
  });
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}
