/** The URL of one of these protocols, or null: where it is none, or its credentials can not be decoded. */
export function readUrl(text: string, protocol: RegExp): URL | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !protocol.test(url.protocol)) return null;
  try {
    decodeURIComponent(url.username);
    decodeURIComponent(url.password);
    return url;
  } catch {
    return null;
  }
}
