import { isDeepStrictEqual } from 'node:util';
import { LockMode } from '@mikro-orm/core';
import { Campaign, CampaignExecution, type CAMPAIGN_TYPES } from '../../../db/entities/campaigns.ts';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { appendAudit, type Author } from '../../audit/audit.ts';
import { AppError, assertValid, notFound, type Referrer, type Violation } from '../../../lib/checks/errors.ts';
import { campaignsUsing } from '../../campaign-definitions/in-use/campaigns-using.ts';
import type { CheckUrl } from '../../outbound/check-url.ts';
import { definitionViolations } from '../../campaign-definitions/validation/check-definition.ts';
import { type Definition, type DefinitionInput, normaliseDefinition } from '../../campaign-definitions/definition.ts';
import { scheduleFollows } from './schedule-follows.ts';
import { prebuiltSteps } from '../../campaign-definitions/prebuilt.ts';
import { deleteUnused } from '../../common/references.ts';

export interface CampaignInput extends DefinitionInput {
  name: string;
  description?: string | null;
  type?: (typeof CAMPAIGN_TYPES)[number];
  /** The templates of a prebuilt type, in order, instead of steps. */
  templateIds?: number[];
}

/** The campaign's draft definition: the latest edit, published or not. */
export function draftOf(campaign: Campaign): Definition {
  return { trigger: campaign.trigger, steps: campaign.steps, entry: campaign.entry } as Definition;
}

function stepsOf({ type = 'CUSTOM', steps, templateIds }: Partial<CampaignInput>): {
  steps: DefinitionInput['steps'];
  violations: Violation[];
} {
  if (type === 'CUSTOM' || steps) {
    const message = steps ? 'must not be combined with steps' : 'is allowed only for the prebuilt types';
    return { steps, violations: templateIds ? [{ path: '/templateIds', code: 'invalid', message }] : [] };
  }
  return prebuiltSteps(type, templateIds ?? []);
}

/**
 * The definition of a new campaign, or of `current` changed by `input`; with violations of `steps` and `templateIds`.
 */
function definitionOf(
  input: Partial<CampaignInput>,
  current?: Campaign,
): { definition: Definition; violations: Violation[] } {
  const { trigger, entry, steps, templateIds } = input;
  const now = current && draftOf(current);
  const replacesSteps = !now || steps || templateIds;
  const made = replacesSteps
    ? stepsOf({ type: current?.type ?? input.type, steps, templateIds })
    : { steps: steps === null ? null : now.steps, violations: [] };
  const definition = normaliseDefinition({
    trigger: trigger === undefined ? now?.trigger : trigger,
    entry: entry === null ? null : { ...now?.entry, ...entry },
    steps: made.steps,
  });
  return { definition, violations: made.violations };
}

/**
 * All violations of a new campaign, or of a change of `current`. Empty if the definition is not changed. `checkUrl` (of
 * `Outbound`) says which URLs its steps may call; by default, here and below, public ones.
 */
export async function campaignViolations(
  tx: EntityManager,
  tenantId: string,
  input: Partial<CampaignInput>,
  current?: Campaign,
  checkUrl?: CheckUrl,
): Promise<Violation[]> {
  const isChanged = [input.trigger, input.entry, input.steps, input.templateIds].some((part) => part !== undefined);
  if (current && !isChanged) return [];
  const { definition, violations } = definitionOf(input, current);
  return [...violations, ...(await definitionViolations(tx, tenantId, definition, checkUrl))];
}

/** Creates a DRAFT. Throws a 400 that names each invalid step. */
export async function createCampaign(
  em: EntityManager,
  tenantId: string,
  input: CampaignInput,
  checkUrl?: CheckUrl,
): Promise<Campaign> {
  return em.transactional(async (tx) => {
    assertValid(await campaignViolations(tx, tenantId, input, undefined, checkUrl));
    const { name, description, type = 'CUSTOM' } = input;
    const { definition } = definitionOf(input);
    const campaign = tx.create(Campaign, { tenantId, name, description: description || null, type, ...definition });
    await tx.flush();
    return campaign;
  });
}

/**
 * Changes the given fields; changes of an ACTIVE campaign go into its next version. `check` gets the current campaign,
 * locked. Throws 404, and 400 like `createCampaign`.
 */
export async function updateCampaign(
  em: EntityManager,
  tenantId: string,
  id: number,
  input: Partial<Omit<CampaignInput, 'type'>>,
  check: (current: Campaign) => void,
  checkUrl?: CheckUrl,
): Promise<Campaign> {
  return em.transactional(async (tx) => {
    const campaign = await tx.findOne(Campaign, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!campaign) throw notFound('campaign', id);
    check(campaign);
    assertValid(await campaignViolations(tx, tenantId, input, campaign, checkUrl));
    const { name, description } = input;
    const now = draftOf(campaign);
    const { definition } = definitionOf(input, campaign);
    // A different order of keys is no change and must not create a new version.
    const changed = Object.entries(definition).filter(
      ([part, value]) => !isDeepStrictEqual(value, now[part as keyof Definition]),
    );
    tx.assign(campaign, {
      ...Object.fromEntries(changed),
      ...(name === undefined ? {} : { name }),
      ...(description === undefined ? {} : { description: description || null }),
    });
    await tx.flush();
    return campaign;
  });
}

/**
 * Deletes a campaign and its executions, but not its emails. Throws 404, and 409 while it is ACTIVE, PAUSED or being
 * stopped, or if a threshold or an active campaign refers to it.
 */
export async function deleteCampaign(
  em: EntityManager,
  author: Author,
  id: number,
  check: (current: Campaign) => void,
): Promise<void> {
  await em.transactional(async (tx) => {
    const campaign = await tx.findOne(Campaign, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!campaign) throw notFound('campaign', id);
    check(campaign);
    if (campaign.status === 'ACTIVE' || campaign.status === 'PAUSED') {
      throw new AppError('conflict', `The campaign is ${campaign.status}: stop it first`);
    }
    const closing = await tx.findOne(CampaignExecution, { campaignId: id, sweep: true }, { fields: ['id'] });
    if (closing)
      throw new AppError('conflict', 'Workflows of the campaign are still being closed; try again in a moment', {
        headers: { 'Retry-After': '2' },
      });
    const { tenantId, name, status } = campaign;
    await scheduleFollows(tx, campaign);
    await deleteUnused(tx, campaign, async () => [
      ...(await campaignsUsing(tx, tenantId, ({ campaignIds }) => campaignIds.has(id))),
      ...(await thresholdsStarting(tx, tenantId, id)),
    ]);
    await appendAudit(tx, author, {
      action: 'campaign.deleted',
      resourceType: 'campaign',
      resourceId: id,
      before: { name, status },
    });
  });
}

const thresholdsStarting = (tx: EntityManager, tenantId: string, campaignId: number): Promise<Referrer[]> =>
  rows<Referrer>(
    tx,
    sql`
    select 'threshold' as kind, id, name from score_thresholds
    where tenant_id = ${tenantId} and action ->> 'campaignId' = ${String(campaignId)} order by id`,
  );
