import type { EntityManager } from '../../../db/orm.ts';
import { appendWorkflow, type Origin } from '../../../events/outbox.ts';
import { enterContacts, type EnterableVersion, type Entrant } from './enter-contacts.ts';
import type { ExecutionStart } from '../execution/execution.ts';
import { lockCampaigns } from './lock-campaigns.ts';

/** Enters contacts because of a trigger; writes the requests to start their workflows in the same transaction. */
export async function enterByTrigger(
  tx: EntityManager,
  origin: Origin,
  entered: EnterableVersion,
  entrants: readonly Entrant[],
  trigger: string,
): Promise<ExecutionStart[]> {
  const { starts } = await enterContacts(tx, origin, entered, entrants, { trigger });
  for (const start of starts) await appendWorkflow(tx, 'campaignExecution', start);
  return starts;
}

/**
 * Enters one contact into a campaign for an external cause, `entryKey` (an event's id), in the transaction `tx` of the
 * tenant or the engine. Returns null if it did not enter: the campaign is not ACTIVE or PAUSED, its entry rules forbid
 * it, or the campaign or the contact was deleted.
 */
export async function enterCampaign(
  tx: EntityManager,
  origin: Origin,
  entry: { campaignId: number; contactId: number; entryKey: string; trigger: string },
): Promise<{ executionId: number } | null> {
  const [campaign] = await lockCampaigns(tx, [{ tenantId: origin.tenantId, campaignId: entry.campaignId }]);
  if (!campaign) return null;
  const [start] = await enterByTrigger(
    tx,
    origin,
    campaign,
    [{ contactId: entry.contactId, entryKey: entry.entryKey }],
    entry.trigger,
  );
  return start ? { executionId: start.executionId } : null;
}
