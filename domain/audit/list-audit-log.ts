import { AuditEntry } from '../../db/entities/auth.ts';
import { sql, type EntityManager } from '../../db/orm.ts';
import { commonSort, instant, listPage, type Present } from '../common/list-page.ts';
import type { ListQuery, Page } from '../common/paging.ts';

/** Filters of the audit log; the times are exclusive. */
interface AuditQuery extends ListQuery {
  action?: string;
  actorType?: string;
  actorId?: number;
  resourceType?: string;
  resourceId?: string;
  atAfter?: string;
  atBefore?: string;
}

/** A page of the tenant's audit log. Throws `validation_failed` for a wrong cursor or time. */
export const listAuditLog = <T>(
  em: EntityManager,
  query: AuditQuery,
  present: Present<AuditEntry, T>,
): Promise<Page<T>> =>
  listPage(
    em,
    AuditEntry,
    query,
    {
      from: sql`audit_log t`,
      sortable: { id: commonSort.id },
      where: [
        query.action !== undefined && sql`t.action = ${query.action}`,
        query.actorType !== undefined && sql`t.actor_type = ${query.actorType}`,
        query.actorId !== undefined && sql`t.actor_id = ${query.actorId}`,
        query.resourceType !== undefined && sql`t.resource_type = ${query.resourceType}`,
        query.resourceId !== undefined && sql`t.resource_id = ${query.resourceId}`,
        query.atAfter !== undefined && sql`t.at > ${instant('atAfter', query.atAfter)}`,
        query.atBefore !== undefined && sql`t.at < ${instant('atBefore', query.atBefore)}`,
      ],
    },
    present,
  );
