import { readUrl } from './read-url.ts';

/** A mail provider in SMTP_URL. */
export interface ProviderSetting {
  /** host:port; a second provider with the same ends in #2. */
  provider: string;
  /** Without our own parameters. */
  url: string;
  /** SMTP connections per sender process; null = SEND_CONNECTIONS. */
  connections: number | null;
  /** Messages per minute of all sender processes together; null = no limit. */
  ratePerMinute: number | null;
}

const OURS = { connections: 500, ratePerMinute: 10_000_000 } as const;

/**
 * The providers in SMTP_URL, in order: a comma-separated list of `smtp://` or `smtps://` URLs, with `connections` and
 * `ratePerMinute` as optional query parameters. Throws RangeError with the reason if the list is invalid.
 */
export function readProviders(smtpUrl: string): ProviderSetting[] {
  const seen = new Map<string, number>();
  return smtpUrl.split(',').map((text) => {
    const url = readUrl(text.trim(), /^smtps?:$/);
    if (!url) throw new RangeError('must be a comma-separated list of smtp:// or smtps:// URLs');
    const [connections = null, ratePerMinute = null] = Object.entries(OURS).map(([name, most]) =>
      takeParameter(url, name, most),
    );
    const address = `${url.hostname || 'localhost'}:${url.port || (url.protocol === 'smtps:' ? 465 : 587)}`;
    const number = (seen.get(address) ?? 0) + 1;
    seen.set(address, number);
    return { provider: number === 1 ? address : `${address}#${number}`, url: url.href, connections, ratePerMinute };
  });
}

function takeParameter(url: URL, name: string, most: number): number | null {
  const text = url.searchParams.get(name);
  if (text === null) return null;
  const value = Number(text);
  if (!/^[1-9]\d*$/.test(text) || value > most)
    throw new RangeError(`must have an integer from 1 to ${most} as ${name}`);
  url.searchParams.delete(name);
  return value;
}
