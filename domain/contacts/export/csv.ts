/** How CSV is written (RFC 4180). A line feed or carriage return by itself needs quotes too: readers take it for the end of a row. */
export const CSV = { record_delimiter: '\r\n', quoted_match: /[\r\n]/ } as const;
