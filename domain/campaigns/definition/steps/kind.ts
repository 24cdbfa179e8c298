import type { Static, TSchema } from 'typebox';
import type { Violation } from '../../../common/errors.ts';
import type { CustomFieldType } from '../../../contacts/values/custom-values.ts';
import type { Filter } from '../../../segments/filter/filter.ts';
import type { Entry } from '../entry.ts';

/** What time it is, and where the contact lives (an IANA name; null counts as UTC). */
export interface Moment {
  now: Date;
  timezone: string | null;
}

/** What running a step asks of the caller, who returns a `StepResult`. */
export type Effect =
  /** Nothing is left to do: `done`. */
  | { effect: 'none' }
  /** Too early: answer `wait` with the same `until`. */
  | { effect: 'wait'; until: Date }
  /** Queue the template for the contact: `done`, or `suppressed`. */
  | { effect: 'email'; templateId: number }
  /** Add the contact to the list or remove it: `done`, whether or not that changed anything. */
  | { effect: 'membership'; action: 'add' | 'remove'; listId: number }
  /** Try the filters in order: `branch` with the index of the first that holds for the contact, null when none does. */
  | { effect: 'evaluate'; filters: Filter[] };

/** A way out of a branching step: a step's id, null for the end, undefined for what comes after the step. */
export interface Exit {
  /** JSON Pointer of the target inside the config. */
  path: string;
  to: string | null | undefined;
}

export const REFERENCE_KINDS = ['templateIds', 'listIds', 'segmentIds', 'formIds', 'campaignIds'] as const;
export type ReferenceKind = (typeof REFERENCE_KINDS)[number];
/** Something outside of the definition that it names; `path` is a JSON Pointer inside the config. */
export interface Reference {
  kind: ReferenceKind;
  id: number;
  path: string;
}

export interface CheckContext {
  customFields: ReadonlyMap<string, CustomFieldType>;
  /** The ids of the definition's EMAIL steps. */
  emailStepIds: ReadonlySet<string>;
}

/**
 * A type of step: all that the interpreter and the validation know of it. Every function is given a config that fits the
 * schema. A new type is one such entry in `stepKinds`, and a new `Effect` if what it does is new.
 */
export interface StepKind<Schema extends TSchema = TSchema> {
  config: Schema;
  /** The config and its meaning, for the API description. */
  about: string;
  /** A few words for timers and lists; no personal data. */
  summary(config: Static<Schema>): string;
  plan(config: Static<Schema>, entry: Entry, moment: Moment): Effect;
  /** When a contact that arrives now can be served; null or absent = at once. */
  due?(config: Static<Schema>, entry: Entry, moment: Moment): Date | null;
  /** The ways out of a branching step: one for each index that `branch` can bring, and last the one for null. */
  exits?(config: Static<Schema>): Exit[];
  /** The contact's execution stops here with this exit reason. */
  stops?: string;
  /** Whether every passage takes time, so that a loop through the step can not spin. */
  takesTime?(config: Static<Schema>): boolean;
  /** What the schema can not say; paths are JSON Pointers inside the config. */
  check?(config: Static<Schema>, context: CheckContext): Violation[];
  references?(config: Static<Schema>): Reference[];
}

/** Keeps the type of the config's schema. */
export function stepKind<Schema extends TSchema>(kind: StepKind<Schema>): StepKind<Schema> {
  return kind;
}
