import { AppError, type Violation } from '../../errors.ts';
import { renderFailure, templateLimits, withTimeLimit } from '../template-limits.ts';
import { maskLiquid, type MaskedMjml } from './mask.ts';
import { inThread, type MjmlMistake } from './thread.ts';

/** Whether a template's content is MJML: `<mjml>` stands first, after blanks, a byte order mark, comments. */
export function isMjml(content: string): boolean {
  return /^\s*(?:<\?xml[^>]*>\s*)?<mjml[\s>]/i.test(withoutComments(content));
}

/** Comments as blanks of their length, so that what is left keeps its place. */
function withoutComments(source: string): string {
  let left = '';
  let from = 0;
  for (let start = source.indexOf('<!--'); start !== -1; start = source.indexOf('<!--', from)) {
    const end = source.indexOf('-->', start + 4);
    if (end === -1) break;
    left += source.slice(from, start) + source.slice(start, end + 3).replace(/[^\n]/g, ' ');
    from = end + 3;
  }
  return left + source.slice(from);
}

/** A document that is not MJML at all has a mistake in each line. */
const MOST_TOLD = 50;

const mistake = (line: number, message: string): Violation => ({ path: '/content', code: 'mjml_syntax', message: `${message} (line ${line})` });

function fail(errors: Violation[]): never {
  throw new AppError('validation_failed', `${errors.length} ${errors.length === 1 ? 'problem' : 'problems'} in the MJML`, { errors });
}

/**
 * The HTML that MJML with Liquid in it becomes, its Liquid as it was. Liquid may stand in text, in attributes that are no
 * lengths, and between elements, where it is put into mj-raw. Throws 400 with the line of each mistake, 422
 * `template_limit`, 503 while too many are being compiled.
 */
export async function compileMjml(content: string): Promise<string> {
  if (content.length > templateLimits.parseChars) throw new AppError('template_limit');
  const masked = bounded(() => maskLiquid(content));
  const visible = bounded(() => withoutComments(masked.source));
  const structure = bounded(() => findMistakes(masked, visible));
  if (structure.length > 0) fail(structure);
  const first = await compile(masked.source, masked);
  const lost = bounded(() => lostTokens(masked, visible, first));
  if (lost.size === 0) return masked.unmask(first);
  // MJML drops text that stands between elements. What it keeps there is mj-raw.
  const second = await compile(masked.unmask(masked.source, (index, word) => (lost.has(index) ? `<mj-raw>${word}</mj-raw>` : word)), masked);
  const gone = bounded(() => lostTokens(masked, visible, second));
  if (gone.size > 0) fail([...gone].map(([index, at]) => mistake(lineAt(masked, at), `${masked.tokens[index]} can not stand here: put it into an element that holds text`)));
  return masked.unmask(second);
}

/** What of it runs on the event loop costs no more than a template may. */
function bounded<T>(work: () => T): T {
  try {
    return withTimeLimit(templateLimits.hardMs, work);
  } catch (error) {
    throw renderFailure(error, '/content');
  }
}

async function compile(source: string, masked: MaskedMjml): Promise<string> {
  const { html, mistakes } = await inThread(source);
  const counted = mistakes.filter((one) => !isFilledIn(one, masked));
  if (counted.length > 0) fail(counted.slice(0, MOST_TOLD).map(({ line, message }) => mistake(masked.lineOf(line), masked.unmask(message))));
  return html;
}

/** A colour or one of some words that Liquid prints is right if what it prints is; MJML only passes it on. */
function isFilledIn({ message }: MjmlMistake, masked: MaskedMjml): boolean {
  const [, value = ''] = /^Attribute \S+ has invalid value: ([^]*?) for type (?:Color|Enum)\b/.exec(message) ?? [];
  return masked.unmask(value) !== value;
}

const lineAt = ({ source, lineOf }: MaskedMjml, offset: number): number => lineOf(source.slice(0, offset).split('\n').length);

/** Elements that do not end where they should, which MJML would guess about, and files to be read, which it would leave out. */
function findMistakes(masked: MaskedMjml, visible: string): Violation[] {
  const open: { name: string; at: number }[] = [];
  for (const { index: at, 1: slash, 2: name = '', 3: selfClosed } of visible.matchAll(/<(\/?)(mj[a-z-]*)(?=[\s/>])(?:"[^"]*"|'[^']*'|[^"'<>])*?(\/?)>/gi)) {
    const say = (message: string): Violation[] => [mistake(lineAt(masked, at), message)];
    if (name === 'mj-include') return say('mj-include is not supported: there are no files to include');
    if (slash) {
      const last = open.pop();
      if (last?.name !== name) return say(last ? `</${name}> where </${last.name}> is expected` : `</${name}> without <${name}>`);
    } else if (!selfClosed) {
      open.push({ name, at });
    }
  }
  const last = open.at(-1);
  return last ? [mistake(lineAt(masked, last.at), `<${last.name}> has no end`)] : [];
}

/** Liquid that MJML has not kept, but for what was commented out, and where it stands. */
function lostTokens({ wordsIn }: MaskedMjml, visible: string, html: string): Map<number, number> {
  const kept = wordsIn(html);
  return new Map([...wordsIn(visible)].filter(([index]) => !kept.has(index)).reverse());
}
