import type { OutboundAnswer } from '../../outbound/outbound.ts';

/** Shorter texts are not looked for: they would be found everywhere. */
const SHORTEST = 6;

/** All texts in a provider's credentials. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

/** An answer without the credentials that the provider repeats in it, as some do in their errors. */
export function withoutSecrets(answer: OutboundAnswer, credentials: Record<string, unknown>): OutboundAnswer {
  const secrets = textsOf(credentials).filter(({ length }) => length >= SHORTEST);
  const text = answer.body.toString();
  const found = secrets.filter((secret) => text.includes(secret));
  // Basic authentication has them encoded, after a name.
  const encoded = (text.match(/[A-Za-z0-9+/]{16,}={0,2}/g) ?? []).filter((word) => {
    const decoded = Buffer.from(word, 'base64').toString();
    return secrets.some((secret) => decoded.includes(secret));
  });
  if (found.length === 0 && encoded.length === 0) return answer;
  const shown = [...found, ...encoded]
    .sort((a, b) => b.length - a.length)
    .reduce((rest, secret) => rest.replaceAll(secret, '…'), text);
  return { ...answer, body: Buffer.from(shown) };
}
