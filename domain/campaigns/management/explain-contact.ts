import { Campaign, CampaignExecution, CampaignVersion } from '../../../db/entities/campaigns.ts';
import { Contact } from '../../../db/entities/contacts.ts';
import type { EntityManager } from '../../../db/orm.ts';
import { notFound } from '../../../lib/checks/errors.ts';
import { beingErased } from '../../contact-values/being-erased.ts';
import type { ShownContact } from '../../contact-values/read-contact.ts';
import type { Definition } from '../../campaign-definitions/definition.ts';
import type { EntryCheck } from './entry-check.ts';
import { explainCauses } from './explain-trigger.ts';
import { draftOf } from './save-campaign.ts';

const MINUTE_MS = 60_000;

/** Explains why a contact is or is not in a campaign, and whether it could enter now. Throws 404. */
export async function explainContact(em: EntityManager, campaignId: number, contactId: number) {
  return em.transactional(async (tx) => {
    const campaign = await tx.findOne(Campaign, { id: campaignId });
    if (!campaign) throw notFound('campaign', campaignId);
    const contact = await tx.findOne(Contact, { id: contactId });
    if (!contact) throw notFound('contact', contactId);
    const executions = await tx.find(CampaignExecution, { campaignId, contactId }, { orderBy: { entryNo: 'desc' } });
    const { publishedVersion: version } = campaign;
    const published =
      version == null ? null : await tx.findOne(CampaignVersion, { tenantId: campaign.tenantId, campaignId, version });
    const { entry, trigger } = (published?.definition ?? draftOf(campaign)) as Definition;
    const erasing = (await beingErased(tx, [contactId])).has(contactId);
    const rules = entryChecks(campaign, { contact, erasing }, entry, executions);
    return {
      campaignId,
      contactId,
      inCampaign: executions.some((execution) => execution.status === 'RUNNING'),
      canEnter: rules.every((check) => check.passed),
      checks: [...rules, ...(await explainCauses(tx, campaign, trigger, contact))],
      executions,
    };
  });
}

/** The entry rules of `enterContacts`, each with its result for the contact. */
function entryChecks(
  campaign: Campaign,
  { contact, erasing }: Pick<ShownContact, 'contact' | 'erasing'>,
  entry: Definition['entry'],
  executions: CampaignExecution[],
): EntryCheck[] {
  const open = campaign.status === 'ACTIVE' || campaign.status === 'PAUSED';
  const last = executions[0];
  const running = executions.some((execution) => execution.status === 'RUNNING');
  const free = entry.reentry === 'always' || !(entry.reentry === 'never' ? last : running);
  const since = last ? Math.floor((Date.now() - last.startedAt.getTime()) / MINUTE_MS) : null;
  const rested = since === null || since >= entry.minIntervalMinutes;
  const entered = last
    ? `the contact entered ${last.entryNo === 1 ? 'once' : `${last.entryNo} times`}`
    : 'the contact has not entered yet';
  return [
    { check: 'campaign', passed: open, reason: `the campaign is ${campaign.status}`, at: campaign.activatedAt ?? null },
    {
      check: 'contact',
      passed: contact.status !== 'archived' && !erasing,
      reason: `the contact is ${erasing ? 'being erased' : contact.status}`,
      at: contact.updatedAt,
    },
    {
      check: 'reentry',
      passed: free,
      reason: `reentry is ${entry.reentry}; ${entered}${running ? ' and is still in the campaign' : ''}`,
      at: last?.startedAt ?? null,
    },
    {
      check: 'interval',
      passed: rested,
      reason: `minIntervalMinutes is ${entry.minIntervalMinutes}; ${since === null ? entered : `the contact entered ${since} minutes ago`}`,
      at: last?.startedAt ?? null,
    },
  ];
}
