import { preparedHint, rows, sql, type EntityManager } from '../../../db/orm.ts';
import { contactOf, type AnyEvent, type EventType } from '../../../events/contracts.ts';
import { enterByTrigger } from './enter-campaign.ts';
import { lockCampaigns, type OpenCampaign } from './lock-campaigns.ts';
import { stopExecutionsOfContact } from '../execution/stop-executions.ts';
import type { Trigger, TriggerType } from '../../campaign-definitions/triggers.ts';
import { referencesOfEvents, type EmailReferences } from '../../emails/ledger/event-emails.ts';
import { OPEN_STATUSES } from '../../../db/entities/campaigns.ts';

/** The events that can make contacts enter or leave campaigns. */
export const TRIGGER_EVENTS = [
  'CONTACT_CREATED',
  'FORM_SUBMITTED',
  'EMAIL_OPENED',
  'EMAIL_CLICKED',
  'MESSAGE_SENT',
  'MESSAGE_DELIVERED',
  'MESSAGE_CLICKED',
  'MESSAGE_RECEIVED',
  'CHANNEL_SUBSCRIBED',
  'CHANNEL_UNSUBSCRIBED',
  'GOAL_MET',
  'SEGMENT_ENTERED',
  'SCORE_UPDATED',
  'CONTACT_UNSUBSCRIBED',
] as const satisfies readonly EventType[];

/** The trigger types that an event fires, by the event's type. */
const TRIGGERS = {
  CONTACT_CREATED: 'CONTACT_CREATED',
  FORM_SUBMITTED: 'FORM_SUBMITTED',
  EMAIL_OPENED: 'EMAIL_OPENED',
  EMAIL_CLICKED: 'EMAIL_CLICKED',
  MESSAGE_SENT: 'MESSAGE_SENT',
  MESSAGE_DELIVERED: 'MESSAGE_DELIVERED',
  MESSAGE_CLICKED: 'MESSAGE_CLICKED',
  MESSAGE_RECEIVED: 'MESSAGE_RECEIVED',
  CHANNEL_SUBSCRIBED: 'CHANNEL_SUBSCRIBED',
  CHANNEL_UNSUBSCRIBED: 'CHANNEL_UNSUBSCRIBED',
  GOAL_MET: 'GOAL_MET',
  SEGMENT_ENTERED: 'SEGMENT_ENTERED',
  SCORE_UPDATED: 'SCORE_REACHED',
} as const satisfies Partial<Record<EventType, TriggerType>>;

/** The types of events that fire triggers. */
export const TRIGGERING: readonly string[] = Object.keys(TRIGGERS);

export type TriggerEvent = Extract<AnyEvent, { type: keyof typeof TRIGGERS }>;
/** An event that may trigger campaigns, and the contact that would enter. */
interface Cause {
  event: TriggerEvent;
  contactId: number;
}

/** Whether events of this type can fire triggers. */
export const isTriggerEvent = (event: AnyEvent): event is TriggerEvent => Object.hasOwn(TRIGGERS, event.type);

/**
 * Events that may trigger campaigns. Imports trigger none, unless they have `runTriggers`; neither do opens and clicks
 * by machines, or by recipients who are no contacts.
 */
function causeOf(event: AnyEvent): Cause[] {
  if (!isTriggerEvent(event)) return [];
  const contactId = contactOf(event);
  const { automated, runTriggers } = event.data as { automated?: boolean; runTriggers?: boolean };
  return contactId === null || automated || runTriggers === false ? [] : [{ event, contactId }];
}

/**
 * Whether an event fires a trigger. `email` has the template and the campaign of the event's email or message.
 * MESSAGE_SENT also tells of what failed, which fires nothing.
 */
