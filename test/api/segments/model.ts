import type { EventLeaf, FieldLeaf, Filter } from '../../../domain/membership/filter/filter.ts';

const DAY = 86_400_000;

/** A contact as the model of filters knows it: API field names, null = missing, sets as lists. */
export interface ModelContact {
  id: number;
  /** By filter name: `firstName`, `company.name`, `customFields.seats`, `createdAt` (a Date), `score` … */
  fields: Record<string, string | number | boolean | Date | null>;
  tags: string[];
  /** Ids of segments and lists; `lists` are the static ones among them. */
  memberOf: number[];
  lists: number[];
  events: { type: string; at: Date; automated: boolean; data: Record<string, unknown> }[];
}

export interface ModelContext {
  now: Date;
  execution?: { id: number; startedAt: Date };
}

/** What a filter says of a contact, straight from the words of its documentation and with none of the compiler's code. */
export function holds(filter: Filter, contact: ModelContact, context: ModelContext): boolean {
  if ('op' in filter) {
    const verdicts = filter.conditions.map((condition) => holds(condition, contact, context));
    if (filter.op === 'and') return verdicts.every(Boolean);
    return filter.op === 'or' ? verdicts.some(Boolean) : !verdicts.some(Boolean);
  }
  if ('event' in filter) return eventHolds(filter, contact, context);
  if (filter.field === 'tags') return setHolds(filter, contact.tags, contact.tags.length);
  if (filter.field === 'listId') return setHolds(filter, contact.memberOf, contact.lists.length);
  if (filter.field === 'segmentId') return setHolds(filter, contact.memberOf, contact.memberOf.length);
  return fieldHolds(filter, contact.fields[filter.field] ?? null, context.now);
}

function setHolds({ operator, value }: FieldLeaf, set: (string | number)[], size: number): boolean {
  const wanted = [value].flat().map((item) => (typeof item === 'string' ? item.normalize('NFC') : item)) as (
    string | number
  )[];
  const some = wanted.some((item) => set.includes(item));
  switch (operator) {
    case 'exists':
      return size > 0;
    case 'notExists':
      return size === 0;
    case 'contains':
      return set.some((item) => String(item).toLowerCase() === String(wanted[0]).toLowerCase());
    case 'eq':
    case 'in':
      return some;
    default:
      return !some;
  }
}

function fieldHolds(
  { field, operator, value }: FieldLeaf,
  has: string | number | boolean | Date | null,
  now: Date,
): boolean {
  if (operator === 'ne' || operator === 'notIn' || operator === 'notExists') {
    const opposite = ({ ne: 'eq', notIn: 'in', notExists: 'exists' } as const)[operator];
    return !fieldHolds({ field, operator: opposite, value: value ?? null }, has, now);
  }
  if (has === null) return false;
  if (operator === 'exists') return true;
  if (has instanceof Date) return timeHolds(operator, value, has.getTime(), now.getTime());
  const values = [value].flat().map((item) => (typeof item === 'string' ? item.normalize('NFC') : item)) as (
    string | number | boolean
  )[];
  const fold = (item: unknown) => (field === 'email' ? String(item).toLowerCase() : item);
  const [first, second] = values as [string | number, string | number];
  const [text, part] = [String(has).toLowerCase(), String(first).toLowerCase()];
  switch (operator) {
    case 'eq':
    case 'in':
      return values.some((item) => fold(item) === fold(has));
    case 'contains':
      return text.includes(part);
    case 'startsWith':
      return text.startsWith(part);
    case 'endsWith':
      return text.endsWith(part);
    case 'gt':
    case 'after':
      return has > first;
    case 'gte':
      return has >= first;
    case 'lt':
    case 'before':
      return has < first;
    case 'lte':
      return has <= first;
    case 'between':
      return has >= first && has <= second;
    case 'withinLastDays': {
      const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
      return has >= day(now.getTime() - Number(value) * DAY) && has <= day(now.getTime());
    }
    default:
      throw new Error(operator);
  }
}

function timeHolds(operator: string, value: unknown, at: number, now: number): boolean {
  if (operator === 'withinLastDays') return at <= now && at >= now - Number(value) * DAY;
  const ranges = [value].flat().map((item) => {
    const from = Date.parse(String(item));
    return { from, until: from + (String(item).length === 10 ? DAY : 1) };
  });
  const [first, last] = [ranges[0]!, ranges.at(-1)!];
  switch (operator) {
    case 'eq':
    case 'in':
      return ranges.some(({ from, until }) => at >= from && at < until);
    case 'gt':
    case 'after':
      return at >= first.until;
    case 'gte':
      return at >= first.from;
    case 'lt':
    case 'before':
      return at < first.from;
    case 'lte':
      return at < first.until;
    case 'between':
      return at >= first.from && at < last.until;
    default:
      throw new Error(operator);
  }
}

function eventHolds(leaf: EventLeaf, contact: ModelContact, { now, execution }: ModelContext): boolean {
  const since = leaf.withinDays === undefined ? execution?.startedAt.getTime() : now.getTime() - leaf.withinDays * DAY;
  const counted = contact.events.filter((event) => {
    if (event.type !== leaf.event || event.automated || (since !== undefined && event.at.getTime() < since))
      return false;
    if ((event.type === 'EMAIL_SENT' || event.type === 'MESSAGE_SENT') && event.data['status'] !== 'SENT') return false;
    return (leaf.where ?? []).every((where) => {
      const mine = execution !== undefined && event.data['executionId'] === execution.id;
      const value = where.field === 'stepId' && !mine ? null : event.data[where.field];
      return fieldHolds(where, (value ?? null) as string | number | null, now);
    });
  }).length;
  if (leaf.operator === 'none') return counted === 0;
  return leaf.operator === 'atLeast' ? counted >= (leaf.count ?? 1) : counted <= leaf.count!;
}
