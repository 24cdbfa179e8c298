import type { Violation } from '../../common/errors.ts';
import { inThread } from '../../threads/in-thread.ts';
import type { RecipientContext, TemplateVersion } from '../rendering/render.ts';
import type { MailSettings, ShownEmail } from '../rendering/show-email.ts';
import type { TemplatePart, TemplateSource } from './check-template.ts';

/** `checkTemplate` in a thread. Throws what it throws, and 503 if too many jobs of the tenant are waiting. */
export const checkInThread = (
  tenantId: string,
  { subject, content, text, previewText }: TemplateSource,
  compiled: string | null,
): Promise<Violation[]> =>
  inThread(tenantId, { name: 'checkTemplate', args: [{ subject, content, text, previewText }, compiled] });

/** The same for `checkParts`. */
export const checkPartsInThread = (tenantId: string, parts: readonly TemplatePart[]): Promise<Violation[]> =>
  inThread(tenantId, { name: 'checkParts', args: [parts] });

/** The same for `renderForDisplay`. */
export const showInThread = (
  version: TemplateVersion,
  settings: MailSettings,
  recipient: RecipientContext,
): Promise<ShownEmail> =>
  inThread(recipient.tenantId, { name: 'renderForDisplay', args: [version, settings, recipient] });

/** The same for `compileMjml`. */
export const compileMjmlInThread = (tenantId: string, content: string): Promise<string> =>
  inThread(tenantId, { name: 'compileMjml', args: [content] });
