import { EmailTemplate } from '../../../db/entities/email-templates.ts';
import { sql, type EntityManager } from '../../../db/orm.ts';
import { byName, byUpdatedAt, commonSort, listPage, type Present } from '../../common/list-page.ts';
import type { ListQuery, Page } from '../../common/paging.ts';

interface TemplateQuery extends ListQuery {
  category?: string;
}

/**
 * A page of the tenant's templates, without those of the service's own emails. Throws `validation_failed` for a wrong
 * cursor.
 */
export const listTemplates = <T>(
  em: EntityManager,
  query: TemplateQuery,
  present: Present<EmailTemplate, T>,
): Promise<Page<T>> =>
  listPage(
    em,
    EmailTemplate,
    query,
    {
      from: sql`email_templates t`,
      sortable: { ...commonSort, name: byName, updatedAt: byUpdatedAt },
      where: [sql`t.system_key is null`, query.category !== undefined && sql`t.category = ${query.category}`],
    },
    present,
  );
