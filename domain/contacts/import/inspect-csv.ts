import { normaliseEmail } from '../../common/fields.ts';
import { isViolation, type Violation } from '../../../lib/checks/violation.ts';
import { detectFormat } from './csv/detect.ts';
import { decodeUnits, toUnits, unitBytes, type CsvFormat, type CsvHead } from './csv/encoding.ts';
import { mapHeader, type ColumnPlan, type CustomFields, type HeaderMapping } from './map-header.ts';
import { isKnownSpelling } from './header-names.ts';
import type { CsvPosition } from './csv/read-csv.ts';
import { scanRecord } from './csv/scan-record.ts';
import type { ImportWarning } from './warnings.ts';

export interface InspectOptions {
  readonly encoding?: string | undefined;
  readonly delimiter?: string | undefined;
  readonly mapping?: HeaderMapping | undefined;
  readonly customFields: CustomFields;
}

/** What is needed to read a file's rows; plain data, stored with the import. */
export interface CsvInspection {
  readonly format: CsvFormat;
  /** Number of cells in the header, including empty ones. */
  readonly cells: number;
  readonly plan: ColumnPlan;
  /** Where the first chunk starts. */
  readonly from: CsvPosition;
  readonly warnings: readonly ImportWarning[];
}

/**
 * Inspects the start of a file. Returns how to read it, or why it cannot be imported. Violations: those of
 * `detectFormat` and `mapHeader`, and `invalid_header` (a header with undecodable bytes or wrong quotes, or longer
 * than the head).
 */
export function inspectCsv(
  head: CsvHead,
  options: InspectOptions,
): CsvInspection | { readonly errors: readonly Violation[] } {
  const detected = detectFormat(head, { ...options, isKnownHeader: isKnownSpelling });
  if (isViolation(detected)) return { errors: [detected] };
  const { encoding, delimiter, bomBytes, separatorLine } = detected;
  const unit = unitBytes(encoding);
  const usable = head.bytes.length - ((head.bytes.length - bomBytes) % unit);
  const text = toUnits(head.bytes.subarray(bomBytes, usable), encoding);

  let at = separatorLine;
  for (let row = separatorLine === 0 ? 1 : 2; at < text.length; row++) {
    const start = at;
    const scan = scanRecord(text, start, delimiter.charCodeAt(0), text.length, head.complete);
    if (scan.kind !== 'record') break;
    at = scan.end;
    const decoded = scan.cells.map((cell) => decodeUnits(cell, encoding));
    if (decoded.every((cell) => cell.text.trim() === '')) continue;
    if (decoded.some(({ valid }) => !valid)) return invalidHeader(`cannot be read as ${encoding}`);
    const cells = decoded.map((cell) => cell.text);
    // Addresses alone, without a header.
    const bare =
      !Object.hasOwn(options.mapping ?? {}, cells[0]!) &&
      cells.filter((cell) => cell.trim() !== '').length === 1 &&
      !isViolation(normaliseEmail(cells[0]!));
    const plan = mapHeader(bare ? ['email'] : cells, options.customFields, options.mapping);
    if ('errors' in plan) return plan;
    const from = { chunk: 0, row: bare ? row : row + 1, offset: bomBytes + (bare ? start : at) * unit };
    const warnings = [
      ...(detected.judged ? [judged(encoding)] : []),
      ...(bare
        ? [{ code: 'no_header', column: null, message: 'the file has no header: its lines are addresses' }]
        : []),
      ...plan.warnings,
    ];
    return { format: { encoding, delimiter }, cells: scan.cells.length, plan, from, warnings };
  }
  return invalidHeader(head.complete ? 'has a misplaced or unclosed quote' : 'is malformed or too long');
}

const invalidHeader = (what: string) => ({ errors: [{ code: 'invalid_header', message: `the header ${what}` }] });

const judged = (encoding: string): ImportWarning => ({
  code: 'encoding_judged',
  column: null,
  message: `the encoding was judged by the text: ${encoding}; if characters are wrong, give \`encoding\``,
});
