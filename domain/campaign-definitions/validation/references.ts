import { addressKey } from '../../addresses/address-key.ts';
import type { Violation } from '../../../lib/checks/errors.ts';
import { isObject, validStep } from './valid-step.ts';
import { stepKind } from '../step-kinds.ts';
import type { Reference, ReferenceKind } from '../steps/kind.ts';
import { triggerReferences, triggerSchema } from '../triggers.ts';

/** The ids that definitions refer to: templates by channel, static lists, segments (lists included), forms, campaigns. */
export type ReferencedIds = Record<ReferenceKind, ReadonlySet<number>>;

const THINGS: Record<ReferenceKind, string> = {
  templateIds: 'template',
  smsTemplateIds: 'template of text messages',
  pushTemplateIds: 'template of pushes',
  messageTemplateIds: 'template of text messages or pushes',
  listIds: 'static list',
  segmentIds: 'segment or list',
  formIds: 'form',
  campaignIds: 'campaign',
};

/**
 * The ids of the resources that a definition refers to, for looking them up before validation, or for finding what is
 * in use. Takes any JSON and ignores invalid parts.
 */
export function referencedIds(definition: { trigger?: unknown; steps?: unknown }): ReferencedIds {
  const { trigger, steps } = definition;
  const references: Reference[] = isObject(trigger) && triggerSchema(trigger['type']) ? triggerReferences(trigger) : [];
  for (const step of Array.isArray(steps) ? (steps as unknown[]) : []) {
    const { kind, config } = validStep(step) ?? {};
    references.push(...(kind?.references?.(config) ?? []));
  }
  const all = (kind: ReferenceKind) => new Set(references.flatMap((named) => (named.kind === kind ? [named.id] : [])));
  return {
    templateIds: all('templateIds'),
    smsTemplateIds: all('smsTemplateIds'),
    pushTemplateIds: all('pushTemplateIds'),
    messageTemplateIds: all('messageTemplateIds'),
    listIds: all('listIds'),
    segmentIds: all('segmentIds'),
    formIds: all('formIds'),
    campaignIds: all('campaignIds'),
  };
}

/** The keys of the addresses that NOTIFY steps name, and the texts of all steps that may have Liquid. Takes any JSON. */
export function writtenTexts({ steps }: { steps?: unknown }): { addresses: string[]; texts: string[] } {
  const valid = (Array.isArray(steps) ? (steps as unknown[]) : []).flatMap((step) => validStep(step) ?? []);
  return {
    addresses: valid.flatMap(({ kind, config }) =>
      kind === stepKind('NOTIFY') ? [addressKey((config as { to: string }).to)] : [],
    ),
    texts: valid.flatMap(({ kind, config }) => kind.texts?.(config) ?? []),
  };
}

/** A violation for each reference to an id that does not exist. */
export function missingReferences(references: readonly Reference[], existing: ReferencedIds): Violation[] {
  return references
    .filter(({ kind, id }) => !existing[kind].has(id))
    .map(({ kind, id, path }) => ({ path, code: 'not_found', message: `there is no ${THINGS[kind]} ${id}` }));
}
