const CONTACT_TOKEN = 'contactToken';
const OWN_PAGE = '/api/v1/emails/(?:view|preferences|unsubscribe)';
/** In an address: a parameter of that name and of no longer one, or one of our pages with its token. */
const NESTED_TOKEN = new RegExp(`(?<![\\w.~-])${CONTACT_TOKEN}=|${OWN_PAGE}/[\\w-]`);
const PAGE_TOKEN = new RegExp(`(${OWN_PAGE})/[\\w-]+/*$`);
const PARTS = /^([^?#]*)(?:\?([^#]*))?(?:#([^]*))?$/;
/** How often a value is decoded: an address in an address in an address. Bounded, because anybody can tell of a visit. */
const MOST_DECODED = 4;

/** The text with its ASCII characters decoded, also if others are malformed. */
const decoded = (text: string): string =>
  text.replace(/%[0-7][0-9a-f]/gi, (code) => String.fromCharCode(parseInt(code.slice(1), 16)));

/** Whether a parameter is the token of a contact, or has an address with a token as its value, however often encoded. */
function hasToken(parameter: string): boolean {
  const at = parameter.indexOf('=');
  if (decoded(at < 0 ? parameter : parameter.slice(0, at)) === CONTACT_TOKEN) return true;
  // A parameter may be an address without a name: its own `=` is then that of the address.
  let value = parameter;
  for (let times = 0; times <= MOST_DECODED; times += 1) {
    if (NESTED_TOKEN.test(value)) return true;
    value = decoded(value);
  }
  return false;
}

/** A query with its `?`, without parameters that have a token; empty if nothing is left. */
function keptQuery(query: string | undefined): string {
  const kept = query?.split('&').filter((parameter) => !hasToken(parameter)) ?? [];
  return kept.length === 0 ? '' : `?${kept.join('&')}`;
}

/** A fragment with its `#`; that of an application may be a route with a query. */
function keptFragment(fragment: string | undefined): string {
  if (fragment === undefined) return '';
  const at = fragment.indexOf('?');
  const route = at < 0 ? fragment : fragment.slice(0, at);
  const parameters = route.split('&').filter((parameter) => !hasToken(parameter));
  return `#${parameters.join('&')}${at < 0 ? '' : keptQuery(fragment.slice(at + 1))}`;
}

/**
 * The URL of a click or visit as it is stored and told: without what stands for its recipient, which is the parameter
 * `contactToken`, in the query or the fragment, and the token in the path of the web view, of the preference page and of
 * the unsubscribe page; and without a parameter that has an address with one of these as its value. So nobody who reads
 * events gets a token, and the clicks of all recipients on a link have the same URL. The rest is unchanged, byte for
 * byte.
 */
export function keptUrl(url: string): string {
  const [, path = '', query, fragment] = PARTS.exec(url) ?? [];
  return `${path.replace(PAGE_TOKEN, '$1')}${keptQuery(query)}${keptFragment(fragment)}`;
}
