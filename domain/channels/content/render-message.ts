import { TypeGuards, type Template } from 'liquidjs';
import { LRUCache } from 'lru-cache';
import { isPlain } from '../../emails/rendering/is-plain.ts';
import { linksFrom, type LinkSettings } from '../../emails/rendering/link-settings.ts';
import { RULES, parseTime, type Judged } from '../../emails/rendering/loop-permit.ts';
import { renderChunks, sharedEngine } from '../../emails/rendering/template-engine.ts';
import {
  isLimitError,
  renderFailure,
  THREAD_LIMITS,
  withTimeLimit,
  type Budget,
  type TimeLimits,
} from '../../emails/rendering/template-limits.ts';
import { templateScope, type ContactValues } from '../../emails/rendering/template-values.ts';
import type { MessageChannel } from '../../../db/entities/channels.ts';
import { MOST_SEGMENTS, segmentText } from './segments.ts';
import { isWebUrl } from '../../../lib/addresses/web-url.ts';
import { messageLinks, type LinksOwner } from './message-links.ts';
import { newCode, PREVIEW_CODE, Shortener, type ShortLink } from './short-links.ts';

/** What a message is rendered from: a template, or what a call gave. All texts are Liquid. */
export interface MessageSource {
  channel: MessageChannel;
  body: string;
  title?: string | null;
  url?: string | null;
  iconUrl?: string | null;
  imageUrl?: string | null;
  actions?: readonly { action: string; title: string; url?: string | null }[] | null;
  /** Of text messages only. */
  smartEncoding: boolean;
}

/** What a message shows besides its source; plain data, so that it can be sent to a thread. */
export interface RenderContext {
  contact: ContactValues | null;
  /** The contact's email address, or what the message goes to. */
  address: string;
  data: Record<string, unknown> | null;
  /** What leads to pages for the recipient. */
  links: LinkSettings;
  owner: LinksOwner;
  /** The base of short links, without a slash at the end. */
  base: string;
  /** Ends a text message on a line of its own: how to opt out. */
  optOutText: string | null;
  /** The codes that its short links have already, by URL; others get new ones. In a preview, none leads anywhere. */
  codes: Readonly<Record<string, string>> | 'preview';
  /** The `body` of the provider that gets the text, and what it is filled with besides. */
  provider?: { body: Readonly<Record<string, string>>; to: string; from: string; messageId: string } | null;
}

export interface RenderedText {
  kind: 'sms';
  text: string;
  encoding: 'GSM-7' | 'UCS-2';
  characters: number;
  segments: number;
  ucs2Because: string[];
  links: ShortLink[];
  /** The fields of the provider's `body`. */
  body: Record<string, string> | null;
}

/** What a device is given, before the message's id and token are added. */
export interface PushContent {
  title: string;
  body: string;
  url?: string;
  icon?: string;
  image?: string;
  actions?: { action: string; title: string; url?: string }[];
}

export interface RenderedPush {
  kind: 'push';
  content: PushContent;
  links: ShortLink[];
}

/** It cannot be sent: `too_long`, `empty`, `url_invalid`, `template_failed` or `provider_body_failed`. */
export interface RenderFailure {
  failure: string;
  /** Where the source has URLs that no browser can open, with `url_invalid`. */
  paths?: string[];
}

const KEPT = 500;
const parsed = new LRUCache<string, Template[]>({ max: KEPT });

/** The provider's `body` cannot be rendered with this text. */
class ProviderBodyError extends Error {}

function renderWith(
  source: MessageSource,
  context: RenderContext,
  budget: Budget,
  most?: number,
): RenderedText | RenderedPush | RenderFailure {
  const links = messageLinks(context.owner, linksFrom(context.links));
  const scope = templateScope(context.contact, context.address, context.data, links);
  const render = (liquid: string): string => clean(filled(liquid, scope, budget));
  const shortener = new Shortener(context.base, codesOf(context.codes));
  if (source.channel === 'push') return renderPush(source, render, shortener);
  const shown = renderText(source, render, shortener, context.optOutText, most);
  const { provider } = context;
  return 'failure' in shown || !provider ? shown : { ...shown, body: filledBody(provider, shown.text, budget) };
}

