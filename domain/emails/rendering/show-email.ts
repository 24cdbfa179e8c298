import { createEmailLinks } from './links.ts';
import { compileTemplate, renderFor, type RecipientContext, type TemplateVersion } from './render.ts';
import { createLinkSigner } from '../../addresses/tokens.ts';

/** What the links of a mail are made of; a thread can be told it. */
export interface LinkSettings {
  publicUrl: string;
  linkSecret: string;
  postalAddress: string | null;
}

/** A mail as it is shown. */
export interface ShownEmail {
  subject: string;
  html: string;
  text: string;
}

/** A mail of a template as its recipient gets it. Throws AppError `template_limit` or `validation_failed`. */
export function showEmail(
  version: TemplateVersion,
  { publicUrl, linkSecret, postalAddress }: LinkSettings,
  recipient: RecipientContext,
): ShownEmail {
  const links = createEmailLinks({ publicUrl, signer: createLinkSigner({ secret: linkSecret }) });
  const { subject, html, text } = renderFor(compileTemplate(version, { links, postalAddress }), recipient);
  return { subject, html, text };
}
