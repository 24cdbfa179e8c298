import { eventReferences, filterReferences, type Filter } from '../membership/filter/filter.ts';
import type { Reference } from './steps/kind.ts';

/** The resources that a filter in a config refers to; `path` is its JSON Pointer inside the config. */
export const filterResources = (filter: Filter, path: string): Reference[] => [
  ...filterReferences(filter, path).map((reference) => ({ kind: 'segmentIds' as const, ...reference })),
  ...eventReferences(filter, path).map(({ field, ...reference }) => ({ kind: `${field}s` as const, ...reference })),
];