const codesOf =
  (codes: RenderContext['codes']) =>
  (url: string): string => {
    if (codes === 'preview') return PREVIEW_CODE;
    return Object.hasOwn(codes, url) ? codes[url]! : newCode();
  };

/** Values are rendered first and encoded later, so that no text can add a field. */
function filledBody(
  { body, ...values }: NonNullable<RenderContext['provider']>,
  text: string,
  budget: Budget,
): Record<string, string> {
  const scope = { ...values, text };
  try {
    return Object.fromEntries(Object.entries(body).map(([name, liquid]) => [name, filled(liquid, scope, budget)]));
  } catch (error) {
    throw isLimitError(error) ? error : new ProviderBodyError('the body of a provider', { cause: error });
  }
}

/**
 * Renders a message, with the `body` of its provider: all of it together within the limits of a template. Its links
 * become short ones. Values of contacts are data: Liquid in them is not executed. Throws AppError `template_limit`.
 */
export function renderMessage(
  source: MessageSource,
  context: RenderContext,
  limits: TimeLimits = THREAD_LIMITS,
): RenderedText | RenderedPush | RenderFailure {
  try {
    return withTimeLimit((budget) => renderWith(source, context, budget), limits);
  } catch (error) {
    if (error instanceof ProviderBodyError) return { failure: 'provider_body_failed' };
    // What is thrown for other reasons than the template is a fault of ours.
    const failure = renderFailure(error, '/body');
    if (failure.code === 'template_limit') throw failure;
    return { failure: 'template_failed' };
  }
}

/** All texts by which a message is rendered. */
export const textsOf = (
  { body, title, url, iconUrl, imageUrl, actions }: MessageSource,
  provider?: RenderContext['provider'],
): string[] => [
  ...[body, title ?? '', url ?? '', iconUrl ?? '', imageUrl ?? ''],
  ...(actions ?? []).flatMap((action) => [action.title, action.url ?? '']),
  ...Object.values(provider?.body ?? {}),
];

/** Renders a message in a thread; says too whether others of the same texts may be rendered on an event loop. */
export function renderAndJudge(
  source: MessageSource,
  context: RenderContext,
): { shown: RenderedText | RenderedPush | RenderFailure; judged: Judged } {
  const texts = textsOf(source, context.provider);
  let parseMs: number;
  try {
    parseMs = parseTime(
      () => texts.forEach(parse),
      () => texts.forEach((text) => sharedEngine('text').parse(text)),
    );
  } catch {
    // In a message that cannot be parsed, nothing is judged.
    return { shown: renderMessage(source, context), judged: { isPlain: false, parseMs: Infinity, rules: RULES } };
  }
  return { shown: renderMessage(source, context), judged: { isPlain: texts.every(isPlain), parseMs, rules: RULES } };
}

/** The same for a template that nobody has checked, or whose error is to be told: of any length. Throws 422, 400. */
export function renderForPreview(
  source: MessageSource,
  context: RenderContext,
): RenderedText | RenderedPush | RenderFailure {
  try {
    return withTimeLimit((budget) => renderWith(source, context, budget, Infinity));
  } catch (error) {
    throw renderFailure(error, '/body');
  }
}

function parse(liquid: string): Template[] {
  let templates = parsed.get(liquid);
  if (!templates) parsed.set(liquid, (templates = sharedEngine('text').parse(liquid)));
  return templates;
}

const filled = (liquid: string, scope: object, budget: Budget): string =>
  renderChunks(sharedEngine('text'), parse(liquid), scope, budget).join('');

/**
 * The least that a message can be: of its Liquid only the text outside of all tags, with short links in place of the
 * URLs in it. Its Liquid must be free of mistakes.
 */
