import type { Form, FormField, FormSubmission } from '../../db/entities/forms.ts';
import type { CaptchaKind } from '../../domain/forms/captcha.ts';
import { DEFAULT_SUBMIT_LABEL } from './shared/definition.ts';

const presentField = (field: FormField) => ({ ...field, min: field.min ?? null, max: field.max ?? null });

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

export const presentPublicForm = (form: Form, fields: FormField[], captcha: CaptchaKind) => ({
  id: form.id,
  name: form.name,
  submitLabel: form.submitLabel ?? DEFAULT_SUBMIT_LABEL,
  fields: fields.map(presentField),
  captcha: form.enableCaptcha ? captcha : null,
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
