import type {
  Campaign,
  CampaignEnrolment,
  CampaignExecution,
  CampaignStepExecution,
} from '../../db/entities/campaigns.ts';
import type { explainContact } from '../../domain/campaigns/management/explain-contact.ts';
import type { PublishedVersion } from '../../domain/campaigns/management/read-versions.ts';
import { draftOf } from '../../domain/campaigns/management/save-campaign.ts';

export function presentCampaign(campaign: Campaign) {
  const { id, name, description, status, type, publishedVersion, version, createdAt, updatedAt } = campaign;
  return {
    id,
    name,
    description: description ?? null,
    status,
    type,
    ...draftOf(campaign),
    publishedVersion: publishedVersion ?? null,
    version,
    createdAt,
    updatedAt,
  };
}

export function presentVersion({ definition, ...published }: PublishedVersion) {
  const { campaignId, version, publishedAt, running } = published;
  return { campaignId, version, ...definition, publishedAt, running };
}

export function presentEnrolment(enrolment: CampaignEnrolment) {
  const { id, campaignId, campaignVersion, trigger, scheduledAt, status, segmentId } = enrolment;
  const { enrolled, skipped, workflowId, createdAt, finishedAt } = enrolment;
  return {
    id,
    campaignId,
    campaignVersion,
    trigger,
    scheduledAt: scheduledAt ?? null,
    status,
    segmentId: segmentId ?? null,
    enrolled,
    skipped,
    workflowId,
    createdAt,
    finishedAt: finishedAt ?? null,
  };
}

export function presentExecution(execution: CampaignExecution) {
  const { id, campaignId, campaignVersion, contactId, entryNo, currentStep, status, startedAt } = execution;
  return {
    id,
    campaignId,
    campaignVersion,
    contactId,
    entryNo,
    currentStep,
    currentStepId: execution.currentStepId ?? null,
    status,
    startedAt,
    finishedAt: execution.finishedAt ?? null,
    exitReason: execution.exitReason ?? null,
    workflowId: execution.workflowId ?? null,
    runId: execution.runId ?? null,
  };
}

export function presentExecutionWithSteps({
  execution,
  steps,
}: {
  execution: CampaignExecution;
  steps: CampaignStepExecution[];
}) {
  return {
    ...presentExecution(execution),
    steps: steps.map(({ stepId, visit, type, result, reason, executedAt, durationMs }) => ({
      stepId,
      visit,
      type,
      result,
      reason: reason ?? null,
      executedAt,
      durationMs,
    })),
  };
}

export function presentExplanation({ executions, ...explanation }: Awaited<ReturnType<typeof explainContact>>) {
  return { ...explanation, executions: executions.map(presentExecution) };
}
