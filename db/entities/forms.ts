import { defineEntity, p } from '@mikro-orm/core';
import { bigid, id, json, resourceColumns, tenantId, tenantTable, timestamp } from './base.ts';

export const FORM_FIELD_TYPES = [
  'text',
  'email',
  'select',
  'checkbox',
  'textarea',
  'radio',
  'multiselect',
  'number',
  'phone',
  'url',
  'date',
  'time',
  'datetime',
  'country',
  'hidden',
  'file',
  'consent',
  'rating',
] as const;

export interface FormField {
  id: number;
  name: string;
  label: string;
  type: (typeof FORM_FIELD_TYPES)[number];
  required: boolean;
  placeholder: string | null;
  defaultValue: string | null;
  displayOrder: number;
  validationRegex: string | null;
  minLength: number | null;
  maxLength: number | null;
  /** The range of a number or rating; absent in fields that were stored before there were ranges. */
  min?: number | null;
  max?: number | null;
  options: { value: string; label: string }[] | null;
  mapTo: string | null;
  /** For files: the accepted media types; `image/*` means all images. Missing in forms that are older than these. */
  accept?: string[] | null;
  /** For files: a limit below the service's. */
  maxBytes?: number | null;
}

const FormSchema = defineEntity({
  name: 'Form',
  tableName: 'forms',
  ...tenantTable,
  uniques: [{ name: 'forms_tenant_id_id_key', properties: ['tenantId', 'id'] }],
  properties: {
    id: id(),
    tenantId: tenantId(),
    name: p.string().length(255),
    description: p.text().nullable(),
    /** Fields belong to their form; `id` is unique within it. */
    fields: json<FormField[]>(),
    status: p.enum(['DRAFT', 'ACTIVE', 'ARCHIVED'] as const).default('ACTIVE'),
    successMessage: p.text().nullable(),
    redirectUrl: p.text().nullable(),
    submitLabel: p.string().length(100).nullable(),
    enableProgressiveProfiling: p.boolean().default(false),
    enableCaptcha: p.boolean().default(false),
    doubleOptIn: p.boolean().default(false),
    notifyEmails: p.array().$type<string[]>().defaultRaw(`'{}'`),
    listId: bigid().nullable(),
    progressiveFields: p.array().$type<string[]>().defaultRaw(`'{}'`),
    allowedOrigins: p.array().$type<string[]>().defaultRaw(`'{}'`),
    updateExisting: p.enum(['fillEmpty', 'overwrite'] as const).default('fillEmpty'),
    ...resourceColumns(),
  },
});
export class Form extends FormSchema.class {}
FormSchema.setClass(Form);

const FormSubmissionSchema = defineEntity({
  name: 'FormSubmission',
  tableName: 'form_submissions',
  ...tenantTable,
  indexes: [
    { name: 'form_submissions_form_idx', properties: ['tenantId', 'formId', 'id'] },
    { name: 'form_submissions_contact_idx', properties: ['tenantId', 'contactId'] },
  ],
  uniques: [
    { name: 'form_submissions_tenant_id_id_key', properties: ['tenantId', 'id'] },
    {
      name: 'form_submissions_request_key',
      properties: ['tenantId', 'requestKey'],
      where: 'request_key is not null',
    },
  ],
  properties: {
    id: id(),
    tenantId: tenantId(),
    formId: bigid(),
    contactId: bigid().nullable(),
    /** Whether the submission made its contact. */
    madeContact: p.boolean().default(false),
    /** See submission-key.ts. Null without a form token, and after erasure. */
    requestKey: p.uuid().nullable(),
    submissionData: json<Record<string, unknown>>(),
    ipAddress: p.text().nullable(),
    userAgent: p.text().nullable(),
    submittedAt: timestamp(),
  },
});
export class FormSubmission extends FormSubmissionSchema.class {}
FormSubmissionSchema.setClass(FormSubmission);

const UsedChallengeSchema = defineEntity({
  name: 'UsedChallenge',
  tableName: 'used_challenges',
  ...tenantTable,
  indexes: [{ name: 'used_challenges_expires_idx', properties: ['expiresAt'] }],
  properties: {
    tenantId: tenantId().primary(),
    challenge: p.string().length(128).primary(),
    expiresAt: timestamp(),
  },
});
/** A CAPTCHA challenge of our own whose solution was used, until it expires. */
export class UsedChallenge extends UsedChallengeSchema.class {}
UsedChallengeSchema.setClass(UsedChallenge);

/** A file of a submission. Its content is a kept file (domain/common/kept-files.ts). */
const FormFileSchema = defineEntity({
  name: 'FormFile',
  tableName: 'form_files',
  ...tenantTable,
  indexes: [
    { name: 'form_files_submission_idx', properties: ['tenantId', 'submissionId'] },
    { name: 'form_files_form_idx', properties: ['tenantId', 'formId'] },
  ],
  properties: {
    id: id(),
    tenantId: tenantId(),
    formId: bigid(),
    submissionId: bigid(),
    /** The field's name. */
    field: p.string().length(100),
    fileName: p.string().length(255),
    mediaType: p.string().length(255),
    /** In bytes. */
    size: bigid(),
    sha256: p.string().length(64),
    objectKey: p.text(),
    createdAt: timestamp().defaultRaw('now()'),
  },
});
export class FormFile extends FormFileSchema.class {}
FormFileSchema.setClass(FormFile);

/** How often a form was left on a day (UTC), by the field that was touched last. */
const FormAbandonmentSchema = defineEntity({
  name: 'FormAbandonment',
  tableName: 'form_abandonments',
  ...tenantTable,
  properties: {
    tenantId: tenantId().primary(),
    formId: bigid().primary(),
    field: p.string().length(100).primary(),
    day: p.date().primary(),
    count: bigid(),
  },
});
class FormAbandonment extends FormAbandonmentSchema.class {}
FormAbandonmentSchema.setClass(FormAbandonment);

export const formEntities = [Form, FormSubmission, FormFile, FormAbandonment, UsedChallenge];
