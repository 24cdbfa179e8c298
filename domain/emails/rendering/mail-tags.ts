import { Tag, TypeGuards } from 'liquidjs';
import type { Context, Emitter, Liquid, Parser, TagToken, Template, TopLevelToken } from 'liquidjs';
import { decodeAttribute } from './html-scan.ts';
import { mailTags, UNTRACKED } from './instrument.ts';
import type { StaticLink } from './instrument.ts';
import { isSameLink, trackableLink } from './links.ts';
import { preheaderHtml, trailerHtml } from './mail-frame.ts';
import type { MailFrame } from './mail-frame.ts';
import { ChunkEmitter, createEngine } from './template-engine.ts';

/** What the tags of an instrumented template reach over the scope, under a key that no template can name. */
export interface TagFrame extends MailFrame {
  staticLinks: readonly StaticLink[];
  preheader: string;
  /** Whether a link that was written so far unsubscribes. */
  showsUnsubscribe: boolean;
}

const FRAME = Symbol('mail frame');

/** Adds the frame to the scope of an instrumented template, for one render. */
export function attachFrame(scope: object, frame: Omit<TagFrame, 'showsUnsubscribe'>): void {
  (scope as { [FRAME]: TagFrame })[FRAME] = { ...frame, showsUnsubscribe: false };
}

function frameOf(ctx: Context): TagFrame {
  return (ctx.environments as { [FRAME]: TagFrame })[FRAME];
}

class StaticLinkTag extends Tag {
  readonly #index: number;

  constructor(token: TagToken, rest: TopLevelToken[], liquid: Liquid) {
    super(token, rest, liquid);
    this.#index = Number(token.args);
  }

  override render(ctx: Context, emitter: Emitter): void {
    const { staticLinks, links, emailId } = frameOf(ctx);
    const link = staticLinks[this.#index];
    if (!link) return;
    if (emailId === null) return emitter.write(link.raw);
    // In three pieces, the outer two of which are the same for all.
    for (const piece of links.clickUrlParts(emailId, link)) emitter.write(piece);
  }
}

/** A link with Liquid in it: rendered first, then judged. */
class HrefTag extends Tag {
  readonly #quote: '"' | "'";
  readonly #tracked: boolean;
  readonly #templates: Template[] = [];

  constructor(token: TagToken, rest: TopLevelToken[], liquid: Liquid, parser: Parser) {
    super(token, rest, liquid);
    this.#quote = token.args.startsWith('1') ? "'" : '"';
    this.#tracked = !token.args.endsWith(UNTRACKED);
    for (let next = rest.shift(); next; next = rest.shift()) {
      if (TypeGuards.isTagToken(next) && next.name === mailTags.endHref) return;
      this.#templates.push(parser.parseToken(next, rest));
    }
  }

  override *render(ctx: Context, emitter: Emitter): Generator<unknown, void, unknown> {
    const frame = frameOf(ctx);
    const { links, emailId } = frame;
    const rendered = new ChunkEmitter();
    yield this.liquid.renderer.renderTemplates(this.#templates, ctx, rendered);
    const raw = rendered.text();
    const href = decodeAttribute(raw, this.#quote);
    if (isSameLink(href, frame.unsubscribeUrl)) frame.showsUnsubscribe = true;
    const link = emailId === null || !this.#tracked ? null : trackableLink(href);
    emitter.write(emailId === null || !link || links.isOptOut(link.url) ? raw : links.clickUrl(emailId, link));
  }
}

class PreheaderTag extends Tag {
  override render(ctx: Context, emitter: Emitter): void {
    emitter.write(preheaderHtml(frameOf(ctx).preheader));
  }
}

class TrailerTag extends Tag {
  override render(ctx: Context, emitter: Emitter): void {
    const frame = frameOf(ctx);
    emitter.write(trailerHtml(frame, frame.showsUnsubscribe));
  }
}

let engine: Liquid | undefined;

/** The HTML engine that also knows the marks of instrumented templates; never parses what users write as it is. */
export function mailEngine(): Liquid {
  if (!engine) {
    engine = createEngine('html');
    engine.registerTag(mailTags.link, StaticLinkTag);
    engine.registerTag(mailTags.href, HrefTag);
    engine.registerTag(mailTags.preheader, PreheaderTag);
    engine.registerTag(mailTags.trailer, TrailerTag);
  }
  return engine;
}
