import type { EntityManager } from '../../../db/orm.ts';
import { isEventLeaf, type EventLeaf, type FieldLeaf, type Filter } from '../../membership/filter/filter.ts';
import { explainFilters, leavesOf, type Explanation } from '../../membership/members/explain-membership.ts';

/** The most characters of a reason. */
const MAX_REASON = 1000;
const MAX_VALUE = 100;

/** The execution for whose contact filters are judged. */
export interface Judged {
  tenantId: string;
  executionId: number;
  contactId: number;
  /** From when on event leaves count. */
  startedAt: Date;
}

/** Whether a filter holds for an execution's contact, and why: the value of each leaf at that time. */
export interface Verdict {
  holds: boolean;
  reason: string;
}

/**
 * Judges filters for the contact of an execution. If there is no contact any more, none holds.
 */
export async function judge(tx: EntityManager, by: Judged, filters: readonly Filter[]): Promise<Verdict[]> {
  const asked = filters.map((filter, id) => ({ id, filter, leaves: leavesOf(filter).length }));
  const execution = { id: by.executionId, startedAt: by.startedAt };
  const explained = await explainFilters(tx, by.tenantId, by.contactId, asked, { execution });
  return asked.map(({ id }) => verdictOf(explained.get(id)));
}

/** The verdict for an explained filter; undefined if there is no contact any more. */
export const verdictOf = (found: Explanation | undefined): Verdict =>
  found
    ? { holds: found.holds, reason: shortened(describe(found), MAX_REASON) }
    : { holds: false, reason: 'the contact does not exist' };

const shortened = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 1)}…` : text;

/** `score gte 50: no (30)`; a group shows its conditions. */
function describe(explained: Explanation): string {
  if ('op' in explained) return `${explained.op} (${explained.conditions.map(describe).join('; ')})`;
  const { filter, value, holds } = explained;
  return `${describeLeaf(filter)}: ${holds ? 'yes' : 'no'} (${describeValue(filter, value)})`;
}

/** Whether the leaf compares times with dates, or with today: both are days in UTC. */
const isOfUtcDays = ({ field, operator, value }: FieldLeaf): boolean =>
  operator === 'withinLastDays' ||
  (['createdAt', 'updatedAt'].includes(field) &&
    /^[^T]+$/.test(String(Array.isArray(value) ? value[0] : (value ?? 'T'))));

function describeLeaf(leaf: FieldLeaf | EventLeaf): string {
  if (!isEventLeaf(leaf)) {
    const value =
      leaf.value === undefined || leaf.value === null ? '' : ` ${shortened(JSON.stringify(leaf.value), MAX_VALUE)}`;
    return `${leaf.field} ${leaf.operator}${value}${isOfUtcDays(leaf) ? ' in UTC' : ''}`;
  }
  const { event, operator, count = 1, where = [] } = leaf;
  const times = operator === 'none' ? 'none' : `${operator} ${count}`;
  return [`${event} ${times}`, ...where.map(describeLeaf)].join(', ');
}

function describeValue(leaf: FieldLeaf | EventLeaf, value: unknown): string {
  if (isEventLeaf(leaf)) return `${Number(value)} times`;
  // In a simulation, a company that it would create has a negative id.
  if (leaf.field === 'companyId' && typeof value === 'number' && value < 0) return 'new';
  return value === null || value === undefined ? 'empty' : shortened(JSON.stringify(value), MAX_VALUE);
}
