import webPush from 'web-push';
import type { PushSite } from '../../../db/entities/channels.ts';
import { openSecret, sealSecret, type BoxSecrets } from '../../../lib/text/secret-box.ts';

type SiteKey = Pick<PushSite, 'tenantId' | 'id'>;

/** Binds a sealed key to its site, so that it cannot be used in another one's row. */
const ownerOf = ({ tenantId, id }: SiteKey): string => `push-site/${tenantId}/${id}`;

/** A site as far as sending needs it, with its private key opened. */
export interface SiteKeys {
  id: number;
  subject: string;
  publicKey: string;
  privateKey: string;
  /** What pushes without an icon or a URL of their own have instead. */
  iconUrl?: string | null;
  defaultUrl?: string | null;
}

/** Makes the key pair of a site (VAPID, RFC 8292); its private half is sealed. */
export function makeSiteKeys(env: BoxSecrets, key: SiteKey): { publicKey: string; privateKey: string } {
  const { publicKey, privateKey } = webPush.generateVAPIDKeys();
  return { publicKey, privateKey: sealSecret(env, ownerOf(key), Buffer.from(privateKey)) };
}

/** The keys of a site, opened. Throws if no LINK_SECRET decrypts them. */
export const openSiteKeys = (
  env: BoxSecrets,
  site: Pick<PushSite, 'tenantId' | 'id' | 'subject' | 'publicKey' | 'privateKey' | 'iconUrl' | 'defaultUrl'>,
): SiteKeys => ({
  id: site.id,
  subject: site.subject,
  publicKey: site.publicKey,
  iconUrl: site.iconUrl ?? null,
  defaultUrl: site.defaultUrl ?? null,
  privateKey: openSecret(env, ownerOf(site), site.privateKey).secret.toString(),
});
