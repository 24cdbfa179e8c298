import { InboundText } from '../../../db/entities/channels.ts';
import { sql, type EntityManager } from '../../../db/orm.ts';
import { inboundTextsTo } from '../people/reached.ts';
import { commonSort, listPage, type Present } from '../../common/list-page.ts';
import type { ListQuery, Page } from '../../common/paging.ts';

interface InboundQuery extends ListQuery {
  contactId?: number;
  optOut?: string;
}

/** A page of the tenant's received texts. Throws `validation_failed` for a wrong cursor. */
export const listInbound = <T>(
  em: EntityManager,
  tenantId: string,
  query: InboundQuery,
  present: Present<InboundText, T>,
): Promise<Page<T>> =>
  listPage(
    em,
    InboundText,
    query,
    {
      from: sql`inbound_texts t`,
      sortable: {
        id: commonSort.id,
        receivedAt: { column: sql`t.received_at`, type: 'timestamptz' },
      },
      where: [
        query.contactId !== undefined && sql`t.tenant_id = ${tenantId} and ${inboundTextsTo([query.contactId])}`,
        query.optOut !== undefined && sql`t.opt_out = ${query.optOut}`,
      ],
    },
    present,
  );
