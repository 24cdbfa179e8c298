import type { ChannelProvider } from '../../../db/entities/channels.ts';
import { openSecret, sealSecret, type BoxSecrets } from '../../../lib/text/secret-box.ts';

type ProviderKey = Pick<ChannelProvider, 'tenantId' | 'id'>;

/** Binds sealed credentials to their provider, so that they cannot be used in another one's row. */
const ownerOf = ({ tenantId, id }: ProviderKey): string => `channel-provider/${tenantId}/${id}`;

/** Encrypts credentials. */
export const sealCredentials = (env: BoxSecrets, key: ProviderKey, credentials: object): string =>
  sealSecret(env, ownerOf(key), Buffer.from(JSON.stringify(credentials)));

/** Decrypts the credentials of a provider; {} if it has none. Throws if no LINK_SECRET decrypts them. */
export function openCredentials(
  env: BoxSecrets,
  provider: ProviderKey & { credentials?: string | null | undefined },
): Record<string, unknown> {
  if (!provider.credentials) return {};
  const { secret } = openSecret(env, ownerOf(provider), provider.credentials);
  return JSON.parse(secret.toString()) as Record<string, unknown>;
}
