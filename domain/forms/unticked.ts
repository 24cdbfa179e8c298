import type { FormField } from '../../db/entities/forms.ts';
import { isBox } from './checks/boxes.ts';

const isSent = (data: Record<string, unknown>, name: string): boolean =>
  Object.hasOwn(data, name) && data[name] !== undefined && data[name] !== null && data[name] !== '';

/**
 * What a page's post answers. Browsers send nothing for a box that is not ticked: those that the page showed, and only
 * those, were left unticked. What was not shown is not answered.
 */
export function withUnticked(
  fields: readonly FormField[],
  data: Record<string, unknown>,
  shown: ReadonlySet<string>,
): Record<string, unknown> {
  const unticked = fields.filter((field) => isBox(field) && shown.has(field.name) && !isSent(data, field.name));
  return {
    ...data,
    ...Object.fromEntries(unticked.map(({ name, type }) => [name, type === 'multiselect' ? [] : false])),
  };
}
