import { rows, sql, type EntityManager, type RawBuilder } from '../../../db/orm.ts';
import { appendEvents, type NewEvent } from '../../../events/outbox.ts';
import { detachChannels } from '../../channels/people/move-channels.ts';
import { removeScores } from '../../scoring/scores/remove-scores.ts';
import { endMemberships, keptPast } from '../../segments/membership/past-members.ts';
import { membershipEvent } from '../../segments/membership/refresh-memberships.ts';
import { lockContacts } from '../values/lock-contacts.ts';
import { API_NAMES } from './merge-stage.ts';
import { idsOfRanges, type UndoRecord, type UndoFigures } from './undo-record.ts';
import { OPTIONAL_FIELDS, OPTIONAL_NAMES } from '../values/optional-fields.ts';

interface Chunk {
  tenantId: string;
  importId: number;
  chunk: number;
  /** The list of the import. */
  listId: number | null;
}

/** An existing contact of the chunk; `reason` = why it is kept unchanged. */
interface Verdict {
  id: number;
  reason: string | null;
}

/** Activities that every imported contact can have; any other activity is the contact's own. */
const PASSIVE = ['CONTACT_CREATED', 'SEGMENT_ENTERED', 'SEGMENT_LEFT', 'SCORE_UPDATED'];

/**
 * Undoes one chunk, in the transaction `tx`; docs/decisions/0018-undo-of-imports.md lists what is kept. Segments are
 * updated by the consumer of the events, as for the import.
 */
export async function undoChunk(tx: EntityManager, chunk: Chunk): Promise<UndoFigures> {
  const { tenantId } = chunk;
  const [found] = await rows<{ record: Omit<UndoRecord, 'updated'>; updated: number[] | null }>(
    tx,
    sql`
    select undo - 'updated' as record, (select json_agg(id::bigint) from jsonb_object_keys(undo -> 'updated') id) as updated
    from contact_import_chunks where import_id = ${chunk.importId} and chunk = ${chunk.chunk}`,
  );
  const { record, updated } = found!;
  const [made, listed] = [idsOfRanges(record.made), idsOfRanges(record.listed)];
  await lockContacts(tx, tenantId, [...made, ...(updated ?? []), ...listed]);

  const ofMade = await judgeMade(tx, tenantId, made);
  const ofUpdated = updated ? await judgeUpdated(tx, chunk, record.suppressed ?? []) : [];
  const [removable, restorable] = [ofMade, ofUpdated].map((verdicts) =>
    verdicts.filter(({ reason }) => reason === null).map(({ id }) => id),
  );
  const kept = [...ofMade, ...ofUpdated].filter(({ reason }) => reason !== null);
  await rows(
    tx,
    sql`
    insert into contact_import_kept (tenant_id, import_id, contact_id, reason)
    select ${tenantId}, ${chunk.importId}::bigint, id, reason from jsonb_to_recordset(${JSON.stringify(kept)}::jsonb) as k(id bigint, reason text)
    on conflict do nothing`,
  );
  await rows(
    tx,
    sql`
    delete from suppressions s using contacts c
    where s.tenant_id = ${tenantId} and s.id = any(${record.suppressed ?? []}::bigint[]) and s.reason = 'unsubscribed' and s.source = 'import'
      and c.tenant_id = s.tenant_id and c.email_key = s.email_key and c.id = any(${[...removable!, ...restorable!]}::bigint[])`,
  );
  const left = chunk.listId === null ? [] : await leaveList(tx, chunk, chunk.listId, listed);
  await removeContacts(tx, tenantId, removable!);
  const restored = await restoreContacts(tx, chunk, restorable!);
  await removeCompanies(tx, tenantId, record.companies ?? []);
  await rows(
    tx,
    sql`update contact_import_chunks set undo = null where import_id = ${chunk.importId} and chunk = ${chunk.chunk}`,
  );
  const gone = new Set(removable);
  await appendEvents(tx, { tenantId, requestId: null }, [
    ...restored,
    ...left.filter((id) => !gone.has(id)).map((id) => membershipEvent(chunk.listId!, id, false)),
  ]);
  return { removed: removable!.length, restored: restored.length, kept: kept.length };
}

