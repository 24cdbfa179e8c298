import { NOT_IN_A_LINE } from '../../lib/text/one-line.ts';

/**
 * The names of what a published definition refers to, by id, as they were when it was published. For display only:
 * versions from before names were stored have none, and their texts show ids.
 */
export interface Names {
  templates: Record<string, string>;
  /** Templates of text messages and pushes; absent in versions from before there were any. */
  messageTemplates?: Record<string, string>;
  lists: Record<string, string>;
  /** Segments and lists that filters ask for. */
  segments: Record<string, string>;
  forms: Record<string, string>;
  /** Campaigns and email campaigns. */
  campaigns: Record<string, string>;
}

/** Where the names of a kind of references are. */
export const NAMES_OF = {
  templateIds: 'templates',
  smsTemplateIds: 'messageTemplates',
  pushTemplateIds: 'messageTemplates',
  messageTemplateIds: 'messageTemplates',
  listIds: 'lists',
  segmentIds: 'segments',
  formIds: 'forms',
  campaignIds: 'campaigns',
} as const satisfies Record<string, keyof Names>;

/** The names of what a config refers to, or undefined if none is known. */
export function namesOf(
  references: readonly { kind: keyof typeof NAMES_OF; id: number }[],
  names?: Names,
): string | undefined {
  const found = new Set(references.flatMap(({ kind, id }) => names?.[NAMES_OF[kind]]?.[id] ?? []));
  return found.size === 0 ? undefined : [...found].join(', ');
}

const MAX_SUMMARY = 100;
// What does not belong into a line, and marks and joiners that cannot be seen.
const INVISIBLE = new RegExp(`[\\0${NOT_IN_A_LINE}\\u061c\\u200b\\u200e\\u200f\\u2060-\\u2065\\ufeff]+`, 'gu');

/** `<what>: <name>`, or the fallback if the name is not known. */
export function named(what: string, name: string | undefined, fallback: string): string {
  return name === undefined ? fallback : `${what}: ${name}`;
}

/** A summary on one line of at most 100 characters, without control characters: names are typed by users. */
export function shortSummary(text: string): string {
  const line = text.replace(INVISIBLE, ' ').replace(/\s+/gu, ' ').trim();
  const characters = [...line];
  return characters.length > MAX_SUMMARY ? `${characters.slice(0, MAX_SUMMARY - 1).join('')}…` : line;
}
