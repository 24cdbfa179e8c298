import { OPEN_STATUSES, CampaignExecution, type Campaign } from '../../../db/entities/campaigns.ts';
import type { Contact } from '../../../db/entities/contacts.ts';
import type { EntityManager } from '../../../db/orm.ts';
import { type DateTrigger, type Moments, momentsOf } from '../enrolment/due-contacts.ts';
import { LATEST_MS } from '../enrolment/open-occurrence.ts';
import type { EntryCheck } from './entry-check.ts';

/** Why a DATE trigger has entered the contact, will, or will not: its date, in which timezone, and each moment's fate. */
export async function explainDate(
  tx: EntityManager,
  campaign: Campaign,
  trigger: DateTrigger,
  contact: Contact,
  now = new Date(),
): Promise<EntryCheck> {
  const { tenantId } = campaign;
  const found = await momentsOf(tx, { tenantId, trigger, contactId: contact.id }, now);
  const rule = `${trigger.field} is ${found.date ?? 'empty'}; contacts enter ${when(trigger)} in ${zoneOf(found, contact)}`;
  if (found.date === null) return { check: 'trigger', passed: false, reason: rule, at: null };
  const last = found.moments.findLast(({ at }) => at <= now);
  const next = found.moments.find(({ at }) => at > now);
  const past = last && (await pastMoment(tx, campaign, contact, last, now));
  const willCome = next ? nextMoment(campaign, next) : undefined;
  const reasons = [past?.reason, willCome?.reason].filter((reason) => reason !== undefined);
  return {
    check: 'trigger',
    passed: Boolean(past?.passed) || Boolean(willCome?.passed),
    reason: `${rule}; ${reasons.join('; ')}`,
    at: (past?.passed ? last : (next ?? last))?.at ?? null,
  };
}

function when({ offsetDays, time, annual }: DateTrigger): string {
  const days = `${Math.abs(offsetDays)} ${Math.abs(offsetDays) === 1 ? 'day' : 'days'}`;
  const day = offsetDays === 0 ? 'on that day' : `${days} ${offsetDays > 0 ? 'after' : 'before'} it`;
  return `${day}${annual ? ' of every year' : ''} at ${time}`;
}

function zoneOf({ zone }: Moments, { timezone }: Contact): string {
  if (!timezone) return 'UTC, because the contact has no timezone';
  const known = zone.toLowerCase() === timezone.toLowerCase();
  return known ? `${zone}, the timezone of the contact` : `UTC, because the contact's timezone ${timezone} is unknown`;
}

type Moment = Moments['moments'][number];

const shown = ({ at }: Moment): string => at.toISOString();

/** A moment that has come: whether it entered the contact, or why it did not. */
async function pastMoment(
  tx: EntityManager,
  campaign: Campaign,
  contact: Contact,
  moment: Moment,
  now: Date,
): Promise<{ passed: boolean; reason: string }> {
  const { activatedAt, datedUntil } = campaign;
  const entered = await tx.findOne(
    CampaignExecution,
    { campaignId: campaign.id, contactId: contact.id, entryKey: `date/${moment.day}` },
    { fields: ['id'] },
  );
  const last = `its last moment was ${shown(moment)}`;
  if (entered) return { passed: true, reason: `${last}, by which it entered` };
  const missed = (why: string) => ({ passed: false, reason: `${last}, ${why}` });
  if (moment.at < contact.createdAt)
    return missed(`before the contact was created at ${contact.createdAt.toISOString()}`);
  if (!activatedAt) return missed('and the campaign was never started');
  if (moment.at <= activatedAt)
    return missed(`before the campaign, or its trigger, became active at ${activatedAt.toISOString()}`);
  if (datedUntil && moment.at <= datedUntil)
    return missed('when the entry rules kept it out, or its date or timezone was another');
  if (!isOpen(campaign)) return missed(`which nobody enters by, because the campaign is ${campaign.status}`);
  if (now.getTime() - moment.at.getTime() >= LATEST_MS) return missed('which was missed for more than 24 hours');
  return { passed: true, reason: `${last}, by which it enters within 15 minutes` };
}

function nextMoment(campaign: Campaign, moment: Moment): { passed: boolean; reason: string } {
  const next = `its next moment is ${shown(moment)}`;
  return isOpen(campaign)
    ? { passed: true, reason: next }
    : { passed: false, reason: `${next}, if the campaign is active then` };
}

const isOpen = ({ status }: Campaign): boolean => (OPEN_STATUSES as readonly string[]).includes(status);
