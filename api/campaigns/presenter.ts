import type {
  Campaign,
  CampaignEnrolment,
  CampaignExecution,
  CampaignMigration,
  CampaignStepExecution,
} from '../../db/entities/campaigns.ts';
import type { explainContact } from '../../domain/campaigns/management/explain-contact.ts';
import { readClosing, type Closing } from '../../domain/campaigns/management/read-closing.ts';
import type { EntityManager } from '../../db/orm.ts';
import type { PublishedVersion } from '../../domain/campaigns/management/read-versions.ts';
import { confirmationWarnings } from '../../domain/campaign-definitions/validation/confirmation-warnings.ts';
import { definitionWarnings } from '../../domain/campaign-definitions/validation/warnings.ts';
import type { MigrationFigures } from '../../domain/campaigns/management/survey-migration.ts';
import { draftOf } from '../../domain/campaigns/management/save-campaign.ts';

/** Campaigns with the progress of their stops, and warnings about other resources: one query each for all. */
export async function presentCampaigns(campaigns: Campaign[], em: EntityManager) {
  const closing = await readClosing(em, campaigns);
  const warnings = await confirmationWarnings(
    em,
    campaigns.map((campaign) => ({ id: campaign.id, tenantId: campaign.tenantId, definition: draftOf(campaign) })),
  );
  return campaigns.map((campaign) => {
    const shown = presentCampaign(campaign, closing.get(campaign.id));
    return { ...shown, warnings: [...shown.warnings, ...(warnings.get(campaign.id) ?? [])] };
  });
}

export function presentCampaign(campaign: Campaign, closing: Closing | null = null) {
  const { id, name, description, status, type, publishedVersion, version, createdAt, updatedAt } = campaign;
  const draft = draftOf(campaign);
  return {
    id,
    name,
    description: description ?? null,
    status,
    pauseReason: campaign.pauseReason ?? null,
    type,
    ...draft,
    warnings: definitionWarnings(draft, id),
    publishedVersion: publishedVersion ?? null,
    closing,
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

/** What a migration would do: the answer of a dry run. */
export function presentPlan({ from, to }: { from: number; to: number }, figures: MigrationFigures) {
  const { total, movable, moved, blocked, byStep } = figures;
  return { from, to, total, movable, moved, blocked, byStep };
}

export function presentMigration(migration: CampaignMigration) {
  const { id, campaignId, status, fromVersion, toVersion, workflowId, createdAt, finishedAt } = migration;
  return {
    id,
    campaignId,
    status,
    ...presentPlan({ from: fromVersion, to: toVersion }, migration),
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
