import { LRUCache } from 'lru-cache';
import { linksFrom } from '../rendering/link-settings.ts';
import type { Judged } from '../rendering/loop-permit.ts';
import { judgeTemplate } from '../rendering/judge-template.ts';
import { renderFor, type RecipientContext } from '../rendering/render.ts';
import type { MailSettings } from '../rendering/show-email.ts';
import type { TimeLimits } from '../rendering/template-limits.ts';
import type { Mailbox } from '../../../lib/addresses/mailbox.ts';
import type { ComposedMessage, MessageInput } from './compose.ts';
import { countLinks } from './count-links.ts';
import { keyOf, PreparedTemplate, type SenderWords, type VersionRow } from './template-cache.ts';

/** One email to write; plain data, so that it can be sent to a thread. */
export interface EmailToWrite {
  sender: SenderWords | null;
  recipient: RecipientContext;
  message: Omit<MessageInput, 'rendered'>;
}

interface WrittenEmail extends ComposedMessage {
  linkCount: number;
}

/** `address_invalid`: it has an address that cannot be sent to. */
export type Written = WrittenEmail | { failure: 'address_invalid' };

/**
 * Renders and composes an email, within the limits. Throws AppError `template_limit` or `validation_failed`.
 */
export function writeEmail(
  template: PreparedTemplate,
  { sender, recipient, message }: EmailToWrite,
  limits?: TimeLimits,
): Written {
  const rendered = renderFor(template.compiled, recipient, limits);
  try {
    return { ...template.composer(sender)({ ...message, rendered }), linkCount: countLinks(rendered.html) };
  } catch (error) {
    if (error instanceof RangeError) return { failure: 'address_invalid' };
    throw error;
  }
}

/** What a thread needs for the emails of a template. */
export interface TemplateToPrepare {
  row: VersionRow;
  settings: MailSettings & { from: Mailbox };
}

const KEPT = 50;
const prepared = new LRUCache<string, PreparedTemplate>({ max: KEPT });

/** The same, in a thread. Says too, if `mustJudge`, whether others of the template may be written on an event loop. */
export function writeInThread(
  { row, settings }: TemplateToPrepare,
  email: EmailToWrite,
  mustJudge: boolean,
): { written: Written; judged: Judged | null } {
  const { postalAddress, from, ...links } = settings;
  const key = keyOf(row);
  const kept = prepared.get(key) ?? new PreparedTemplate(row, { links: linksFrom(links), postalAddress, from });
  prepared.set(key, kept);
  const written = writeEmail(kept, email);
  return { written, judged: mustJudge ? judgeTemplate(row) : null };
}
