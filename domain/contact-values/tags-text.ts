/** What separates tags in a text. Address books put three colons between them. */
const SEPARATOR = /[,;]|:::/;
const NEEDS_QUOTES = /[,;"]|:::|^\* /;

/**
 * Tags, or the values of a multiselect, as one text, separated by semicolons; one with a separator or a quote in it is
 * quoted as in CSV.
 */
export const formatTags = (tags: readonly string[]): string =>
  tags.map((tag) => (NEEDS_QUOTES.test(tag) ? `"${tag.replaceAll('"', '""')}"` : tag)).join(';');

const QUOTED = /\s*"((?:[^"]|"")*)"\s*(?=[,;]|:::|$)/y;
const UNQUOTED = /(?:(?!:::)[^,;])*/y;

/** The tags in a text, separated by commas or semicolons. A separator inside a quoted tag is a part of it. */
export function parseTags(text: string): string[] {
  if (!text.includes('"')) return text.split(SEPARATOR).map(withoutMark);
  const tags: string[] = [];
  for (let at = 0; at <= text.length;) {
    QUOTED.lastIndex = at;
    const quoted = QUOTED.exec(text);
    if (quoted) {
      tags.push(quoted[1]!.replaceAll('""', '"'));
      at = QUOTED.lastIndex;
    } else {
      UNQUOTED.lastIndex = at;
      tags.push(withoutMark(UNQUOTED.exec(text)![0]));
      at = UNQUOTED.lastIndex;
    }
    at += text.startsWith(':::', at) ? 3 : 1;
  }
  return tags;
}

/** Address books mark their own groups, such as all contacts, with an asterisk: these are no tags. */
const withoutMark = (tag: string): string => (tag.trimStart().startsWith('* ') ? '' : tag);
