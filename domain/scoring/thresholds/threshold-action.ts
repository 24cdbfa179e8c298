import { type EntityManager } from '../../../db/orm.ts';
import type { Violation } from '../../../lib/checks/errors.ts';
import { activeUser } from '../../emails/system-mail/queue-notice.ts';
import type { CheckUrl } from '../../outbound/check-url.ts';
import { lockSegment } from '../../membership/members/lock-segment.ts';
import { lockReferenced } from '../../common/references.ts';

/** What happens when a contact reaches a threshold. */
export type ThresholdAction =
  | { type: 'NONE' }
  | { type: 'ADD_TO_LIST'; listId: number }
  | { type: 'START_CAMPAIGN'; campaignId: number }
  /** Emails an active user of the tenant. */
  | { type: 'NOTIFY'; to: string }
  /** Calls a URL with a signed POST. */
  | { type: 'WEBHOOK'; url: string };

/** An action that may be incomplete. */
interface GivenAction {
  type?: string;
  listId?: number;
  campaignId?: number;
  to?: string;
  url?: string;
}

/**
 * The violations of an action: what it refers to must exist in the tenant, a list must be static, a user active, and a
 * URL one that may be called. Locks what it refers to against deletion until the threshold is committed.
 */
export async function actionViolations(
  tx: EntityManager,
  tenantId: string,
  action: GivenAction | undefined,
  checkUrl: CheckUrl,
): Promise<Violation[]> {
  const { type, listId, campaignId, to, url } = action ?? {};
  if (type === 'ADD_TO_LIST' && listId !== undefined) {
    const isList = (await lockSegment(tx, tenantId, listId))?.type === 'static';
    return isList ? [] : [missing('listId', 'must be the id of a static list')];
  }
  if (type === 'START_CAMPAIGN' && campaignId !== undefined) {
    const found = await lockReferenced(tx, 'campaigns', tenantId, [campaignId]);
    return found.has(campaignId) ? [] : [missing('campaignId', 'must be the id of a campaign')];
  }
  if (type === 'NOTIFY' && to !== undefined) {
    const isUser = 'email' in (await activeUser(tx, tenantId, to));
    return isUser ? [] : [missing('to', 'must be the address of an active user of this account')];
  }
  if (type === 'WEBHOOK' && url !== undefined) {
    const problem = checkUrl(url);
    return problem ? [{ path: '/action/url', ...problem }] : [];
  }
  return [];
}

const missing = (name: string, message: string): Violation => ({
  path: `/action/${name}`,
  code: 'not_found',
  message,
});
