import type { Message, MessageStatus, SendType } from '../../../db/entities/messages.ts';
import { Message as MessageEntity } from '../../../db/entities/messages.ts';
import { EMAIL_LANES } from '../../../db/entities/emails.ts';
import { rows, sql, type EntityManager, type RawBuilder } from '../../../db/orm.ts';
import { notFound } from '../../../lib/checks/errors.ts';
import { commonSort, listPage } from '../../common/list-page.ts';
import type { ListQuery, Page } from '../../common/paging.ts';
import { withinTime } from '../../common/within-time.ts';

/** A send of a message: a device, or the number. */
export interface SendView {
  id: number;
  messageId: number;
  subscriptionId: number | null;
  type: SendType;
  status: MessageStatus;
  reason: string | null;
  providerId: number | null;
  providerMessageId: string | null;
  at: Date;
}

/** A message with what became of it. */
export interface MessageView {
  message: Message;
  sends: SendView[];
  clicks: number;
  firstClickedAt: Date | null;
}

interface MessageQuery extends ListQuery {
  channel?: string;
  contactId?: number;
  campaignId?: number;
  status?: string;
  templateId?: number;
}

/**
 * The condition that a message has a status, such that few are found by an index: none to which a start, or a settlement
 * as SENT, would write. Those that are SENT or DELIVERED have none.
 */
function hasStatus(status: string): RawBuilder<unknown> {
  const shown = sql`t.status = ${status}`;
  switch (status) {
    case 'UNKNOWN':
      return sql`t.is_unknown`;
    case 'QUEUED':
    case 'SENDING':
      // The message is what one of its sends is.
      return sql`${shown} and t.id in (
        select s.message_id from message_sends s
        where s.is_open and s.lane = any(${[...EMAIL_LANES]}::text[]) and s.status = ${status})`;
    case 'FAILED':
    case 'UNDELIVERED':
    case 'SUPPRESSED':
      return sql`t.reason is not null and ${shown}`;
    default:
      return shown;
  }
}

const TOO_LONG = 'It takes too long to find these messages: ask for those of a contact, campaign or template';

/**
 * A page of the tenant's messages. Throws `validation_failed` for a wrong cursor, `unavailable` if one of its queries takes
 * too long.
 */
export const listMessages = <T>(
  em: EntityManager,
  query: MessageQuery,
  present: (view: MessageView) => T,
): Promise<Page<T>> => withinTime(em, TOO_LONG, (tx) => pageOf(tx, query, present));

const pageOf = <T>(em: EntityManager, query: MessageQuery, present: (view: MessageView) => T): Promise<Page<T>> =>
  listPage(
    em,
    MessageEntity,
    query,
    {
      from: sql`messages t`,
      sortable: commonSort,
      where: [
        query.channel !== undefined && sql`t.channel = ${query.channel}`,
        query.contactId !== undefined && sql`t.contact_id = ${query.contactId}`,
        query.campaignId !== undefined && sql`t.campaign_id = ${query.campaignId}`,
        query.status !== undefined && hasStatus(query.status),
        query.templateId !== undefined && sql`t.template_id = ${query.templateId}`,
      ],
    },
    async (found, tx) => (await viewsOf(tx, found)).map(present),
  );

/** Throws 404. */
export async function readMessage(em: EntityManager, id: number): Promise<MessageView> {
  return em.transactional(async (tx) => {
    const message = await tx.findOne(MessageEntity, { id }, { refresh: true });
    if (!message) throw notFound('message', id);
    return (await viewsOf(tx, [message]))[0]!;
  });
}

async function viewsOf(tx: EntityManager, messages: Message[]): Promise<MessageView[]> {
  if (messages.length === 0) return [];
  const ids = messages.map(({ id }) => id);
  const { tenantId } = messages[0]!;
  const sends = await rows<SendView>(
    tx,
    sql`
    select id, message_id as "messageId", subscription_id as "subscriptionId", type, status, reason, provider_id as "providerId",
      provider_message_id as "providerMessageId", updated_at as at
    from message_sends where tenant_id = ${tenantId} and message_id = any(${ids}::bigint[]) order by id`,
  );
  const clicks = await rows<{ id: number; n: number; first: Date | null }>(
    tx,
    sql`
    select message_id as id, count(*)::int as n, min(at) as first from message_clicks
    where tenant_id = ${tenantId} and message_id = any(${ids}::bigint[]) and not automated group by 1`,
  );
  const byMessage = Map.groupBy(sends, ({ messageId }) => messageId);
  const clicksOf = new Map(clicks.map((row) => [row.id, row]));
  return messages.map((message) => ({
    message,
    sends: byMessage.get(message.id) ?? [],
    clicks: clicksOf.get(message.id)?.n ?? 0,
    firstClickedAt: clicksOf.get(message.id)?.first ?? null,
  }));
}
