import { EmailTopic } from '../../../db/entities/email-recipients.ts';
import { sql, type EntityManager } from '../../../db/orm.ts';
import { byName, byUpdatedAt, commonSort, listPage, type Present } from '../../common/list-page.ts';
import type { ListQuery, Page } from '../../common/paging.ts';

const sortable = { ...commonSort, name: byName, updatedAt: byUpdatedAt };

/** A page of the tenant's topics. Throws `validation_failed` for a wrong cursor. */
export const listTopics = <T>(em: EntityManager, query: ListQuery, present: Present<EmailTopic, T>): Promise<Page<T>> =>
  listPage(em, EmailTopic, query, { from: sql`email_topics t`, where: [], sortable }, present);
