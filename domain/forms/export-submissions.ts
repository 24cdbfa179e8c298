import type { Form, FormField, FormSubmission } from '../../db/entities/forms.ts';
import { formatTags } from '../contact-values/tags-text.ts';
import { rows, sql, tenantEm, type EntityManager, type Orm } from '../../db/orm.ts';
import { countUpTo, pagesById } from '../export/pages-by-id.ts';
import type { Column } from '../export/table.ts';
import type { Cell } from '../export/xlsx.ts';
import type { FileValue } from './files/form-files.ts';

/** The number of a form's submissions, counted up to `most` + 1. */
export const countSubmissions = (em: EntityManager, { tenantId, id }: Form, most: number): Promise<number> =>
  countUpTo(em, sql`from form_submissions where tenant_id = ${tenantId} and form_id = ${id}`, most);

/** What an export of a form's submissions starts with. */
export interface SubmissionsFound {
  /** The newest submission; 0 if there is none. */
  upTo: number;
  /** Names of values that are no fields of the form any more, in alphabetical order. */
  formerFields: string[];
}

export async function findSubmissions(tx: EntityManager, { tenantId, id, fields }: Form): Promise<SubmissionsFound> {
  const found = await rows<{ name: string }>(
    tx,
    sql`
    select distinct jsonb_object_keys(submission_data) as name from form_submissions
    where tenant_id = ${tenantId} and form_id = ${id} order by name`,
  );
  const [newest] = await rows<{ id: number | null }>(
    tx,
    sql`select max(id) as id from form_submissions where tenant_id = ${tenantId} and form_id = ${id}`,
  );
  const current = new Set(fields.map((field) => field.name));
  return {
    upTo: newest?.id ?? 0,
    formerFields: found.map(({ name }) => name).filter((name) => !current.has(name)),
  };
}

/** A form's submissions up to the id `upTo`, in id order, page by page (`pagesById`). */
export const readSubmissions = (orm: Orm, { tenantId, id }: Form, upTo: number): AsyncGenerator<FormSubmission[]> =>
  pagesById<FormSubmission>(
    tenantEm(orm, tenantId),
    upTo,
    ({ after, upTo: last, limit }) => sql`
      select id, tenant_id as "tenantId", form_id as "formId", contact_id as "contactId", submission_data as "submissionData",
        ip_address as "ipAddress", user_agent as "userAgent", submitted_at as "submittedAt"
      from form_submissions where tenant_id = ${tenantId} and form_id = ${id} and id > ${after} and id <= ${last}
      order by id limit ${limit}`,
  );

/** A submitted value as a cell: lists as tags are, a file by its name. */
function valueCell(value: unknown): Cell {
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string') return value;
  if (Array.isArray(value)) return formatTags(value as string[]);
  return value === null || value === undefined ? null : (value as FileValue).fileName;
}

const OWN: Column<FormSubmission>[] = [
  ['id', ({ id }) => id],
  ['contactId', ({ contactId }) => contactId ?? null],
  ['submittedAt', ({ submittedAt }) => submittedAt.toISOString()],
  ['ipAddress', ({ ipAddress }) => ipAddress ?? null],
  ['userAgent', ({ userAgent }) => userAgent ?? null],
];
const OWN_NAMES = new Set(OWN.map(([name]) => name));

/**
 * The columns of a table of submissions: their own data, then one column per field of the form in order, then the
 * former fields. Headers are the fields' names; a field named like a column of the submission itself is
 * `submissionData.name`.
 */
export function submissionColumns(
  fields: readonly Pick<FormField, 'name'>[],
  formerFields: readonly string[],
): Column<FormSubmission>[] {
  const names = [...fields.map((field) => field.name), ...formerFields];
  return [
    ...OWN,
    ...names.map((name): Column<FormSubmission> => [
      OWN_NAMES.has(name) ? `submissionData.${name}` : name,
      ({ submissionData }) => (Object.hasOwn(submissionData, name) ? valueCell(submissionData[name]) : null),
    ]),
  ];
}
