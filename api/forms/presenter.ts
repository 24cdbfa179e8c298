import type { Form, FormField, FormSubmission } from '../../db/entities/forms.ts';
import type { CaptchaKind } from '../../domain/forms/captcha.ts';
import { fileLimit } from '../../domain/forms/files/check-file.ts';
import { DEFAULT_SUBMIT_LABEL } from './shared/definition.ts';

/** A field; forms that are older than some properties have none of them. */
const presentField = (field: FormField) => ({
  ...field,
  min: field.min ?? null,
  max: field.max ?? null,
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

/** What visitors see of a form besides its fields. */
export interface PublicSettings {
  captcha: CaptchaKind;
  /** FORM_FILE_MAX_BYTES. */
  maxFileBytes: number;
}

/**
 * A form for its visitors, with the fields that are shown. A file field has the limit that applies, so that a page can
 * tell before it sends.
 */
export const presentPublicForm = (
  form: Form,
  { fields, knownContact }: { fields: readonly FormField[]; knownContact: boolean },
  { captcha, maxFileBytes }: PublicSettings,
) => ({
  id: form.id,
  name: form.name,
  submitLabel: form.submitLabel ?? DEFAULT_SUBMIT_LABEL,
  fields: fields.map((field) => ({
    ...presentField(field),
    ...(field.type === 'file' ? { maxBytes: fileLimit(field, maxFileBytes) } : {}),
  })),
  captcha: form.enableCaptcha ? captcha : null,
  knownContact,
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
