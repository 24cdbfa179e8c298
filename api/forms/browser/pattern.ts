import { isQuick } from '../shared/quick-pattern.ts';

/** Characters about which the classes `\s` and `\S` of RE2 and of JavaScript disagree. */
const OTHER_SPACES = /[\v\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]/;

/**
 * Whether a whole text matches a pattern in RE2 syntax, as far as JavaScript can tell: true, for the server to decide,
 * if the pattern means nothing here or could keep the page busy. With the flags `s` and `u`, what compiles here never refuses what RE2 accepts.
 */
export function matchesPattern(pattern: string, text: string): boolean {
  if (OTHER_SPACES.test(text) || !isQuick(pattern, text.length)) return true;
  try {
    return new RegExp(`^(?:${pattern})$`, 'su').test(text);
  } catch {
    return true;
  }
}
