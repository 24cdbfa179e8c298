const PARAMETER = 'contactToken';
const KEY = 'perennial.contactToken';

/** The page may have no storage: it can be forbidden by its visitor or its frame. */
function storage<T>(use: (storage: Storage) => T): T | null {
  try {
    return use(window.localStorage);
  } catch {
    return null;
  }
}

/** Takes the token of the page's URL out of the address bar, so that it is not copied along with the address. */
function takeFromUrl(): string | null {
  const url = new URL(window.location.href);
  const token = url.searchParams.get(PARAMETER);
  if (token === null) return null;
  url.searchParams.delete(PARAMETER);
  window.history.replaceState(window.history.state, '', url);
  return token;
}

/**
 * The token of the visitor's contact: from the page's URL, else from an earlier visit. It is kept only after a
 * submission with consent.
 */
export function createContactToken() {
  let token = takeFromUrl() ?? storage((kept) => kept.getItem(KEY));
  return {
    get: () => token,
    keep(given: string): void {
      token = given;
      storage((kept) => kept.setItem(KEY, given));
    },
    /** The visitor is somebody else. */
    forget(): void {
      token = null;
      storage((kept) => kept.removeItem(KEY));
    },
  };
}

export type ContactToken = ReturnType<typeof createContactToken>;
