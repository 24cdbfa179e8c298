import { LockMode } from '@mikro-orm/core';
import { rows, sql, type EntityManager } from '../../db/orm.ts';
import { EmailTemplate } from '../../db/entities/emails.ts';
import { referencedIds } from '../campaigns/references.ts';
import { normaliseEmail } from '../contacts/email.ts';
import { AppError, assertValid, notFound } from '../errors.ts';
import { checkTemplate } from './check-template.ts';

export interface TemplateInput {
  name: string;
  subject: string;
  content: string;
  text?: string | null;
  previewText?: string | null;
  category?: 'marketing' | 'transactional';
  fromName?: string | null;
  fromEmail?: string | null;
  replyTo?: string | null;
}

/** What makes another `contentVersion` when it changes: all of a template but its name. */
const CONTENT_FIELDS = ['subject', 'content', 'text', 'previewText', 'category', 'fromName', 'fromEmail', 'replyTo'] as const;

/** Saves a template and its first content version. Throws 400 with every mistake, 422 `template_limit`. */
export async function createTemplate(em: EntityManager, tenantId: string, input: TemplateInput): Promise<EmailTemplate> {
  const { category = 'marketing', ...fields } = clear(input);
  return em.transactional(async (tx) => {
    const template = tx.create(EmailTemplate, { ...fields, category, tenantId });
    assertSound(template);
    await tx.flush();
    await keepVersion(tx, template);
    return template;
  });
}

/**
 * Changes the given fields; `check` sees the template as it is, under its lock. Emails keep the content version that
 * they used, so what was sent stays known. Throws 404, and what createTemplate throws.
 */
export async function updateTemplate(
  em: EntityManager, id: number, input: Partial<TemplateInput>, check: (current: EmailTemplate) => void,
): Promise<EmailTemplate> {
  return em.transactional(async (tx) => {
    const template = await lockTemplate(tx, id);
    check(template);
    const before = CONTENT_FIELDS.map((field) => template[field] ?? null);
    tx.assign(template, clear(input));
    assertSound(template);
    const changed = CONTENT_FIELDS.some((field, index) => (template[field] ?? null) !== before[index]);
    if (changed) template.contentVersion = (template.contentVersion ?? 0) + 1;
    await tx.flush();
    if (changed) await keepVersion(tx, template);
    return template;
  });
}

/** Deletes a template; its content versions stay for the mails that used them. Throws 404, 409 `in_use` with its users. */
export async function deleteTemplate(em: EntityManager, id: number, check: (current: EmailTemplate) => void): Promise<void> {
  await em.transactional(async (tx) => {
    const template = await lockTemplate(tx, id);
    check(template);
    const users = await campaignsUsing(tx, id);
    if (users.length > 0) {
      throw new AppError('in_use', `${users.length === 1 ? 'An active campaign uses' : `${users.length} active campaigns use`} this template`, {
        errors: users.map((campaign) => ({ path: '', code: 'in_use', message: `campaign ${campaign.id} (${campaign.name})` })),
      });
    }
    await tx.remove(template).flush();
  });
}

async function lockTemplate(tx: EntityManager, id: number): Promise<EmailTemplate> {
  const template = await tx.findOne(EmailTemplate, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!template) throw notFound('template', id);
  return template;
}

/** Campaigns that may yet send it: what is published, and older versions that executions still run on. */
async function campaignsUsing(tx: EntityManager, templateId: number): Promise<{ id: number; name: string }[]> {
  const definitions = await rows<{ id: number; name: string; definition: { trigger?: unknown; steps?: unknown } }>(tx, sql`
    select c.id, c.name, v.definition from campaigns c
    join campaign_versions v on v.tenant_id = c.tenant_id and v.campaign_id = c.id
    where c.status in ('ACTIVE', 'PAUSED') and (v.version = c.published_version or exists (
      select 1 from campaign_executions x
      where x.tenant_id = c.tenant_id and x.campaign_id = c.id and x.status = 'RUNNING' and x.campaign_version = v.version))
    order by c.id`);
  const using = definitions.filter(({ definition }) => referencedIds(definition).templateIds.has(templateId));
  return [...new Map(using.map(({ id, name }) => [id, { id, name }])).values()];
}

/** An empty text is no text. */
function clear<T extends Partial<TemplateInput>>(input: T): T {
  return Object.fromEntries(Object.entries(input).map(([field, value]) => [field, value === '' ? null : value])) as T;
}

function assertSound(template: EmailTemplate): void {
  const addresses = (['fromEmail', 'replyTo'] as const).flatMap((field) => {
    const found = template[field] ? normaliseEmail(template[field]) : null;
    return found && 'code' in found ? [{ path: `/${field}`, ...found }] : [];
  });
  assertValid([...addresses, ...checkTemplate(template)]);
}

async function keepVersion(tx: EntityManager, template: EmailTemplate): Promise<void> {
  await rows(tx, sql`
    insert into email_template_versions (tenant_id, template_id, content_version, subject, content, text, preview_text, category, from_name, from_email, reply_to)
    select tenant_id, id, content_version, subject, content, text, preview_text, category, from_name, from_email, reply_to
    from email_templates where tenant_id = ${template.tenantId} and id = ${template.id}`);
}
