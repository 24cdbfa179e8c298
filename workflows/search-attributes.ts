import { defineSearchAttributeKey } from '@temporalio/common';

/** The attributes by which workflows can be found in Temporal. Workers register them at startup. */
export const searchAttributes = {
  campaignId: defineSearchAttributeKey('CampaignId', 'INT'),
  contactId: defineSearchAttributeKey('ContactId', 'INT'),
  campaignVersion: defineSearchAttributeKey('CampaignVersion', 'INT'),
  tenantId: defineSearchAttributeKey('TenantId', 'KEYWORD'),
  /** The current step of a campaign execution, and its type. */
  stepId: defineSearchAttributeKey('StepId', 'KEYWORD'),
  stepType: defineSearchAttributeKey('StepType', 'KEYWORD'),
};
