import { isViolation, type Violation } from '../../../lib/checks/violation.ts';
import { parseBoolean } from '../../contact-values/booleans.ts';

/**
 * Fields that only imports have: `optedOut` (yes, or when), `bounced` (yes, or when) and `subscribed` (no means opted
 * out). They set the contact's status.
 */
export const CONSENT_FIELDS = ['optedOut', 'subscribed', 'bounced'] as const;
export type ConsentField = (typeof CONSENT_FIELDS)[number];

export const isConsentField = (name: string): name is ConsentField =>
  (CONSENT_FIELDS as readonly string[]).includes(name);

/** Whether a column of the field says who may be mailed. Several may: the strictest counts. */
export const decidesStatus = (field: string): boolean => field === 'status' || isConsentField(field);

/** The statuses that a file can give, from the least to the most strict. */
export const IMPORTED_STATUSES = ['pending', 'archived', 'unsubscribed', 'bounced', 'complained'] as const;
export type ImportedStatus = (typeof IMPORTED_STATUSES)[number];

/** The stricter of two statuses. */
export const stricter = (a: ImportedStatus | undefined, b: ImportedStatus): ImportedStatus =>
  a !== undefined && IMPORTED_STATUSES.indexOf(a) > IMPORTED_STATUSES.indexOf(b) ? a : b;

/** A status in a cell: null says nothing, because new contacts are active anyway. */
export type ReadStatus = ImportedStatus | null;

/** What programs write for a status, in lower case without blanks and punctuation. */
const WORDS: readonly (readonly [ReadStatus, readonly string[]])[] = [
  [null, ['active', 'subscribed', 'confirmed', 'optin', 'optedin', 'singleoptin', 'doubleoptin', 'valid', 'enabled']],
  [null, ['aktiv', 'abonniert', 'actif', 'abonné', 'activo', 'suscrito', 'aktywny', 'zapisany', 'ativo', 'inscrito']],
  ['pending', ['pending', 'unconfirmed', 'notconfirmed', 'nonsubscribed', 'neversubscribed', 'notsubscribed']],
  ['pending', ['transactional', 'waiting', 'unbestätigt', 'nonconfirmé', 'noconfirmado', 'niepotwierdzony']],
  ['archived', ['archived', 'archiviert', 'archivé', 'archivado', 'zarchiwizowany', 'arquivado', 'inactive']],
  ['unsubscribed', ['unsubscribed', 'optout', 'optedout', 'optedoutofemail', 'blacklisted', 'blocklisted']],
  ['unsubscribed', ['suppressed', 'removed', 'donotemail', 'donotcontact', 'abgemeldet', 'désabonné', 'désinscrit']],
  ['unsubscribed', ['dadodebaja', 'baja', 'wypisany', 'descadastrado', 'cancelado', 'disiscritto', '配信停止']],
  ['bounced', ['bounced', 'cleaned', 'hardbounce', 'hardbounced', 'bounce', 'invalid', 'undeliverable']],
  ['complained', ['complained', 'complaint', 'spam', 'spamcomplaint', 'markedasspam', 'junk']],
];
const STATUSES = new Map(WORDS.flatMap(([status, words]) => words.map((word) => [word, status] as const)));

const INVALID_STATUS: Violation = {
  code: 'invalid_status',
  message:
    'must be active, pending, unsubscribed, bounced, complained or archived; if the column is not about consent, give a mapping of it to null',
};

/** The status that a cell of a status column names. Violation: `invalid_status`. */
export function readStatus(cell: string): ReadStatus | Violation {
  const status = STATUSES.get(cell.toLowerCase().replace(/[^\p{L}\p{N}]/gu, ''));
  return status === undefined ? INVALID_STATUS : status;
}

// A date in any form: such columns tell when somebody opted out or bounced.
const WHEN = /^\D{0,12}\d{1,4}[-./年, ]/;
const INVALID_CONSENT: Violation = { code: 'invalid_boolean', message: 'must be yes or no, or a date' };

/** The status that a cell of a consent column means. Violation: `invalid_boolean`. */
export function readConsent(field: ConsentField, cell: string): ReadStatus | Violation {
  const given = parseBoolean(cell);
  if (given === undefined) {
    const status = readStatus(cell);
    if (!isViolation(status)) return status;
    if (!WHEN.test(cell.trim())) return INVALID_CONSENT;
  }
  const yes = given ?? true;
  if (field === 'subscribed') return yes ? null : 'unsubscribed';
  return yes ? (field === 'bounced' ? 'bounced' : 'unsubscribed') : null;
}
