import { defineSearchAttributeKey, TypedSearchAttributes, type SearchAttributePair } from '@temporalio/common';
import { escapeMarkdown } from './markdown.ts';
import { workflowOf, type SearchAttribute, type WorkflowInputs, type WorkflowType } from './workflows.ts';

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

/**
 * What a start shows of a workflow in Temporal, from the registry: its summary, which has names by users and is shown as
 * Markdown, search attributes and memo.
 */
export function shownOf<Type extends WorkflowType>(type: Type, input: WorkflowInputs[Type]) {
  const { summary, attributes, memo } = workflowOf(type);
  const values = Object.entries(attributes?.(input) ?? {}) as [SearchAttribute, never][];
  const pairs = values.map(([name, value]) => ({ key: searchAttributes[name], value }) as SearchAttributePair);
  const noted = Object.entries(memo?.(input) ?? {}).filter(([, value]) => value !== undefined);
  return {
    ...(pairs.length > 0 ? { typedSearchAttributes: new TypedSearchAttributes(pairs) } : {}),
    ...(summary ? { staticSummary: escapeMarkdown(summary(input)) } : {}),
    ...(noted.length > 0 ? { memo: Object.fromEntries(noted) } : {}),
  };
}
