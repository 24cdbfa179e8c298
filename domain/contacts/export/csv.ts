/** Options of csv-stringify (RFC 4180). Cells with a lone LF or CR are quoted, too: readers take these for a row end. */
export const CSV = { record_delimiter: '\r\n', quoted_match: /[\r\n]/ } as const;
