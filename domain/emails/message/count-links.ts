const CLICK = '/api/v1/emails/tracking/click/';

/** The number of distinct links in a rendered email that lead through the click endpoint. */
export function countLinks(html: string): number {
  const targets = new Set<string>();
  for (let at = html.indexOf(CLICK); at !== -1; at = html.indexOf(CLICK, at + 1)) {
    const query = html.indexOf('?url=', at);
    // The URL ends with the quoted attribute; the query itself is percent-encoded.
    const rest = html.slice(query, query + 6100);
    targets.add(rest.slice(0, rest.search(/["'\s<>]|$/)));
  }
  return targets.size;
}
