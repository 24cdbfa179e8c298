import { sql, type RawBuilder } from '../../../db/orm.ts';

/** How many addresses a form can notify. */
export const MAX_NOTIFIED = 20;
const PREFIX = 'form-submission/';

/** The send key of the notification of a submission to one of its form's addresses, in their order. */
export const submissionKey = (submissionId: number, index: number): string => `${PREFIX}${submissionId}/${index}`;

/** The send keys of all notifications that submissions can have. */
export const submissionKeysOf = (submissionIds: readonly number[]): string[] =>
  submissionIds.flatMap((id) => Array.from({ length: MAX_NOTIFIED }, (_, index) => submissionKey(id, index)));

/**
 * A condition on an email: it notifies of a submission by one of these contacts, or from one of these addresses (in
 * lower case). It also finds notifications of submissions that were deleted with their form.
 */
export const notifiesOf = (contactIds: readonly number[], addresses: readonly string[]): RawBuilder<unknown> => sql`(
  send_key like ${`${PREFIX}%`} and (
    data ->> 'contactId' = any(${contactIds.map(String)}::text[]) or lower(data ->> 'replyTo') = any(${[...addresses]}::text[])))`;
