import { rows, sql, type EntityManager, type RawBuilder } from '../../../db/orm.ts';
import { appendEvents, type NewEvent } from '../../../events/outbox.ts';
import { detachChannels } from '../../channels/people/move-channels.ts';
import { removeScores } from '../../scoring/scores/remove-scores.ts';
import { endMemberships, keptPast } from '../../membership/members/past-members.ts';
import { membershipEvent } from '../../membership/members/refresh-memberships.ts';
import { lockContacts } from '../../contact-values/lock-contacts.ts';
import { API_NAMES } from './merge-stage.ts';
import { idsOfRanges, type UndoRecord, type UndoFigures } from './undo-record.ts';
import { OPTIONAL_FIELDS, OPTIONAL_NAMES } from '../../contact-values/optional-fields.ts';

interface Chunk {
  tenantId: string;
  importId: number;
  chunk: number;
  /** The list of the import. */
  listId: number | null;
}

/**
 * What imports did to contacts, one row a contact: `import_id`, `contact_id`, `v` = the version after it, `was` = the
 * previous values, null if the import created the contact, `at` = when.
 */
interface Changes {
  from: RawBuilder<unknown>;
  /** SQL: whether a change `w` created the suppression `s`. */
  suppressed: RawBuilder<unknown>;
}

/** An existing contact among changes; `reason` = why it is kept unchanged. */
interface Verdict {
  importId: number;
  id: number;
  made: boolean;
  reason: string | null;
}

interface Undone {
  verdicts: Verdict[];
  removed: number[];
  restored: number[];
  events: NewEvent[];
  /** The companies that the contacts were in. */
  companies: number[];
}

/** Activities that every imported contact can have; any other activity is the contact's own. */
const PASSIVE = ['CONTACT_CREATED', 'CONTACT_UPDATED', 'SEGMENT_ENTERED', 'SEGMENT_LEFT', 'SCORE_UPDATED'];

/**
 * Undoes one chunk, in the transaction `tx`, and then what the undo of earlier imports left because this import had
 * changed the contact since. docs/decisions/0018-undo-of-imports.md lists what is kept, and
 * docs/decisions/0072-undo-of-overlapping-imports.md says how undos meet. Segments are updated by the consumer of the
 * events, as for the import. Returns the difference of each import's figures.
 */
export async function undoChunk(tx: EntityManager, chunk: Chunk): Promise<Map<number, UndoFigures>> {
  const { tenantId, importId } = chunk;
  const [found] = await rows<{ record: Omit<UndoRecord, 'updated'>; updated: number[] | null }>(
    tx,
    sql`
    select undo - 'updated' as record, (select json_agg(id::bigint) from jsonb_object_keys(undo -> 'updated') id) as updated
    from contact_import_chunks where import_id = ${importId} and chunk = ${chunk.chunk}`,
  );
  const { record, updated } = found!;
  const [made, listed] = [idsOfRanges(record.made), idsOfRanges(record.listed)];
  await lockContacts(tx, tenantId, [...made, ...(updated ?? []), ...listed]);
  const left = chunk.listId === null ? [] : await leaveList(tx, chunk, chunk.listId, listed);

  const figures = new Map<number, UndoFigures>();
  const add = (id: number, more: Partial<UndoFigures>): void => {
    const { removed, restored, kept } = figures.get(id) ?? { removed: 0, restored: 0, kept: 0 };
    figures.set(id, {
      removed: removed + (more.removed ?? 0),
      restored: restored + (more.restored ?? 0),
      kept: kept + (more.kept ?? 0),
    });
  };
  const own = changesOf(chunk, record.suppressed ?? []);
  const first = await undoChanges(tx, tenantId, own);
  const kept = first.verdicts.filter(({ reason }) => reason !== null);
  await keep(tx, tenantId, own, kept);
  add(importId, { removed: first.removed.length, restored: first.restored.length, kept: kept.length });

  const passes = [first];
  for (let pass = first; pass.restored.length > 0;) {
    pass = await undoChanges(tx, tenantId, owedOf(tenantId, pass.restored));
    const due = pass.verdicts.filter(({ reason }) => reason !== 'changed_since');
    for (const { importId: earlier, made: isMade, reason } of due)
      if (reason === null) add(earlier, { [isMade ? 'removed' : 'restored']: 1, kept: -1 });
    await settle(tx, tenantId, due);
    passes.push(pass);
  }
  await removeCompanies(tx, tenantId, record.companies ?? [], [
    ...new Set(passes.flatMap(({ companies }) => companies)),
  ]);
  await rows(
    tx,
    sql`update contact_import_chunks set undo = null where import_id = ${importId} and chunk = ${chunk.chunk}`,
  );
  const gone = new Set(passes.flatMap(({ removed }) => removed));
  await appendEvents(tx, { tenantId, requestId: null }, [
    ...passes
      .flatMap(({ events }) => events)
      .filter(({ data }) => !gone.has((data as { contactId: number }).contactId)),
    ...left.filter((id) => !gone.has(id)).map((id) => membershipEvent(chunk.listId!, id, false)),
  ]);
  return figures;
}

