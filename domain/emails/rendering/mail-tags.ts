import { Tag, TypeGuards } from 'liquidjs';
import type { Context, Emitter, Liquid, Parser, TagToken, Template, TopLevelToken } from 'liquidjs';
import { decodeAttribute } from './html-scan.ts';
import { CONDITIONAL, mailTags, UNTRACKED } from './instrument.ts';
import type { StaticLink } from './instrument.ts';
import { isSameLink, trackableLink } from './links.ts';
import { preheaderHtml, trailerHtml } from './mail-frame.ts';
import type { MailFrame } from './mail-frame.ts';
import { ChunkEmitter, createEngine } from './template-engine.ts';

/** The data for the tags of an instrumented template, in the scope under a symbol that templates cannot access. */
export interface TagFrame extends MailFrame {
  staticLinks: readonly StaticLink[];
  preheader: string;
  /** Whether an unsubscribe link has been written so far. */
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
    const { staticLinks, links, emailId, madeAt } = frameOf(ctx);
    const link = staticLinks[this.#index];
    if (!link) return;
    if (emailId === null) return emitter.write(link.raw);
    // In three pieces, because the first and the last are the same in all emails.
    for (const piece of links.clickUrlParts(emailId, link, madeAt)) emitter.write(piece);
  }
}

/** A link that contains Liquid: rendered first, and then rewritten if it is trackable. */
class HrefTag extends Tag {
  readonly #quote: '"' | "'";
  readonly #tracked: boolean;
  readonly #conditional: boolean;
  readonly #templates: Template[] = [];

  constructor(token: TagToken, rest: TopLevelToken[], liquid: Liquid, parser: Parser) {
    super(token, rest, liquid);
    this.#quote = token.args.startsWith('1') ? "'" : '"';
    this.#tracked = !token.args.includes(UNTRACKED);
    this.#conditional = token.args.includes(CONDITIONAL);
    for (let next = rest.shift(); next; next = rest.shift()) {
      if (TypeGuards.isTagToken(next) && next.name === mailTags.endHref) return;
      this.#templates.push(parser.parseToken(next, rest));
    }
  }

  override *render(ctx: Context, emitter: Emitter): Generator<unknown, void, unknown> {
    const frame = frameOf(ctx);
    const { links, emailId, madeAt } = frame;
    const rendered = new ChunkEmitter();
    yield this.liquid.renderer.renderTemplates(this.#templates, ctx, rendered);
    const raw = rendered.text();
    const href = decodeAttribute(raw, this.#quote);
    if (!this.#conditional && isSameLink(href, frame.unsubscribeUrl)) frame.showsUnsubscribe = true;
    const link = emailId === null || !this.#tracked ? null : trackableLink(href);
    emitter.write(emailId === null || !link || links.isOptOut(link.url) ? raw : links.clickUrl(emailId, link, madeAt));
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

/** The HTML engine with the tags of instrumented templates. Must not parse user templates before instrumentation. */
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
