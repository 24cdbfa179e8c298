import type { Template } from 'liquidjs';
import { instrumentHtml } from './instrument.ts';
import type { StaticLink } from './instrument.ts';
import { PREVIEW_TOKEN, type EmailLinks } from './links.ts';
import { trailerText } from './mail-frame.ts';
import type { MailFrame } from './mail-frame.ts';
import { attachFrame, mailEngine } from './mail-tags.ts';
import { oneLine } from '../mime/mime.ts';
import { rewriteHtml } from './rewrite-html.ts';
import { escapeHtml } from './escape-html.ts';
import { renderChunks, sharedEngine } from './template-engine.ts';
import { THREAD_LIMITS, renderFailure, withTimeLimit, type Budget, type TimeLimits } from './template-limits.ts';
import { splitTemplate, type Piece } from './template-pieces.ts';
import { templateScope } from './template-values.ts';
import type { ContactValues, ScopeLinks } from './template-values.ts';
import { collapseBlankLines, deriveTextTemplate, htmlToText } from './text-part.ts';

/** The parts of a template's content version that make up an email. */
export interface TemplateVersion {
  subject: string;
  content: string;
  text?: string | null;
  previewText?: string | null;
  category: 'marketing' | 'transactional';
}

export interface CompileOptions {
  links: EmailLinks;
  /** MAIL_POSTAL_ADDRESS, shown in marketing email. */
  postalAddress?: string | null;
}

/**
 * The recipient of an email. `emailId` null renders a preview: without tracking, with opt-out links that do nothing.
 */
export interface RecipientContext {
  tenantId: string;
  emailId: number | null;
  contactId: number | null;
  address: string;
  contact: ContactValues | null;
  data?: Record<string, unknown> | null;
}

/**
 * A rendered email. The joined chunks are `html` and `text`; those in `staticChunks` are the same for every recipient.
 */
export interface RenderedEmail {
  subject: string;
  readonly html: string;
  readonly text: string;
  htmlChunks: readonly string[];
  textChunks: readonly string[];
  /** For the List-Unsubscribe header; null for transactional email and previews. */
  unsubscribeUrl: string | null;
}

/** A compiled template, for any number of recipients. Immutable; can be cached by template id and contentVersion. */
export interface CompiledTemplate {
  readonly version: TemplateVersion;
  readonly options: CompileOptions;
  readonly subject: Template[];
  readonly preheader: Template[] | null;
  /** Set if links are marked in the template itself; otherwise each rendered email is parsed. */
  readonly instrumented: { templates: Template[]; links: readonly StaticLink[] } | null;
  readonly plainHtml: Template[];
  /** Null if the text part is generated from each rendered HTML. */
  readonly text: { templates: Template[]; hasBlocks: boolean } | null;
  readonly staticChunks: ReadonlySet<string>;
  /** Whether the content itself contains the postal address. */
  readonly showsAddress: boolean;
}

/** Whether a text appears in every email of a template: not in a branch, nor in a Liquid or HTML comment. */
function alwaysShows(pieces: readonly Piece[], text: string): boolean {
  const blocks = new Set(
    pieces.flatMap(({ tag }) => (tag.startsWith('end') && tag !== 'endraw' ? [tag.slice(3)] : [])),
  );
  let depth = 0;
  let shown = '';
  for (const { kind, source, tag } of pieces) {
    if (blocks.has(tag)) depth += 1;
    else if (tag.startsWith('end') && blocks.has(tag.slice(3))) depth -= 1;
    // A match must not span a token.
    shown += kind === 'text' && depth === 0 ? source : '\0';
  }
  const seen = shown.replace(/<!--[^]*?(?:-->|$)/g, '');
  return seen.includes(text) || seen.includes(escapeHtml(text));
}

/** The pieces that are the same in every email: the text between Liquid tokens, and the text around tracking ids. */
function staticTexts(sources: string[], links: EmailLinks, instrumented: readonly StaticLink[]): Set<string> {
  const texts = sources.flatMap((source) =>
    splitTemplate(source).flatMap(({ kind, source: text }) => (kind === 'text' ? [text] : [])),
  );
  const around = instrumented.flatMap((link) => {
    const [before, , after] = links.clickUrlParts(1, link);
    return [before, after];
  });
  return new Set([...texts, ...around]);
}

/** Preview text is plain text: HTML in it is escaped, Liquid is kept. */
function preheaderSource(previewText: string): string {
  return splitTemplate(previewText)
    .map(({ kind, source }) => (kind === 'text' ? escapeHtml(source) : source))
    .join('');
}

function compileUnguarded(version: TemplateVersion, options: CompileOptions): CompiledTemplate {
  const text = sharedEngine('text');
  const html = sharedEngine('html');
  const pieces = splitTemplate(version.content);
  const plainHtml = html.parse(version.content);
  const instrumented = instrumentHtml(pieces, options.links);
  const ownText = version.text ? { source: version.text, templates: text.parse(version.text), hasBlocks: false } : null;
  const textTemplate = ownText ?? (instrumented && deriveTextTemplate(pieces));
  return {
    version,
    options,
    subject: text.parse(version.subject),
    preheader: version.previewText ? html.parse(preheaderSource(version.previewText)) : null,
    instrumented: instrumented && { templates: mailEngine().parse(instrumented.source), links: instrumented.links },
    plainHtml,
    text: textTemplate,
    showsAddress: Boolean(options.postalAddress) && alwaysShows(pieces, options.postalAddress!),
    staticChunks: staticTexts(
      [instrumented?.source ?? '', textTemplate?.source ?? ''],
      options.links,
      instrumented?.links ?? [],
    ),
  };
}

