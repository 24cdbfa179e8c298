import { defineSearchAttributeKey } from '@temporalio/common';

/** What workflows can be found by in Temporal. A worker registers them at its start. */
export const searchAttributes = {
  campaignId: defineSearchAttributeKey('CampaignId', 'INT'),
  contactId: defineSearchAttributeKey('ContactId', 'INT'),
  campaignVersion: defineSearchAttributeKey('CampaignVersion', 'INT'),
  tenantId: defineSearchAttributeKey('TenantId', 'KEYWORD'),
  /** The step that a campaign execution is at, and its type. */
  stepId: defineSearchAttributeKey('StepId', 'KEYWORD'),
  stepType: defineSearchAttributeKey('StepType', 'KEYWORD'),
};
