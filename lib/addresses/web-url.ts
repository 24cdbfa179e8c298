/**
 * Whether a URL that an editor gives can be shown to visitors: http or https, with a host, and without a user name, which
 * looks like a host (`https://bank.example@elsewhere.example`).
 */
export function isWebUrl(url: string): boolean {
  const parsed = URL.parse(url);
  return (
    parsed !== null &&
    (parsed.protocol === 'https:' || parsed.protocol === 'http:') &&
    parsed.username === '' &&
    parsed.password === ''
  );
}
