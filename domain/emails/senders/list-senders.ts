import { EmailSender } from '../../../db/entities/email-senders.ts';
import { sql, type EntityManager } from '../../../db/orm.ts';
import { commonSort, listPage, type Present } from '../../common/list-page.ts';
import type { ListQuery, Page } from '../../common/paging.ts';

/** A page of the tenant's senders. Throws `validation_failed` for a wrong cursor. */
export const listSenders = <T>(
  em: EntityManager,
  query: ListQuery,
  present: Present<EmailSender, T>,
): Promise<Page<T>> =>
  listPage(
    em,
    EmailSender,
    query,
    {
      from: sql`email_senders t`,
      where: [],
      sortable: commonSort,
    },
    present,
  );
