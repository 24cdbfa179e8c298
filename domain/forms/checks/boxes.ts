/** Types of which a browser sends nothing if nothing is ticked. */
const BOXES: readonly string[] = ['checkbox', 'consent', 'multiselect'];
export const isBox = ({ type }: { type: string }): boolean => BOXES.includes(type);
