import { keptUrl } from '../../addresses/kept-url.ts';
import { queryOf } from '../rendering/links.ts';

const CLICK = '/api/v1/emails/tracking/click/';

/**
 * The number of distinct links in a rendered email that lead through the click endpoint; distinct as the URLs of their
 * clicks are.
 */
export function countLinks(html: string): number {
  const targets = new Set<string>();
  for (let at = html.indexOf(CLICK); at !== -1; at = html.indexOf(CLICK, at + 1)) {
    const query = html.indexOf('?url=', at);
    // The URL ends with the quoted attribute; the query itself is percent-encoded.
    const rest = html.slice(query, query + 6100);
    const target = rest.slice('?url='.length, rest.search(/["'\s<>]|$/));
    // Only this makes different links the same; to decode every link of every email would cost too much.
    targets.add(target.includes('contactToken') ? keptTarget(target) : target);
  }
  return targets.size;
}

function keptTarget(target: string): string {
  try {
    return queryOf(keptUrl(decodeURIComponent(target)));
  } catch {
    // A text that only looks like a link of the service.
    return target;
  }
}
