import MagicString from 'magic-string';
import { scanHtml } from './html-scan.ts';
import type { Attribute, HtmlScan, Span, StartTag } from './html-scan.ts';
import { trackableLink } from './links.ts';
import type { EmailLinks, TrackableLink } from './links.ts';
import type { Piece } from './template-pieces.ts';

/** A link without Liquid: its raw text in the source, and its target. */
export interface StaticLink extends TrackableLink {
  raw: string;
}

/** A template with tags for its links, preheader and trailer, so that one render produces the finished HTML. */
export interface InstrumentedHtml {
  source: string;
  links: StaticLink[];
}

/** The tags in an instrumented source; see mail-tags.ts. */
export const mailTags = {
  link: 'mail_link',
  href: 'mail_href',
  endHref: 'mail_endhref',
  preheader: 'mail_preheader',
  trailer: 'mail_trailer',
};

/** Marks an href that must not be tracked. */
export const UNTRACKED = 'untracked';
/** Marks an href that only Outlook shows. */
export const CONDITIONAL = 'conditional';

const OPENING = new Set(['if', 'unless', 'case', 'for', 'tablerow']);
const MIDDLE = new Set(['elsif', 'else', 'when']);
const JUMPS = new Set(['break', 'continue']);
const INLINE = new Set(['assign', 'comment', '#', 'cycle', 'echo']);
// Elements that change how the tags inside them are parsed, depending on the context.
const CONTEXTUAL = /<(svg|math|select|frameset|template|plaintext|xmp|noembed|noframes|iframe)\b/i;

const within = (at: number, span: Span): boolean => at >= span.start && at < span.end;

/**
 * The region of a Liquid token: 'data' (between tags), or the one attribute value, comment or raw text that contains
 * it. Null if its output could change how the rest is parsed.
 */
function regionOf(at: number, html: string, scan: HtmlScan): string | null {
  const tag = scan.startTags.find((candidate) => within(at, candidate));
  if (tag) {
    const holds = ([, attribute]: [string, Attribute]): boolean =>
      attribute.quote !== null && within(at, attribute.raw);
    const found = [...tag.attributes].find(holds);
    return found ? `attribute ${found[1].start}` : null;
  }
  if (scan.otherTags.some((span) => within(at, span))) return null;
  const comment = scan.comments.find((span) => within(at, span));
  if (comment) {
    // A comment ends at --> or --!>. Neither may be formed by the token's output and the text around it.
    const sound =
      html.startsWith('<!--', comment.start) &&
      at >= comment.start + 4 &&
      !/^[-!]{0,3}>/.test(html.slice(at + 1, at + 5));
    const conditional = scan.conditionals.find((span) => within(at, span));
    const inside = conditional ? regionOf(at, html, conditional.scan) : '';
    return sound && inside !== null ? `comment ${comment.start} ${inside}` : null;
  }
  const rawText = scan.rawTexts.find((span) => within(at, span));
  if (rawText) {
    // Likewise, no closing tag may be formed across a token.
    const sound =
      rawText.element !== 'script' && !/<\/?[a-z]*$/i.test(html.slice(Math.max(rawText.start, at - 20), at));
    return sound ? `text ${rawText.start}` : null;
  }
  return 'data';
}

/** Whether every block starts, branches and ends in the same region, so that no branch leaves a tag half open. */
function blocksAreSound(pieces: Piece[], regions: string[]): boolean {
  const open: { tag: string; region: string }[] = [];
  for (const [index, { kind, tag }] of pieces.entries()) {
    const region = regions[index] ?? 'data';
    const top = open.at(-1);
    if (kind !== 'tag' || INLINE.has(tag)) continue;
    if (OPENING.has(tag)) {
      // tablerow outputs rows and cells.
      if (tag === 'tablerow' && region !== 'data') return false;
      open.push({ tag, region });
    } else if (JUMPS.has(tag)) {
      const loop = open.findLastIndex((block) => block.tag === 'for' || block.tag === 'tablerow');
      if (open.slice(Math.max(loop, 0)).some((block) => block.region !== region)) return false;
    } else if (MIDDLE.has(tag) || tag === `end${top?.tag}`) {
      if (top?.region !== region) return false;
      if (!MIDDLE.has(tag)) open.pop();
    } else {
      return false;
    }
  }
  return open.length === 0;
}

