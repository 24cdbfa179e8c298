/**
 * The start of a text that a spreadsheet would run as a formula, after any number of apostrophes: also in full width,
 * which some take for the same, and a break or tab, which some skip.
 */
const FORMULA = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/**
 * Escapes a text for a CSV: puts an apostrophe before a text that a spreadsheet may take for a formula.
 */
export const escapeFormula = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);

/** The original text of an escaped cell. */
export const unescapeFormula = (cell: string): string => (cell[0] === "'" && FORMULA.test(cell) ? cell.slice(1) : cell);
