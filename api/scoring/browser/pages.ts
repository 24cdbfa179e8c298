import { withoutToken } from './visitor-token.ts';

/** The address of the page without the token, and without a fragment unless that is the route of an application. */
function currentPage(): string {
  const { href, hash } = window.location;
  return withoutToken(/^#[/!]/.test(hash) ? href : href.slice(0, href.length - hash.length));
}

/**
 * Calls `tell` for the page, and for each that an application shows later in the same document by the history, with the
 * address of the one before. The same address twice in a row is one page.
 */
export function watchPages(tell: (url: string, referrer: string) => void): void {
  let last = '';
  const look = (): void => {
    const url = currentPage();
    if (url === last || !/^https?:/.test(url)) return;
    tell(url, last || document.referrer);
    last = url;
  };
  // In the next turn, when the application has set the title.
  const lookLater = (): void => void setTimeout(look);
  const { history } = window;
  const push = history.pushState.bind(history);
  history.pushState = (...args) => {
    push(...args);
    lookLater();
  };
  window.addEventListener('popstate', lookLater);
  // A page that the browser loads in advance may never be seen.
  if ((document as { prerendering?: boolean }).prerendering)
    document.addEventListener('prerenderingchange', look, { once: true });
  else look();
}
