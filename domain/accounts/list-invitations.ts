import { Invitation } from '../../db/entities/auth.ts';
import { sql, type EntityManager } from '../../db/orm.ts';
import { commonSort, listPage, type Present } from '../common/list-page.ts';
import type { ListQuery, Page } from '../common/paging.ts';
import { invitationStatus } from './invitations.ts';

interface InvitationQuery extends ListQuery {
  status?: string;
}

const sortable = { ...commonSort, expiresAt: { column: sql`t.expires_at`, type: 'timestamptz' } } as const;

/** A page of the tenant's invitations. Throws `validation_failed` for a wrong cursor. */
export const listInvitations = <T>(
  em: EntityManager,
  query: InvitationQuery,
  present: Present<Invitation, T>,
): Promise<Page<T>> =>
  listPage(
    em,
    Invitation,
    query,
    {
      from: sql`invitations t`,
      sortable,
      where: [query.status !== undefined && sql`${invitationStatus} = ${query.status}`],
    },
    present,
  );
