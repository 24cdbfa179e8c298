import { FILTER_EVENTS, type FilterEvent } from '../../../events/contracts.ts';
import { isEventLeaf, isGroup, type Filter } from './filter.ts';

/**
 * A kind of change, besides time, that can alter a filter's result. `member:7`: contacts enter or leave segment or list
 * 7. `segment:7`: no real change; it selects segment 7 for a new evaluation. `levels`: the limits of cold, warm and hot.
 */
export type ChangeKind =
  'contact' | 'company' | 'score' | 'levels' | 'lists' | `member:${number}` | `segment:${number}` | `event:${string}`;

/** All kinds of change that a filter's result depends on. */
export function changeKindsOf(filter: Filter): Set<ChangeKind> {
  const causes = new Set<ChangeKind>();
  const visit = (node: Filter): void => {
    if (isGroup(node)) node.conditions.forEach(visit);
    else if (isEventLeaf(node)) causes.add(`event:${node.event}`);
    else if (node.field === 'score') causes.add('score');
    else if (node.field === 'qualification') causes.add('score').add('levels');
    else if (node.field.startsWith('company.')) causes.add('company');
    else if (node.field !== 'listId' && node.field !== 'segmentId') causes.add('contact');
    else if (node.operator === 'exists' || node.operator === 'notExists') causes.add('lists');
    else for (const id of Array.isArray(node.value) ? node.value : [node.value]) causes.add(`member:${Number(id)}`);
  };
  visit(filter);
  return causes;
}

/** The events after which a filter's result for their contact may be another one. */
export function eventsThatChange(filter: Filter): FilterEvent[] {
  const kinds = [...changeKindsOf(filter)];
  const has = (...changed: string[]): boolean => kinds.some((kind) => changed.includes(kind.split(':')[0]!));
  return FILTER_EVENTS.filter((event) => {
    if (kinds.includes(`event:${event}`)) return true;
    if (event === 'CONTACT_UPDATED') return has('contact', 'company');
    if (event === 'CONTACT_UNSUBSCRIBED' || event === 'EMAIL_BOUNCED') return has('contact');
    if (event === 'SCORE_UPDATED') return has('score');
    if (event === 'SEGMENT_ENTERED' || event === 'SEGMENT_LEFT') return has('lists', 'member');
    return false;
  });
}
