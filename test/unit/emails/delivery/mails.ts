import { createEmailLinks } from '../../../../domain/emails/rendering/links.ts';
import type { RecipientContext, TemplateVersion } from '../../../../domain/emails/rendering/render.ts';
import { createLinkSigner } from '../../../../domain/addresses/tokens.ts';

export const signer = createLinkSigner({ secret: 'a secret of at least thirty-two characters' });
const now = new Date('2026-07-01T12:00:00Z');
export const links = createEmailLinks({ publicUrl: 'https://mail.example.com', signer, now: () => now });
export const postalAddress = 'Example Ltd, 1 Example Street, Exampletown';

/** A template of the category asked for, transactional unless told otherwise. */
export function template(content: string, overrides: Partial<TemplateVersion> = {}): TemplateVersion {
  return { subject: 'A subject', content, category: 'transactional', ...overrides };
}

export function recipient(overrides: Partial<RecipientContext> = {}): RecipientContext {
  return {
    tenantId: 'default',
    emailId: 1001,
    contactId: 7,
    address: 'ann@example.org',
    contact: {
      id: 7,
      firstName: 'Ann',
      lastName: "O'Neil",
      email: 'ann@example.org',
      company: { id: 3, name: 'Salt & Co', domain: 'salt.example' },
      customFields: { plan: 'gold' },
      tags: ['a', 'b'],
    },
    ...overrides,
  };
}

/** The html with each click link put back to where it leads, and without the pixel. */
export function untracked(html: string): string {
  return html
    .replace(
      /https:\/\/mail\.example\.com\/api\/v1\/emails\/tracking\/click\/[\w-]+\?url=([^"'\s>]*)/g,
      (_, url: string) => decodeURIComponent(url),
    )
    .replace(
      /<img src="https:\/\/mail\.example\.com\/api\/v1\/emails\/tracking\/open\/[\w-]+" width="1" height="1" alt="">/g,
      '',
    );
}
