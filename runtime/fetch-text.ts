const TIMEOUT_MS = 5_000;
const MAX_BYTES = 64 * 1024;

/** The text at an address, which its caller has judged: no redirect is followed. Throws unless it is there at once and short. */
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
