import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { AppError } from '../../../lib/checks/errors.ts';
import { companyJoin, contactColumns, contactOf, type ContactRow } from '../../emails/rendering/template-contact.ts';
import type { ContactValues } from '../../emails/rendering/template-values.ts';
import { inThread } from '../../threads/in-thread.ts';
import { liquidIn } from '../../campaign-definitions/steps/liquid.ts';
import type { Effect } from './advance.ts';
import { sendKeyOf, type Performer, type RenderedTexts } from './performed.ts';

/** Characters; far beyond what anybody reads, or what a field may have. */
const MAX_SUBJECT = 500;
const MAX_TEXT = 50_000;

interface StepText {
  /** Liquid. */
  source: string;
  /** The most characters of the result. */
  most: number;
}

/** The texts of a step, for one visit of it: rendered in a thread, which no transaction may wait for. */
export interface TextsToRender {
  tenantId: string;
  sendKey: string;
  texts: readonly StepText[];
  contact: ContactValues | null;
}

/** The texts that an effect needs to be rendered; empty if there are none. */
export function textsOf(effect: Effect): StepText[] {
  if (effect.effect === 'update') return liquidIn(effect.set).map(({ source }) => ({ source, most: MAX_TEXT }));
  if (effect.effect !== 'notify') return [];
  return [
    { source: effect.subject, most: MAX_SUBJECT },
    { source: effect.body, most: MAX_TEXT },
  ];
}

/** The texts of the step at which an execution is, with the current data of its contact. */
export async function textsToRender(
  tx: EntityManager,
  texts: readonly StepText[],
  by: Performer,
): Promise<TextsToRender> {
  const { tenantId, contactId } = by;
  const [row] = await rows<ContactRow>(
    tx,
    sql`select ${contactColumns} from contacts c ${companyJoin} where c.tenant_id = ${tenantId} and c.id = ${contactId}`,
  );
  return { tenantId, sendKey: sendKeyOf(by), texts, contact: row ? contactOf(row) : null };
}

/** Renders them. Throws 503 if too many of the tenant's texts are being rendered: the step is to be tried again. */
export async function renderStepTexts({ tenantId, sendKey, texts, contact }: TextsToRender): Promise<RenderedTexts> {
  try {
    return { sendKey, texts: await inThread<string[]>(tenantId, { name: 'renderTexts', args: [texts, contact] }) };
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    return { sendKey, failure: `the text cannot be rendered: ${error.message}` };
  }
}
