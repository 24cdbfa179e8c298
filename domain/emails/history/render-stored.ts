import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { isOfToken } from '../../addresses/tokens.ts';
import { notFound } from '../../../lib/checks/errors.ts';
import { companyJoin, contactColumns, contactOf, type ContactRow } from '../rendering/template-contact.ts';
import type { TemplateVersion } from '../rendering/render.ts';
import type { MailSettings, ShownEmail } from '../rendering/show-email.ts';
import { showInThread } from '../templates/template-work.ts';

/**
 * Renders a template as a contact would get it, or without a contact; nothing in it is tracked. Throws 404, 422
 * `template_limit`.
 */
export async function previewTemplate(
  em: EntityManager,
  settings: MailSettings,
  {
    templateId,
    contactId,
    data,
  }: { templateId: number; contactId: number | null; data: Record<string, unknown> | null },
): Promise<ShownEmail> {
  const { template, contact } = await em.transactional(async (tx) => {
    const [found] = await rows<TemplateVersion & { tenantId: string }>(
      tx,
      sql`
      select t.tenant_id as "tenantId", v.subject, coalesce(v.compiled_html, v.content) as content, v.text, v.preview_text as "previewText", v.category
      from email_templates t
      join email_template_versions v on v.tenant_id = t.tenant_id and v.template_id = t.id and v.content_version = t.content_version
      where t.id = ${templateId} and t.system_key is null`,
    );
    if (!found) throw notFound('template', templateId);
    if (contactId === null) return { template: found, contact: null };
    const [row] = await rows<ContactRow>(
      tx,
      sql`select ${contactColumns} from contacts c ${companyJoin} where c.id = ${contactId}`,
    );
    if (!row) throw notFound('contact', contactId);
    return { template: found, contact: contactOf(row) };
  });
  const address = typeof contact?.['email'] === 'string' ? contact['email'] : '';
  const { tenantId, ...version } = template;
  return showInThread(version, settings, { tenantId, emailId: null, contactId, address, contact, data });
}

interface SentRow extends Omit<TemplateVersion, 'previewText'>, ContactRow {
  preview_text: string | null;
  tenant_id: string;
  contact_id: number | null;
  address: string | null;
  createdAt: Date;
  data: Record<string, unknown> | null;
}

/**
 * Renders an email again, from the content version that it used and the contact's current data. Null if it was never
 * sent, for emails of the service itself, and for one that got the id after its token was made. Engine `em`: the id comes
 * from a signed token.
 */
export async function renderSent(
  em: EntityManager,
  settings: MailSettings,
  { emailId, madeAt }: { emailId: number; madeAt: Date | null },
): Promise<ShownEmail | null> {
  const [row] = await em.transactional((tx) =>
    rows<SentRow>(
      tx,
      sql`
    select v.subject, coalesce(v.compiled_html, v.content) as content, v.text, v.preview_text, v.category, e.tenant_id, e.contact_id, e.to_address as address, e.created_at as "createdAt", ${contactColumns}, e.data
    from emails e
    join email_template_versions v on v.tenant_id = e.tenant_id and v.template_id = e.template_id and v.content_version = e.content_version
    left join contacts c on c.tenant_id = e.tenant_id and c.id = e.contact_id
    ${companyJoin}
    where e.id = ${emailId}
      and not exists (select 1 from email_templates t where t.tenant_id = e.tenant_id and t.id = e.template_id and t.system_key is not null)`,
    ),
  );
  if (!row || row.address === null || !isOfToken(row, madeAt)) return null;
  const {
    preview_text: previewText,
    tenant_id: tenantId,
    contact_id: contactId,
    address,
    data,
    subject,
    content,
    text,
    category,
  } = row;
  return showInThread({ subject, content, text, previewText, category }, settings, {
    tenantId,
    emailId,
    contactId,
    address,
    contact: contactOf(row),
    data,
  });
}