/** The changes of a chunk, which created these suppressions. */
const changesOf = ({ importId, chunk }: Chunk, suppressed: readonly number[]): Changes => ({
  from: sql`
    select k.import_id, u.contact_id, u.v, u.was, k.created_at as at
    from contact_import_chunks k cross join lateral (
      select e.id::bigint as contact_id, (e.state ->> 'v')::int as v, e.state -> 'was' as was
      from jsonb_each(k.undo -> 'updated') as e(id, state)
      union all
      select id, 1, null
      from jsonb_array_elements(k.undo -> 'made') as r cross join generate_series((r ->> 0)::bigint, (r ->> 1)::bigint) as id) u
    where k.import_id = ${importId}::bigint and k.chunk = ${chunk}`,
  suppressed: sql`s.id = any(${[...suppressed]}::bigint[])`,
});

/** What undone imports left because these contacts were changed since. */
const owedOf = (tenantId: string, ids: readonly number[]): Changes => ({
  from: sql`
    select import_id, contact_id, (owed ->> 'v')::int as v, nullif(owed -> 'was', 'null') as was, (owed ->> 'at')::timestamptz as at,
      (owed ->> 'suppression')::bigint as suppression
    from contact_import_kept where tenant_id = ${tenantId} and contact_id = any(${[...ids]}::bigint[]) and owed is not null`,
  suppressed: sql`s.id = w.suppression`,
});

/** Undoes those of the changes that nothing prevents. */
async function undoChanges(tx: EntityManager, tenantId: string, changes: Changes): Promise<Undone> {
  const verdicts = await judge(tx, tenantId, changes);
  const free = verdicts.filter(({ reason }) => reason === null);
  if (free.length === 0) return { verdicts, removed: [], restored: [], events: [], companies: [] };
  // Of what is owed, a contact can have several changes, of which one is undone. Compared with a list, because the planner
  // expects few rows of a join, and would use nested loops over thousands.
  const keys = free.map(({ importId, id }) => `${importId}/${id}`);
  const freeChanges = sql`
    (select * from (${changes.from}) w where w.import_id || '/' || w.contact_id = any(${keys}::text[])) w`;
  await rows(
    tx,
    sql`
    delete from suppressions s using contacts c, ${freeChanges}
    where c.tenant_id = ${tenantId} and c.id = w.contact_id
      and s.tenant_id = c.tenant_id and s.email_key = c.email_key and ${changes.suppressed} and ${BY_IMPORT}`,
  );
  const idsOf = (isMade: boolean) => free.filter(({ made }) => made === isMade).map(({ id }) => id);
  const [removed, restorable] = [idsOf(true), idsOf(false)];
  const left = await removeContacts(tx, tenantId, removed);
  const restored = await restoreContacts(tx, tenantId, freeChanges, restorable);
  return { verdicts, removed, restored: restorable, ...restored, companies: [...left, ...restored.companies] };
}

/** SQL: the suppression `s` of the contact `c` is still the one that an import made. */
const BY_IMPORT = sql`s.reason = c.status and s.source = 'import'`;

/**
 * Keeps contacts that have another version than the change left, apart from changes that were undone; created ones that
 * have a history, which undoing must not delete; and those whose status cannot be restored, because the address is
 * suppressed for another reason or its owner has unsubscribed since.
 */
