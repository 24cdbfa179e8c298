import { defineEntity, p } from '@mikro-orm/core';
import { bigid, engineTable, id, tenantId, tenantTable, timestamp } from './base.ts';

/**
 * How often `metric` occurred in the window of 5 minutes, an hour (60) or a day (1440) UTC that starts at `at`: in total
 * (`dimension` '', `dimensionId` 0) and per campaign, template, form or link. Maintained by the analytics consumer.
 */
const AnalyticsWindowSchema = defineEntity({
  name: 'AnalyticsWindow',
  tableName: 'analytics_windows',
  ...tenantTable,
  properties: {
    tenantId: tenantId().primary(),
    dimension: p.string().length(20).primary(),
    minutes: p.smallint().primary(),
    at: timestamp().primary(),
    dimensionId: bigid().primary(),
    metric: p.string().length(50).primary(),
    count: bigid(),
  },
});
export class AnalyticsWindow extends AnalyticsWindowSchema.class {}
AnalyticsWindowSchema.setClass(AnalyticsWindow);

/**
 * The contacts that were mailed, opened, clicked or converted in an hour (60) or a day (1440), each once: contact
 * `chunk * 4096 + n` has bit n. Made from `analytics_events`, a table without an entity, because the ORM cannot compare
 * partitions.
 */
const AnalyticsContactSetSchema = defineEntity({
  name: 'AnalyticsContactSet',
  tableName: 'analytics_contact_sets',
  ...tenantTable,
  // Finds the sets of a contact that is erased or merged.
  indexes: [{ name: 'analytics_contact_sets_chunk_idx', properties: ['tenantId', 'chunk'] }],
  properties: {
    tenantId: tenantId().primary(),
    dimension: p.string().length(20).primary(),
    minutes: p.smallint().primary(),
    at: timestamp().primary(),
    dimensionId: bigid().primary(),
    metric: p.string().length(20).primary(),
    chunk: p.integer().primary(),
    bits: p.string().columnType('bit(4096)'),
  },
});
export class AnalyticsContactSet extends AnalyticsContactSetSchema.class {}
AnalyticsContactSetSchema.setClass(AnalyticsContactSet);

/**
 * How often contacts did something in an hour (60) or a day (1440), and how much of it is in the sets of contacts: they
 * are complete if the two numbers are equal.
 */
const AnalyticsRollupSchema = defineEntity({
  name: 'AnalyticsRollup',
  tableName: 'analytics_rollups',
  ...tenantTable,
  indexes: [
    {
      name: 'analytics_rollups_due_idx',
      properties: ['tenantId', 'minutes', 'at'],
      where: 'rolled_changes <> changes',
    },
  ],
  properties: {
    tenantId: tenantId().primary(),
    minutes: p.smallint().primary(),
    at: timestamp().primary(),
    changes: bigid(),
    rolledChanges: bigid().default(0),
    changedAt: timestamp().defaultRaw('now()'),
  },
});
export class AnalyticsRollup extends AnalyticsRollupSchema.class {}
AnalyticsRollupSchema.setClass(AnalyticsRollup);

/** The links that were clicked. */
const AnalyticsLinkSchema = defineEntity({
  name: 'AnalyticsLink',
  tableName: 'analytics_links',
  ...tenantTable,
  uniques: [{ name: 'analytics_links_tenant_id_url_hash_key', properties: ['tenantId', 'urlHash'] }],
  properties: {
    id: id(),
    tenantId: tenantId(),
    url: p.text(),
    /** SHA-256 of the URL, in hex. */
    urlHash: p.string().length(64),
  },
});
export class AnalyticsLink extends AnalyticsLinkSchema.class {}
AnalyticsLinkSchema.setClass(AnalyticsLink);

/**
 * The times up to which old events are dropped, ten minutes after they are announced or later; the latest is read by the
 * function analytics_horizon().
 */
const AnalyticsHorizonSchema = defineEntity({
  name: 'AnalyticsHorizon',
  tableName: 'analytics_horizons',
  ...engineTable,
  properties: { at: timestamp().primary(), announcedAt: timestamp().defaultRaw('now()') },
});
export class AnalyticsHorizon extends AnalyticsHorizonSchema.class {}
AnalyticsHorizonSchema.setClass(AnalyticsHorizon);

export const analyticsEntities = [
  AnalyticsWindow,
  AnalyticsContactSet,
  AnalyticsRollup,
  AnalyticsLink,
  AnalyticsHorizon,
];
