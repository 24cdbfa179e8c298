/**
 * A token, path or URL without what mail and chat programs take into the link that ends with it: a full stop, a bracket,
 * an ellipsis. A URL may have had it of its own.
 */
export const withoutPunctuation = (text: string): string => text.replace(/[.,;:!?()<>[\]{}'"*…»«›‹“”„’‘]+$/u, '');
