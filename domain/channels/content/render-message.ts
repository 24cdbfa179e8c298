import { TypeGuards, type Template } from 'liquidjs';
import { LRUCache } from 'lru-cache';
import { renderChunks, sharedEngine } from '../../emails/rendering/template-engine.ts';
import { renderFailure, templateLimits, withTimeLimit } from '../../emails/rendering/template-limits.ts';
import {
  NO_LINKS,
  templateScope,
  type ContactValues,
  type ScopeLinks,
} from '../../emails/rendering/template-values.ts';
import type { MessageChannel } from '../../../db/entities/channels.ts';
import { MOST_SEGMENTS, segmentText } from './segments.ts';
import { isWebUrl } from '../../common/web-url.ts';
import { Shortener, type ShortLink } from './short-links.ts';

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

export interface RenderContext {
  contact: ContactValues | null;
  /** The contact's email address, or what the message goes to. */
  address: string;
  data: Record<string, unknown> | null;
  /** What leads to pages for the recipient; absent: nothing. */
  links?: ScopeLinks;
  /** The base of short links, without a slash at the end. */
  base: string;
  /** Ends a text message on a line of its own: how to opt out. */
  optOutText: string | null;
  /** Gives the codes of short links, by URL; absent: new ones. */
  codeFor?: (url: string) => string;
}

export interface RenderedText {
  kind: 'sms';
  text: string;
  encoding: 'GSM-7' | 'UCS-2';
  characters: number;
  segments: number;
  ucs2Because: string[];
  links: ShortLink[];
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

/** It cannot be sent: `too_long`, `empty`, `url_invalid` or `template_failed`. */
export interface RenderFailure {
  failure: string;
  /** Where the source has URLs that no browser can open, with `url_invalid`. */
  paths?: string[];
}

const KEPT = 500;
const parsed = new LRUCache<string, Template[]>({ max: KEPT });

/**
 * Renders a message. Its links become short ones. Values of contacts are data: Liquid in them is not executed. Never
 * throws for what a template or a contact contains.
 */
export function renderMessage(
  source: MessageSource,
  context: RenderContext,
): RenderedText | RenderedPush | RenderFailure {
  const scope = templateScope(context.contact, context.address, context.data, context.links ?? NO_LINKS);
  try {
    // A single step can only take long with data from a request.
    return withTimeLimit(context.data ? templateLimits.hardMs : null, () => {
      const render = (liquid: string): string => rendered(liquid, scope);
      const shortener = new Shortener(context.base, context.codeFor);
      return source.channel === 'sms'
        ? renderText(source, render, shortener, context.optOutText)
        : renderPush(source, render, shortener);
    });
  } catch (error) {
    // What is thrown for other reasons than the template is a fault of ours.
    renderFailure(error, '/body');
    return { failure: 'template_failed' };
  }
}

/** The same for a template that nobody has checked, or whose error is to be told. Throws 422, 400. */
export function renderForPreview(
  source: MessageSource,
  context: RenderContext,
): RenderedText | RenderedPush | RenderFailure {
  const scope = templateScope(context.contact, context.address, context.data, context.links ?? NO_LINKS);
  try {
    return withTimeLimit(templateLimits.hardMs, () => {
      const render = (liquid: string): string => rendered(liquid, scope);
      const shortener = new Shortener(context.base, context.codeFor);
      return source.channel === 'sms'
        ? renderText(source, render, shortener, context.optOutText, Infinity)
        : renderPush(source, render, shortener);
    });
  } catch (error) {
    throw renderFailure(error, '/body');
  }
}

function parse(liquid: string): Template[] {
  let templates = parsed.get(liquid);
  if (!templates) parsed.set(liquid, (templates = sharedEngine('text').parse(liquid)));
  return templates;
}

const rendered = (liquid: string, scope: object): string =>
  clean(renderChunks(sharedEngine('text'), parse(liquid), scope).join(''));

/**
 * The least that a message can be: of its Liquid only the text outside of all tags, with short links in place of the
 * URLs in it. Its Liquid must be free of mistakes.
 */
export function leastMessage(
  source: MessageSource,
  { base, optOutText, codeFor }: Pick<RenderContext, 'base' | 'optOutText' | 'codeFor'>,
): { kind: 'sms'; segments: number } | { kind: 'push'; content: PushContent } {
  const shortener = new Shortener(base, codeFor);
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

const oneLine = (text: string): string => text.replace(/\s*\n\s*/g, ' ');

function renderText(
  { body, smartEncoding }: MessageSource,
  render: (liquid: string) => string,
  shortener: Shortener,
  optOutText: string | null,
  most = MOST_SEGMENTS,
): RenderedText | RenderFailure {
  const own = shortener.shortenAll(render(body));
  if (own === '') return { failure: 'empty' };
  const counted = segmentText(withOptOut(own, optOutText), smartEncoding);
  if (!counted || counted.segments > most) return { failure: 'too_long' };
  return { kind: 'sms', ...counted, links: shortener.linksFrom(1) };
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
