/**
 * Options of csv-stringify (RFC 4180). Also quotes cells with a lone LF or CR, which readers interpret as the end of a
 * row.
 */
export const CSV = { record_delimiter: '\r\n', quoted_match: /[\r\n]/ } as const;

/** The byte order mark, by which Excel knows that a CSV is UTF-8. */
export const BOM = '\ufeff';
