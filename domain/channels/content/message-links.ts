import { PREVIEW_TOKEN, type EmailLinks } from '../../emails/rendering/links.ts';
import { NO_LINKS, type ScopeLinks } from '../../emails/rendering/template-values.ts';

/** Whose links they are. `at`: when the message was queued; null in a preview, which belongs to no message. */
export interface LinksOwner {
  tenantId: string;
  contactId: number | null;
  at: Date | null;
}

/**
 * The links that texts and pushes can use. There is no page to unsubscribe by: a text is answered with STOP, and the
 * preference page has every channel. Without a contact nobody can be told apart by a link. What is rendered again has
 * the same links.
 */
export function messageLinks(owner: LinksOwner, links: EmailLinks): ScopeLinks {
  const { tenantId, contactId, at } = owner;
  if (at === null) return previewLinks(owner, links);
  if (contactId === null) return { ...NO_LINKS, formUrl: (formId) => links.formUrl(formId, '') };
  const tokenOfContact = (): string => links.contactToken(tenantId, contactId, at.getTime());
  return {
    unsubscribeUrl: '',
    webViewUrl: '',
    get preferencesUrl() {
      return links.preferencesUrl({ tenantId, emailId: null, contactId, madeAt: at });
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
 * What stands for the token of the contact in a preview is as long as one, because its length counts where it is no part
 * of a URL; URLs become short links.
 */
const previewLinks = ({ tenantId, contactId }: LinksOwner, links: EmailLinks): ScopeLinks => ({
  ...NO_LINKS,
  preferencesUrl: links.previewUrl('preferences'),
  get contactToken() {
    return PREVIEW_TOKEN.padEnd(links.contactToken(tenantId, contactId ?? ANY_CONTACT).length, 'x');
  },
  formUrl: (formId) => links.formUrl(formId, ''),
});
