/** How a text begins that a spreadsheet would run as a formula, whatever apostrophes are before it. */
const FORMULA = /^'*[=+\-@\t\r]/;

/** A text as a cell that no spreadsheet runs: an apostrophe before it, where it begins like a formula. A phone number does, too. */
export const escapeFormula = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);

/** The text of such a cell. */
export const unescapeFormula = (cell: string): string => (cell[0] === "'" && FORMULA.test(cell) ? cell.slice(1) : cell);
