import type { ChannelTemplate, MessageCategory, MessageChannel, PushUrgency } from '../../../db/entities/channels.ts';
import type { EntityManager } from '../../../db/orm.ts';
import { AppError, type Violation } from '../../common/errors.ts';
import { topicViolations } from '../../emails/consent/topics.ts';
import type { TemplatePart } from '../../emails/templates/check-template.ts';
import { checkPartsOffLoop } from '../../emails/templates/template-work.ts';
import { MOST_SEGMENTS, segmentText } from '../content/segments.ts';
import { isWebUrl } from '../content/short-links.ts';

export interface ChannelTemplateInput {
  name: string;
  channel: MessageChannel;
  category?: MessageCategory;
  topicId?: number | null;
  body: string;
  title?: string | null;
  url?: string | null;
  iconUrl?: string | null;
  imageUrl?: string | null;
  ttlSeconds?: number | null;
  urgency?: PushUrgency | null;
  collapseKey?: string | null;
  smartEncoding?: boolean;
}

const PUSH_FIELDS = ['title', 'url', 'iconUrl', 'imageUrl', 'ttlSeconds', 'urgency', 'collapseKey'] as const;
/** Liquid in it makes the rendered text longer or shorter. */
const LIQUID = /\{[{%][^]*?[%}]\}/g;

/**
 * All violations of a new template, or of a change of `before`. Throws 422 `template_limit` for what cannot be
 * rendered within the limits, and for a text that has more than ten segments even if all its Liquid renders nothing.
 */
export async function templateViolations(
  tx: EntityManager,
  tenantId: string,
  input: Partial<ChannelTemplateInput>,
  before?: Pick<ChannelTemplate, 'channel' | 'title' | 'smartEncoding'>,
): Promise<Violation[]> {
  const channel = before?.channel ?? input.channel;
  const violations = [
    ...textViolations(input),
    ...(before && input.channel !== undefined && input.channel !== before.channel
      ? [{ path: '/channel', code: 'read_only', message: 'cannot be changed' }]
      : []),
    ...(channel === undefined ? [] : channelViolations(channel, input, before)),
    ...(await topicViolations(tx, tenantId, input.topicId)),
    ...(await contentViolations(input)),
  ];
  if (channel === 'sms' && typeof input.body === 'string')
    assertFits(input.body, input.smartEncoding ?? before?.smartEncoding ?? true);
  return violations;
}

/** The syntax errors in the Liquid of a content. Throws 422 `template_limit`. */
export const contentViolations = ({
  body,
  title,
  url,
  iconUrl,
  imageUrl,
}: Partial<Pick<ChannelTemplateInput, 'body' | 'title' | 'url' | 'iconUrl' | 'imageUrl'>>): Promise<Violation[]> => {
  const parts: TemplatePart[] = [
    ['/body', 'text', body],
    ['/title', 'text', title],
    ['/url', 'text', url],
    ['/iconUrl', 'text', iconUrl],
    ['/imageUrl', 'text', imageUrl],
  ];
  return checkPartsOffLoop(parts);
};

/** Throws 422 `template_limit` if a text has more than ten segments, whatever its Liquid renders. */
export function assertFits(body: string, smartEncoding: boolean): void {
  const shortest = body.replace(LIQUID, '').trim();
  const counted = segmentText(shortest.slice(0, 4_000), smartEncoding);
  if (!counted || counted.segments > MOST_SEGMENTS)
    throw new AppError(
      'template_limit',
      `A text message may have ${MOST_SEGMENTS} segments: 1,530 characters of GSM-7, or 670 of UCS-2`,
    );
}

function textViolations(input: Partial<ChannelTemplateInput>): Violation[] {
  const blank = (['name', 'body'] as const)
    .filter((field) => input[field]?.trim() === '')
    .map((field) => ({ path: `/${field}`, code: 'required', message: 'must not be empty' }));
  const lines = (['name', 'collapseKey'] as const)
    .filter((field) => /\p{Cc}/u.test(input[field] ?? ''))
    .map((field) => ({ path: `/${field}`, code: 'invalid_character', message: 'must not contain control characters' }));
  // A URL with Liquid is known only when it is rendered.
  const urls = (['url', 'iconUrl', 'imageUrl'] as const)
    .filter((field) => input[field]?.trim() && !/\{[{%]/.test(input[field]) && !isWebUrl(input[field]))
    .map((field) => ({ path: `/${field}`, code: 'invalid_url', message: 'must be an http or https URL' }));
  return [...blank, ...lines, ...urls];
}

/** What belongs to the other channel, and what is missing. */
function channelViolations(
  channel: MessageChannel,
  input: Partial<ChannelTemplateInput>,
  before: Pick<ChannelTemplate, 'title'> | undefined,
): Violation[] {
  if (channel === 'push') {
    const title = input.title === undefined ? before?.title : input.title;
    const missing = title === undefined || title === null || title.trim() === '';
    return missing ? [{ path: '/title', code: 'required', message: 'a push needs a title' }] : [];
  }
  return PUSH_FIELDS.filter((field) => input[field] !== undefined && input[field] !== null && input[field] !== '').map(
    (field) => ({ path: `/${field}`, code: 'not_allowed', message: 'is for pushes only' }),
  );
}
