import { defineEntity, p } from '@mikro-orm/core';
import { bigid, tenantId, tenantTable, timestamp } from './base.ts';

/**
 * 5-minute windows, maintained by the analytics consumer with upserts: how often `metric` occurred in the window that
 * starts at `at`, in total (`dimension` '', `dimensionId` 0) and per campaign, template or form.
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

/** The contacts that were active in a window, each once: the basis of rates per person. */
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
