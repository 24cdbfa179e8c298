import { PREVIEW_TOKEN, type EmailLinks } from '../../emails/rendering/links.ts';
import { NO_LINKS, type ScopeLinks } from '../../emails/rendering/template-values.ts';

/**
 * The links that texts and pushes can use. There is no page to unsubscribe by: a text is answered with STOP, and the
 * preference page has every channel. Without a contact nobody can be told apart by a link. `at` is when the message was
 * queued: what is rendered again is the same.
 */
export function messageLinks(
  { tenantId, contactId, at }: { tenantId: string; contactId: number | null; at: Date },
  links: EmailLinks,
): ScopeLinks {
  if (contactId === null) return { ...NO_LINKS, formUrl: (formId) => links.formUrl(formId, '') };
  const tokenOfContact = (): string => links.contactToken(tenantId, contactId, at.getTime());
  return {
    unsubscribeUrl: '',
    webViewUrl: '',
    get preferencesUrl() {
      return links.preferencesUrl({ tenantId, emailId: null, contactId });
    },
    get contactToken() {
      return tokenOfContact();
    },
    formUrl: (formId) => links.formUrl(formId, tokenOfContact()),
  };
}

/** Without a contact, a preview is that of one with an id of so many digits. */
const ANY_CONTACT = 1_000_000;

/**
 * The same in a preview, which belongs to no message. What stands for the token of the contact is as long as one, because
 * its length counts where it is no part of a URL; URLs become short links.
 */
export const previewMessageLinks = (
  links: EmailLinks,
  { tenantId, contactId }: { tenantId: string; contactId: number | null },
): ScopeLinks => ({
  ...NO_LINKS,
  preferencesUrl: links.previewUrl('preferences'),
  get contactToken() {
    return PREVIEW_TOKEN.padEnd(links.contactToken(tenantId, contactId ?? ANY_CONTACT).length, 'x');
  },
  formUrl: (formId) => links.formUrl(formId, ''),
});
