import { defineSearchAttributeKey } from '@temporalio/common';

/** The step that a campaign execution is at; config/temporal.ts registers them. */
export const stepId = defineSearchAttributeKey('StepId', 'KEYWORD');
export const stepType = defineSearchAttributeKey('StepType', 'KEYWORD');