export function fires(trigger: Trigger, event: TriggerEvent, email: EmailReferences): boolean {
  const is = (wanted: number | undefined, found: number | undefined): boolean =>
    wanted === undefined || wanted === found;
  const isOf = (wanted: string | undefined, found: string): boolean => wanted === undefined || wanted === found;
  const isEmail = ({ templateId, campaignId }: EmailReferences): boolean =>
    is(templateId, email.templateId) && is(campaignId, email.campaignId);
  switch (trigger.type) {
    case 'CONTACT_CREATED':
      return event.type === 'CONTACT_CREATED';
    case 'FORM_SUBMITTED':
      return event.type === 'FORM_SUBMITTED' && event.data.formId === trigger.formId;
    case 'EMAIL_OPENED':
      return event.type === 'EMAIL_OPENED' && isEmail(trigger);
    case 'EMAIL_CLICKED':
      return event.type === 'EMAIL_CLICKED' && isEmail(trigger) && (trigger.url ?? event.data.url) === event.data.url;
    case 'MESSAGE_SENT':
      return (
        event.type === 'MESSAGE_SENT' &&
        event.data.status === 'SENT' &&
        isEmail(trigger) &&
        isOf(trigger.channel, event.data.channel)
      );
    case 'MESSAGE_DELIVERED':
      return event.type === trigger.type && isEmail(trigger) && isOf(trigger.channel, event.data.channel);
    case 'MESSAGE_CLICKED':
      return (
        event.type === 'MESSAGE_CLICKED' &&
        isEmail(trigger) &&
        isOf(trigger.channel, event.data.channel) &&
        isOf(trigger.url, event.data.url)
      );
    case 'MESSAGE_RECEIVED':
      return (
        event.type === 'MESSAGE_RECEIVED' &&
        isOf(trigger.channel, event.data.channel) &&
        isOf(trigger.optOut, event.data.optOut)
      );
    case 'CHANNEL_SUBSCRIBED':
    case 'CHANNEL_UNSUBSCRIBED':
      return event.type === trigger.type && isOf(trigger.channel, event.data.channel);
    case 'GOAL_MET':
      return event.type === 'GOAL_MET' && is(trigger.campaignId, event.data.campaignId);
    case 'SEGMENT_ENTERED':
      return event.type === 'SEGMENT_ENTERED' && event.data.segmentId === trigger.segmentId;
    case 'SCORE_REACHED':
      return (
        event.type === 'SCORE_UPDATED' &&
        event.data.previousScore < trigger.score &&
        event.data.totalScore >= trigger.score
      );
    default:
      return false;
  }
}

/**
 * Enters contacts into the campaigns whose published trigger matches an event, once per event, and stops executions of
 * contacts that unsubscribed. Runs in the engine transaction that inserts the events' inbox rows.
 */
export async function enterOnEvents(tx: EntityManager, events: AnyEvent[]): Promise<void> {
  const causes = events.flatMap(causeOf);
  const campaigns = await lockCampaigns(tx, await campaignsOn(tx, causes));
  const emailOf =
    campaigns.length === 0
      ? () => ({})
      : await referencesOfEvents(
          tx,
          causes.map(({ event }) => event),
        );
  for (const campaign of campaigns) {
    const fired = causes.filter(({ event }) => isFor(campaign, event, emailOf(event)));
    // One call per request that caused events, so that the request id is passed on to their effects.
    for (const [requestId, group] of Map.groupBy(fired, ({ event }) => event.requestid ?? null)) {
      const entrants = group.map(({ event, contactId }) => ({ contactId, entryKey: event.id }));
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

function isFor(campaign: OpenCampaign, event: TriggerEvent, email: EmailReferences): boolean {
  return (
    event.tenantid === campaign.tenantId &&
    new Date(event.time) >= campaign.activatedAt &&
    fires(campaign.definition.trigger, event, { ...email, ...(event.data as EmailReferences) })
  );
}

/** The ACTIVE and PAUSED campaigns of these events' tenants that have a trigger of these types. */
async function campaignsOn(
  tx: EntityManager,
  causes: readonly Cause[],
): Promise<{ tenantId: string; campaignId: number }[]> {
  if (causes.length === 0) return [];
  return rows(
    tx,
    sql`${preparedHint}
    select c.tenant_id as "tenantId", c.id as "campaignId" from campaigns c
    join campaign_versions v on v.tenant_id = c.tenant_id and v.campaign_id = c.id and v.version = c.published_version
    where c.tenant_id = any(${[...new Set(causes.map(({ event }) => event.tenantid))]}::text[]) and c.status = any(${OPEN_STATUSES}::text[])
      and v.definition -> 'trigger' ->> 'type' = any(${[...new Set(causes.map(({ event }) => TRIGGERS[event.type]))]}::text[])`,
  );
}