/** Keeps created contacts that have a history: undoing the import must not delete it. */
async function judgeMade(tx: EntityManager, tenantId: string, ids: number[]): Promise<Verdict[]> {
  if (ids.length === 0) return [];
  // First lock them as for a deletion, so that campaign entries of the meantime are visible below.
  await rows(
    tx,
    sql`select 1 from contacts where tenant_id = ${tenantId} and id = any(${ids}::bigint[]) order by id for update`,
  );
  const has = (table: string) =>
    sql`exists (select 1 from ${sql.table(table)} h where h.tenant_id = c.tenant_id and h.contact_id = c.id)`;
  return rows<Verdict>(
    tx,
    sql`
    select c.id, case
      when c.version <> 1 then 'changed_since'
      when ${has('campaign_executions')} then 'in_campaign'
      when ${has('emails')} then 'emailed'
      when ${has('messages')} then 'messaged'
      when ${has('form_submissions')} then 'submitted_form'
      when exists (
        select 1 from contact_activities h where h.tenant_id = c.tenant_id and h.contact_id = c.id and h.type <> all(${PASSIVE}::text[])) then 'active'
    end as reason
    from contacts c where c.tenant_id = ${tenantId} and c.id = any(${ids}::bigint[])`,
  );
}

/**
 * Does not restore a status if the address is suppressed for another reason, or if its owner has unsubscribed since.
 */
async function judgeUpdated(
  tx: EntityManager,
  { tenantId, importId, chunk }: Chunk,
  suppressed: number[],
): Promise<Verdict[]> {
  return rows<Verdict>(
    tx,
    sql`
    select c.id, case
      when c.version <> (u.state ->> 'v')::int then 'changed_since'
      when u.state -> 'was' -> 'status' is not null and (
        exists (
          select 1 from suppressions s where s.tenant_id = c.tenant_id and s.email_key = c.email_key
            and not (s.id = any(${suppressed}::bigint[]) and s.reason = 'unsubscribed' and s.source = 'import'))
        or exists (
          select 1 from emails m join email_events e on e.tenant_id = m.tenant_id and e.email_id = m.id
          where m.tenant_id = c.tenant_id and m.contact_id = c.id and e.type = 'UNSUBSCRIBE' and e.at >= k.created_at)) then 'suppressed'
    end as reason
    from contact_import_chunks k cross join jsonb_each(k.undo -> 'updated') u(id, state)
    join contacts c on c.tenant_id = ${tenantId} and c.id = u.id::bigint
    where k.import_id = ${importId} and k.chunk = ${chunk}`,
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

/** Deletes contacts like deleteContact; they have no executions, emails and messages. */
async function removeContacts(tx: EntityManager, tenantId: string, ids: number[]): Promise<void> {
  if (ids.length === 0) return;
  await detachChannels(tx, tenantId, ids);
  await removeScores(tx, tenantId, 'contact', ids);
  await endMemberships(tx, tenantId, ids);
  await rows(tx, sql`delete from contacts where tenant_id = ${tenantId} and id = any(${ids}::bigint[])`);
}

async function restoreContacts(
  tx: EntityManager,
  { tenantId, importId, chunk }: Chunk,
  ids: number[],
): Promise<NewEvent[]> {
  if (ids.length === 0) return [];
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
  const restored = await rows<{ id: number; version: number; columns: string[] }>(
    tx,
    sql`
    update contacts c set ${sql.join(texts)}, created_email = nullif(coalesce(c.created_email, c.email), ${before('email')}),
      ${text('tags', sql`array(select jsonb_array_elements_text(w.was -> 'tags'))`)}, ${text('custom_fields', sql`w.was -> 'custom_fields'`)},
      ${text('company_id', sql`(select k.id from companies k where k.tenant_id = c.tenant_id and k.id = (w.was ->> 'company_id')::bigint)`)},
      version = c.version + 1, updated_at = now()
    from (
      select u.id::bigint as id, u.state -> 'was' as was from contact_import_chunks k cross join jsonb_each(k.undo -> 'updated') u(id, state)
      where k.import_id = ${importId} and k.chunk = ${chunk}
    ) w
    where c.tenant_id = ${tenantId} and c.id = w.id and c.id = any(${ids}::bigint[])
    returning c.id, c.version, array(select jsonb_object_keys(w.was)) as columns`,
  );
  return restored
    .sort((a, b) => a.id - b.id)
    .map(({ id, version, columns }) => ({
      type: 'CONTACT_UPDATED',
      data: { contactId: id, version, changed: columns.flatMap((column) => API_NAMES[column] ?? []) },
    }));
}

/** Deletes companies that the chunk created, if they are unchanged and have no contacts. */
async function removeCompanies(tx: EntityManager, tenantId: string, ids: number[]): Promise<void> {
  if (ids.length === 0) return;
  await rows(
    tx,
    sql`select 1 from companies where tenant_id = ${tenantId} and id = any(${ids}::bigint[]) order by id for update`,
  );
  const removed = await rows<{ id: number }>(
    tx,
    sql`
    delete from companies k where k.tenant_id = ${tenantId} and k.id = any(${ids}::bigint[]) and k.version = 1
      and not exists (select 1 from contacts c where c.tenant_id = k.tenant_id and c.company_id = k.id) returning k.id`,
  );
  await removeScores(
    tx,
    tenantId,
    'company',
    removed.map(({ id }) => id),
  );
}
