import { AppError, type Violation } from '../../../lib/checks/errors.ts';
import { inThread } from '../../threads/in-thread.ts';
import { hasLiquid } from '../../../lib/text/liquid.ts';
import type { Judged } from '../rendering/loop-permit.ts';
import type { RecipientContext, TemplateVersion } from '../rendering/render.ts';
import type { MailSettings, ShownEmail } from '../rendering/show-email.ts';
import type { EntityManager } from '../../../db/orm.ts';
import type { TemplatePart, TemplateSource } from './check-template.ts';
import { listTemplateVariables } from './template-variables.ts';
import type { TemplateWarning } from './template-warnings.ts';

/** `checkTemplate` in a thread. Throws what it throws, and 503 if too many jobs of the tenant are waiting. */
export const checkInThread = (
  tenantId: string,
  { subject, content, text, previewText }: TemplateSource,
  compiled: string | null,
): Promise<Violation[]> =>
  inThread(tenantId, { name: 'checkTemplate', args: [{ subject, content, text, previewText }, compiled] });

/** The same for `checkAndJudge`, of a template that is about to be stored. */
export const checkAndJudgeInThread = (
  {
    tenantId,
    subject,
    content,
    text,
    previewText,
    category,
  }: TemplateSource & Pick<TemplateVersion, 'category'> & { tenantId: string },
  html: string | null,
): Promise<{ violations: Violation[]; judged: Judged | null }> =>
  inThread(tenantId, { name: 'checkAndJudge', args: [{ subject, content, text, previewText, category }, html] });

/**
 * The warnings of a stored template, by `findTemplateWarnings` in a thread; none if that cannot be done now, because the
 * template is stored all the same. `em` is the tenant's.
 */
export async function templateWarnings(
  em: EntityManager,
  tenantId: string,
  { subject, content, text, previewText }: TemplateSource,
): Promise<TemplateWarning[]> {
  const names = (await em.transactional((tx) => listTemplateVariables(tx))).map(({ name }) => name);
  const args = [{ subject, content, text, previewText }, names];
  return inThread<TemplateWarning[]>(tenantId, { name: 'findTemplateWarnings', args }).catch((error: unknown) => {
    if (error instanceof AppError) return [];
    throw error;
  });
}

/** The same for `checkParts`, without the texts that have no Liquid: a thread may have to be started. */
export async function checkPartsInThread(tenantId: string, parts: readonly TemplatePart[]): Promise<Violation[]> {
  const toCheck = parts.filter(([, kind, source]) => source && (kind === 'html' || hasLiquid(source)));
  return toCheck.length === 0 ? [] : inThread(tenantId, { name: 'checkParts', args: [toCheck] });
}

/** The same for `renderForDisplay`. */
export const showInThread = (
  version: TemplateVersion,
  settings: MailSettings,
  recipient: RecipientContext,
): Promise<ShownEmail> =>
  inThread(recipient.tenantId, { name: 'renderForDisplay', args: [version, settings, recipient] });

/** The same for `compileMjml`. */
export const compileMjmlInThread = (tenantId: string, content: string): Promise<string | null> =>
  inThread(tenantId, { name: 'compileMjml', args: [content] });
