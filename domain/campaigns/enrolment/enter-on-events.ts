import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import type { AnyEvent, EventType } from '../../../events/contracts.ts';
import { enterByTrigger } from './enter-campaign.ts';
import { lockCampaigns, type OpenCampaign } from './lock-campaigns.ts';
import { stopExecutionsOfContact } from '../execution/stop-executions.ts';
import type { Trigger } from '../definition/triggers.ts';
import { OPEN_STATUSES } from '../../../db/entities/campaigns.ts';

/** Events that make contacts enter campaigns, or leave them. */
export const TRIGGER_EVENTS = [
  'CONTACT_CREATED',
  'FORM_SUBMITTED',
  'CONTACT_UNSUBSCRIBED',
] as const satisfies readonly EventType[];

type TriggerEvent = Extract<AnyEvent, { type: 'CONTACT_CREATED' | 'FORM_SUBMITTED' }>;

/** Imports make contacts without starting campaigns, unless they are told to. */
function isTrigger(event: AnyEvent): event is TriggerEvent {
  return event.type === 'FORM_SUBMITTED' || (event.type === 'CONTACT_CREATED' && event.data.runTriggers !== false);
}

function fires(trigger: Trigger, event: TriggerEvent): boolean {
  if (trigger.type !== event.type) return false;
  return (
    event.type === 'CONTACT_CREATED' || (trigger.type === 'FORM_SUBMITTED' && trigger.formId === event.data.formId)
  );
}

/**
 * Enters contacts into the campaigns whose published trigger an event fires, once per event, and takes those who
 * unsubscribed out. Runs in the engine transaction of the events' inbox rows.
 */
export async function enterOnEvents(tx: EntityManager, events: AnyEvent[]): Promise<void> {
  const triggers = events.filter(isTrigger);
  for (const campaign of await lockCampaigns(tx, await campaignsOn(tx, triggers))) {
    const fired = triggers.filter((event) => isFor(campaign, event));
    // One call for each request that caused events: it goes on into what they cause.
    for (const [requestId, group] of Map.groupBy(fired, (event) => event.requestid ?? null)) {
      const entrants = group.map((event) => ({ contactId: event.data.contactId, entryKey: event.id }));
      await enterByTrigger(
        tx,
        { tenantId: campaign.tenantId, requestId },
        campaign,
        entrants,
        campaign.definition.trigger.type,
      );
    }
  }
  for (const event of events) {
    // What the contact has entered since then, it stays in.
    if (event.type !== 'CONTACT_UNSUBSCRIBED') continue;
    await stopExecutionsOfContact(tx, event.tenantid, event.data.contactId, 'unsubscribed', new Date(event.time));
  }
}

function isFor(campaign: OpenCampaign, event: TriggerEvent): boolean {
  return (
    event.tenantid === campaign.tenantId &&
    new Date(event.time) >= campaign.activatedAt &&
    fires(campaign.definition.trigger, event)
  );
}

/** The open campaigns of these events' tenants that have such a trigger. */
async function campaignsOn(
  tx: EntityManager,
  events: TriggerEvent[],
): Promise<{ tenantId: string; campaignId: number }[]> {
  if (events.length === 0) return [];
  return rows(
    tx,
    sql`
    select c.tenant_id as "tenantId", c.id as "campaignId" from campaigns c
    join campaign_versions v on v.tenant_id = c.tenant_id and v.campaign_id = c.id and v.version = c.published_version
    where c.tenant_id = any(${[...new Set(events.map((event) => event.tenantid))]}::text[]) and c.status = any(${OPEN_STATUSES}::text[])
      and v.definition -> 'trigger' ->> 'type' = any(${[...new Set(events.map((event) => event.type))]}::text[])`,
  );
}