async function judge(tx: EntityManager, tenantId: string, { from, suppressed }: Changes): Promise<Verdict[]> {
  // First lock created ones as for a deletion, so that campaign entries of the meantime are visible below.
  await rows(
    tx,
    sql`
    select 1 from contacts where tenant_id = ${tenantId} and id in (select contact_id from (${from}) w where w.was is null)
    order by id for update`,
  );
  const has = (table: string) =>
    sql`exists (select 1 from ${sql.table(table)} h where h.tenant_id = c.tenant_id and h.contact_id = c.id)`;
  return rows<Verdict>(
    tx,
    sql`
    select w.import_id as "importId", c.id, w.was is null as made, case
      when coalesce(r.same_as, c.version) <> w.v then 'changed_since'
      when w.was is null then case
        when ${has('campaign_executions')} then 'in_campaign'
        when ${has('emails')} then 'emailed'
        when ${has('messages')} then 'messaged'
        when ${has('form_submissions')} then 'submitted_form'
        when exists (
          select 1 from contact_activities h where h.tenant_id = c.tenant_id and h.contact_id = c.id
            and h.type <> all(${PASSIVE}::text[]) and not (h.type = 'CONTACT_UNSUBSCRIBED' and h.data ->> 'reason' = 'import')) then 'active'
      end
      when w.was -> 'status' is not null and (
        exists (
          select 1 from suppressions s where s.tenant_id = c.tenant_id and s.email_key = c.email_key
            and not (${suppressed} and ${BY_IMPORT}))
        or exists (
          select 1 from emails m join email_events e on e.tenant_id = m.tenant_id and e.email_id = m.id
          where m.tenant_id = c.tenant_id and m.contact_id = c.id and e.type = 'UNSUBSCRIBE' and e.at >= w.at)) then 'suppressed'
    end as reason
    from (${from}) w join contacts c on c.tenant_id = ${tenantId} and c.id = w.contact_id
    left join contact_restored_versions r on r.tenant_id = c.tenant_id and r.contact_id = c.id and r.version = c.version`,
  );
}

/** Stores what was kept and why, and what is left to do when the imports that changed it since are undone. */
async function keep(
  tx: EntityManager,
  tenantId: string,
  { from, suppressed }: Changes,
  kept: readonly Verdict[],
): Promise<void> {
  if (kept.length === 0) return;
  const reasons = Object.fromEntries(kept.map(({ id, reason }) => [id, reason]));
  await rows(
    tx,
    sql`
    insert into contact_import_kept (tenant_id, import_id, contact_id, reason, owed)
    select ${tenantId}, w.import_id, c.id, w.reason, case when w.reason = 'changed_since' then jsonb_build_object(
      'v', w.v, 'was', w.was, 'at', w.at, 'suppression', (
        select s.id from suppressions s where s.tenant_id = c.tenant_id and s.email_key = c.email_key and ${suppressed})) end
    from (select *, ${JSON.stringify(reasons)}::jsonb ->> contact_id::text as reason from (${from}) w) w
    join contacts c on c.tenant_id = ${tenantId} and c.id = w.contact_id
    where w.reason is not null on conflict do nothing`,
  );
}

/** Of what was owed: forgets what is done, and stores why the rest is kept for good. */
async function settle(tx: EntityManager, tenantId: string, due: readonly Verdict[]): Promise<void> {
  if (due.length === 0) return;
  const settled = sql`jsonb_to_recordset(${JSON.stringify(due)}::jsonb) as d("importId" bigint, id bigint, reason text)`;
  const same = sql`k.tenant_id = ${tenantId} and k.import_id = d."importId" and k.contact_id = d.id`;
  await rows(tx, sql`delete from contact_import_kept k using ${settled} where ${same} and d.reason is null`);
  await rows(
    tx,
    sql`update contact_import_kept k set reason = d.reason, owed = null from ${settled} where ${same} and d.reason is not null`,
  );
}

/**
 * Removes the contacts that the chunk added to the list, at the beginning of its transaction, or when a membership ended
 * while that was running. Contacts that left and were added again have another time and stay.
 */
