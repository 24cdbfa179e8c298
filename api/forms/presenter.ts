import type { Form, FormField, FormSubmission } from '../../db/entities/forms.ts';
import { fileLimit } from '../../domain/forms/files/check-file.ts';

/** A field; forms that are older than files have none of their properties. */
const presentField = (field: FormField) => ({
  ...field,
  accept: field.accept ?? null,
  maxBytes: field.maxBytes ?? null,
});

export function presentForm(form: Form) {
  return {
    id: form.id,
    name: form.name,
    description: form.description ?? null,
    fields: form.fields.map(presentField),
    status: form.status,
    successMessage: form.successMessage ?? null,
    redirectUrl: form.redirectUrl ?? null,
    submitLabel: form.submitLabel ?? null,
    listId: form.listId ?? null,
    allowedOrigins: form.allowedOrigins ?? [],
    updateExisting: form.updateExisting,
    enableProgressiveProfiling: form.enableProgressiveProfiling,
    enableCaptcha: form.enableCaptcha,
    doubleOptIn: form.doubleOptIn,
    notifyEmails: form.notifyEmails ?? [],
    progressiveFields: form.progressiveFields ?? [],
    tenantId: form.tenantId,
    version: form.version,
    createdAt: form.createdAt,
    updatedAt: form.updatedAt,
  };
}

/** A form for its visitors. A file field has the limit that applies, so that a page can tell before it sends. */
export const presentPublicForm = (form: Form, maxFileBytes: number) => ({
  id: form.id,
  name: form.name,
  submitLabel: form.submitLabel ?? 'Send',
  fields: form.fields.map((field) => ({
    ...presentField(field),
    ...(field.type === 'file' ? { maxBytes: fileLimit(field, maxFileBytes) } : {}),
  })),
});

export function presentSubmission(submission: FormSubmission) {
  return {
    id: submission.id,
    formId: submission.formId,
    contactId: submission.contactId ?? null,
    submissionData: submission.submissionData,
    ipAddress: submission.ipAddress ?? null,
    userAgent: submission.userAgent ?? null,
    submittedAt: submission.submittedAt,
  };
}