/**
 * Joins the pieces to one HTML text with a single letter for each Liquid token; `at` are the start offsets of the
 * pieces.
 */
function mask(pieces: Piece[]): { html: string; at: number[] } {
  const at: number[] = [];
  let html = '';
  for (const piece of pieces) {
    at.push(html.length);
    html += piece.kind === 'text' ? piece.source : 'x';
  }
  return { html, at };
}

/** The href attribute of a link, or of a shape in Outlook's VML, which is a button there; null for other elements. */
export const linkHref = ({ name, attributes }: StartTag): Attribute | null =>
  name === 'a' || name === 'area' || name.startsWith('v:') ? (attributes.get('href') ?? null) : null;

/** All tags that may be links, those in conditional comments too. */
export const linkTags = (scan: HtmlScan): { tag: StartTag; isConditional: boolean }[] => [
  ...scan.startTags.map((tag) => ({ tag, isConditional: false })),
  ...scan.conditionals.flatMap((inner) => inner.scan.startTags.map((tag) => ({ tag, isConditional: true }))),
];

/** Whether clicks on a link are tracked; the attribute `data-notrack` opts out. */
export const isTracked = ({ attributes }: StartTag): boolean => !attributes.has('data-notrack');

function markLinks(
  edit: MagicString,
  html: string,
  scan: HtmlScan,
  liquidAt: number[],
  owned: EmailLinks,
): StaticLink[] {
  const links: StaticLink[] = [];
  for (const { tag, isConditional } of linkTags(scan)) {
    const href = linkHref(tag);
    if (!href) continue;
    const { start, end } = href.raw;
    if (liquidAt.some((at) => within(at, href.raw))) {
      const args = [
        href.quote === "'" ? 1 : 2,
        ...(isTracked(tag) ? [] : [UNTRACKED]),
        ...(isConditional ? [CONDITIONAL] : []),
      ].join(' ');
      edit.appendRight(start, `{% ${mailTags.href} ${args} %}`).appendLeft(end, `{% ${mailTags.endHref} %}`);
      continue;
    }
    const link = isTracked(tag) ? trackableLink(href.value) : null;
    if (!link || owned.isOptOut(link.url)) continue;
    edit.update(start, end, `{% ${mailTags.link} ${links.length} %}`);
    links.push({ ...link, raw: html.slice(start, end) });
  }
  return links;
}

/**
 * Marks the links of a template once, so that a recipient costs one render and no parsing. Null unless it is proven
 * that the result is the same as parsing each rendered email. The proof: each Liquid token is masked, the HTML is
 * parsed, and every token must be where neither a printed value (escaped, hence without <>&"') nor a branch that is
 * taken, omitted or repeated changes how the HTML around it is parsed.
 */
export function instrumentHtml(pieces: Piece[], owned: EmailLinks): InstrumentedHtml | null {
  const { html, at } = mask(pieces);
  if (CONTEXTUAL.test(html)) return null;
  const scan = scanHtml(html);
  const liquidAt = pieces.flatMap((piece, index) => (piece.kind === 'text' ? [] : [at[index] ?? 0]));
  const regions: string[] = [];
  for (const [index, piece] of pieces.entries()) {
    const region = piece.kind === 'text' ? 'data' : regionOf(at[index] ?? 0, html, scan);
    if (region === null) return null;
    regions.push(region);
  }
  if (!blocksAreSound(pieces, regions)) return null;
  const depthAt = (offset: number): number => {
    const before = pieces.filter((_, index) => (at[index] ?? 0) < offset);
    return before.reduce((depth, { tag }) => depth + Number(OPENING.has(tag)) - Number(tag.startsWith('end')), 0);
  };
  if (depthAt(scan.bodyStart) > 0 || depthAt(scan.bodyEnd) > 0) return null;

  const edit = new MagicString(html);
  const links = markLinks(edit, html, scan, liquidAt, owned);
  for (const [index, piece] of pieces.entries()) {
    const start = at[index] ?? 0;
    if (piece.kind !== 'text') edit.update(start, start + 1, piece.source);
  }
  edit.appendLeft(scan.bodyStart, `{% ${mailTags.preheader} %}`);
  edit.appendLeft(scan.bodyEnd, `{% ${mailTags.trailer} %}`);
  return { source: edit.toString(), links };
}
