import { cleanText, isViolation, normaliseEmail, type Violation } from '../common/fields.ts';

const MAX_USERNAME = 50;
const MAX_EMAIL = 100;
const MAX_NAME = 100;
/** Rejects characters that are invisible when displayed: with one of them a name could look like another. */
const USERNAME = /^(?!.*\p{Default_Ignorable_Code_Point})[\p{L}\p{M}\p{N}_][\p{L}\p{M}\p{N}._@+-]*$/u;

const lengthOf = (text: string): number => [...text].length;
const tooLong = (max: number): Violation => ({ code: 'too_long', message: `must be at most ${max} characters` });

/** The address as it is stored and, as `emailKey`, compared. `emailKey` is unique across all tenants. */
export function readEmail(given: string): { email: string; emailKey: string } | Violation {
  const found = normaliseEmail(given);
  if (isViolation(found)) return found;
  // The key may be longer than the address, because it contains the ASCII form of the domain.
  return lengthOf(found.email) > MAX_EMAIL || found.emailKey.length > MAX_EMAIL ? tooLong(MAX_EMAIL) : found;
}

/**
 * The username as it is stored and compared: letters, marks and digits of any script and `._@+-`, in NFKC, ignoring
 * case. One with an `@` must be the user's own address, or it could be mistaken for another user's address at login.
 */
export function readUsername(
  given: string,
  emailKey: string | undefined,
): { username: string; usernameKey: string } | Violation {
  const username = given.trim().normalize('NFKC');
  if (!USERNAME.test(username)) return { code: 'format', message: 'must contain only letters, digits and . _ - +' };
  const address = username.includes('@') ? normaliseEmail(username) : null;
  const usernameKey = address && !isViolation(address) ? address.emailKey : username.toLowerCase();
  if (lengthOf(username) > MAX_USERNAME || lengthOf(usernameKey) > MAX_USERNAME) return tooLong(MAX_USERNAME);
  if (address && usernameKey !== emailKey)
    return { code: 'format', message: 'must not be an email address other than the email of the user' };
  return { username, usernameKey };
}

/** A first or last name, without surrounding space and control characters. */
export function readName(given: string): string | Violation {
  return cleanText(given, MAX_NAME) ?? { code: 'required', message: 'is required' };
}
