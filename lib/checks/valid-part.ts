import type { Violation } from './errors.ts';

/** A body of this type without its invalid parts: any member may be missing. */
export type ValidPart<T> = T extends readonly (infer E)[]
  ? ValidPart<E>[]
  : T extends object
    ? { [K in keyof T]?: ValidPart<T[K]> }
    : T;

interface Place {
  isWrong: boolean;
  inner: Map<string, Place>;
}

const newPlace = (): Place => ({ isWrong: false, inner: new Map() });

/** The violations' paths as a tree, so that valid parts need not be walked. */
function placesOf(violations: readonly Violation[]): Place {
  const root = newPlace();
  for (const { path } of violations) {
    let place = root;
    for (const name of namesOf(path)) {
      let next = place.inner.get(name);
      if (!next) place.inner.set(name, (next = newPlace()));
      place = next;
    }
    place.isWrong = true;
  }
  return root;
}

/** The names of a JSON Pointer (RFC 6901). */
const namesOf = (path: string): string[] =>
  path
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));

/**
 * Removes the invalid members and elements of a value. `pathOf` maps a path in the result to its path in the whole
 * value (removing a list's elements shifts the indexes of those after them). Null if the value as a whole is invalid.
 */
export function validPart(
  value: unknown,
  violations: readonly Violation[],
): { sound: unknown; pathOf: (path: string) => string } | null {
  const indexes = new WeakMap<object, number[]>();
  const take = (whole: unknown, { inner }: Place): unknown => {
    if (inner.size === 0 || typeof whole !== 'object' || whole === null) return whole;
    const kept = Object.entries(whole)
      .filter(([name]) => !inner.get(name)?.isWrong)
      .map(([name, member]) => [name, inner.has(name) ? take(member, inner.get(name)!) : (member as unknown)] as const);
    if (!Array.isArray(whole)) return Object.fromEntries<unknown>(kept);
    const list = kept.map(([, element]) => element);
    indexes.set(
      list,
      kept.map(([index]) => Number(index)),
    );
    return list;
  };
  const places = placesOf(violations);
  if (places.isWrong) return null;
  const sound = take(value, places);
  const pathOf = (path: string): string => {
    let at: unknown = sound;
    return path
      .split('/')
      .map((step, depth) => {
        if (depth === 0 || typeof at !== 'object' || at === null) return step;
        const index = indexes.get(at)?.[Number(step)];
        at = (at as Record<string, unknown>)[namesOf(`/${step}`)[0]!];
        return index === undefined ? step : String(index);
      })
      .join('/');
  };
  return { sound, pathOf };
}

/**
 * The violations `told`, and those of `others` at other paths. Drops a `required` violation of `others` if `told` has
 * a violation at or below its path: the member was given, but was removed because it is invalid.
 */
export function combineViolations(told: readonly Violation[], others: readonly Violation[]): Violation[] {
  const places = new Set(told.map(({ path }) => path));
  const holding = new Set<string>();
  for (const path of places) {
    for (let at = path; at !== '' && !holding.has(at); at = at.slice(0, at.lastIndexOf('/'))) holding.add(at);
  }
  return [
    ...told,
    ...others.filter(({ path, code }) => !places.has(path) && !(code === 'required' && holding.has(path))),
  ];
}
