import { IsolationLevel } from '@mikro-orm/core';
import { Company, Contact } from '../../../db/entities/contacts.ts';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { appendAudit } from '../../audit/audit.ts';
import type { Caller } from '../../audit/principal.ts';
import { heldByChannels, type HeldByChannels } from '../../channels/people/held-data.ts';
import { notFound } from '../../../lib/checks/errors.ts';
import { identify } from './person.ts';
import { erasedKey } from '../../addresses/digest.ts';
import { NO_RULE } from '../../scoring/scores/apply-changes.ts';
import { readContactScore, type RuleScore } from '../../scoring/scores/read-scores.ts';
import { toldAbout } from '../../webhooks/content/stored-events.ts';
import { beingErased } from '../../contact-values/being-erased.ts';
import { timeline } from '../../contact-values/timeline.ts';

type Rows = Record<string, unknown>[];

/** All data about a person: the contact with its company, and everything else by kind, oldest first. */
export interface HeldData extends HeldByChannels {
  contact: Contact;
  company: Company | null;
  /** Whether the contact is being erased. */
  erasing: boolean;
  /** Addresses and numbers that the contact had before. */
  formerAddresses: Rows;
  activities: Rows;
  emails: Rows;
  submissions: Rows;
  /** As of now: `rules` add up to `total`. */
  score: { total: number; rules: RuleScore[]; thresholds: Rows; history: Rows };
  memberships: Rows;
  pastMemberships: Rows;
  executions: Rows;
  suppressions: Rows;
  /** Topics that the contact's address or number has opted out of. */
  topicOptOuts: Rows;
  /** When the contact was asked to confirm the address, and the proof of its confirmation. */
  optIns: Rows;
  /** What other systems were told about the contact in the last 30 days. */
  webhooks: Rows;
}

