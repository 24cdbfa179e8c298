import { sql, type RawBuilder, type SqlBool } from 'kysely';
import type { CustomFieldType } from '../../contact-values/custom-values.ts';
import { compileEvent, type EventContext } from './compile-event.ts';
import { compileField } from './compile-field.ts';
import { isEventLeaf, isGroup, type Filter } from '../filter/filter.ts';
import type { Now } from '../filter/relative-time.ts';
import { subqueries, type Sources } from './sources.ts';

export interface CompileOptions {
  /** The tenant's custom fields of contacts by name. */
  customFields?: ReadonlyMap<string, CustomFieldType>;
  /** The current time; default now. */
  now?: Now;
  /** In a campaign: the execution. Event leaves count from its start, and `stepId` means its own emails. */
  execution?: EventContext['execution'];
  /** Default `subqueries`. */
  sources?: Sources;
}

const NONE: ReadonlyMap<string, CustomFieldType> = new Map();

/**
 * Compiles a valid filter (see `checkFilter`) to one SQL condition on the row `alias` of `contacts`. The condition is
 * true or false, never null. All other rows that it reads are restricted to the tenant of that row, so it works in the
 * tenant's session and for the engine role. The caller must restrict `alias` itself to the tenant.
 */
export function compileFilter(filter: Filter, alias: string, options: CompileOptions = {}): RawBuilder<SqlBool> {
  const { customFields = NONE, now = new Date(), execution, sources = subqueries(alias) } = options;
  const compile = (node: Filter): RawBuilder<SqlBool> => {
    if (isEventLeaf(node)) return compileEvent(node, { sources, now, ...(execution ? { execution } : {}) });
    if (!isGroup(node)) return compileField(node, { alias, sources, customFields, now });
    const conditions = node.conditions.map(compile);
    if (node.op === 'and') return sql`(${sql.join(conditions, sql` and `)})`;
    const any = sql<SqlBool>`(${sql.join(conditions, sql` or `)})`;
    return node.op === 'or' ? any : sql`not ${any}`;
  };
  return compile(filter);
}
