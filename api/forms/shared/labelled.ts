const MAX_LABEL = 60;

/** A message about a field behind its label: without the label's own punctuation, and a long one, as of consents, cut. */
export function labelled(label: string, message: string): string {
  const name = label.replace(/[\s?:.!*]+$/, '') || label;
  return `${name.length > MAX_LABEL ? `${name.slice(0, MAX_LABEL).trim()}…` : name}: ${message}`;
}
