import { defineEntity, p } from '@mikro-orm/core';
import { bigid, id, json, resourceColumns, tenantId, tenantTable, timestamp } from './base.ts';

const EmailTemplateSchema = defineEntity({
  name: 'EmailTemplate',
  tableName: 'email_templates',
  ...tenantTable,
  uniques: [
    { name: 'email_templates_tenant_id_id_key', properties: ['tenantId', 'id'] },
    { name: 'email_templates_system_key', properties: ['tenantId', 'systemKey'] },
  ],
  properties: {
    id: id(),
    tenantId: tenantId(),
    name: p.string().length(255),
    subject: p.text(),
    content: p.text(),
    text: p.text().nullable(),
    previewText: p.text().nullable(),
    category: p.enum(['marketing', 'transactional'] as const).default('marketing'),
    topicId: bigid().nullable(),
    fromName: p.string().length(255).nullable(),
    fromEmail: p.string().length(255).nullable(),
    replyTo: p.string().length(255).nullable(),
    /**
     * The key of an email of the service itself (a password reset). Such a template is not listed and cannot be edited.
     */
    systemKey: p.string().length(50).nullable(),
    contentVersion: p.integer().default(1),
    ...resourceColumns(),
  },
});
export class EmailTemplate extends EmailTemplateSchema.class {}
EmailTemplateSchema.setClass(EmailTemplate);

/** The content of a template at a `contentVersion`; an email keeps the version it used. Immutable, never deleted. */
const EmailTemplateVersionSchema = defineEntity({
  name: 'EmailTemplateVersion',
  tableName: 'email_template_versions',
  ...tenantTable,
  properties: {
    tenantId: tenantId().primary(),
    templateId: bigid().primary(),
    contentVersion: p.integer().primary(),
    subject: p.text(),
    content: p.text(),
    /** The HTML compiled from MJML in `content`; null if the content is HTML. */
    compiledHtml: p.text().nullable(),
    text: p.text().nullable(),
    previewText: p.text().nullable(),
    category: p.enum(['marketing', 'transactional'] as const),
    fromName: p.string().length(255).nullable(),
    fromEmail: p.string().length(255).nullable(),
    replyTo: p.string().length(255).nullable(),
    /** `Judged`: whether its emails may be rendered on an event loop; null: not judged. */
    judged: json().nullable(),
    createdAt: timestamp().defaultRaw('now()'),
  },
});
export class EmailTemplateVersion extends EmailTemplateVersionSchema.class {}
EmailTemplateVersionSchema.setClass(EmailTemplateVersion);

export const emailTemplateEntities = [EmailTemplate, EmailTemplateVersion];