/**
 * Compiles a template that passed checkTemplate. Throws AppError `template_limit`, or `validation_failed` (a syntax
 * error, with its position).
 */
export function compileTemplate(version: TemplateVersion, options: CompileOptions): CompiledTemplate {
  try {
    return withTimeLimit(() => compileUnguarded(version, options));
  } catch (error) {
    throw renderFailure(error, '/content');
  }
}

/** The links of one recipient, each created at first use. */
function recipientLinks(
  { tenantId, emailId, contactId, address }: RecipientContext,
  links: EmailLinks,
  madeAt: Date,
): ScopeLinks {
  if (emailId === null) {
    return {
      unsubscribeUrl: links.previewUrl('unsubscribe'),
      preferencesUrl: links.previewUrl('preferences'),
      webViewUrl: links.previewUrl('view'),
      contactToken: PREVIEW_TOKEN,
      formUrl: (formId) => links.formUrl(formId, ''),
    };
  }
  const subject = { tenantId, emailId, contactId, address: contactId === null ? address : null, madeAt };
  let unsubscribeUrl: string | undefined;
  let contactToken: string | undefined;
  const tokenOfContact = (): string =>
    (contactToken ??= contactId === null ? '' : links.contactToken(tenantId, contactId));
  return {
    get unsubscribeUrl() {
      return (unsubscribeUrl ??= links.unsubscribeUrl(subject));
    },
    get preferencesUrl() {
      return links.preferencesUrl(subject);
    },
    get webViewUrl() {
      return links.webViewUrl(emailId, madeAt);
    },
    get contactToken() {
      return tokenOfContact();
    },
    formUrl: (formId) => links.formUrl(formId, tokenOfContact()),
  };
}

function mailFrame(
  compiled: CompiledTemplate,
  { emailId }: RecipientContext,
  madeAt: Date,
  unsubscribeUrl: string,
): MailFrame {
  const { links, postalAddress } = compiled.options;
  if (compiled.version.category === 'transactional')
    return { links, emailId, madeAt, unsubscribeUrl: null, postalAddress: null };
  return { links, emailId, madeAt, unsubscribeUrl, postalAddress: postalAddress || null };
}

function renderHtml(compiled: CompiledTemplate, scope: object, frame: MailFrame, budget: Budget): string[] {
  const preheader = compiled.preheader
    ? renderChunks(sharedEngine('html'), compiled.preheader, scope, budget).join('')
    : '';
  const htmlFrame = compiled.showsAddress ? { ...frame, postalAddress: null } : frame;
  if (compiled.instrumented) {
    attachFrame(scope, { ...htmlFrame, preheader, staticLinks: compiled.instrumented.links });
    return renderChunks(mailEngine(), compiled.instrumented.templates, scope, budget);
  }
  const html = renderChunks(sharedEngine('html'), compiled.plainHtml, scope, budget).join('');
  return [rewriteHtml(html, htmlFrame, preheader)];
}

function renderText(compiled: CompiledTemplate, scope: object, frame: MailFrame, budget: Budget): string[] {
  const chunks = compiled.text
    ? renderChunks(sharedEngine('text'), compiled.text.templates, scope, budget)
    : [htmlToText(renderChunks(sharedEngine('html'), compiled.plainHtml, scope, budget).join(''))];
  const text = chunks.join('');
  const trailer = trailerText(frame, text);
  return compiled.text && !compiled.text.hasBlocks ? [...chunks, trailer] : [collapseBlankLines(text), trailer];
}

class Rendered implements RenderedEmail {
  readonly subject: string;
  readonly htmlChunks: readonly string[];
  readonly textChunks: readonly string[];
  readonly unsubscribeUrl: string | null;

  constructor(subject: string, htmlChunks: string[], textChunks: string[], unsubscribeUrl: string | null) {
    this.subject = subject;
    this.htmlChunks = htmlChunks;
    this.textChunks = textChunks;
    this.unsubscribeUrl = unsubscribeUrl;
  }

  get html(): string {
    return this.htmlChunks.join('');
  }

  get text(): string {
    return this.textChunks.join('');
  }
}

function renderUnguarded(compiled: CompiledTemplate, recipient: RecipientContext, budget: Budget): RenderedEmail {
  const madeAt = compiled.options.links.now();
  const links = recipientLinks(recipient, compiled.options.links, madeAt);
  const scope = templateScope(recipient.contact, recipient.address, recipient.data, links);
  const marketing = compiled.version.category === 'marketing';
  const frame = mailFrame(compiled, recipient, madeAt, marketing ? links.unsubscribeUrl : '');
  return new Rendered(
    oneLine(renderChunks(sharedEngine('text'), compiled.subject, scope, budget).join('')),
    renderHtml(compiled, scope, frame, budget),
    renderText(compiled, scope, frame, budget),
    marketing && recipient.emailId !== null ? links.unsubscribeUrl : null,
  );
}

/**
 * Renders an email for one recipient: all its parts together within the limits. Values are escaped in HTML, unchanged
 * elsewhere, and empty if missing. Throws AppError `template_limit` or `validation_failed`.
 */
export function renderFor(
  compiled: CompiledTemplate,
  recipient: RecipientContext,
  limits: TimeLimits = THREAD_LIMITS,
): RenderedEmail {
  try {
    return withTimeLimit((budget) => renderUnguarded(compiled, recipient, budget), limits);
  } catch (error) {
    throw renderFailure(error, '/content');
  }
}