/** Reads all data about a contact in one snapshot, and writes an entry of the audit log. Throws `not_found`. */
export async function exportPersonalData(em: EntityManager, caller: Caller, contactId: number): Promise<HeldData> {
  const { tenantId } = caller;
  return em.transactional(
    async (tx) => {
      const all = (query: ReturnType<typeof sql>) => rows<Record<string, unknown>>(tx, query);
      const own = sql`tenant_id = ${tenantId} and contact_id = ${contactId}`;
      const scored = sql`tenant_id = ${tenantId} and subject = 'contact' and subject_id = ${contactId}`;
      const contact = await tx.findOne(Contact, { tenantId, id: contactId });
      if (!contact) throw notFound('contact', contactId);
      await appendAudit(tx, caller, {
        action: 'contact.data_exported',
        resourceType: 'contact',
        resourceId: contactId,
      });
      const person = (await identify(tx, tenantId, contactId))!;
      const number = contact.phoneE164 ?? null;
      const addresses = [...person.addresses, ...person.numbers, ...(number === null ? [] : [number])];
      const { totalScore, rules } = await readContactScore(tx, contactId);
      return {
        contact,
        company: contact.companyId == null ? null : await tx.findOne(Company, { tenantId, id: contact.companyId }),
        erasing: (await beingErased(tx, [contactId])).has(contactId),
        formerAddresses: await all(
          sql`select address, left_at as "leftAt" from former_addresses where ${own} order by left_at, address`,
        ),
        activities: await all(
          sql`select id, type, occurred_at as "occurredAt", data from ${timeline} t where ${own} order by id`,
        ),
        emails: await all(sql`
        select e.id, e.template_id as "templateId", t.name as "templateName", e.campaign_id as "campaignId", e.execution_id as "executionId", e.to_address as "to",
          e.status, e.reason, e.data, e.created_at as "createdAt", e.sent_at as "sentAt", coalesce((
            select jsonb_agg(jsonb_build_object('type', v.type, 'at', v.at, 'url', v.url, 'ip', v.ip, 'userAgent', v.user_agent, 'automated', v.automated, 'inferred', v.inferred) order by v.id)
            from email_events v where v.tenant_id = e.tenant_id and v.email_id = e.id), '[]') as events, coalesce((
            select jsonb_agg(jsonb_build_object('kind', b.kind, 'source', b.source, 'statusCode', b.status_code, 'diagnostic', b.diagnostic, 'at', b.at) order by b.id)
            from email_bounces b where b.tenant_id = e.tenant_id and b.email_id = e.id), '[]') as bounces
        from emails e left join email_templates t on t.tenant_id = e.tenant_id and t.id = e.template_id
        where e.tenant_id = ${tenantId} and e.contact_id = ${contactId} order by e.id`),
        submissions: await all(sql`
        select s.id, s.form_id as "formId", f.name as "formName", s.submission_data as data, s.ip_address as "ipAddress", s.user_agent as "userAgent", s.submitted_at as "submittedAt", coalesce((
            select jsonb_agg(jsonb_build_object('id', f.id, 'field', f.field, 'fileName', f.file_name, 'mediaType', f.media_type, 'size', f.size, 'sha256', f.sha256) order by f.id)
            from form_files f where f.tenant_id = s.tenant_id and f.submission_id = s.id), '[]') as files
        from form_submissions s join forms f on f.tenant_id = s.tenant_id and f.id = s.form_id where s.tenant_id = ${tenantId} and s.contact_id = ${contactId} order by s.id`),
        score: {
          total: totalScore,
          rules,
          thresholds: await all(
            sql`select threshold_id as "thresholdId", at from score_threshold_hits where ${own} order by threshold_id`,
          ),
          history: await all(
            sql`select at, event_type as "eventType", nullif(rule_id, ${NO_RULE}) as "ruleId", points, total, event_id as "eventId" from score_history where ${scored} order by id`,
          ),
        },
        memberships: await all(sql`
        select s.id as "segmentId", s.name, s.type, m.added_at as "addedAt" from segment_members m join segments s on s.tenant_id = m.tenant_id and s.id = m.segment_id
        where m.tenant_id = ${tenantId} and m.contact_id = ${contactId} order by s.id`),
        pastMemberships: await all(sql`
        select s.id as "segmentId", s.name, s.type, p.added_at as "addedAt", p.left_at as "leftAt"
        from segment_past_members p join segments s on s.tenant_id = p.tenant_id and s.id = p.segment_id
        where p.tenant_id = ${tenantId} and p.contact_id = ${contactId} order by p.id`),
        executions: await all(sql`
        select e.id, e.campaign_id as "campaignId", c.name as "campaignName", e.campaign_version as "campaignVersion", e.status, e.exit_reason as "exitReason",
          e.started_at as "startedAt", e.finished_at as "finishedAt", coalesce((
            select jsonb_agg(jsonb_build_object('stepId', s.step_id, 'type', s.type, 'result', s.result, 'executedAt', s.executed_at) order by s.seq)
            from campaign_step_executions s where s.tenant_id = e.tenant_id and s.execution_id = e.id), '[]') as steps
        from campaign_executions e join campaigns c on c.tenant_id = e.tenant_id and c.id = e.campaign_id
        where e.tenant_id = ${tenantId} and e.contact_id = ${contactId} order by e.id`),
        suppressions: await all(
          sql`select reason, source, created_at as "createdAt" from suppressions where tenant_id = ${tenantId} and email_key = any(${person.addresses}::text[]) order by id`,
        ),
        topicOptOuts: await all(sql`
        select t.id as "topicId", t.name, o.channel, min(o.created_at) as "createdAt" from topic_opt_outs o
        join email_topics t on t.tenant_id = o.tenant_id and t.id = o.topic_id
        where o.tenant_id = ${tenantId} and o.address = any(${addresses.flatMap((address) => [address, erasedKey(tenantId, address)])}::text[]) group by t.id, t.name, o.channel order by t.id, o.channel`),
        optIns: await all(sql`
        select form_id as "formId", list_id as "listId", requested_at as "requestedAt", confirmed_at as "confirmedAt", ip, user_agent as "userAgent"
        from opt_ins where ${own} order by id`),
        webhooks: await all(toldAbout(tenantId, contactId)),
        ...(await heldByChannels(tx, tenantId, person, number)),
      };
    },
    { isolationLevel: IsolationLevel.REPEATABLE_READ },
  );
}
