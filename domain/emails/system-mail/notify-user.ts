import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import type { UserNotification } from '../../campaigns/execution/perform-effect.ts';
import { AppError } from '../../common/errors.ts';
import { companyJoin, contactColumns, contactOf, type ContactRow } from '../rendering/template-contact.ts';
import { renderChunks, sharedEngine } from '../rendering/template-engine.ts';
import { renderFailure, templateLimits, withTimeLimit } from '../rendering/template-limits.ts';
import { NO_LINKS, templateScope } from '../rendering/template-values.ts';
import { activeUser, queueNotices } from './queue-notice.ts';

/** Characters; far beyond what anybody reads. */
const MAX_SUBJECT = 500;
const MAX_BODY = 50_000;

/**
 * Queues an email to a user of the tenant about a contact, once per send key, in the transaction `tx`. It is no email
 * to the contact, and belongs to its execution only so that it is found when the contact is erased. Returns why it
 * cannot be sent, else null.
 */
export async function notifyUser(
  tx: EntityManager,
  tenantId: string,
  { to, subject, body, contactId, executionId, stepId, sendKey }: UserNotification,
): Promise<string | null> {
  const user = await activeUser(tx, tenantId, to);
  if ('refusal' in user) return user.refusal;
  const [row] = await rows<ContactRow>(
    tx,
    sql`select ${contactColumns} from contacts c ${companyJoin} where c.tenant_id = ${tenantId} and c.id = ${contactId}`,
  );
  let data: { subject: string; body: string };
  try {
    const scope = templateScope(row ? contactOf(row) : null, '', null, NO_LINKS);
    data = { subject: rendered(subject, scope, MAX_SUBJECT), body: rendered(body, scope, MAX_BODY) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return `the text cannot be rendered: ${error.message}`;
  }
  const common = { to: user.email, lane: 'transactional', executionId, stepId, requestId: null, sendKey } as const;
  const [refusal] = await queueNotices(tx, tenantId, [{ ...common, ...data }]);
  return refusal!;
}

/** A text with the contact's values. Throws AppError `template_limit` or `validation_failed`. */
function rendered(source: string, scope: object, most: number): string {
  const engine = sharedEngine('text');
  try {
    const text = withTimeLimit(templateLimits.hardMs, () => renderChunks(engine, engine.parse(source), scope).join(''));
    return text.slice(0, most).toWellFormed().replaceAll('\0', '');
  } catch (error) {
    throw renderFailure(error, '');
  }
}
