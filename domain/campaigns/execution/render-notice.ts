import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { AppError } from '../../common/errors.ts';
import { companyJoin, contactColumns, contactOf, type ContactRow } from '../../emails/rendering/template-contact.ts';
import type { ContactValues } from '../../emails/rendering/template-values.ts';
import { inThread } from '../../threads/in-thread.ts';
import type { Effect } from './advance.ts';
import { sendKeyOf, type Performer, type RenderedNotice } from './performed.ts';

/** Characters; far beyond what anybody reads. */
const MAX_SUBJECT = 500;
const MAX_BODY = 50_000;

/** The texts of a NOTIFY step, for one visit of it: rendered in a thread, which no transaction may wait for. */
export interface NoticeToRender {
  tenantId: string;
  sendKey: string;
  /** Liquid. */
  subject: string;
  body: string;
  contact: ContactValues | null;
}

/** The texts of the step at which an execution is, with the current data of its contact. */
export async function noticeToRender(
  tx: EntityManager,
  { subject, body }: Extract<Effect, { effect: 'notify' }>,
  by: Performer,
): Promise<NoticeToRender> {
  const { tenantId, contactId } = by;
  const [row] = await rows<ContactRow>(
    tx,
    sql`select ${contactColumns} from contacts c ${companyJoin} where c.tenant_id = ${tenantId} and c.id = ${contactId}`,
  );
  return { tenantId, sendKey: sendKeyOf(by), subject, body, contact: row ? contactOf(row) : null };
}

/** Renders them. Throws 503 if too many of the tenant's texts are being rendered: the step is to be tried again. */
export async function renderNotice({
  tenantId,
  sendKey,
  subject,
  body,
  contact,
}: NoticeToRender): Promise<RenderedNotice> {
  const texts = [
    { source: subject, most: MAX_SUBJECT },
    { source: body, most: MAX_BODY },
  ];
  try {
    const [itsSubject, itsBody] = await inThread<string[]>(tenantId, { name: 'renderTexts', args: [texts, contact] });
    return { sendKey, subject: itsSubject!, body: itsBody! };
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    return { sendKey, failure: `the text cannot be rendered: ${error.message}` };
  }
}
