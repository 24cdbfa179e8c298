import { createHash } from 'node:crypto';
import { CompiledQuery } from 'kysely';
import { LRUCache } from 'lru-cache';
import { preparedHint, sql, type EntityManager } from '../../../db/orm.ts';
import type { CustomFieldType } from '../../contact-values/custom-values.ts';
import { compileFilter } from '../compile/compile.ts';
import type { DynamicSegment } from './dynamic-segments.ts';
import { createJoinedSources } from '../compile/joined-sources.ts';
import { fillMoments } from '../filter/relative-time.ts';

/** The result for one contact; `fits`: the given segments whose filter it matches. */
export interface ContactVerdict {
  id: number;
  createdAt: Date;
  /** All segments and lists that contain the contact. */
  memberOf: Set<number>;
  fits: Set<number>;
}

interface CompiledStatement {
  sql: string;
  parameters: readonly unknown[];
}

/** A cache of compiled statements, per database: compiling a hundred filters takes longer than running them. */
const statementCaches = new WeakMap<object, LRUCache<string, CompiledStatement>>();
const MAX_CACHED_CHARACTERS = 30_000_000;
/** Keeps statements below 65,535 values: the largest allowed filter needs fewer than 50,000. */
const MAX_LEAVES = 1000;
const TENANT = Symbol('tenant');
const CONTACTS = Symbol('contacts');

/** Evaluates the segments' filters for these contacts, with one statement for up to MAX_LEAVES leaves. */
export async function judgeContacts(
  tx: EntityManager,
  tenantId: string,
  segments: readonly DynamicSegment[],
  ids: readonly number[],
  customFields: ReadonlyMap<string, CustomFieldType>,
  now = new Date(),
): Promise<ContactVerdict[]> {
  const judged = new Map<number, ContactVerdict>();
  for (const part of splitByLeaves(segments)) {
    const statement = statementFor(tx, part, customFields);
    const values = statement.parameters.map((value) =>
      value === TENANT ? tenantId : value === CONTACTS ? [...ids] : value,
    );
    const { rows } = await tx
      .getKysely()
      .executeQuery<{ id: number; created_at: Date; member_of: number[]; verdicts: boolean[] }>(
        CompiledQuery.raw(statement.sql, fillMoments(values, now)),
      );
    for (const row of rows) {
      const fits = part.flatMap((segment, index) => (row.verdicts[index] ? [segment.id] : []));
      const known = judged.get(row.id);
      if (known) fits.forEach((id) => known.fits.add(id));
      else
        judged.set(row.id, {
          id: row.id,
          createdAt: row.created_at,
          memberOf: new Set(row.member_of),
          fits: new Set(fits),
        });
    }
  }
  return [...judged.values()];
}

/** Splits segments into groups, each small enough for one statement. */
export function splitByLeaves<T extends { leaves: number }>(segments: readonly T[]): T[][] {
  const parts: T[][] = [];
  let leaves = MAX_LEAVES;
  for (const segment of segments) {
    if ((leaves += segment.leaves) > MAX_LEAVES) {
      parts.push([]);
      leaves = segment.leaves;
    }
    parts.at(-1)!.push(segment);
  }
  return parts;
}

function statementFor(
  tx: EntityManager,
  segments: readonly DynamicSegment[],
  customFields: ReadonlyMap<string, CustomFieldType>,
): CompiledStatement {
  const database = tx.getDriver();
  const cache =
    statementCaches.get(database) ??
    new LRUCache<string, CompiledStatement>({
      maxSize: MAX_CACHED_CHARACTERS,
      sizeCalculation: (one) => one.sql.length,
    });
  statementCaches.set(database, cache);
  const key = createHash('sha256')
    .update(JSON.stringify([segments.map(({ hash }) => hash), [...customFields]]))
    .digest('base64');
  const found = cache.get(key);
  if (found) return found;
  const facts = createJoinedSources();
  const verdicts = segments.map(({ filter }) =>
    compileFilter(filter, 'c', { customFields, now: 'later', sources: facts }),
  );
  const { sql: text, parameters } = sql`${preparedHint}
    select c.id, c.created_at, to_json(m.ids) as member_of, array[${sql.join(verdicts)}]::boolean[] as verdicts
    ${facts.from()} where c.tenant_id = ${TENANT} and c.id = any(${CONTACTS}::bigint[]) order by c.id`.compile(
    tx.getKysely(),
  );
  const statement = { sql: text, parameters };
  cache.set(key, statement);
  return statement;
}
