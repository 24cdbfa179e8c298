import { linksFrom, type LinkSettings } from './link-settings.ts';
import { compileTemplate, renderFor, type RecipientContext, type TemplateVersion } from './render.ts';

/** What an email needs besides its template and its recipient; plain data, so that it can be sent to a thread. */
export interface MailSettings extends LinkSettings {
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
  { postalAddress, ...settings }: MailSettings,
  recipient: RecipientContext,
): ShownEmail {
  const links = linksFrom(settings);
  const { subject, html, text } = renderFor(compileTemplate(version, { links, postalAddress }), recipient);
  return { subject, html, text };
}
