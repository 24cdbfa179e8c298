import { Form, FormSubmission } from '../../db/entities/forms.ts';
import { sql, type EntityManager } from '../../db/orm.ts';
import { byName, commonSort, listPage, type Present } from '../common/list-page.ts';
import type { ListQuery, Page } from '../common/paging.ts';

interface FormQuery extends ListQuery {
  status?: string;
}

/** A page of the tenant's forms. Throws `validation_failed` for a wrong cursor. */
export const listForms = <T>(em: EntityManager, query: FormQuery, present: Present<Form, T>): Promise<Page<T>> =>
  listPage(
    em,
    Form,
    query,
    {
      from: sql`forms t`,
      where: [query.status !== undefined && sql`t.status = ${query.status}`],
      sortable: { ...commonSort, name: byName },
    },
    present,
  );

interface SubmissionQuery extends ListQuery {
  contactId?: number;
}

/** A page of a form's submissions. Throws `validation_failed` for a wrong cursor. */
export const listSubmissions = <T>(
  em: EntityManager,
  formId: number,
  query: SubmissionQuery,
  present: Present<FormSubmission, T>,
): Promise<Page<T>> =>
  listPage(
    em,
    FormSubmission,
    query,
    {
      from: sql`form_submissions t`,
      where: [sql`t.form_id = ${formId}`, query.contactId !== undefined && sql`t.contact_id = ${query.contactId}`],
      sortable: { id: commonSort.id, submittedAt: { column: sql`t.submitted_at`, type: 'timestamptz' } },
    },
    present,
  );
