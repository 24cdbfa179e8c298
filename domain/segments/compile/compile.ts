import { sql, type RawBuilder, type SqlBool } from 'kysely';
import type { CustomFieldType } from '../../contacts/values/custom-values.ts';
import { compileEvent, type EventContext } from './compile-event.ts';
import { compileField } from './compile-field.ts';
import { isEventLeaf, isGroup, type Filter } from '../filter/filter.ts';
import type { Now } from '../filter/relative-time.ts';
import { subqueries, type Sources } from './sources.ts';

export interface CompileOptions {
  /** The tenant's custom fields of contacts by name. */
  customFields?: ReadonlyMap<string, CustomFieldType>;
  /** What time it is; default now. */
  now?: Now;
  /** In a campaign: the execution that asks. Event leaves count from its start, `stepId` means its own emails. */
  execution?: EventContext['execution'];
  /** Default `subqueries`. */
  sources?: Sources;
}

const NONE: ReadonlyMap<string, CustomFieldType> = new Map();

/**
 * A filter that `checkFilter` found sound, as one SQL condition over the row `alias` of `contacts`. It is true or false,
 * never unknown. Everything that it reads beside that row is tied to it by the row's tenant, so it is right for the
 * tenant's own session and for the engine role alike; the caller restricts `alias` itself to its tenant.
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
