import type { ChannelTemplate, MessageCategory, MessageChannel, PushUrgency } from '../../../db/entities/channels.ts';
import type { InlineContent } from '../../../db/entities/messages.ts';
import type { EntityManager } from '../../../db/orm.ts';
import type { Violation } from '../../../lib/checks/errors.ts';
import { topicViolations } from '../../emails/consent/topics.ts';
import type { TemplatePart } from '../../emails/templates/check-template.ts';
import { isWebUrl } from '../../../lib/addresses/web-url.ts';
import { hasLiquid } from '../../../lib/text/liquid.ts';
import { checkPartsInThread } from '../../emails/templates/template-work.ts';
import type { Additions } from '../content/assert-fits.ts';
import { assertFitsInThread } from '../content/in-thread.ts';
import { notOneLine } from '../../../lib/checks/schema-check.ts';

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

/** What decides how large a message is. */
const SIZED = ['body', 'title', 'url', 'iconUrl', 'imageUrl', 'smartEncoding', 'category'] as const;
const PUSH_FIELDS = ['title', 'url', 'iconUrl', 'imageUrl', 'ttlSeconds', 'urgency', 'collapseKey'] as const;

/**
 * All violations of a new template, or of a change of `before`. Throws 422 `template_limit` for what cannot be
 * rendered within the limits, and for what is too large even if all its Liquid renders nothing.
 */
export async function templateViolations(
  tx: EntityManager,
  tenantId: string,
  additions: Additions,
  input: Partial<ChannelTemplateInput>,
  before?: ChannelTemplate,
): Promise<Violation[]> {
  const channel = before?.channel ?? input.channel;
  const violations = [
    ...textViolations(input),
    ...(before && input.channel !== undefined && input.channel !== before.channel
      ? [{ path: '/channel', code: 'read_only', message: 'cannot be changed' }]
      : []),
    ...(channel === undefined ? [] : channelViolations(channel, input, before)),
    ...(await topicViolations(tx, tenantId, input.topicId)),
    ...(await contentViolations(tenantId, input)),
  ];
  if (violations.length === 0) await assertTemplateFits(tenantId, additions, input, before);
  return violations;
}

/** What became too large by itself, because the account says now how to opt out, can still be renamed. */
async function assertTemplateFits(
  tenantId: string,
  { optOutText, ...additions }: Additions,
  input: Partial<ChannelTemplateInput>,
  before: ChannelTemplate | undefined,
): Promise<void> {
  if (before && SIZED.every((field) => input[field] === undefined || input[field] === before[field])) return;
  const { channel, body, title, url, iconUrl, imageUrl, smartEncoding, category } = { ...before, ...input };
  if (channel === undefined || body === undefined) return;
  const source = { channel, body, title, url, iconUrl, imageUrl, smartEncoding: smartEncoding ?? true };
  await assertFitsInThread(tenantId, source, {
    ...additions,
    optOutText: category === 'transactional' ? null : optOutText,
  });
}

interface Content extends Partial<Pick<ChannelTemplateInput, 'body' | 'title' | 'url' | 'iconUrl' | 'imageUrl'>> {
  actions?: Partial<NonNullable<InlineContent['actions']>[number]>[];
}

/** The URLs in a content that no browser can open, and the syntax errors in its Liquid. Throws 422 `template_limit`. */
export async function contentViolations(tenantId: string, { actions = [], ...content }: Content): Promise<Violation[]> {
  const urls: TemplatePart[] = [
    ...(['url', 'iconUrl', 'imageUrl'] as const).map((field): TemplatePart => [`/${field}`, 'text', content[field]]),
    ...actions.map(({ url }, at): TemplatePart => [`/actions/${at}/url`, 'text', url]),
  ];
  const parts: TemplatePart[] = [
    ['/body', 'text', content.body],
    ['/title', 'text', content.title],
    ...actions.map(({ title }, at): TemplatePart => [`/actions/${at}/title`, 'text', title]),
    ...urls,
  ];
  // A URL with Liquid is known only when it is rendered.
  const wrong = urls
    .filter(([, , url]) => url?.trim() && !hasLiquid(url) && !isWebUrl(url))
    .map(([path]) => ({ path, code: 'invalid_url', message: 'must be an http or https URL' }));
  return [...wrong, ...(await checkPartsInThread(tenantId, parts))];
}

function textViolations(input: Partial<ChannelTemplateInput>): Violation[] {
  const blank = (['name', 'body'] as const)
    .filter((field) => input[field]?.trim() === '')
    .map((field) => ({ path: `/${field}`, code: 'required', message: 'must not be empty' }));
  const lines = (['name', 'collapseKey'] as const).flatMap((field) => {
    const wrong = notOneLine(input[field]);
    return wrong ? [{ path: `/${field}`, ...wrong }] : [];
  });
  return [...blank, ...lines];
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
