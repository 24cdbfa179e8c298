import type { Campaign } from '../../../db/entities/campaigns.ts';
import type { Contact } from '../../../db/entities/contacts.ts';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { timeline } from '../../contact-values/timeline.ts';
import { type BuildWindow, entryBuilds } from '../../membership/members/build-windows.ts';
import type { Trigger } from '../../campaign-definitions/triggers.ts';
import type { EntryCheck } from './entry-check.ts';
import { explainDate } from './explain-date.ts';
import { fires, isTriggerEvent, TRIGGERING, type TriggerEvent } from '../enrolment/enter-on-events.ts';

/** How many of the contact's last events are looked at. */
const LAST_EVENTS = 200;

/**
 * What would enter the contact by itself or has done so: the trigger's last event, the contact's place in the trigger's
 * segment, and the last start for an audience. Each with the time when that happened.
 */
export async function explainCauses(
  tx: EntityManager,
  campaign: Campaign,
  trigger: Trigger,
  contact: Contact,
): Promise<EntryCheck[]> {
  return [
    await explainTrigger(tx, campaign, trigger, contact),
    ...('segmentId' in trigger ? [await explainSegment(tx, trigger.segmentId, contact)] : []),
    await explainEnrolment(tx, campaign, contact),
  ];
}

async function explainTrigger(
  tx: EntityManager,
  campaign: Campaign,
  trigger: Trigger,
  contact: Contact,
): Promise<EntryCheck> {
  const check = 'trigger' as const;
  switch (trigger.type) {
    case 'MANUAL':
      return {
        check,
        passed: true,
        reason: 'the trigger is MANUAL: contacts enter when it is started for them',
        at: null,
      };
    case 'SCHEDULE': {
      const reason = `members of the segment enter at ${trigger.cron} (${trigger.timezone})`;
      return { check, passed: true, reason, at: null };
    }
    case 'DATE':
      return explainDate(tx, campaign, trigger, contact);
    default: {
      const last = await lastFiring(tx, trigger, contact);
      if (!last) {
        const byBuild = trigger.type === 'SEGMENT_ENTERED' && (await entryBuild(tx, trigger.segmentId, contact));
        const reason = `no event of the contact fires ${trigger.type}${byBuild ? `: ${buildOf(byBuild)} made it a member, and builds fire no trigger` : ''}`;
        return { check, passed: false, reason, at: null };
      }
      const { at, untriggered } = last;
      const isActive = campaign.activatedAt != null && at >= campaign.activatedAt;
      const reason = untriggered
        ? `an import without runTriggers caused the last event that fits ${trigger.type}`
        : isActive
          ? `the last event that fires ${trigger.type} came while the campaign was active`
          : `the last event that fits ${trigger.type} came before the campaign became active`;
      return { check, passed: isActive && !untriggered, reason, at };
    }
  }
}

/** The contact's last event that fires the trigger; null if there is none among its last ones. */
async function lastFiring(
  tx: EntityManager,
  trigger: Trigger,
  { tenantId, id }: Contact,
): Promise<{ at: Date; untriggered: boolean } | null> {
  const events = await rows<{ type: string; at: Date; data: Record<string, unknown> }>(
    tx,
    sql`
    select type, occurred_at as at, data from ${timeline} t
    where tenant_id = ${tenantId} and contact_id = ${id} and not automated
      and type = any(${TRIGGERING}::text[])
    order by occurred_at desc limit ${LAST_EVENTS}`,
  );
  const found = events.find((event) => {
    const asEvent = event as unknown as TriggerEvent;
    return isTriggerEvent(asEvent) && fires(trigger, asEvent, event.data);
  });
  return found ? { at: found.at, untriggered: found.data['runTriggers'] === false } : null;
}

async function explainSegment(tx: EntityManager, segmentId: number, { tenantId, id }: Contact): Promise<EntryCheck> {
  const [found] = await rows<{ name: string; added_at: Date | null }>(
    tx,
    sql`
    select s.name, m.added_at from segments s
    left join segment_members m on m.tenant_id = s.tenant_id and m.segment_id = s.id and m.contact_id = ${id}
    where s.tenant_id = ${tenantId} and s.id = ${segmentId}`,
  );
  const check = 'segment' as const;
  if (!found) return { check, passed: false, reason: `segment ${segmentId} does not exist any more`, at: null };
  const isMember = found.added_at !== null;
  const build = isMember ? await entryBuild(tx, segmentId, { tenantId, id }) : undefined;
  const how = build ? `: ${buildOf(build)} made it a member` : '';
  const reason = `the contact is ${isMember ? '' : 'not '}in ${JSON.stringify(found.name)}${how}`;
  return { check, passed: isMember, reason, at: found.added_at };
}

/** The build that made the contact a member of the segment; undefined if none did. */
async function entryBuild(
  tx: EntityManager,
  segmentId: number,
  { tenantId, id }: Pick<Contact, 'tenantId' | 'id'>,
): Promise<BuildWindow | undefined> {
  return (await entryBuilds(tx, tenantId, id, [segmentId])).get(segmentId);
}

const buildOf = ({ from, to }: BuildWindow): string =>
  `the build of the segment that began at ${from.toISOString()} and ${to ? `ended at ${to.toISOString()}` : 'is still running'}`;

/** The last enrolment by which the contact entered, or else the last one that could have entered it. */
async function explainEnrolment(tx: EntityManager, campaign: Campaign, contact: Contact): Promise<EntryCheck> {
  const [found] = await rows<{
    id: number;
    trigger: string;
    status: string;
    created_at: Date;
    entered: boolean;
    named: boolean | null;
  }>(
    tx,
    sql`
    select n.id, n.trigger, n.status, n.created_at, n.contact_ids @> ${String(contact.id)}::jsonb as named,
      exists (select 1 from campaign_executions e
        where e.tenant_id = n.tenant_id and e.campaign_id = n.campaign_id and e.contact_id = ${contact.id} and e.enrolment_id = n.id) as entered
    from campaign_enrolments n
    where n.tenant_id = ${campaign.tenantId} and n.campaign_id = ${campaign.id}
    order by entered desc, n.id desc limit 1`,
  );
  const check = 'enrolment' as const;
  if (!found) return { check, passed: false, reason: 'the campaign was never started for an audience', at: null };
  const name = `enrolment ${found.id} (${found.trigger}, ${found.status})`;
  const reason = found.entered
    ? `the contact entered by ${name}`
    : found.named === false
      ? `${name}, the last one, did not name the contact`
      : `${name}, the last one, did not enter the contact: it was not a member then, or the entry rules forbade it`;
  return { check, passed: found.entered, reason, at: found.created_at };
}
