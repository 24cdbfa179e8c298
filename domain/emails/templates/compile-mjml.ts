import { AppError, type Violation } from '../../../lib/checks/errors.ts';
import { renderFailure, templateLimits } from '../rendering/template-limits.ts';
import { maskLiquid, type MaskedMjml } from './mask.ts';

interface MjmlMistake {
  line: number;
  message: string;
}

/** Limits the reported mistakes: a document that is not MJML at all has one in each line. */
const MAX_TOLD = 50;

const mistake = (line: number, message: string): Violation => ({
  path: '/content',
  code: 'mjml_syntax',
  message: `${message} (line ${line})`,
});

function fail(errors: Violation[]): never {
  throw new AppError(
    'validation_failed',
    `${errors.length} ${errors.length === 1 ? 'problem' : 'problems'} in the MJML`,
    { errors },
  );
}

/** Replaces comments by blanks of the same length, so that offsets do not change. */
function withoutComments(source: string): string {
  let left = '';
  let from = 0;
  for (let start = source.indexOf('<!--'); start !== -1; start = source.indexOf('<!--', from)) {
    const end = source.indexOf('-->', start + 4);
    if (end === -1) break;
    left += source.slice(from, start) + blank(source.slice(start, end + 3));
    from = end + 3;
  }
  return left + source.slice(from);
}

const blank = (text: string): string => text.replace(/[^\n]/g, ' ');

/**
 * Compiles MJML with Liquid to HTML with the same Liquid; null for content without MJML. Liquid is allowed in text, in
 * attributes other than lengths, between elements, where it is wrapped in mj-raw, and before `<mjml>` if it prints
 * nothing. Call it in the template thread, which aborts slow work. Throws 400 with the line of each mistake, 422
 * `template_limit`.
 */
export async function compileMjml(content: string): Promise<string | null> {
  if (content.length > templateLimits.parseChars) throw new AppError('template_limit');
  const whole = mask(content);
  const all = withoutComments(whole.source);
  const start = all.search(/<mjml[\s/>]/i);
  if (start === -1) {
    const stray = /<mj-[a-z]+(?=[\s/>])/i.exec(all);
    if (stray) fail([mistake(lineAt(whole, stray.index), `${stray[0]}> is MJML, which must be inside of <mjml>`)]);
    return null;
  }
  const prelude = readPrelude(whole, all.slice(0, start));
  // MJML ignores what stands before its root; the lines stay, for its messages.
  const cut = (source: string): string => blank(source.slice(0, start)) + source.slice(start);
  const masked = { ...whole, source: cut(whole.source) };
  return prelude + (await compileRoot(masked, cut(all)));
}

