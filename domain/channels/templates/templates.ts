import { LockMode } from '@mikro-orm/core';
import { ChannelTemplate } from '../../../db/entities/channels.ts';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { appendAudit, type Author } from '../../audit/audit.ts';
import { campaignsUsing } from '../../campaign-definitions/in-use/campaigns-using.ts';
import { assertValid, notFound, type Referrer } from '../../../lib/checks/errors.ts';
import { byName, byUpdatedAt, commonSort, listPage, type Present } from '../../common/list-page.ts';
import type { ListQuery, Page } from '../../common/paging.ts';
import type { Additions } from '../content/assert-fits.ts';
import { templateViolations, type ChannelTemplateInput } from './template-violations.ts';
import { deleteUnused } from '../../common/references.ts';

/** The fields whose change creates a new `contentVersion`: all that affect what is sent, so not the name or the topic. */
const CONTENT_FIELDS = [
  ...(['body', 'title', 'url', 'iconUrl', 'imageUrl', 'ttlSeconds', 'urgency', 'collapseKey'] as const),
  ...(['smartEncoding', 'category'] as const),
] as const;

const resourceOf = (id: number) => ({ resourceType: 'channel_template', resourceId: id });

/** What the audit log keeps: no texts, which may name people. Other texts show by their version. */
const audited = ({ name, channel, category, topicId, contentVersion }: ChannelTemplate) => ({
  name,
  channel,
  category,
  topicId: topicId ?? null,
  contentVersion,
});

/** Saves a template. Throws 400 with every violation, 422 `template_limit`. */
export async function createTemplate(
  em: EntityManager,
  author: Author,
  additions: Additions,
  input: ChannelTemplateInput,
): Promise<ChannelTemplate> {
  const { tenantId } = author;
  return em.transactional(async (tx) => {
    assertValid(await templateViolations(tx, tenantId, additions, input));
    const template = tx.create(ChannelTemplate, { ...emptyToNull(input), tenantId });
    await tx.flush();
    await appendAudit(tx, author, {
      ...{ action: 'channel_template.created' as const, ...resourceOf(template.id) },
      after: audited(template),
    });
    return template;
  });
}

/** Changes the given fields; `check` gets the current template, locked. Throws 404, and what createTemplate throws. */
export async function updateTemplate(
  em: EntityManager,
  author: Author,
  additions: Additions,
  id: number,
  input: Partial<ChannelTemplateInput>,
  check: (current: ChannelTemplate) => void,
): Promise<ChannelTemplate> {
  return em.transactional(async (tx) => {
    const template = await lockTemplate(tx, id);
    check(template);
    assertValid(await templateViolations(tx, template.tenantId, additions, input, template));
    const before = audited(template);
    const content = CONTENT_FIELDS.map((field) => template[field] ?? null);
    tx.assign(template, emptyToNull(input));
    if (CONTENT_FIELDS.some((field, index) => (template[field] ?? null) !== content[index]))
      template.contentVersion = (template.contentVersion ?? 0) + 1;
    await tx.flush();
    await appendAudit(tx, author, {
      ...{ action: 'channel_template.updated' as const, ...resourceOf(id) },
      ...{ before, after: audited(template) },
    });
    return template;
  });
}

/**
 * Deletes a template. Throws 404, 409 `in_use` listing its users: campaigns, or messages that are not sent yet.
 */
export async function deleteTemplate(
  em: EntityManager,
  author: Author,
  id: number,
  check: (current: ChannelTemplate) => void,
): Promise<void> {
  await em.transactional(async (tx) => {
    const template = await lockTemplate(tx, id);
    check(template);
    const { tenantId } = template;
    const before = audited(template);
    await deleteUnused(tx, template, async () => [
      ...(await campaignsUsing(tx, tenantId, (ids) =>
        [ids.smsTemplateIds, ids.pushTemplateIds, ids.messageTemplateIds].some((named) => named.has(id)),
      )),
      ...(await queuedMessages(tx, template)),
    ]);
    await appendAudit(tx, author, { action: 'channel_template.deleted', ...resourceOf(id), before });
  });
}

/** The first messages of a template that are not sent yet. */
const queuedMessages = (tx: EntityManager, { tenantId, id }: ChannelTemplate): Promise<Referrer[]> =>
  rows<Referrer>(
    tx,
    sql`
    select 'message' as kind, m.id, m.channel || ' ' || m.id as name from message_sends s
    join messages m on m.tenant_id = s.tenant_id and m.id = s.message_id
    where s.tenant_id = ${tenantId} and s.is_open and m.template_id = ${id} order by m.id limit 10`,
  );

interface TemplateQuery extends ListQuery {
  channel?: string;
  category?: string;
}

/** A page of the tenant's templates. Throws `validation_failed` for a wrong cursor. */
export const listTemplates = <T>(
  em: EntityManager,
  query: TemplateQuery,
  present: Present<ChannelTemplate, T>,
): Promise<Page<T>> =>
  listPage(
    em,
    ChannelTemplate,
    query,
    {
      from: sql`channel_templates t`,
      sortable: { ...commonSort, name: byName, updatedAt: byUpdatedAt },
      where: [
        query.channel !== undefined && sql`t.channel = ${query.channel}`,
        query.category !== undefined && sql`t.category = ${query.category}`,
      ],
    },
    present,
  );

/** Throws 404. */
export async function readTemplate(em: EntityManager, id: number): Promise<ChannelTemplate> {
  const template = await em.findOne(ChannelTemplate, { id });
  if (!template) throw notFound('template', id);
  return template;
}

async function lockTemplate(tx: EntityManager, id: number): Promise<ChannelTemplate> {
  const template = await tx.findOne(ChannelTemplate, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!template) throw notFound('template', id);
  return template;
}

/** Replaces empty texts with null. */
function emptyToNull<T extends Partial<ChannelTemplateInput>>(input: T): T {
  return Object.fromEntries(Object.entries(input).map(([field, value]) => [field, value === '' ? null : value])) as T;
}