async function leaveList(
  tx: EntityManager,
  { tenantId, importId, chunk }: Chunk,
  listId: number,
  ids: number[],
): Promise<number[]> {
  const left = await rows<{ contact_id: number }>(
    tx,
    sql`
    with gone as (
      delete from segment_members m using contact_import_chunks k
      where m.tenant_id = ${tenantId} and m.segment_id = ${listId} and m.contact_id = any(${ids}::bigint[])
        and k.import_id = ${importId} and k.chunk = ${chunk} and (m.added_at = k.created_at or exists (
          select 1 from segment_past_members p
          where p.tenant_id = ${tenantId} and p.segment_id = ${listId} and p.contact_id = m.contact_id
            and p.left_at = m.added_at and p.left_at > k.created_at and p.added_at < k.created_at))
      returning m.*
    ), ${keptPast} select contact_id from gone`,
  );
  return left.map((row) => row.contact_id).sort((a, b) => a - b);
}

/** Deletes contacts like deleteContact; they have no executions, emails and messages. Returns their companies. */
async function removeContacts(tx: EntityManager, tenantId: string, ids: number[]): Promise<number[]> {
  if (ids.length === 0) return [];
  await detachChannels(tx, tenantId, ids);
  await removeScores(tx, tenantId, 'contact', ids);
  await endMemberships(tx, tenantId, ids);
  const removed = await rows<{ company: number | null }>(
    tx,
    sql`delete from contacts where tenant_id = ${tenantId} and id = any(${ids}::bigint[]) returning company_id as company`,
  );
  return [...new Set(removed.flatMap(({ company }) => company ?? []))];
}

async function restoreContacts(
  tx: EntityManager,
  tenantId: string,
  changes: RawBuilder<unknown>,
  ids: number[],
): Promise<Pick<Undone, 'events' | 'companies'>> {
  if (ids.length === 0) return { events: [], companies: [] };
  await createUndoneCompanies(tx, tenantId, changes);
  const before = (column: string, value = sql`w.was ->> ${sql.lit(column)}`) =>
    sql`case when jsonb_exists(w.was, ${sql.lit(column)}) then ${value} else c.${sql.ref(column)} end`;
  const text = (column: string, value?: RawBuilder<unknown>) => sql`${sql.ref(column)} = ${before(column, value)}`;
  const texts = [
    'email',
    'status',
    'first_name',
    'last_name',
    'phone',
    'phone_e164',
    ...OPTIONAL_NAMES.map((name) => OPTIONAL_FIELDS[name].column),
  ].map((column) => text(column));
  const restored = await rows<{ id: number; version: number; columns: string[]; company: number | null }>(
    tx,
    sql`
    with done as (
      update contacts c set ${sql.join(texts)}, created_email = nullif(coalesce(c.created_email, c.email), ${before('email')}),
        ${text('tags', sql`array(select jsonb_array_elements_text(w.was -> 'tags'))`)}, ${text('custom_fields', sql`w.was -> 'custom_fields'`)},
        ${text('company_id', companyBefore)},
        version = c.version + 1, updated_at = now()
      from ${changes}
      where c.tenant_id = ${tenantId} and c.id = w.contact_id
      returning c.id, new.version, w.v, w.was, old.company_id as company
    ), noted as (
      insert into contact_restored_versions (tenant_id, contact_id, version, same_as)
      select ${tenantId}, d.id, d.version, coalesce(r.same_as, d.v - 1) from done d
      left join contact_restored_versions r on r.tenant_id = ${tenantId} and r.contact_id = d.id and r.version = d.v - 1
    ) select id, version, array(select jsonb_object_keys(was)) as columns, company from done`,
  );
  const events = restored
    .sort((a, b) => a.id - b.id)
    .map(({ id, version, columns }): NewEvent => ({
      type: 'CONTACT_UPDATED',
      data: { contactId: id, version, changed: columns.flatMap((column) => API_NAMES[column] ?? []) },
    }));
  return { events, companies: [...new Set(restored.flatMap(({ company }) => company ?? []))] };
}

