import type pg from 'pg';
import { insertContactEvents } from '../../../events/outbox.ts';
import { OPTIONAL_FIELDS, OPTIONAL_NAMES } from '../../contact-values/optional-fields.ts';
import { addressDigestSql } from '../../addresses/digest.ts';
import { findOrCreateCompanies } from './companies.ts';
import { beforeImage, idRanges, joinRanges, type UndoParts } from './undo-record.ts';

/**
 * The contact fields that a file can change: API name, column and staged value. A null value leaves the contact's
 * value unchanged.
 */
const MERGED: [field: string, column: string, staged: string][] = [
  ['firstName', 'first_name', 's.first_name'],
  ['lastName', 'last_name', 's.last_name'],
  ['phone', 'phone', 's.phone'],
  ['company', 'company_id', 's.company_id'],
  ['tags', 'tags', 's.tags'],
  ['customFields', 'custom_fields', 'c.custom_fields || s.custom'],
  ...OPTIONAL_NAMES.map((name): [string, string, string] => {
    const { column } = OPTIONAL_FIELDS[name];
    return [name, column, `s.${column}`];
  }),
];
/** The API names of columns, for the `changed` of events. */
export const API_NAMES: Readonly<Record<string, string>> = {
  email: 'email',
  status: 'status',
  ...Object.fromEntries(MERGED.map(([field, column]) => [column, field])),
  company_id: 'companyId',
};

/** The statuses that suppress the address. */
const SUPPRESSING = `('unsubscribed', 'bounced', 'complained')`;

/**
 * An import never reactivates a contact, nor makes one wait for a confirmation again; the status of a suppressed
 * address has priority over the file's. An archived contact can still be unsubscribed.
 */
const STATUS = `case
  when c.status in ('active', 'pending') then coalesce(s.suppressed, nullif(s.status, 'pending'), c.status)
  when c.status = 'archived' and s.status in ${SUPPRESSING} then s.status else c.status end`;

/** Erased addresses are stored as hashes, see the entity ErasedAddress. */
const ERASED = `exists (select 1 from erased_addresses e where e.tenant_id = $1::text and e.hash = ${addressDigestSql('$1::text', 'email_key')})`;

export interface MergeOptions {
  tenantId: string;
  mode: 'upsert' | 'create' | 'update';
  runTriggers: boolean;
  /** The fields in the file, see `fieldsOf`. */
  fields: ReadonlySet<string>;
  /** The list that all accepted contacts are added to. */
  listId: number | undefined;
}

export interface Merged {
  created: number;
  updated: number;
  unchanged: number;
  /** Rows with erased addresses, and rows that the mode excludes. */
  refused: { row: number; code: 'erased' | 'email_taken' | 'not_found' }[];
  /** The data for undoing this, see undo-record.ts. */
  undo: UndoParts;
}

/**
 * Creates the merge of the rows in `import_stage` into contacts, in the open transaction. It fails on the unique
 * address (`isTaken`) if another transaction has created one of the contacts in the meantime; run again, it finds that
 * contact. `anyErased`: the tenant has erased addresses.
 */
