import { CaptureTag, Context, Drop, Liquid, TypeGuards, filters, toValue, toValueSync } from 'liquidjs';
import type { Emitter, FilterImplOptions, Template } from 'liquidjs';
import { escapeHtml } from './escape-html.ts';
import { limitReached, templateLimits, type Budget } from './template-limits.ts';
import { LINKS, NO_LINKS, type ScopeLinks } from './template-values.ts';

/**
 * Text that is already HTML: the result of `capture`, `escape` and `newline_to_br`, so that it is not escaped again.
 */
class SafeHtml extends Drop {
  readonly #html: string;

  constructor(html: string) {
    super();
    this.#html = html;
  }

  override valueOf(): string {
    return this.#html;
  }
}

/** Collects a template's output in pieces, and throws when the output is too large. */
export class ChunkEmitter implements Emitter {
  // liquidjs returns it as the result of a block; only the chunks are used here.
  readonly buffer = '';
  readonly chunks: string[] = [];
  #leftChars: number;

  constructor(mostChars: number = templateLimits.outputChars) {
    this.#leftChars = mostChars;
  }

  get leftChars(): number {
    return this.#leftChars;
  }

  write(html: unknown): void {
    const text = typeof html === 'string' ? html : toText(html);
    this.#leftChars -= text.length;
    if (this.#leftChars < 0) throw limitReached('output size');
    if (text !== '') this.chunks.push(text);
  }

  text(): string {
    return this.chunks.join('');
  }
}

type FilterHandler = Exclude<FilterImplOptions, { raw: boolean }>;

/** Converts a value to text: empty for missing values and for objects without a text form. */
function toText(value: unknown): string {
  const plain: unknown = toValue(value);
  if (typeof plain === 'string') return plain;
  if (plain == null) return '';
  if (Array.isArray(plain)) return plain.map(toText).join('');
  try {
    // eslint-disable-next-line @typescript-eslint/no-base-to-string -- an object without a text form is left out below
    const text = String(plain);
    return text === '[object Object]' ? '' : text;
  } catch {
    return '';
  }
}

function safe(handler: FilterHandler): FilterHandler {
  return function (...args) {
    return new SafeHtml(toText(handler.apply(this, args)));
  };
}

/**
 * A filter that returns its input instead of throwing because of a recipient's data (an invalid escape, an unknown
 * time zone).
 */
function forgiving(handler: FilterHandler): FilterHandler {
  return function (...args) {
    try {
      return handler.apply(this, args) as unknown;
    } catch (error) {
      if (/limit exceeded$/.test((error as Error).message)) throw error;
      return args[0] as unknown;
    }
  };
}

const MAX_DATE_FORMAT_CHARS = 100;

const linksOf = (context: Context): ScopeLinks => (context.environments as { [LINKS]?: ScopeLinks })[LINKS] ?? NO_LINKS;

/**
 * `{{formUrl: 12}}` is short for `{{12|formUrl}}`, which is as long: the positions of everything in the source stay the
 * same.
 */
export const withFormUrls = (source: string): string =>
  source.replace(/\{\{(-?\s*)formUrl(\s*):(\s*)(\d{1,15})(\s*-?)\}\}/g, '{{$1$4|formUrl$2$3$5}}');

function registerFilters(engine: Liquid, kind: 'html' | 'text'): void {
  const original = (name: string): FilterHandler => filters[name] as FilterHandler;
  // `raw` would disable escaping; the others parse a value as an expression.
  for (const name of ['raw', 'where_exp', 'reject_exp', 'group_by_exp', 'has_exp', 'find_exp', 'find_index_exp']) {
    engine.unregisterFilter(name);
  }
  for (const name of ['url_decode', 'url_encode', 'cgi_escape', 'uri_escape', 'base64_decode']) {
    engine.registerFilter(name, forgiving(original(name)));
  }
  const date = forgiving(original('date'));
  const boundedDate: FilterHandler = function (...args) {
    // The format is parsed by a regular expression that takes quadratic time for long runs of zeros.
    if (toText(args[1]).length > MAX_DATE_FORMAT_CHARS) throw limitReached('date format');
    return date.apply(this, args) as unknown;
  };
  engine.registerFilter('date', boundedDate);
  const formUrl: FilterHandler = function (id: unknown) {
    const formId = Number(toText(id));
    return Number.isSafeInteger(formId) && formId > 0 ? linksOf(this.context).formUrl(formId) : '';
  };
  engine.registerFilter('formUrl', formUrl);
  if (kind === 'text') {
    // Text has no markup, so these filters do nothing in it.
    for (const name of ['escape', 'escape_once', 'xml_escape', 'newline_to_br']) engine.registerFilter(name, toText);
  } else {
    for (const name of ['escape', 'escape_once', 'xml_escape']) engine.registerFilter(name, safe(original(name)));
    engine.registerFilter(
      'newline_to_br',
      (value: unknown) => new SafeHtml(escapeHtml(toText(value)).replace(/\r?\n/g, '<br />\n')),
    );
  }
}

/** `capture` stores its output as HTML, so that markup is kept and values are escaped only once. */
class SafeCaptureTag extends CaptureTag {
  override *render(ctx: Context): Generator<unknown, void, string> {
    const emitter = new ChunkEmitter();
    yield this.liquid.renderer.renderTemplates(this.templates, ctx, emitter);
    (ctx.bottom() as Record<string, unknown>)[this.variable] = new SafeHtml(emitter.text());
  }
}

/**
 * A Liquid engine without file access, bounded in time, memory and output. `html` escapes every value that a template
 * outputs; `text` (subjects, text parts) does not. Values are data and never parsed as Liquid.
 */
export function createEngine(kind: 'html' | 'text'): Liquid {
  const engine = new Liquid({
    ownPropertyOnly: true,
    strictFilters: true,
    dynamicPartials: false,
    relativeReference: false,
    templates: {},
    parseLimit: templateLimits.parseChars,
    renderLimit: templateLimits.renderMs,
    memoryLimit: templateLimits.memoryUnits,
    locale: 'en-US',
    timezoneOffset: 0,
    outputEscape:
      kind === 'text'
        ? toText
        : (value: unknown) => (value instanceof SafeHtml ? value.valueOf() : escapeHtml(toText(value))),
  });
  // Partials need files, blocks need layouts, and counters modify the scope.
  for (const name of ['include', 'render', 'layout', 'block', 'increment', 'decrement']) delete engine.tags[name];
  registerFilters(engine, kind);
  const parse = engine.parse.bind(engine);
  engine.parse = (source, path) => parse(withFormUrls(source), path);
  if (kind === 'html') engine.registerTag('capture', SafeCaptureTag);
  return engine;
}

const engines = new Map<string, Liquid>();

/** The shared engine of a kind; it is stateless. */
export function sharedEngine(kind: 'html' | 'text'): Liquid {
  let engine = engines.get(kind);
  if (!engine) engines.set(kind, (engine = createEngine(kind)));
  return engine;
}

/**
 * Renders parsed templates to pieces, in the order in which the template outputs them, within what is left of a budget.
 * Throws what liquidjs throws.
 */
export const renderChunks = (engine: Liquid, templates: Template[], scope: object, budget: Budget): string[] =>
  budget.spend(() => {
    const emitter = new ChunkEmitter(budget.leftChars);
    const renderLimit = budget as unknown as Context['renderLimit'];
    const context = new Context(scope, engine.options, { sync: true }, { liquid: engine, renderLimit });
    for (const template of templates) {
      budget.check(performance.now());
      // Most of a template is plain text, which does not need the renderer.
      if (TypeGuards.isHTMLToken(template.token)) emitter.write((template as unknown as { str: string }).str);
      else toValueSync(engine.renderer.renderTemplates([template], context, emitter));
      if (context.breakCalled || context.continueCalled) break;
    }
    budget.check(performance.now());
    budget.leftChars = emitter.leftChars;
    return emitter.chunks;
  });
