import { keptUrl } from '../../addresses/kept-url.ts';
import type { Violation } from '../../../lib/checks/errors.ts';

/** Characters. */
export const MAX_PAGE_URL = 2048;
export const MAX_PAGE_TITLE = 300;

/** What is told of a page that a contact visited. */
export interface VisitedPage {
  url?: string;
  /** The page before it. */
  referrer?: string;
  title?: string;
}

/** A violation for each address that is no http(s) URL; `path` is that of the page in the body. */
export function pageViolations(page: { url?: unknown; referrer?: unknown }, path = ''): Violation[] {
  return (['url', 'referrer'] as const).flatMap((name) => {
    const value = page[name];
    return typeof value !== 'string' || isWebUrl(value)
      ? []
      : [{ path: `${path}/${name}`, code: 'format', message: 'must be a URL that starts with https:// or http://' }];
  });
}

const isWebUrl = (text: string): boolean =>
  /^https?:\/\//i.test(text) && !/[\s\p{Cc}]/u.test(text) && URL.canParse(text);

/** A valid page as it is kept and told to others: without passwords and tokens in its addresses, and what is empty. */
export function keptPage({ url, referrer, title }: VisitedPage): VisitedPage {
  return {
    ...(url ? { url: keptAddress(url) } : {}),
    ...(referrer ? { referrer: keptAddress(referrer) } : {}),
    ...(title ? { title } : {}),
  };
}

function keptAddress(text: string): string {
  const url = new URL(text);
  if (url.username === '' && url.password === '') return keptUrl(text);
  url.username = '';
  url.password = '';
  return keptUrl(url.href);
}
