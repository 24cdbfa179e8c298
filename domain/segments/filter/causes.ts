import { isEventLeaf, isGroup, type Filter } from './filter.ts';

/**
 * What can change a filter's verdict on a contact, time apart. `member:7` = being in segment or list 7; `segment:7` = segment 7
 * itself is to be judged; `levels` = where cold, warm and hot lie.
 */
export type Cause = 'contact' | 'company' | 'score' | 'levels' | 'lists' | `member:${number}` | `segment:${number}` | `event:${string}`;

/** All causes that a filter's verdict hangs on. */
export function causesOf(filter: Filter): Set<Cause> {
  const causes = new Set<Cause>();
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
