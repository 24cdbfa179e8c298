import type { EmailTemplate } from '../../../db/entities/email-templates.ts';

export function presentTemplate(template: EmailTemplate) {
  return {
    id: template.id,
    name: template.name,
    subject: template.subject,
    content: template.content,
    text: template.text ?? null,
    previewText: template.previewText ?? null,
    category: template.category,
    topicId: template.topicId ?? null,
    fromName: template.fromName ?? null,
    fromEmail: template.fromEmail ?? null,
    replyTo: template.replyTo ?? null,
    contentVersion: template.contentVersion,
    tenantId: template.tenantId,
    version: template.version,
    createdAt: template.createdAt,
    updatedAt: template.updatedAt,
  };
}
