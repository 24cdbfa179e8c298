import type { Cap } from '../../delivery/gates/caps.ts';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { customFieldTypes, type CustomFieldTypes } from '../../contact-values/custom-field-types.ts';
import { changeKindsOf } from '../../membership/filter/change-kinds.ts';
import type { Filter } from '../../membership/filter/filter.ts';
import { dynamicSegments, type DynamicSegment } from '../../membership/members/dynamic-segments.ts';
import type { Definition } from '../../campaign-definitions/definition.ts';
import { plannedFilters } from './planned-filters.ts';
import type { Assumption } from './draws.ts';
import type { Tally } from './tally.ts';

/** The id that stands for the simulated execution in events: no execution has it. */
export const EXECUTION = 0;

/** What is the same for all contacts of a simulation. */
export interface Plan {
  tenantId: string;
  campaignId: number;
  definition: Definition;
  /** When the contacts enter. */
  at: Date;
  assume: Assumption;
  /** MAIL_FROM. */
  mailFrom: string;
}

/** A page of a simulation: its transaction, and what it has read. */
export interface World extends Plan {
  tx: EntityManager;
  tally: Tally;
  customFields: CustomFieldTypes;
  /** The dynamic segments that the campaign's filters depend on, each after those that it depends on itself. */
  segments: DynamicSegment[];
  /** The types of event that any filter counts: others need not be made up. */
  watched: ReadonlySet<string>;
  /** The static lists that steps change and that exist. */
  lists: ReadonlySet<number>;
  /** The caps of the tenant, which emails and messages meet when they are started. */
  tenantCaps: readonly Cap[];
  /** The ids of companies by their keys; those that would be made have negative ones. */
  companies: Map<string, number>;
}

export async function readWorld(tx: EntityManager, plan: Plan, tally: Tally): Promise<World> {
  const { tenantId, definition } = plan;
  const filters = plannedFilters(definition);
  const segments = dependedOn(await dynamicSegments(tx, tenantId), filters);
  const kinds = [...filters, ...segments.map(({ filter }) => filter)].flatMap((filter) => [...changeKindsOf(filter)]);
  const listIds = definition.steps.flatMap((step) => (step.type === 'SEGMENT' ? [step.config.listId] : []));
  const lists = await rows<{ id: number }>(
    tx,
    sql`select id from segments where tenant_id = ${tenantId} and id = any(${listIds}::bigint[]) and type = 'static'`,
  );
  const [settings] = await rows<{ caps: Cap[] }>(
    tx,
    sql`select caps from channel_settings where tenant_id = ${tenantId}`,
  );
  return {
    ...plan,
    tx,
    tally,
    customFields: await customFieldTypes(tx, tenantId),
    segments,
    watched: new Set(kinds.filter((kind) => kind.startsWith('event:')).map((kind) => kind.slice('event:'.length))),
    lists: new Set(lists.map(({ id }) => id)),
    tenantCaps: settings?.caps ?? [],
    companies: new Map(),
  };
}

/** The dynamic segments that these filters depend on, directly or through other segments, in the given order. */
export function dependedOn(segments: readonly DynamicSegment[], filters: readonly Filter[]): DynamicSegment[] {
  const kinds = new Set<string>(filters.flatMap((filter) => [...changeKindsOf(filter)]));
  const found = new Set<DynamicSegment>();
  // A segment comes after those that it depends on, so from the end all that depend on it are known.
  for (const segment of segments.toReversed()) {
    // `lists` means any segment at all.
    if (!kinds.has(`member:${segment.id}`) && !kinds.has('lists')) continue;
    found.add(segment);
    segment.causes.forEach((cause) => kinds.add(cause));
  }
  return segments.filter((segment) => found.has(segment));
}