/** Tags that print nothing themselves. */
const SILENT = /^(?:assign|comment|#|liquid|if|elsif|else|unless|case|when|for|break|continue|capture|end\w+)$/;

/**
 * The Liquid before `<mjml>`, which is executed before the HTML is printed. Everything else before it must be a byte
 * order mark, an XML declaration, a doctype, a comment or blank; except in `capture`, which keeps text.
 */
function readPrelude(masked: MaskedMjml, before: string): string {
  const at = [...masked.wordsIn(before)];
  const open: string[] = [];
  let kept = '';
  let from = 0;
  const take = (to: number): void => {
    if (open.includes('capture')) {
      kept += masked.source.slice(from, to);
      return;
    }
    const text = before.slice(from, to).replace(/<(?:\?|!doctype\b)[^>]*>/gi, '');
    const first = text.trim();
    if (first !== '')
      fail([
        mistake(
          lineAt(masked, from + before.slice(from, to).indexOf(first)),
          `<mjml> must be the first element, with nothing but comments, declarations and Liquid that prints nothing before it; found ${JSON.stringify(first.slice(0, 20))}`,
        ),
      ]);
  };
  for (const [index, offset] of at.sort(([, a], [, b]) => a - b)) {
    take(offset);
    const token = masked.tokens[index]!;
    const tag = /^\{%-?\s*(#|\w+)/.exec(token)?.[1] ?? '';
    if (!SILENT.test(tag) && !open.includes('capture'))
      fail([
        mistake(lineAt(masked, offset), `${token} prints before <mjml>: put it into an element that contains text`),
      ]);
    if (/^(?:if|unless|case|for|capture)$/.test(tag)) open.push(tag);
    else if (tag.startsWith('end')) open.pop();
    kept += token;
    from = offset + masked.wordOf(index).length;
  }
  take(before.length);
  if (open.length > 0)
    fail([
      mistake(lineAt(masked, before.length), `<mjml> is inside of {% ${open.at(-1)} %}, which must be in its elements`),
    ]);
  return kept;
}

async function compileRoot(masked: MaskedMjml, visible: string): Promise<string> {
  const structure = findMistakes(masked, visible);
  if (structure.length > 0) fail(structure);
  const first = await compile(masked.source, masked);
  const lost = lostTokens(masked, visible, first);
  if (lost.size === 0) return masked.unmask(first);
  // MJML drops text between elements, except in mj-raw.
  const second = await compile(
    masked.unmask(masked.source, (index, word) => (lost.has(index) ? `<mj-raw>${word}</mj-raw>` : word)),
    masked,
  );
  const gone = lostTokens(masked, visible, second);
  if (gone.size > 0)
    fail(
      [...gone].map(([index, at]) =>
        mistake(
          lineAt(masked, at),
          `${masked.tokens[index]} is not allowed here: put it into an element that contains text`,
        ),
      ),
    );
  return masked.unmask(second);
}

function mask(content: string): MaskedMjml {
  try {
    return maskLiquid(content);
  } catch (error) {
    throw renderFailure(error, '/content');
  }
}

async function compile(source: string, masked: MaskedMjml): Promise<string> {
  const { html, mistakes } = await mjmlToHtml(source);
  const counted = mistakes.filter((one) => !isFilledIn(one, masked));
  if (counted.length > 0)
    fail(counted.slice(0, MAX_TOLD).map(({ line, message }) => mistake(masked.lineOf(line), masked.unmask(message))));
  return html;
}

/** Reads no included files and no configuration. Throws RangeError if the nesting is too deep. */
async function mjmlToHtml(source: string): Promise<{ html: string; mistakes: MjmlMistake[] }> {
  // Imported here because only the template thread needs it: it takes half a second and 60 MB.
  const { default: mjml2html } = await import('mjml-browser');
  try {
    const { html, errors } = await mjml2html(source, {
      validationLevel: 'soft',
      ignoreIncludes: true,
      keepComments: true,
    });
    return { html, mistakes: errors.map(({ line, message }) => ({ line, message: message.trim() })) };
  } catch (error) {
    if (error instanceof RangeError) throw error;
    return { html: '', mistakes: [{ line: 1, message: error instanceof Error ? error.message : String(error) }] };
  }
}

/**
 * Whether a reported invalid colour or enum value is Liquid, whose output may be valid: MJML only copies such values.
 */
function isFilledIn({ message }: MjmlMistake, masked: MaskedMjml): boolean {
  const [, value = ''] = /^Attribute \S+ has invalid value: ([^]*?) for type (?:Color|Enum)\b/.exec(message) ?? [];
  return masked.unmask(value) !== value;
}

const lineAt = ({ source, lineOf }: MaskedMjml, offset: number): number =>
  lineOf(source.slice(0, offset).split('\n').length);

/** Reports elements without a correct end tag, where MJML would guess, and includes, which MJML would ignore. */
function findMistakes(masked: MaskedMjml, visible: string): Violation[] {
  const open: { name: string; at: number }[] = [];
  for (const { index: at, 1: slash, 2: name = '', 3: selfClosed } of visible.matchAll(
    /<(\/?)(mj[a-z-]*)(?=[\s/>])(?:"[^"]*"|'[^']*'|[^"'<>])*?(\/?)>/gi,
  )) {
    const say = (message: string): Violation[] => [mistake(lineAt(masked, at), message)];
    if (name === 'mj-include') return say('mj-include is not supported: there are no files to include');
    if (slash) {
      const last = open.pop();
      if (last?.name !== name)
        return say(last ? `</${name}> where </${last.name}> is expected` : `</${name}> without <${name}>`);
    } else if (!selfClosed) {
      open.push({ name, at });
    }
  }
  const last = open.at(-1);
  return last ? [mistake(lineAt(masked, last.at), `<${last.name}> has no end`)] : [];
}

/** Tokens that MJML has dropped, except in comments, with their offsets. */
function lostTokens({ wordsIn }: MaskedMjml, visible: string, html: string): Map<number, number> {
  const kept = wordsIn(html);
  return new Map([...wordsIn(visible)].filter(([index]) => !kept.has(index)).reverse());
}