export function createMerge({
  tenantId,
  mode,
  runTriggers,
  fields,
  listId,
}: MergeOptions): (client: pg.ClientBase, anyErased: boolean) => Promise<Merged> {
  const merged = MERGED.filter(([field]) => fields.has(field));
  const updates = [
    'email = s.email',
    'created_email = nullif(coalesce(c.created_email, c.email), s.email)',
    `status = ${STATUS}`,
    ...merged.map(([, column, staged]) => `${column} = coalesce(${staged}, c.${column})`),
    ...(fields.has('phone') ? ['phone_e164 = case when s.phone is null then c.phone_e164 else s.phone_e164 end'] : []),
  ];
  const differs = [
    's.email <> c.email',
    `${STATUS} <> c.status`,
    ...merged.map(([, column, staged]) => `coalesce(${staged}, c.${column}) is distinct from c.${column}`),
  ];
  const changed = ['email', 'status', ...merged.map(([, column]) => column)].map(
    (column) => `case when new.${column} is distinct from old.${column} then '${API_NAMES[column]!}' end`,
  );
  const was = beforeImage([
    'email',
    'status',
    ...merged.map(([, column]) => column),
    ...(fields.has('phone') ? ['phone_e164'] : []),
  ]);
  const columns = [...merged.map(([, column]) => column), ...(fields.has('phone') ? ['phone_e164'] : [])].filter(
    (column) => !/_name$/.test(column),
  );
  const inserted = columns.map(
    (column) =>
      ({ tags: `coalesce(s.tags, '{}')`, custom_fields: `coalesce(s.custom, '{}')` })[column] ?? `s.${column}`,
  );
  const names = ['first_name', 'last_name'].map((column) => `coalesce(s.${column}, '')`);

  // Lateral subqueries, so that the indexes are used whatever statistics the planner has.
  const lookUp = `
    update import_stage s set contact_id = f.id, suppressed = f.status
    from (
      select s.row, c.id, p.status from import_stage s
      left join lateral (select id from contacts where tenant_id = $1::text and email_key = s.email_key limit 1) c on true
      left join lateral (
        select case reason when 'manual' then 'unsubscribed' else reason end as status from suppressions where tenant_id = $1::text and email_key = s.email_key limit 1) p on true
      where c.id is not null or p.status is not null
    ) f where f.row = s.row`;

  // Locked in id order, as in all code that locks contacts. The conditions are evaluated after locking.
  const lockDiffering = `
    with differing as materialized (
      select c.id from import_stage s join contacts c on c.tenant_id = $1::text and c.id = s.contact_id
      where ${differs.join(' or ')} order by c.id for no key update of c)
    update import_stage s set differs = true from differing d where s.contact_id = d.id`;

  // Old and new values in one statement: for a join of two the planner expects one row and would use nested loops over
  // thousands.
  const update = `
    with changed as (
      update contacts c set ${updates.join(', ')}, version = c.version + 1, updated_at = $2::timestamptz
      from import_stage s where s.differs and c.tenant_id = $1::text and c.id = s.contact_id
      returning new.id as contact_id, new.version, new.email_key, new.status, new.status in ${SUPPRESSING} and old.status <> new.status as suppressed,
        array_remove(array[${changed.join(', ')}], null) as changed, ${was} as was
    ), told as (
      ${insertContactEvents('CONTACT_UPDATED', 'changed', `'"version":' || version || ',"changed":' || to_json(changed) || ',"runTriggers":${runTriggers}'`)}
    ), gone as (
      ${insertContactEvents('CONTACT_UNSUBSCRIBED', `(select * from changed where suppressed and status = 'unsubscribed') o`, `'"reason":"import"'`)}
    ), suppressed as (
      insert into suppressions (tenant_id, email_key, reason, source)
      select $1::text, email_key, status, 'import' from changed where suppressed order by email_key on conflict (tenant_id, email_key) do nothing
      returning id
    ) select count(*)::int as n, '{' || string_agg(was, ',') || '}' as undo, (select json_agg(id) from suppressed) as suppressed from changed`;

  const listEvents = (source: string): string =>
    insertContactEvents('SEGMENT_ENTERED', source, `'"segmentId":' || $3::bigint || ',"runTriggers":${runTriggers}'`);
  // New contacts join the list in the statement that creates them: they need no lookup and no lock. Parts of a statement
  // run in any order, but who reads another waits for it: so a contact is told to be there before it is told to have come.
  const insert = `
    with made as (
      insert into contacts (tenant_id, email, email_key, status, created_at, updated_at, created_run_triggers, first_name, last_name${columns.map((column) => `, ${column}`).join('')})
      select $1::text, s.email, s.email_key, coalesce(s.suppressed, s.status, 'active'), $2::timestamptz, $2::timestamptz, ${runTriggers}, ${[...names, ...inserted].join(', ')}
      from import_stage s where s.contact_id is null order by s.email_key
      returning id as contact_id, email, email_key, status
    ), told as (
      ${insertContactEvents('CONTACT_CREATED', 'made', `'"email":' || to_json(email) || ',"runTriggers":${runTriggers}'`)} returning id
    )${
      listId === undefined
        ? ''
        : `, listed as (
      insert into segment_members (tenant_id, segment_id, contact_id) select $1::text, $3, contact_id from made order by contact_id
    ), listed_told as (${listEvents('(select made.* from made, (select count(*) from told) t) m')})`
    }${
      fields.has('status')
        ? `, suppressed as (
      insert into suppressions (tenant_id, email_key, reason, source)
      select $1::text, email_key, status, 'import' from made where status in ${SUPPRESSING} order by email_key on conflict (tenant_id, email_key) do nothing
      returning id
    )`
        : ''
    } select count(*)::int as n, ${idRanges('made')} as undo, ${fields.has('status') ? '(select json_agg(id) from suppressed)' : 'null'} as suppressed from made`;

  // For an address without a contact, an opt-out in the file still counts. An undo leaves it: nobody may be mailed by
  // accident.
  const suppressUnknown = `
    with gone as (
      delete from import_stage where contact_id is null and status in ${SUPPRESSING} returning email_key, status
    ), suppressed as (
      insert into suppressions (tenant_id, email_key, reason, source)
      select $1::text, email_key, status, 'import' from gone order by email_key on conflict (tenant_id, email_key) do nothing
      returning id
    ) select (select count(*)::int from gone) as n, (select count(*)::int from suppressed) as suppressed`;

  // Segments that depend on the list are updated by the consumer of SEGMENT_ENTERED, as for every event of an import.
  const addKnownToList = `
    with come as (
      insert into segment_members (tenant_id, segment_id, contact_id)
      select $1::text, $3, c.id from import_stage s join contacts c on c.tenant_id = $1::text and c.id = s.contact_id order by c.id for key share of c
      on conflict do nothing returning contact_id
    ), told as (${listEvents('come')}) select count(*)::int as n, ${idRanges('come')} as undo from come`;

  // Who left while this transaction was running, and was added after that, came when they had left: not at the beginning
  // of the transaction, which is the time of all others. A statement of its own, which sees what insertions waited for.
  const addAfterLeaving = `
    update segment_members m set added_at = p.left_at from (
      select contact_id, max(left_at) as left_at from segment_past_members
      where tenant_id = $1::text and segment_id = $2 and left_at > now() group by contact_id) p
    where m.tenant_id = $1::text and m.segment_id = $2 and m.contact_id = p.contact_id and m.added_at < p.left_at`;

  return async (client, anyErased) => {
    const at = new Date().toISOString();
    const undo: UndoParts = { suppressed: [], companies: [] };
    /** Runs a step. Collects its part of the undo data and the suppressions that it created. */
    const step = async (
      part: 'made' | 'updated' | 'listed',
      statement: string,
      ...more: unknown[]
    ): Promise<number> => {
      const {
        rows: [done],
      } = await client.query<{ n: number; undo: string | null; suppressed?: number[] | null }>(statement, [
        tenantId,
        at,
        ...more,
      ]);
      if (done!.undo !== null) undo[part] = done!.undo;
      undo.suppressed.push(...(done!.suppressed ?? []));
      return done!.n;
    };
    const refused = anyErased ? await rejectRows(client, 'erased', ERASED, tenantId) : [];
    await client.query(lookUp, [tenantId]);
    if (mode === 'create') refused.push(...(await rejectRows(client, 'email_taken', 'contact_id is not null')));
    let optedOut = { n: 0, suppressed: 0 };
    if (mode === 'update') {
      if (fields.has('status')) {
        const { rows } = await client.query<typeof optedOut>(suppressUnknown, [tenantId]);
        optedOut = rows[0]!;
      }
      refused.push(...(await rejectRows(client, 'not_found', 'contact_id is null')));
    }
    if (fields.has('company')) undo.companies = await stageCompanies(client, tenantId);
    const {
      rows: [staged],
    } = await client.query<{ known: number; fresh: number }>(
      'select count(contact_id)::int as known, (count(*) - count(contact_id))::int as fresh from import_stage',
    );
    const { known, fresh } = staged!;
    const differing = known > 0 ? (await client.query(lockDiffering, [tenantId])).rowCount : 0;
    const updated = differing === 0 ? 0 : await step('updated', update);
    const list = listId === undefined ? [] : [listId];
    if (known > 0 && listId !== undefined) {
      await step('listed', addKnownToList, listId);
      await client.query(addAfterLeaving, [tenantId, listId]);
    }
    if (fresh > 0) {
      await step('made', insert, ...list);
      if (listId !== undefined) undo.listed = joinRanges(undo.listed, undo.made);
    }
    return {
      created: fresh,
      updated: updated + optedOut.suppressed,
      unchanged: known - updated + optedOut.n - optedOut.suppressed,
      refused,
      undo,
    };
  };
}

async function rejectRows(
  client: pg.ClientBase,
  code: Merged['refused'][number]['code'],
  which: string,
  ...values: unknown[]
): Promise<Merged['refused']> {
  const { rows } = await client.query<{ row: number }>(`delete from import_stage where ${which} returning row`, values);
  return rows.map(({ row }) => ({ row, code }));
}

/** Resolves the companies of the staged rows. Returns the ids of those it created. */
async function stageCompanies(client: pg.ClientBase, tenantId: string): Promise<number[]> {
  const { rows } = await client.query<{ company: string }>(
    'select distinct on (company_key) company from import_stage where company_key is not null order by company_key, row',
  );
  const { ids, made } = await findOrCreateCompanies(
    client,
    tenantId,
    rows.map(({ company }) => company),
  );
  await client.query(
    `
    update import_stage s set company_id = c.id from unnest($1::text[], $2::bigint[]) c(key, id) where c.key = s.company_key`,
    [[...ids.keys()], [...ids.values()]],
  );
  return made;
}
