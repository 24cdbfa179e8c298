const TIMEOUT_MS = 5_000;
const MAX_BYTES = 64 * 1024;

/** Fetches the text at a URL that the caller has checked. Throws for redirects, slow responses and long texts. */
export async function fetchText(url: URL): Promise<string> {
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!response.ok) throw new Error(`${url.host} responded with ${response.status}`);
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += part.length;
    if (size > MAX_BYTES) throw new Error(`${url.host} responded with more than ${MAX_BYTES} bytes`);
    parts.push(Buffer.from(part));
  }
  return Buffer.concat(parts).toString();
}
