import { createEmailLinks } from './links.ts';
import { compileTemplate, renderFor, type RecipientContext, type TemplateVersion } from './render.ts';
import { createLinkSigner } from '../../addresses/tokens.ts';

/** The settings for the links in an email; plain data, so that it can be sent to a thread. */
export interface LinkSettings {
  publicUrl: string;
  linkSecret: string;
  postalAddress: string | null;
}

/** A rendered email for display. */
export interface ShownEmail {
  subject: string;
  html: string;
  text: string;
}

/** Renders a template's email as its recipient gets it. Throws AppError `template_limit` or `validation_failed`. */
export function renderForDisplay(
  version: TemplateVersion,
  { publicUrl, linkSecret, postalAddress }: LinkSettings,
  recipient: RecipientContext,
): ShownEmail {
  const links = createEmailLinks({ publicUrl, signer: createLinkSigner({ secret: linkSecret }) });
  const { subject, html, text } = renderFor(compileTemplate(version, { links, postalAddress }), recipient);
  return { subject, html, text };
}
