import type { Violation } from '../../../lib/checks/errors.ts';

const RULES: { code: string; message: string; holds: (password: string) => boolean }[] = [
  { code: 'too_short', message: 'must have at least 8 characters', holds: (password) => [...password].length >= 8 },
  { code: 'too_long', message: 'must have at most 200 characters', holds: (password) => [...password].length <= 200 },
  { code: 'no_upper_case', message: 'must have an upper-case letter', holds: (password) => /\p{Lu}/u.test(password) },
  { code: 'no_lower_case', message: 'must have a lower-case letter', holds: (password) => /\p{Ll}/u.test(password) },
  { code: 'no_digit', message: 'must have a digit', holds: (password) => /\p{Nd}/u.test(password) },
  {
    code: 'no_special_character',
    message: 'must have a special character',
    holds: (password) => /[^\p{L}\p{N}\s]/u.test(password),
  },
];

/** The violations of the password policy. `path` is the JSON Pointer of the password in the request. */
export function checkPassword(password: string, path = '/password'): Violation[] {
  return RULES.filter((rule) => !rule.holds(password)).map(({ code, message }) => ({ path, code, message }));
}
