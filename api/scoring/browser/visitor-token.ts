/** The parameter of links in emails, and where the script of forms keeps a token too. */
const PARAMETER = 'contactToken=';
const KEY = 'perennial.contactToken';

/** The page may have no storage: it can be forbidden by its visitor or its frame. */
function storage<T>(use: (storage: Storage) => T): T | null {
  try {
    return use(window.localStorage);
  } catch {
    return null;
  }
}

/** The queries of an address: its own, and that of an application's route in its fragment (`#/prices?…`). */
const QUERIES = /(^[^?#]*|#[^?]*)\?([^#]*)/g;
const isToken = (parameter: string): boolean => parameter.startsWith(PARAMETER);

/** An address without the token. */
export const withoutToken = (href: string): string =>
  href.replace(QUERIES, (all, before: string, query: string) => {
    const parameters = query.split('&');
    if (!parameters.some(isToken)) return all;
    const kept = parameters.filter((parameter) => !isToken(parameter));
    return before + (kept.length > 0 ? `?${kept.join('&')}` : '');
  });

const tokenIn = (href: string): string | undefined =>
  [...href.matchAll(QUERIES)]
    .flatMap(([, , query = '']) => query.split('&'))
    .find(isToken)
    ?.slice(PARAMETER.length);

/** The token of the link that led to the page; the script of forms may have taken it out of the address already. */
function tokenOfLink(): string | undefined {
  const [loaded] = performance.getEntriesByType('navigation');
  return tokenIn(window.location.href) || (loaded && tokenIn(loaded.name));
}

/** Takes the token out of the address bar, so that it is not copied along with the address. */
function cleanAddress(): void {
  const { href } = window.location;
  const clean = withoutToken(href);
  if (clean !== href) window.history.replaceState(window.history.state, '', clean);
}

/**
 * The token of the visitor's contact: of the link, else kept by an earlier visit or form. It is kept only while the
 * visitor agrees to that.
 */
export function createVisitorToken(isAgreed: boolean) {
  let ofLink = tokenOfLink();
  let isRefused = false;
  const consent = (isGiven: boolean): void => {
    isRefused = !isGiven;
    if (isGiven) storage((kept) => ofLink && kept.setItem(KEY, ofLink));
    else {
      ofLink = undefined;
      storage((kept) => kept.removeItem(KEY));
    }
  };
  if (isAgreed) consent(true);
  // Scripts of forms that are part of the page read the token before this event.
  if (document.readyState === 'complete') cleanAddress();
  else for (const event of ['DOMContentLoaded', 'load']) window.addEventListener(event, cleanAddress);
  return { consent, get: () => (isRefused ? null : ofLink || storage((kept) => kept.getItem(KEY))) };
}
