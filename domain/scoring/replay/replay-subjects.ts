import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { lockCompanies } from '../scores/lock-subjects.ts';
import { isIn, type Member, type Span } from './replay-events.ts';
import type { RuleRow } from '../scores/score-events.ts';

/**
 * The bounds of a page: contacts (for companies: theirs, and themselves), and events to read. What would exceed them is
 * still whole: the score of a contact or company is replayed in one transaction, because the cap of a rule goes by all
 * its events.
 */
export const PAGE = 500;
const PAGE_EVENTS = 20_000;

/** The column of contacts by which their events score. */
const subjectColumn = ({ target }: RuleRow) => sql.ref(target === 'contact' ? 'c.id' : 'c.company_id');

/** The next contacts or companies after `after`, as many as a page may have, and whether there may be more. */
export async function nextSubjects(
  tx: EntityManager,
  span: Span,
  rule: RuleRow,
  after: number,
): Promise<{ ids: number[]; more: boolean }> {
  const { tenantId } = span;
  const members = sql`contacts c where c.tenant_id = ${tenantId} and ${subjectColumn(rule)} = s.id`;
  const countUpTo = (limit: number, query: ReturnType<typeof sql>) =>
    sql`lateral (select count(*) as n from (select 1 from ${query} limit ${limit}) few)`;
  const found = await rows<{ id: number; more: boolean }>(
    tx,
    sql`
    with recursive page as (
      select ${after}::bigint as id, 0::bigint as n, 0::bigint as contacts, 0::bigint as events
      union all
      select s.id, p.n + 1, p.contacts + m.n, p.events + e.n + h.n
      from page p
      cross join lateral (
        select id from ${sql.table(rule.target === 'contact' ? 'contacts' : 'companies')}
        where tenant_id = ${tenantId} and id > p.id order by id limit 1) s
      cross join ${countUpTo(PAGE, members)} m
      cross join ${countUpTo(
        PAGE_EVENTS,
        sql`contacts c cross join lateral (
          select 1 from contact_activities a
          where a.tenant_id = c.tenant_id and a.contact_id = c.id and a.type = ${rule.event_type}
            and ${isIn(span, sql`a.occurred_at`)} offset 0) its
          where c.tenant_id = ${tenantId} and ${subjectColumn(rule)} = s.id`,
      )} e
      cross join ${countUpTo(
        PAGE_EVENTS,
        sql`score_history where tenant_id = ${tenantId} and subject = ${rule.target} and subject_id = s.id and rule_id = ${rule.id}`,
      )} h
      where p.n < ${PAGE} and p.contacts < ${PAGE} and p.events < ${PAGE_EVENTS}
    )
    select id, n >= ${PAGE} or contacts >= ${PAGE} or events >= ${PAGE_EVENTS} as more from page where n > 0 order by n`,
  );
  return { ids: found.map(({ id }) => id), more: found.at(-1)?.more ?? false };
}

/** The contacts whose events score for these contacts or companies. */
export function membersOf(
  tx: EntityManager,
  tenantId: string,
  rule: RuleRow,
  ids: readonly number[],
  locking = sql``,
): Promise<Member[]> {
  const subject = subjectColumn(rule);
  return rows<Member>(
    tx,
    sql`
    select c.id, ${subject} as "subjectId" from contacts c
    where c.tenant_id = ${tenantId} and ${subject} = any(${[...ids]}::bigint[]) order by c.id ${locking}`,
  );
}

/**
 * Locks these contacts, or companies and their contacts, until the transaction ends, in the order of all who change
 * scores: contacts first. Contacts of a company are locked too, so that none moves elsewhere and scores there meanwhile.
 */
export async function lockMembers(
  tx: EntityManager,
  tenantId: string,
  rule: RuleRow,
  ids: readonly number[],
): Promise<Member[]> {
  const members = await membersOf(tx, tenantId, rule, ids, sql`for no key update of c`);
  if (rule.target === 'company')
    await lockCompanies(
      tx,
      ids.map((id) => ({ tenantId, id })),
    );
  return members;
}
