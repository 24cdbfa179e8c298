import { preparedHint, rows, sql, type EntityManager } from '../../../db/orm.ts';
import type { AnyEvent, EventType } from '../../../events/contracts.ts';
import { enterByTrigger } from './enter-campaign.ts';
import { lockCampaigns, type OpenCampaign } from './lock-campaigns.ts';
import { stopExecutionsOfContact } from '../execution/stop-executions.ts';
import type { Trigger } from '../definition/triggers.ts';
import { OPEN_STATUSES } from '../../../db/entities/campaigns.ts';

/** The events that can make contacts enter or leave campaigns. */
export const TRIGGER_EVENTS = [
  'CONTACT_CREATED',
  'FORM_SUBMITTED',
  'CONTACT_UNSUBSCRIBED',
] as const satisfies readonly EventType[];

type TriggerEvent = Extract<AnyEvent, { type: 'CONTACT_CREATED' | 'FORM_SUBMITTED' }>;

/** Whether an event may trigger campaigns. Contacts created by imports do not, unless the import has `runTriggers`. */
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
 * Enters contacts into the campaigns whose published trigger matches an event, once per event, and stops executions of
 * contacts that unsubscribed. Runs in the engine transaction that inserts the events' inbox rows.
 */
export async function enterOnEvents(tx: EntityManager, events: AnyEvent[]): Promise<void> {
  const triggers = events.filter(isTrigger);
  for (const campaign of await lockCampaigns(tx, await campaignsOn(tx, triggers))) {
    const fired = triggers.filter((event) => isFor(campaign, event));
    // One call per request that caused events, so that the request id is passed on to their effects.
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
    // Executions that started after the unsubscribe continue.
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

/** The ACTIVE and PAUSED campaigns of these events' tenants that have such a trigger. */
async function campaignsOn(
  tx: EntityManager,
  events: TriggerEvent[],
): Promise<{ tenantId: string; campaignId: number }[]> {
  if (events.length === 0) return [];
  return rows(
    tx,
    sql`${preparedHint}
    select c.tenant_id as "tenantId", c.id as "campaignId" from campaigns c
    join campaign_versions v on v.tenant_id = c.tenant_id and v.campaign_id = c.id and v.version = c.published_version
    where c.tenant_id = any(${[...new Set(events.map((event) => event.tenantid))]}::text[]) and c.status = any(${OPEN_STATUSES}::text[])
      and v.definition -> 'trigger' ->> 'type' = any(${[...new Set(events.map((event) => event.type))]}::text[])`,
  );
}