/** SQL for the company that a contact `c` was in before the change `w`: by id, else that of the same name. */
const companyBefore = sql`coalesce(
  (select k.id from companies k where k.tenant_id = c.tenant_id and k.id = (w.was ->> 'company_id')::bigint),
  (select min(k.id) from undone_companies u join companies k on k.tenant_id = u.tenant_id and k.name_key = u.name_key
    where u.tenant_id = c.tenant_id and u.company_id = (w.was ->> 'company_id')::bigint))`;

/**
 * Creates companies again that an undo deleted while nobody was in them, and that somebody is put back into. Their names
 * are theirs again alone.
 */
async function createUndoneCompanies(tx: EntityManager, tenantId: string, changes: RawBuilder<unknown>): Promise<void> {
  await rows(
    tx,
    sql`
    with made as (
      insert into companies (id, tenant_id, name, name_key, created_at, updated_at)
      select u.company_id, u.tenant_id, u.name, u.name_key, u.created_at, u.created_at from undone_companies u
      where u.tenant_id = ${tenantId} and u.deleted_at is not null
        and u.company_id in (select (w.was ->> 'company_id')::bigint from ${changes})
        and not exists (select 1 from companies k where k.tenant_id = u.tenant_id and k.name_key = u.name_key)
      on conflict do nothing returning id
    )
    update undone_companies u set name = null, name_key = null, deleted_at = null from made
    where u.tenant_id = ${tenantId} and u.company_id = made.id`,
  );
}

/**
 * Deletes companies that the chunk created, and those of imports undone before that contacts have left, if they are
 * unchanged and have no contacts. Notes the unchanged ones; the names only of those that it deletes.
 */
async function removeCompanies(tx: EntityManager, tenantId: string, made: number[], left: number[]): Promise<void> {
  const unchanged = await rows<{ id: number }>(
    tx,
    sql`
    select k.id from companies k
    where k.tenant_id = ${tenantId} and k.id = any(${[...made, ...left]}::bigint[]) and k.version = 1 and (
      k.id = any(${made}::bigint[])
      or exists (select 1 from undone_companies u where u.tenant_id = k.tenant_id and u.company_id = k.id))
    order by k.id for update`,
  );
  if (unchanged.length === 0) return;
  const ids = sql`${unchanged.map(({ id }) => id)}::bigint[]`;
  // The time of the clock, because an import that still found a company began before that.
  const removed = await rows<{ id: number }>(
    tx,
    sql`
    with gone as (
      delete from companies k where k.tenant_id = ${tenantId} and k.id = any(${ids})
        and not exists (select 1 from contacts c where c.tenant_id = k.tenant_id and c.company_id = k.id)
      returning k.id, k.name, k.name_key
    ), noted as (
      insert into undone_companies (tenant_id, company_id, name, name_key, created_at, deleted_at)
      select k.tenant_id, k.id, g.name, g.name_key, k.created_at, case when g.id is not null then clock_timestamp() end
      from companies k left join gone g on g.id = k.id where k.tenant_id = ${tenantId} and k.id = any(${ids})
      on conflict (tenant_id, company_id) do update set
        name = excluded.name, name_key = excluded.name_key, deleted_at = excluded.deleted_at
    ) select id from gone`,
  );
  await removeScores(
    tx,
    tenantId,
    'company',
    removed.map(({ id }) => id),
  );
}

/**
 * Forgets companies that no undo can need any more: no import that is not undone was running while there was the
 * company, and no contact is owed it.
 */
export async function forgetUndoneCompanies(tx: EntityManager, tenantId: string): Promise<void> {
  await rows(
    tx,
    sql`
    delete from undone_companies u where u.tenant_id = ${tenantId} and not exists (
      select 1 from contact_imports i where i.tenant_id = u.tenant_id and i.status <> 'UNDONE' and (i.options ->> 'dryRun')::boolean is not true
        and i.created_at <= coalesce(u.deleted_at, 'infinity') and coalesce(i.finished_at, 'infinity') >= u.created_at
    ) and not exists (
      select 1 from contact_import_kept k where k.tenant_id = u.tenant_id and k.owed is not null
        and (k.owed -> 'was' ->> 'company_id')::bigint = u.company_id)`,
  );
}
