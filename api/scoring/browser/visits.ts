/**
 * The script that tells the service which pages a known contact visits. The element that loads it has the site in its
 * address, and `data-consent="true"` if the visitor agreed to be remembered. Without a token of a contact it sends
 * nothing; it sets no cookies.
 */
import { watchPages } from './pages.ts';
import { createVisitorToken } from './visitor-token.ts';

declare global {
  interface Window {
    perennialVisits?: {
      /** Whether the visitor agrees to be remembered in this browser; false also forgets who it is. */
      consent: (isGiven: boolean) => void;
    };
  }
}

/** Characters; the service refuses more. */
const MAX_URL = 2048;
const MAX_TITLE = 300;

function start({ src, dataset }: HTMLScriptElement): void {
  const { origin, pathname, searchParams } = new URL(src);
  const endpoint = origin + pathname.replace(/\/[^/]+$/, '');
  const token = createVisitorToken(dataset['consent'] === 'true');
  window.perennialVisits = { consent: token.consent };
  watchPages((url, referrer) => {
    const contactToken = token.get();
    if (!contactToken) return;
    const visit = {
      site: searchParams.get('site'),
      contactToken,
      url: url.slice(0, MAX_URL),
      referrer: /^https?:/.test(referrer) ? referrer.slice(0, MAX_URL) : undefined,
      title: [...document.title].slice(0, MAX_TITLE).join(''),
    };
    // Text needs no preflight, and `keepalive` outlives the page. A visit that cannot be told is lost.
    fetch(endpoint, {
      method: 'POST',
      headers: { 'Content-Type': 'text/plain' },
      body: JSON.stringify(visit),
      credentials: 'omit',
      keepalive: true,
    }).catch(() => {});
  });
}

// A page may load the script twice.
if (document.currentScript instanceof HTMLScriptElement && !window.perennialVisits) start(document.currentScript);
