import type { FilterEvent } from '../../../events/contracts.ts';
import type { Static, TSchema } from 'typebox';
import type { Channel, MessageChannel } from '../../../db/entities/channels.ts';
import type { Violation } from '../../../lib/checks/errors.ts';
import type { ContactInput } from '../../contact-values/contact-values.ts';
import type { CustomFieldType } from '../../contact-values/custom-values.ts';
import type { CheckUrl } from '../../outbound/check-url.ts';
import type { EventLeaf, Filter } from '../../membership/filter/filter.ts';
import type { Entry } from '../entry.ts';
import type { Names } from '../names.ts';

/** The current time and the contact's timezone (an IANA name; null counts as UTC). */
export interface Moment {
  now: Date;
  timezone: string | null;
}

/** What the caller must do to run a step. The caller then returns a `StepResult`. */
export type Effect =
  /** Nothing to do. Result: `done`. */
  | { effect: 'none' }
  /** Too early. Result: `wait` with the same `until`. */
  | { effect: 'wait'; until: Date }
  /** Queue the template for the contact. Result: `done` or `suppressed`. */
  | { effect: 'email'; templateId: number }
  /** Queue the template of text messages or pushes for the contact. Result: `done` or `suppressed`. */
  | { effect: 'message'; channel: MessageChannel; templateId: number }
  /** Queue the template of the first channel whose gates let it pass. Result: `done` or `suppressed`. */
  | { effect: 'choose'; templates: Partial<Record<Channel, number>>; order: Channel[] | 'preferred' }
  /** Add the contact to the list or remove it. Result: `done`, even if that changed nothing. */
  | { effect: 'membership'; action: 'add' | 'remove'; listId: number }
  /** Divide contacts by these weights. Result: `branch` with an index, always the same for the execution's contact. */
  | { effect: 'split'; weights: number[] }
  /** Set these fields of the contact; texts may have Liquid. Result: `done`, even if that changed nothing. */
  | { effect: 'update'; set: ContactInput }
  /** Add points to the score of the contact. Result: `done`. */
  | { effect: 'score'; points: number; reason: string | null }
  /** Call the URL. Result: `done`, whatever is answered; with `fail`, the execution fails without success. */
  | { effect: 'webhook'; url: string; onError: 'fail' | 'continue' }
  /** Email a user of the tenant. Result: `done`, even if that was not possible. */
  | { effect: 'notify'; to: string; subject: string; body: string }
  /** Evaluate the filters in order. Result: `branch` with the index of the first that matches, or null. */
  | { effect: 'evaluate'; filters: Filter[] }
  /**
   * Look for an event since the execution entered the step. Result: `branch` 0 if it happened, else `wait` with the same
   * `until`, else (null: the time is over) `branch` 1.
   */
  | { effect: 'await'; event: EventLeaf; until: Date | null }
  /** Evaluate the goal's filter. Result: `goal`. */
  | { effect: 'goal'; filter: Filter };

/**
 * An exit of a branching step: a step's id, null for the end, undefined for the step's `next` or the following step.
 */
export interface Exit {
  /** JSON Pointer of the target inside the config. */
  path: string;
  to: string | null | undefined;
}

export const REFERENCE_KINDS = [
  'templateIds',
  'smsTemplateIds',
  'pushTemplateIds',
  'messageTemplateIds',
  'listIds',
  'segmentIds',
  'formIds',
  'campaignIds',
] as const;
export type ReferenceKind = (typeof REFERENCE_KINDS)[number];
/** A reference to a resource outside the definition; `path` is a JSON Pointer inside the config. */
export interface Reference {
  kind: ReferenceKind;
  id: number;
  path: string;
}

export interface CheckContext {
  customFields: ReadonlyMap<string, CustomFieldType>;
  /** The ids of the definition's steps that send. */
  sendingStepIds: ReadonlySet<string>;
  /** The keys of the addresses of the tenant's active users, of those that the definition names. */
  userAddresses: ReadonlySet<string>;
  /** What is wrong with the definition's texts that are no Liquid, by text. */
  liquidMistakes: ReadonlyMap<string, string>;
  checkUrl: CheckUrl;
}

/**
 * A step type: everything that the interpreter and the validation need to know about it. Every function gets a config
 * that fits the schema. To add a type, add an entry to `stepKinds`, and a new `Effect` if no existing one fits.
 */
export interface StepKind<Schema extends TSchema = TSchema> {
  config: Schema;
  /** The config and its meaning, for the API description. */
  about: string;
  /** A short text for timers and lists, without personal data; with the ids of what is not in `names`. */
  summary: (config: Static<Schema>, names?: Names) => string;
  /** `until`: the end of a wait that is not over; null except for a step that `endsEarly`. */
  plan: (config: Static<Schema>, entry: Entry, moment: Moment, until: Date | null) => Effect;
  /** When the step can run for a contact that arrives now; null or absent = at once. */
  due?: (config: Static<Schema>, entry: Entry, moment: Moment) => Date | null;
  /** The exits of a branching step: one per index that a `branch` result can have. */
  exits?: (config: Static<Schema>) => Exit[];
  /** Whether a `branch` result can be null: its exit is the last one. */
  mayMatchNothing?: true;
  /** The step may end before its due time: its effect is asked for whenever the execution is woken. */
  endsEarly?: true;
  /** If set, the step is a goal: executions that are anywhere in the campaign jump to it when this filter holds. */
  goal?: (config: Static<Schema>) => Filter;
  /** The events that wake an execution which waits at the step, or, for a goal, anywhere. */
  wokenBy?: (config: Static<Schema>) => Iterable<FilterEvent>;
  /** The step sends something to the contact: filters can ask for what became of it. */
  sends?: true;
  /** If set, the step stops the execution with this exit reason. */
  stops?: string;
  /** Whether every passage takes time, so that a loop through the step cannot spin. */
  takesTime?: (config: Static<Schema>) => boolean;
  /** Its texts with Liquid. */
  texts?: (config: Static<Schema>) => string[];
  /** Checks what the schema cannot express; paths are JSON Pointers inside the config. */
  check?: (config: Static<Schema>, context: CheckContext) => Violation[];
  references?: (config: Static<Schema>) => Reference[];
}

/** Keeps the type of the config's schema. */
export function stepKind<Schema extends TSchema>(kind: StepKind<Schema>): StepKind<Schema> {
  return kind;
}
