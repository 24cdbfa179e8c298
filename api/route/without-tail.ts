/**
 * A token without what mail and chat programs take into the link that ends with it: a full stop, a bracket, an
 * ellipsis. No token of ours has such characters.
 */
export const withoutTail = (token: string): string => token.replace(/[^\w-]+$/, '');

/** A path or URL without punctuation at its end, which it may have had of its own. */
export const withoutPunctuation = (text: string): string => text.replace(/[.,;:!?()<>[\]{}'"*…»«›‹“”„’‘]+$/u, '');