export function leastMessage(
  source: MessageSource,
  { base, optOutText }: Pick<RenderContext, 'base' | 'optOutText'>,
): { kind: 'sms'; segments: number } | { kind: 'push'; content: PushContent } {
  const shortener = new Shortener(base, codesOf('preview'));
  const least = (liquid: string): string => clean(textOutsideTags(liquid));
  if (source.channel === 'push') return { kind: 'push', content: composePush(source, least, shortener).content };
  const text = withOptOut(shortener.shortenAll(least(source.body)), optOutText);
  return { kind: 'sms', segments: segmentText(text, source.smartEncoding)?.segments ?? Infinity };
}

function textOutsideTags(liquid: string): string {
  // What comes after these may not be rendered at all.
  const end = liquid.search(/\{%-?\s*(?:break|continue|liquid)\b/);
  return parse(liquid)
    .filter(({ token }) => TypeGuards.isHTMLToken(token) && (end < 0 || token.begin < end))
    .map((template) => (template as unknown as { str: string }).str)
    .join('');
}

/** A text that every system reads the same: whole characters, line feeds, no other control characters. */
function clean(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replace(/[\p{Cc}]/gu, (control) => (control === '\n' ? control : control === '\t' ? ' ' : ''))
    .trim();
}

const oneLine = (text: string): string => text.replace(/\s+/g, (blanks) => (blanks.includes('\n') ? ' ' : blanks));

function renderText(
  { body, smartEncoding }: MessageSource,
  render: (liquid: string) => string,
  shortener: Shortener,
  optOutText: string | null,
  most: number = MOST_SEGMENTS,
): RenderedText | RenderFailure {
  const own = shortener.shortenAll(render(body));
  if (own === '') return { failure: 'empty' };
  const counted = segmentText(withOptOut(own, optOutText), smartEncoding);
  if (!counted || counted.segments > most) return { failure: 'too_long' };
  return { kind: 'sms', ...counted, links: shortener.linksFrom(1), body: null };
}

const withOptOut = (text: string, optOutText: string | null): string =>
  optOutText === null || optOutText === '' ? text : `${text}\n${optOutText}`;

function renderPush(
  source: MessageSource,
  render: (liquid: string) => string,
  shortener: Shortener,
): RenderedPush | RenderFailure {
  const { content, problems } = composePush(source, render, shortener);
  if (content.title === '' && content.body === '') return { failure: 'empty' };
  if (problems.length > 0) return { failure: 'url_invalid', paths: problems };
  // The first place is kept for the push's own URL.
  return { kind: 'push', content, links: shortener.linksFrom(content.url === undefined ? 2 : 1) };
}

/** The content of a push, and where the source has URLs that no browser can open. */
function composePush(
  source: MessageSource,
  render: (liquid: string) => string,
  shortener: Shortener,
): { content: PushContent; problems: string[] } {
  const line = (liquid: string): string => oneLine(render(liquid));
  const title = line(source.title ?? '');
  const body = render(source.body);
  const problems: string[] = [];
  const link = (path: string, liquid: string | null | undefined): string | undefined => {
    const url = liquid ? line(liquid) : '';
    if (url === '') return undefined;
    if (!isWebUrl(url)) problems.push(path);
    return url;
  };
  const target = (path: string, liquid: string | null | undefined): string | undefined => {
    const url = link(path, liquid);
    return url === undefined ? undefined : shortener.shorten(url);
  };
  // First, as `message_links.position` tells.
  const url = target('/url', source.url);
  const actions = (source.actions ?? []).map(({ action, title: its, url: own }, at) => ({
    action,
    title: line(its),
    ...given('url', target(`/actions/${at}/url`, own)),
  }));
  const content: PushContent = {
    title,
    body,
    ...given('url', url),
    ...given('icon', link('/iconUrl', source.iconUrl)),
    ...given('image', link('/imageUrl', source.imageUrl)),
    ...(actions.length > 0 ? { actions } : {}),
  };
  return { content, problems };
}

const given = <K extends string>(name: K, value: string | undefined): Partial<Record<K, string>> =>
  value === undefined ? {} : ({ [name]: value } as Record<K, string>);
