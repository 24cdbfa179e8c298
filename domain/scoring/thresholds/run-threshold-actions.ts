import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { appendWorkflow } from '../../../events/outbox.ts';
import { enterCampaign } from '../../campaigns/enrolment/enter-campaign.ts';
import { thresholdKey } from '../../emails/system-mail/notice-keys.ts';
import { activeUser, queueNotices } from '../../emails/system-mail/queue-notice.ts';
import { addToListIfThere } from '../../membership/members/change-list-members.ts';
import type { ThresholdAction } from './threshold-action.ts';

/** A threshold that a contact has just reached, for the first time. */
export interface ThresholdHit {
  tenantId: string;
  thresholdId: number;
  /** Of the threshold. */
  name: string;
  score: number;
  action: ThresholdAction;
  contactId: number;
  total: number;
  eventId: string;
  requestId: string | null;
}

type HitOf<Type extends ThresholdAction['type']> = ThresholdHit & { action: Extract<ThresholdAction, { type: Type }> };
const isOf =
  <Type extends ThresholdAction['type']>(type: Type) =>
  (hit: ThresholdHit): hit is HitOf<Type> =>
    hit.action.type === type;

/**
 * Does what thresholds do for the contacts that have reached them, in the transaction `tx` (the tenant's or the
 * engine's) that writes the hits.
 */
export async function runThresholdActions(tx: EntityManager, hits: readonly ThresholdHit[]): Promise<void> {
  await addToLists(tx, hits.filter(isOf('ADD_TO_LIST')));
  for (const { tenantId, requestId, contactId, eventId: entryKey, action } of hits.filter(isOf('START_CAMPAIGN'))) {
    const { campaignId } = action;
    await enterCampaign(tx, { tenantId, requestId }, { campaignId, contactId, entryKey, trigger: 'SCORE_REACHED' });
  }
  for (const group of byThreshold(hits.filter(isOf('NOTIFY')))) await notify(tx, group);
  await startCalls(tx, hits.filter(isOf('WEBHOOK')));
}

const byThreshold = <Hit extends ThresholdHit>(hits: readonly Hit[]): Hit[][] => [
  ...Map.groupBy(hits, ({ tenantId, thresholdId }) => `${tenantId}/${thresholdId}`).values(),
];

async function addToLists(tx: EntityManager, hits: readonly HitOf<'ADD_TO_LIST'>[]): Promise<void> {
  for (const group of byThreshold(hits)) {
    const { tenantId, action } = group[0]!;
    for (const [requestId, some] of Map.groupBy(group, (hit) => hit.requestId)) {
      const contactIds = some.map(({ contactId }) => contactId);
      await addToListIfThere(tx, tenantId, action.listId, contactIds, { requestId });
    }
  }
}

/**
 * Emails the user of a threshold about the contacts that have reached it. If the user is gone or deactivated, the
 * emails are recorded as suppressed: the threshold has fired.
 */
async function notify(tx: EntityManager, hits: readonly HitOf<'NOTIFY'>[]): Promise<void> {
  const { tenantId, thresholdId, name, score, action } = hits[0]!;
  const user = await activeUser(tx, tenantId, action.to);
  const recipient = 'email' in user ? { to: user.email } : { to: action.to, refusal: 'user_gone' };
  const contacts = new Map(
    (
      await rows<{ id: number; first_name: string | null; last_name: string | null; email: string | null }>(
        tx,
        sql`
        select id, first_name, last_name, email from contacts
        where tenant_id = ${tenantId} and id = any(${hits.map(({ contactId }) => contactId)}::bigint[])`,
      )
    ).map((contact) => [contact.id, contact]),
  );
  await queueNotices(
    tx,
    tenantId,
    hits.map(({ contactId, total, requestId }) => {
      const { first_name: firstName, last_name: lastName, email } = contacts.get(contactId)!;
      const person = [firstName, lastName].filter(Boolean).join(' ') || email || `Contact ${contactId}`;
      return {
        ...recipient,
        subject: `${person} has reached “${name}”`,
        body: [
          `${person}${email && email !== person ? ` <${email}>` : ''} has reached the threshold “${name}” (${score} points).`,
          `Score: ${total}`,
          `Contact ${contactId}, threshold ${thresholdId}`,
        ].join('\n'),
        // As for forms: a website's visitors can cause many, which must not delay the emails of accounts.
        lane: 'journey',
        data: { contactId },
        requestId,
        sendKey: thresholdKey(thresholdId, contactId),
      };
    }),
  );
}

/**
 * Writes the calls of webhooks down as they are now, and starts their workflows: the threshold may change before a call
 * is answered, and histories have only ids.
 */
async function startCalls(tx: EntityManager, hits: readonly HitOf<'WEBHOOK'>[]): Promise<void> {
  if (hits.length === 0) return;
  const calls = hits.map((hit) => ({ ...hit, url: hit.action.url }));
  await rows(
    tx,
    sql`
    insert into threshold_calls (tenant_id, threshold_id, contact_id, url, name, score, total, at)
    select r."tenantId", r."thresholdId", r."contactId", r.url, r.name, r.score, r.total, now()
    from jsonb_to_recordset(${JSON.stringify(calls)}::jsonb)
      as r("tenantId" text, "thresholdId" bigint, "contactId" bigint, url text, name text, score int, total bigint)`,
  );
  for (const { tenantId, thresholdId, contactId } of hits)
    await appendWorkflow(tx, 'thresholdCall', { tenantId, thresholdId, contactId });
}
