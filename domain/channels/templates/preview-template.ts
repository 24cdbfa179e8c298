import type { ChannelTemplate } from '../../../db/entities/channels.ts';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { AppError, invalid, notFound } from '../../../lib/checks/errors.ts';
import { companyJoin, contactColumns, contactOf, type ContactRow } from '../../emails/rendering/template-contact.ts';
import type { LinkSettings } from '../../emails/rendering/link-settings.ts';
import { previewInThread } from '../content/in-thread.ts';
import type { PushContent } from '../content/render-message.ts';
import type { LinkSigner } from '../../addresses/tokens.ts';
import { payloadBytes, pushPayload } from '../push/push-payload.ts';
import { pushToken } from '../push/push-token.ts';
import { readTemplate } from './templates.ts';

export interface Previewed {
  text: string | null;
  payload: PushContent | null;
  encoding: 'GSM-7' | 'UCS-2' | null;
  characters: number | null;
  segments: number | null;
  ucs2Because: string[] | null;
  /** The size in UTF-8: of a text, or of what is encrypted for a browser. */
  bytes: number;
}

/**
 * Renders a template as a contact would get it, or without a contact; its short links lead nowhere. `optOutText` ends
 * marketing texts. Throws 400 for what could not be sent as it renders, 404, 422 `template_limit`.
 */
export async function previewTemplate(
  em: EntityManager,
  {
    base,
    optOutText,
    links,
    urls,
  }: { base: string; optOutText: string | null; links: Pick<LinkSigner, 'sign'>; urls: LinkSettings },
  templateId: number,
  contactId: number | null,
): Promise<Previewed> {
  const { template, contact } = await em.transactional(async (tx) => {
    const found = await readTemplate(tx, templateId);
    if (contactId === null) return { template: found, contact: null };
    const [row] = await rows<ContactRow>(
      tx,
      sql`select ${contactColumns} from contacts c ${companyJoin} where c.id = ${contactId}`,
    );
    if (!row) throw notFound('contact', contactId);
    return { template: found, contact: contactOf(row) };
  });
  const { tenantId } = template;
  const shown = await previewInThread(tenantId, sourceOf(template), {
    contact,
    address: typeof contact?.['email'] === 'string' ? contact['email'] : '',
    data: null,
    links: urls,
    owner: { tenantId, contactId, at: null },
    base,
    optOutText: template.category === 'marketing' ? optOutText : null,
    codes: 'preview',
  });
  if ('failure' in shown) {
    if (shown.failure === 'too_long') throw new AppError('template_limit');
    const { paths } = shown;
    throw invalid(
      paths
        ? paths.map((path) => ({ path, code: 'invalid_url', message: 'renders as no http or https URL' }))
        : [{ path: '/body', code: 'required', message: 'renders as nothing' }],
    );
  }
  if (shown.kind === 'push') {
    const bytes = await em.transactional((tx) => encryptedBytes(tx, links, tenantId, contactId, shown.content));
    return { ...NOTHING, payload: shown.content, bytes };
  }
  const { text, encoding, characters, segments, ucs2Because } = shown;
  return { ...NOTHING, text, encoding, characters, segments, ucs2Because, bytes: Buffer.byteLength(text) };
}

interface Surroundings {
  icon: string | null;
  url: string | null;
  message: number;
  send: number;
}

/**
 * The size of what would be encrypted next, with the defaults of its site: of those where the contact has a browser, or
 * else of all, that which makes it largest.
 */
async function encryptedBytes(
  tx: EntityManager,
  links: Pick<LinkSigner, 'sign'>,
  tenantId: string,
  contactId: number | null,
  content: PushContent,
): Promise<number> {
  const found = await rows<Surroundings>(
    tx,
    sql`
    with its as (
      select site_id from push_subscriptions
      where tenant_id = ${tenantId} and contact_id = ${contactId} and status = 'active' and type = 'webpush'
    )
    select s.icon_url as icon, s.default_url as url, coalesce(pg_sequence_last_value('messages_id_seq'), 0) + 1 as message,
      coalesce(pg_sequence_last_value('message_sends_id_seq'), 0) + 1 as send
    from (select 1) one left join push_sites s on s.tenant_id = ${tenantId}
      and (s.id in (select site_id from its) or not exists (select 1 from its))`,
  );
  const sizes = found.map(({ icon, url, message, send }) => {
    const token = pushToken(links, tenantId, send);
    return payloadBytes(pushPayload({ iconUrl: icon, defaultUrl: url }, content, { messageId: message, token }));
  });
  return Math.max(...sizes);
}

const NOTHING: Previewed = {
  ...{ text: null, payload: null, encoding: null, characters: null, segments: null, ucs2Because: null, bytes: 0 },
};

/** What a template's messages are rendered from. */
export const sourceOf = (template: ChannelTemplate) => ({
  channel: template.channel,
  body: template.body,
  title: template.title,
  url: template.url,
  iconUrl: template.iconUrl,
  imageUrl: template.imageUrl,
  smartEncoding: template.smartEncoding ?? true,
});
