import { sql, type RawBuilder } from '../../../db/orm.ts';

/** How many addresses a form can notify. */
export const MAX_NOTIFIED = 20;
const SUBMISSION = 'form-submission/';
const THRESHOLD = 'score-threshold/';

/** The send key of the notification of a submission to one of its form's addresses, in their order. */
export const submissionKey = (submissionId: number, index: number): string => `${SUBMISSION}${submissionId}/${index}`;

/** The send keys of all notifications that submissions can have. */
export const submissionKeysOf = (submissionIds: readonly number[]): string[] =>
  submissionIds.flatMap((id) => Array.from({ length: MAX_NOTIFIED }, (_, index) => submissionKey(id, index)));

/** The send key of the email about a contact that has reached a threshold. */
export const thresholdKey = (thresholdId: number, contactId: number): string =>
  `${THRESHOLD}${thresholdId}/${contactId}`;

/** A query for the send keys of all emails about these contacts that thresholds of the tenant can have caused. */
export const thresholdKeysOf = (tenantId: string, contactIds: readonly number[]): RawBuilder<unknown> => sql`
  select ${THRESHOLD} || t.id || '/' || c.id
  from score_thresholds t cross join unnest(${[...contactIds]}::bigint[]) c(id) where t.tenant_id = ${tenantId}`;

/**
 * A condition on an email: it notifies of a submission by one of these contacts, or from one of these addresses (in
 * lower case), or of a score of one of them. It also finds those whose form or threshold was deleted.
 */
export const notifiesOf = (contactIds: readonly number[], addresses: readonly string[]): RawBuilder<unknown> => sql`(
  (send_key like ${`${SUBMISSION}%`} or send_key like ${`${THRESHOLD}%`}) and (
    data ->> 'contactId' = any(${contactIds.map(String)}::text[]) or lower(data ->> 'replyTo') = any(${[...addresses]}::text[])))`;
