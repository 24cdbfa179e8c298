import type { Violation } from './errors.ts';

/** What is left of a body of this type when whatever is wrong with it is taken out: any member may be missing. */
export type Sound<T> = T extends readonly (infer E)[] ? Sound<E>[] : T extends object ? { [K in keyof T]?: Sound<T[K]> } : T;

interface Place {
  isWrong: boolean;
  inner: Map<string, Place>;
}

const newPlace = (): Place => ({ isWrong: false, inner: new Map() });

/** The places of violations as a tree, so that what nothing is wrong with need not be walked. */
function placesOf(violations: readonly Violation[]): Place {
  const root = newPlace();
  for (const { path } of violations) {
    let place = root;
    for (const name of namesOf(path)) {
      let next = place.inner.get(name);
      if (!next) place.inner.set(name, next = newPlace());
      place = next;
    }
    place.isWrong = true;
  }
  return root;
}

/** The names of a JSON Pointer (RFC 6901). */
const namesOf = (path: string): string[] => path.split('/').slice(1).map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));

/**
 * A value without its members and elements that violations are about, and `pathOf`, which says where in the whole value a
 * path into what is left leads: elements that are taken out move those after them. Null where the whole value is wrong.
 */
export function soundPart(value: unknown, violations: readonly Violation[]): { sound: unknown; pathOf: (path: string) => string } | null {
  const indexes = new WeakMap<object, number[]>();
  const take = (whole: unknown, { inner }: Place): unknown => {
    if (inner.size === 0 || typeof whole !== 'object' || whole === null) return whole;
    const kept = Object.entries(whole).filter(([name]) => !inner.get(name)?.isWrong)
      .map(([name, member]) => [name, inner.has(name) ? take(member, inner.get(name)!) : member] as const);
    if (!Array.isArray(whole)) return Object.fromEntries(kept);
    const list = kept.map(([, element]) => element);
    indexes.set(list, kept.map(([index]) => Number(index)));
    return list;
  };
  const places = placesOf(violations);
  if (places.isWrong) return null;
  const sound = take(value, places);
  const pathOf = (path: string): string => {
    let at: unknown = sound;
    return path.split('/').map((step, depth) => {
      if (depth === 0 || typeof at !== 'object' || at === null) return step;
      const index = indexes.get(at)?.[Number(step)];
      at = (at as Record<string, unknown>)[namesOf(`/${step}`)[0]!];
      return index === undefined ? step : String(index);
    }).join('/');
  };
  return { sound, pathOf };
}

/**
 * All that is told, and of `others` what is told at no such place yet. What seems to be missing from a place that holds
 * one is not: it may be there, in what was taken out.
 */
export function withOthers(told: readonly Violation[], others: readonly Violation[]): Violation[] {
  const places = new Set(told.map(({ path }) => path));
  const holding = new Set<string>();
  for (const path of places) {
    for (let at = path; at !== '' && !holding.has(at); at = at.slice(0, at.lastIndexOf('/'))) holding.add(at);
  }
  return [...told, ...others.filter(({ path, code }) => !places.has(path) && !(code === 'required' && holding.has(path)))];
}
