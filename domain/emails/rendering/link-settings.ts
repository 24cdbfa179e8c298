import { createLinkSigner } from '../../addresses/tokens.ts';
import { createEmailLinks, type EmailLinks } from './links.ts';

/** The settings for the links in emails and messages; plain data, so that it can be sent to a thread. */
export interface LinkSettings {
  publicUrl: string;
  linkSecret: string;
}

let last: { settings: LinkSettings; links: EmailLinks } | undefined;

/** The links by these settings: made once, because a process has one PUBLIC_URL and one secret. */
export function linksFrom(settings: LinkSettings): EmailLinks {
  const { publicUrl, linkSecret } = settings;
  if (last?.settings.publicUrl !== publicUrl || last.settings.linkSecret !== linkSecret)
    last = { settings, links: createEmailLinks({ publicUrl, signer: createLinkSigner({ secret: linkSecret }) }) };
  return last.links;
}
