import type { Variable } from 'liquidjs';
import { nearest } from '../../../lib/checks/nearest.ts';
import { renderChunks, sharedEngine } from '../rendering/template-engine.ts';
import { renderFailure, withTimeLimit } from '../rendering/template-limits.ts';
import { splitTemplate } from '../rendering/template-pieces.ts';
import { NO_LINKS, templateScope } from '../rendering/template-values.ts';
import { htmlToText } from '../rendering/text-part.ts';
import type { TemplateSource } from './check-template.ts';

/** What is valid in a template and probably not meant; line and column count from 1. */
export interface TemplateWarning {
  path: string;
  line: number;
  column: number;
  code: 'unknown_variable' | 'empty_subject' | 'no_text';
  message: string;
}

/** More are not read by anybody. */
const MOST = 100;
/** What `{{data.x}}` and lists of Liquid have below them is not known. */
const OPEN = ['data', 'tags'];

/** A variable as it is written, without what follows an index that is itself a variable. */
function pathOf({ segments }: Variable): string[] {
  const end = segments.findIndex((segment) => typeof segment !== 'string');
  return (end < 0 ? segments : segments.slice(0, end)) as string[];
}

/** What to say of a variable; null if templates have it. `known` are the names of `listTemplateVariables`. */
function unknownIn(path: readonly string[], known: ReadonlySet<string>): string | null {
  const isContact = path[0] === 'contact';
  const names = isContact ? path.slice(1) : path;
  const [first, second] = names;
  if (first === undefined || OPEN.includes(first)) return null;
  const depth = first === 'customFields' ? 2 : first === 'company' ? (second === 'customFields' ? 3 : 2) : 1;
  const written = names.slice(0, depth).join('.');
  if (known.has(written) || (['customFields', 'company.customFields'].includes(written) && names.length < depth))
    return null;
  const meant = nearest(written, [...known]);
  const prefix = isContact ? 'contact.' : '';
  return `{{${prefix}${written}}} is not a known variable and prints nothing${meant ? `; did you mean {{${prefix}${meant}}}?` : ''}`;
}

/**
 * Blanks outputs that stand before in the same words, at the same places: liquidjs finds the place of each variable by
 * reading all that stands before it, and long templates repeat few variables often.
 */
function withoutRepetitions(source: string): string {
  const seen = new Set<string>();
  let blanked = '';
  let at = 0;
  for (const { kind, source: token } of splitTemplate(source)) {
    // Text may be without the blanks that a token beside it trims.
    if (kind === 'text') continue;
    const begin = source.indexOf(token, at);
    const isRepeated = kind === 'output' && seen.has(token);
    blanked += source.slice(at, begin) + (isRepeated ? token.replace(/[^\n]/g, ' ') : token);
    at = begin + token.length;
    seen.add(token);
  }
  return blanked + source.slice(at);
}

function unknownVariables(
  path: string,
  kind: 'html' | 'text',
  source: string,
  known: ReadonlySet<string>,
): TemplateWarning[] {
  const engine = sharedEngine(kind);
  const { globals } = engine.analyzeSync(engine.parse(withoutRepetitions(source)), { partials: false });
  const messages = new Map<string, string | null>();
  const messageOf = (variable: Variable): string | null => {
    const names = pathOf(variable);
    const written = names.join('.');
    if (!messages.has(written)) messages.set(written, unknownIn(names, known));
    return messages.get(written)!;
  };
  return (
    Object.values(globals)
      .flat()
      .flatMap((variable) => {
        const message = messageOf(variable);
        return message === null ? [] : [{ variable, message }];
      })
      // Before their places are looked up, which takes as long as what stands before them.
      .slice(0, MOST)
      .map(({ variable, message }): TemplateWarning => {
        const { row: line, col: column } = variable.location;
        return { path, line, column, code: 'unknown_variable', message };
      })
      .sort((a, b) => a.line - b.line || a.column - b.column)
  );
}

/**
 * The warnings of a template that `checkTemplate` accepts: variables that no email has, with the nearest known one, a
 * subject that is empty for a recipient without values, and content without text or variables. Throws AppError
 * `template_limit` if that takes too long.
 */
export function findTemplateWarnings(
  { subject, content, text, previewText }: TemplateSource,
  names: readonly string[],
): TemplateWarning[] {
  const known = new Set(names);
  const whole = (path: string, code: TemplateWarning['code'], message: string): TemplateWarning => ({
    ...{ path, line: 1, column: 1, code, message },
  });
  const parts = [
    ['/subject', 'text', subject],
    ['/content', 'html', content],
    ['/text', 'text', text],
    ['/previewText', 'text', previewText],
  ] as const;
  try {
    return withTimeLimit((budget) => {
      const engine = sharedEngine('text');
      const scope = templateScope(null, '', null, NO_LINKS);
      const printed = renderChunks(engine, engine.parse(subject ?? ''), scope, budget).join('');
      return [
        ...parts.flatMap(([path, kind, source]) => (source ? unknownVariables(path, kind, source, known) : [])),
        ...(printed.trim() === ''
          ? [
              whole(
                '/subject',
                'empty_subject',
                'is empty for a recipient without values; give its variables a `default`',
              ),
            ]
          : []),
        ...(!text && htmlToText(content ?? '').trim() === ''
          ? [whole('/content', 'no_text', 'has no text, so the plain-text part is empty; write one in `text`')]
          : []),
      ].slice(0, MOST);
    });
  } catch (error) {
    throw renderFailure(error, '/content');
  }
}
