import type { ChannelTemplate } from '../../../db/entities/channels.ts';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { AppError, notFound } from '../../common/errors.ts';
import { companyJoin, contactColumns, contactOf, type ContactRow } from '../../emails/rendering/template-contact.ts';
import { renderForPreview, type PushContent } from '../content/render-message.ts';
import { PREVIEW_CODE } from '../content/short-links.ts';
import { readTemplate } from './templates.ts';

export interface Previewed {
  text: string | null;
  payload: PushContent | null;
  encoding: 'GSM-7' | 'UCS-2' | null;
  characters: number | null;
  segments: number | null;
  ucs2Because: string[] | null;
  /** The size in UTF-8: of a text, or of what a device is given. */
  bytes: number;
}

/**
 * Renders a template as a contact would get it, or without a contact; its short links lead nowhere. `optOutText` ends
 * marketing texts. Throws 404, 422 `template_limit`.
 */
export async function previewTemplate(
  em: EntityManager,
  { base, optOutText }: { base: string; optOutText: string | null },
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
  const shown = renderForPreview(sourceOf(template), {
    contact,
    address: typeof contact?.['email'] === 'string' ? contact['email'] : '',
    data: null,
    base,
    optOutText: template.category === 'marketing' ? optOutText : null,
    codeFor: () => PREVIEW_CODE,
  });
  if ('failure' in shown) {
    if (shown.failure === 'too_long') throw new AppError('template_limit');
    return { ...NOTHING, ...(template.channel === 'sms' ? { text: '' } : { payload: { title: '', body: '' } }) };
  }
  if (shown.kind === 'push')
    return { ...NOTHING, payload: shown.content, bytes: Buffer.byteLength(JSON.stringify(shown.content)) };
  const { text, encoding, characters, segments, ucs2Because } = shown;
  return { ...NOTHING, text, encoding, characters, segments, ucs2Because, bytes: Buffer.byteLength(text) };
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
