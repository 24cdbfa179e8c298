import { defineEntity, p } from '@mikro-orm/core';
import { bigid, tenantId, tenantTable, timestamp } from './base.ts';

/**
 * 5-minute windows, kept by upsert from the consumer: how often `metric` happened in the window that starts at `at`,
 * in all (`dimension` '', `dimensionId` 0) and per campaign, template or form.
 */
const AnalyticsWindowSchema = defineEntity({
  name: 'AnalyticsWindow',
  tableName: 'analytics_windows',
  ...tenantTable,
  properties: {
    tenantId: tenantId().primary(),
    metric: p.string().length(50).primary(),
    dimension: p.string().length(20).primary(),
    dimensionId: bigid().primary(),
    at: timestamp().primary(),
    count: bigid(),
  },
});
export class AnalyticsWindow extends AnalyticsWindowSchema.class {}
AnalyticsWindowSchema.setClass(AnalyticsWindow);

/** The contacts that did something in a window, each once: what rates over people are counted from. */
const AnalyticsContactWindowSchema = defineEntity({
  name: 'AnalyticsContactWindow',
  tableName: 'analytics_contact_windows',
  ...tenantTable,
  properties: {
    tenantId: tenantId().primary(),
    metric: p.string().length(50).primary(),
    at: timestamp().primary(),
    contactId: bigid().primary(),
  },
});
export class AnalyticsContactWindow extends AnalyticsContactWindowSchema.class {}
AnalyticsContactWindowSchema.setClass(AnalyticsContactWindow);

export const analyticsEntities = [AnalyticsWindow, AnalyticsContactWindow];
