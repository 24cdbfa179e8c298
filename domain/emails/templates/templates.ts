import { LockMode } from '@mikro-orm/core';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { EmailTemplate } from '../../../db/entities/email-templates.ts';
import { appendAudit, type Author } from '../../audit/audit.ts';
import { campaignsUsing } from '../../campaign-definitions/in-use/campaigns-using.ts';
import { normaliseEmail } from '../../../lib/addresses/email.ts';
import { AppError, assertValid, notFound, type Violation } from '../../../lib/checks/errors.ts';
import { emailCampaignsUsing } from '../../campaign-definitions/in-use/email-campaigns-using.ts';
import { senderViolations } from '../senders/proven.ts';
import { checkAndJudgeInThread, checkInThread, compileMjmlInThread } from './template-work.ts';
import type { Judged } from '../rendering/loop-permit.ts';
import { topicViolations } from '../consent/topics.ts';
import { noLiquid } from '../../../lib/text/liquid.ts';
import { notOneLine } from '../../../lib/checks/schema-check.ts';
import { deleteUnused } from '../../common/references.ts';

export interface TemplateInput {
  name: string;
  subject: string;
  content: string;
  text?: string | null;
  previewText?: string | null;
  category?: 'marketing' | 'transactional';
  topicId?: number | null;
  fromName?: string | null;
  fromEmail?: string | null;
  replyTo?: string | null;
}

/** The fields whose change creates a new `contentVersion`: all that affect the email, so not the name or the topic. */
const CONTENT_FIELDS = [
  'subject',
  'content',
  'text',
  'previewText',
  'category',
  'fromName',
  'fromEmail',
  'replyTo',
] as const;

/**
 * Saves a template and its first content version. `mailFrom` is MAIL_FROM. Throws 400 with every violation, 422
 * `template_limit`.
 */
export async function createTemplate(
  em: EntityManager,
  tenantId: string,
  input: TemplateInput,
  mailFrom: string,
): Promise<EmailTemplate> {
  const { category = 'marketing', ...fields } = emptyToNull(input);
  const compiled = await compileContent(tenantId, input.content);
  return em.transactional(async (tx) => {
    const template = tx.create(EmailTemplate, { ...fields, category, tenantId });
    const others = [
      ...(await topicViolations(tx, tenantId, fields.topicId)),
      ...(await senderViolations(tx, tenantId, fields.fromEmail, mailFrom)),
    ];
    const { violations, judged } = await checkAndJudgeInThread(template, compiled);
    assertValid([...fieldViolations(template), ...others, ...violations]);
    await tx.flush();
    await saveContentVersion(tx, template, judged, compiled);
    return template;
  });
}

/**
 * Changes the given fields; `check` gets the current template, locked. Emails keep the content version that they used,
 * so that they can be shown later. Throws 404, and what createTemplate throws.
 */
export async function updateTemplate(
  em: EntityManager,
  tenantId: string,
  id: number,
  input: Partial<TemplateInput>,
  mailFrom: string,
  check: (current: EmailTemplate) => void,
): Promise<EmailTemplate> {
  // Compile before the transaction, to hold no lock meanwhile. Unchanged content is compiled already.
  const given = await compileContent(tenantId, input.content);
  return em.transactional(async (tx) => {
    const template = await lockTemplate(tx, id);
    check(template);
    const before = CONTENT_FIELDS.map((field) => template[field] ?? null);
    const contentUnchanged = input.content === undefined || input.content === template.content;
    const compiled = contentUnchanged ? await compiledContent(tx, template) : given;
    const unknownTopic = await topicViolations(tx, template.tenantId, input.topicId);
    tx.assign(template, emptyToNull(input));
    const unverified = await senderViolations(tx, template.tenantId, template.fromEmail, mailFrom);
    const { violations, judged } = await checkAndJudgeInThread(template, compiled);
    assertValid([...fieldViolations(template), ...unknownTopic, ...unverified, ...violations]);
    const changed = CONTENT_FIELDS.some((field, index) => (template[field] ?? null) !== before[index]);
    if (changed) template.contentVersion = (template.contentVersion ?? 0) + 1;
    await tx.flush();
    if (changed) await saveContentVersion(tx, template, judged, compiled);
    return template;
  });
}

/**
 * Deletes a template; its content versions remain for the emails that used them. Throws 404, 409 `in_use` listing its
 * users.
 */
