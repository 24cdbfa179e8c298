import { sql, type RawBuilder } from 'kysely';
import { rows, type EntityManager } from '../../../db/orm.ts';
import { customFieldTypes } from '../../contact-values/custom-field-types.ts';
import type { CustomFieldType } from '../../contact-values/custom-values.ts';
import { wantedActivities } from '../compile/compile-event.ts';
import { operandOf } from '../compile/compile-field.ts';
import { compileFilter, type CompileOptions } from '../compile/compile.ts';
import { createJoinedSources, type JoinedSources } from '../compile/joined-sources.ts';
import type { SimulatedContact } from '../compile/simulated-contact.ts';
import {
  isEventLeaf,
  isGroup,
  type EventLeaf,
  type FieldLeaf,
  type Filter,
  type FilterGroup,
} from '../filter/filter.ts';
import { splitByLeaves } from './judge-contacts.ts';

/**
 * A filter's tree with the result of each part for a contact; `value`: the contact's value, or an event leaf's count.
 */
export type Explanation =
  | { op: FilterGroup['op']; holds: boolean; conditions: Explanation[] }
  | { filter: FieldLeaf | EventLeaf; value: unknown; holds: boolean };

/** A filter to explain; `id` identifies it among the others, `leaves` is how many it has. */
export interface Explained {
  id: number;
  filter: Filter;
  leaves: number;
}

/**
 * Explains, by the filters' ids, why a contact matches or not; one statement per 1000 leaves. Empty if there is no
 * contact. In a campaign, `execution` is the one from whose start event leaves count.
 */
export async function explainFilters(
  tx: EntityManager,
  tenantId: string,
  contactId: number,
  filters: readonly Explained[],
  options: ExplainOptions = {},
): Promise<Map<number, Explanation>> {
  const explained = await explainEach(tx, tenantId, filters, options, {
    sources: createJoinedSources,
    where: sql`c.id = ${contactId}`,
  });
  return explained.get(contactId) ?? new Map<number, Explanation>();
}

/** The same for many contacts as they would be, by their ids; one statement per 1000 leaves for all of them. */
export function explainSimulated(
  tx: EntityManager,
  tenantId: string,
  contacts: readonly SimulatedContact[],
  filters: readonly Explained[],
  options: ExplainOptions,
): Promise<Map<number, Map<number, Explanation>>> {
  return explainEach(tx, tenantId, filters, options, {
    sources: () => createJoinedSources(contacts),
    where: sql`true`,
  });
}

type ExplainOptions = Pick<CompileOptions, 'execution'> & { now?: Date };

async function explainEach(
  tx: EntityManager,
  tenantId: string,
  filters: readonly Explained[],
  { now = new Date(), execution }: ExplainOptions,
  of: { sources: () => JoinedSources; where: RawBuilder<unknown> },
): Promise<Map<number, Map<number, Explanation>>> {
  const explained = new Map<number, Map<number, Explanation>>();
  const customFields = await customFieldTypes(tx, tenantId);
  for (const part of splitByLeaves(filters)) {
    const sources = of.sources();
    const options = { now, customFields, sources, ...(execution ? { execution } : {}) };
    const leaves = part.flatMap(({ filter }) => leavesOf(filter)).map((leaf) => askLeaf(leaf, options));
    // An array instead of jsonb_build_array, because a function can have at most a hundred arguments.
    const found = await rows<{ id: number; values: unknown[]; verdicts: boolean[] }>(
      tx,
      sql`
      select c.id, to_jsonb(array[${sql.join(leaves.map((leaf) => sql`to_jsonb(${leaf.value})`))}]) as values, array[${sql.join(leaves.map((leaf) => leaf.verdict))}]::boolean[] as verdicts
      ${sources.from()} where c.tenant_id = ${tenantId} and ${of.where}`,
    );
    for (const { id: contactId, values, verdicts } of found) {
      const answers = leaves.map((leaf, index) => leaf.read(values[index], verdicts[index] ?? false)).values();
      const ofContact = explained.get(contactId) ?? new Map<number, Explanation>();
      for (const { id, filter } of part) ofContact.set(id, explain(filter, answers));
      explained.set(contactId, ofContact);
    }
  }
  return explained;
}

/** The leaves of a filter, in order. */
export const leavesOf = (filter: Filter): (FieldLeaf | EventLeaf)[] =>
  isGroup(filter) ? filter.conditions.flatMap(leavesOf) : [filter];

interface Asked {
  value: RawBuilder<unknown>;
  verdict: RawBuilder<unknown>;
  /** Converts the leaf's value to its form in the API. */
  read: (value: unknown, verdict: boolean) => { value: unknown; holds: boolean };
}

interface AskOptions extends Pick<CompileOptions, 'execution'> {
  now: Date;
  customFields: ReadonlyMap<string, CustomFieldType>;
  sources: JoinedSources;
}

function askLeaf(leaf: FieldLeaf | EventLeaf, options: AskOptions): Asked {
  const { sources } = options;
  if (isEventLeaf(leaf)) {
    return {
      value: sources.counted(leaf.event, wantedActivities(leaf, options)),
      verdict: sql`null`,
      read: (value) => ({ value, holds: countMatches(leaf, Number(value)) }),
    };
  }
  const verdict = compileFilter(leaf, 'c', options);
  const sets: Record<string, RawBuilder<unknown>> = {
    tags: sql`c.tags`,
    listId: sources.lists,
    segmentId: sources.members,
  };
  const set = sets[leaf.field];
  if (set) return { value: set, verdict, read: (value, holds) => ({ value, holds }) };
  const operand = operandOf(leaf.field, { alias: 'c', ...options });
  return { value: operand.value, verdict, read: (value, holds) => ({ value: asApi(value, operand.stored), holds }) };
}

function asApi(value: unknown, stored: string): unknown {
  if (value === null) return null;
  if (stored === 'instant') return new Date(value as string).toISOString();
  return stored === 'boolean' ? value === 'true' : value;
}

function countMatches({ operator, count = 1 }: EventLeaf, happened: number): boolean {
  if (operator === 'none') return happened === 0;
  return operator === 'atLeast' ? happened >= count : happened <= count;
}

/** Inserts the results, which are in the order of the leaves, into the tree. */
function explain(filter: Filter, answers: Iterator<{ value: unknown; holds: boolean }>): Explanation {
  if (!isGroup(filter)) return { filter, ...(answers.next().value as { value: unknown; holds: boolean }) };
  const conditions = filter.conditions.map((condition) => explain(condition, answers));
  const some = conditions.some(({ holds }) => holds);
  return {
    op: filter.op,
    holds: filter.op === 'and' ? conditions.every(({ holds }) => holds) : filter.op === 'or' ? some : !some,
    conditions,
  };
}
