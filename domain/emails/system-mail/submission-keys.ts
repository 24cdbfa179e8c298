import { sql, type RawBuilder } from '../../../db/orm.ts';

/** How many addresses a form can notify. */
export const MAX_NOTIFIED = 20;

/** The send key of the notification of a submission to one of its form's addresses, in their order. */
export const submissionKey = (submissionId: number, index: number): string =>
  `form-submission/${submissionId}/${index}`;

/** A query of the send keys of all notifications of the submissions of contacts. */
export const submissionKeysOf = (tenantId: string, contactIds: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  select 'form-submission/' || s.id || '/' || n from form_submissions s, generate_series(0, ${MAX_NOTIFIED - 1}::int) n
  where s.tenant_id = ${tenantId} and s.contact_id = any(${contactIds})`;
