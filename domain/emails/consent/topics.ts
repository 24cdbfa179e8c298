import { LockMode } from '@mikro-orm/core';
import { EmailTopic } from '../../../db/entities/email-recipients.ts';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { appendAudit, type Author } from '../../audit/audit.ts';
import { cleanText, isViolation } from '../../common/fields.ts';
import { noLiquid } from '../../../lib/text/liquid.ts';
import { assertValid, notFound, type Referrer, type Violation } from '../../../lib/checks/errors.ts';
import { deleteUnused, lockReferenced } from '../../common/references.ts';

/** Maximum lengths in characters. */
export const TOPIC_LIMITS = { name: 100, description: 1000 } as const;

export interface TopicInput {
  name: string;
  description?: string | null;
}

/** Creates a topic that recipients can choose. Throws `validation_failed`, `name_taken`. */
export async function createTopic(em: EntityManager, tenantId: string, input: TopicInput): Promise<EmailTopic> {
  return em.transactional(async (tx) => {
    const topic = tx.create(EmailTopic, { ...(readTexts(input) as TopicInput), tenantId });
    await tx.flush();
    return topic;
  });
}

/** Changes the given fields; `check` gets the current topic, locked. Throws 404, and what createTopic throws. */
export async function updateTopic(
  em: EntityManager,
  id: number,
  input: Partial<TopicInput>,
  check: (current: EmailTopic) => void,
): Promise<EmailTopic> {
  return em.transactional(async (tx) => {
    const topic = await lockTopic(tx, id);
    check(topic);
    tx.assign(topic, readTexts(input));
    await tx.flush();
    return topic;
  });
}

/** Deletes a topic with its opt-outs. Throws 404, 409 `in_use` listing the templates with this topic. */
export async function deleteTopic(
  em: EntityManager,
  author: Author,
  id: number,
  check: (current: EmailTopic) => void,
): Promise<void> {
  await em.transactional(async (tx) => {
    const topic = await lockTopic(tx, id);
    check(topic);
    const { tenantId, name } = topic;
    await deleteUnused(tx, topic, () =>
      rows<Referrer>(
        tx,
        sql`
      select 'template' as kind, id, name from email_templates where tenant_id = ${tenantId} and topic_id = ${id}
      union all select 'channel_template', id, name from channel_templates where tenant_id = ${tenantId} and topic_id = ${id} order by 1 desc, 2`,
      ),
    );
    await appendAudit(tx, author, {
      action: 'email_topic.deleted',
      resourceType: 'email_topic',
      resourceId: id,
      before: { name },
    });
  });
}

/**
 * The violations of a template's topic. Locks the topic against deletion until the transaction ends; afterwards a
 * deletion sees the template.
 */
export async function topicViolations(
  tx: EntityManager,
  tenantId: string,
  id: number | null | undefined,
): Promise<Violation[]> {
  if (id == null) return [];
  const found = await lockReferenced(tx, 'email_topics', tenantId, [id]);
  return found.has(id) ? [] : [{ path: '/topicId', code: 'not_found', message: `there is no topic ${id}` }];
}

async function lockTopic(tx: EntityManager, id: number): Promise<EmailTopic> {
  const topic = await tx.findOne(EmailTopic, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!topic) throw notFound('topic', id);
  return topic;
}

/** Normalises the given texts. Throws `validation_failed`. */
function readTexts(input: Partial<TopicInput>): Partial<TopicInput> {
  const { values, violations } = checkTopic(input);
  assertValid(violations);
  return values;
}

/** The given texts, normalised, and their violations. */
export function checkTopic(input: Partial<TopicInput>): { values: Partial<TopicInput>; violations: Violation[] } {
  const violations: Violation[] = [];
  const values: Partial<TopicInput> = {};
  for (const field of ['name', 'description'] as const) {
    if (input[field] === undefined) continue;
    const text =
      noLiquid(input[field]) ??
      cleanText(input[field] ?? '', TOPIC_LIMITS[field], { multiline: field === 'description' });
    if (isViolation(text)) violations.push({ path: `/${field}`, ...text });
    else if (field === 'description') values.description = text;
    else if (text === null) violations.push({ path: '/name', code: 'required', message: 'must not be empty' });
    else values.name = text;
  }
  return { values, violations };
}