export async function deleteTemplate(
  em: EntityManager,
  author: Author,
  id: number,
  check: (current: EmailTemplate) => void,
): Promise<void> {
  await em.transactional(async (tx) => {
    const template = await lockTemplate(tx, id);
    check(template);
    const { tenantId, name, subject } = template;
    await deleteUnused(tx, template, async () => [
      ...(await campaignsUsing(tx, tenantId, ({ templateIds }) => templateIds.has(id))),
      ...(await emailCampaignsUsing(tx, tenantId, { templateId: id })),
    ]);
    await appendAudit(tx, author, {
      action: 'email_template.deleted',
      resourceType: 'email_template',
      resourceId: id,
      before: { name, subject },
    });
  });
}

async function lockTemplate(tx: EntityManager, id: number): Promise<EmailTemplate> {
  const template = await tx.findOne(EmailTemplate, { id, systemKey: null }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!template) throw notFound('template', id);
  return template;
}

/** Replaces empty texts with null. */
function emptyToNull<T extends Partial<TemplateInput>>(input: T): T {
  return Object.fromEntries(Object.entries(input).map(([field, value]) => [field, value === '' ? null : value])) as T;
}

/** Compiles MJML content to HTML; null for content without MJML. Throws 400, 422, 503. */
const compileContent = async (tenantId: string, content: string | undefined): Promise<string | null> =>
  content !== undefined && /<mj/i.test(content) ? compileMjmlInThread(tenantId, content) : null;

async function compiledContent(
  tx: EntityManager,
  { tenantId, id, contentVersion }: EmailTemplate,
): Promise<string | null> {
  const [row] = await rows<{ compiled_html: string | null }>(
    tx,
    sql`
    select compiled_html from email_template_versions where tenant_id = ${tenantId} and template_id = ${id} and content_version = ${contentVersion}`,
  );
  return row?.compiled_html ?? null;
}

/** All violations of a template's input. `fromEmail` is the From address that it will have. Throws 422, 503. */
export async function templateViolations(
  tx: EntityManager,
  tenantId: string,
  input: Partial<TemplateInput>,
  mailFrom: string,
  fromEmail = input.fromEmail,
): Promise<Violation[]> {
  const parts = emptyToNull(input);
  const { compiled, mistakes } = await compileContent(tenantId, input.content).then(
    (html) => ({ compiled: html, mistakes: [] }),
    (error: unknown) => {
      if (error instanceof AppError && error.code === 'validation_failed')
        return { compiled: null, mistakes: error.errors! };
      throw error;
    },
  );
  // The content of MJML that does not compile is not checked further: its mistakes are reported already.
  const readable = mistakes.length > 0 ? { ...parts, content: undefined } : parts;
  const others = [
    ...(await topicViolations(tx, tenantId, input.topicId)),
    ...(await senderViolations(tx, tenantId, fromEmail, mailFrom)),
  ];
  return [...fieldViolations(parts), ...others, ...mistakes, ...(await checkInThread(tenantId, readable, compiled))];
}

/** The violations of single fields; undefined fields are skipped. */
function fieldViolations(template: { [F in keyof TemplateInput]?: TemplateInput[F] | null }): Violation[] {
  const blank = (['name', 'subject', 'content'] as const)
    .filter((field) => template[field] === null || template[field]?.trim() === '')
    .map((field) => ({ path: `/${field}`, code: 'required', message: 'must not be empty' }));
  // Names must be a single line: they are shown in lists and in the From header.
  const names = (['name', 'fromName'] as const).flatMap((field) => {
    const wrong = notOneLine(template[field]) ?? (field === 'fromName' ? noLiquid(template[field]) : null);
    return wrong ? [{ path: `/${field}`, ...wrong }] : [];
  });
  const addresses = (['fromEmail', 'replyTo'] as const).flatMap((field) => {
    const found = template[field] ? (noLiquid(template[field]) ?? normaliseEmail(template[field])) : null;
    return found && 'code' in found ? [{ path: `/${field}`, ...found }] : [];
  });
  return [...blank, ...names, ...addresses];
}

/** Stores the template's current content as its content version. `compiled` is the HTML of its MJML, which was judged. */
export async function saveContentVersion(
  tx: EntityManager,
  template: Pick<EmailTemplate, 'tenantId' | 'id'>,
  judged: Judged | null,
  compiled: string | null = null,
): Promise<void> {
  await rows(
    tx,
    sql`
    insert into email_template_versions (tenant_id, template_id, content_version, subject, content, compiled_html, text, preview_text, category, from_name, from_email, reply_to, judged)
    select tenant_id, id, content_version, subject, content, ${compiled}, text, preview_text, category, from_name, from_email, reply_to, ${judged && JSON.stringify(judged)}::jsonb
    from email_templates where tenant_id = ${template.tenantId} and id = ${template.id}`,
  );
}
