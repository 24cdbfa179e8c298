const TAB = 9;
const LF = 10;
const CR = 13;
const SPACE = 32;
const QUOTE = 34;

export type Scan =
  | { readonly kind: 'record'; readonly cells: string[]; readonly end: number }
  | { readonly kind: 'more' | 'long' | 'unclosed_quote' | 'malformed_quote' };

const MORE: Scan = { kind: 'more' };
const LONG: Scan = { kind: 'long' };
const UNCLOSED: Scan = { kind: 'unclosed_quote' };
const MALFORMED: Scan = { kind: 'malformed_quote' };

/**
 * Scans one CSV record (RFC 4180) of `text` from `start`; `end` is where the next one starts. LF, CRLF and a lone CR
 * end a record, even mixed. Blanks around a quoted cell are dropped; a quote inside an unquoted cell is an ordinary
 * character. Used where csv-parse is not: for records that it refuses, for finding the end of a broken record, and for
 * the head of a file, of which the API scans up to 256 KiB in one turn of the event loop.
 *
 * `more`: the text ends before the record does, and it is not `final`. `long`: the record extends beyond `limit`, or
 * has more than `most` cells. `malformed_quote`: something other than a delimiter or line break follows a closing
 * quote. `unclosed_quote`: the file ends inside quotes. Apart from `more`, the result depends only on the file's
 * content, not on how much of it `text` contains.
 */
export function scanRecord(
  text: string,
  start: number,
  delimiter: number,
  limit: number,
  final: boolean,
  most = Infinity,
): Scan {
  const length = text.length;
  const cells: string[] = [];
  let at = start;
  for (;;) {
    let open = at;
    let code = text.charCodeAt(open);
    while ((code === SPACE || code === TAB) && code !== delimiter) code = text.charCodeAt(++open);
    if (code === QUOTE) {
      let from = open + 1;
      let value = '';
      for (;;) {
        const close = text.indexOf('"', from);
        if (close > limit || (close === -1 && length > limit)) return LONG;
        if (close === -1) return final ? UNCLOSED : MORE;
        if (text.charCodeAt(close + 1) !== QUOTE) {
          value += text.slice(from, close);
          at = close + 1;
          break;
        }
        value += text.slice(from, close + 1);
        from = close + 2;
      }
      code = text.charCodeAt(at);
      while ((code === SPACE || code === TAB) && code !== delimiter) code = text.charCodeAt(++at);
      if (at > limit) return LONG;
      if (at < length && code !== delimiter && code !== LF && code !== CR) return MALFORMED;
      cells.push(value);
    } else {
      const from = at;
      const stop = length > limit ? limit + 1 : length;
      while (at < stop) {
        code = text.charCodeAt(at);
        if (code === delimiter || code === LF || code === CR) break;
        at++;
      }
      if (at > limit) return LONG;
      cells.push(text.slice(from, at));
    }
    if (at === length) return final ? { kind: 'record', cells, end: at } : MORE;
    if (code === delimiter) {
      if (cells.length === most) return LONG;
      at++;
      continue;
    }
    if (code === CR) {
      if (at + 1 === length && !final) return MORE;
      if (text.charCodeAt(at + 1) === LF) at++;
    }
    return { kind: 'record', cells, end: at + 1 };
  }
}
