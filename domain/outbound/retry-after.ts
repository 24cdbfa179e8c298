/** The seconds that a Retry-After asks for (RFC 9110, section 10.2.3); null if it is missing or unreadable. */
export function retryAfterSeconds(text: string | undefined, now: number): number | null {
  if (text === undefined) return null;
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : (Date.parse(text) - now) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : null;
}
