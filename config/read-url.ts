/**
 * Parses a URL with one of these protocols. Null if it is none, has no host (`smtp:mail.example.com`), hides control
 * characters, or has credentials that cannot be decoded.
 */
export function readUrl(text: string, protocol: RegExp): URL | null {
  if (!/^[a-z]+:\/\//i.test(text) || /%([01][\da-f]|7f)/i.test(text)) return null;
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
