import type { Liquid } from 'liquidjs';
import type { Violation } from '../../../lib/checks/errors.ts';
import { findMistake } from './check-liquid.ts';
import { judgeTemplate } from '../rendering/judge-template.ts';
import type { Judged } from '../rendering/loop-permit.ts';
import type { TemplateVersion } from '../rendering/render.ts';
import { scanHtml } from '../rendering/html-scan.ts';
import { renderChunks, sharedEngine } from '../rendering/template-engine.ts';
import {
  describeLiquidError,
  isLimitError,
  renderFailure,
  templateLimits,
  withTimeLimit,
  type Budget,
  type TimeLimits,
} from '../rendering/template-limits.ts';
import { NO_LINKS, templateScope } from '../rendering/template-values.ts';
import { htmlToText } from '../rendering/text-part.ts';

export interface TemplateSource {
  subject?: string | null;
  content?: string | null;
  text?: string | null;
  previewText?: string | null;
}

/** Parses a part and renders it without a recipient, because only that reveals whether it exceeds the limits. */
function tryOut(engine: Liquid, source: string, budget: Budget): string {
  return renderChunks(engine, engine.parse(source), templateScope(null, '', null, NO_LINKS), budget).join('');
}

/**
 * The violations of a template, for a 400 when it is saved: for each part its first syntax error, unknown tag or
 * unknown filter, in any branch, with line and column (both from 1). For MJML, checks the Liquid in the source, and
 * the limits with `compiled`, the HTML. Throws AppError `template_limit` if parsing, or rendering without values,
 * exceeds the limits.
 */
export function checkTemplate(source: TemplateSource, compiled: string | null = null): Violation[] {
  return checkParts(
    [
      ['/subject', 'text', source.subject],
      ['/content', 'html', source.content],
      ['/text', 'text', source.text],
      ['/previewText', 'text', source.previewText],
    ],
    compiled,
  );
}

/** The violations of a template by `checkTemplate`; of one without any also whether it is plain. */
export function checkAndJudge(
  { subject, content, text, previewText, category }: TemplateSource & Pick<TemplateVersion, 'category'>,
  html: string | null,
): { violations: Violation[]; judged: Judged | null } {
  const violations = checkTemplate({ subject, content, text, previewText }, html);
  if (violations.length > 0 || !subject || !content) return { violations, judged: null };
  return { violations, judged: judgeTemplate({ subject, content: html ?? content, text, previewText, category }) };
}

/** A part of a template: where it is in the request, how its values are escaped, and its Liquid. */
export type TemplatePart = readonly [path: string, kind: 'html' | 'text', source: string | null | undefined];

/** Checking takes several passes, of which only rendering has the limits of an email. */
const LIMITS: TimeLimits = { renderMs: templateLimits.renderMs, hardMs: 2_000 };

/** The same for the parts of any template, which are rendered together, as in a message. */
export function checkParts(parts: readonly TemplatePart[], compiled: string | null = null): Violation[] {
  try {
    return withTimeLimit((budget) => parts.flatMap((part) => partViolations(part, compiled, budget)), LIMITS);
  } catch (error) {
    throw renderFailure(error, '');
  }
}

function partViolations([path, kind, text]: TemplatePart, compiled: string | null, budget: Budget): Violation[] {
  if (!text) return [];
  const engine = sharedEngine(kind);
  try {
    const written = tryOut(engine, text, budget);
    if (kind === 'html') {
      const rendered = compiled === null ? written : tryOut(engine, compiled, budget);
      scanHtml(rendered);
      htmlToText(rendered);
    }
    const mistake = findMistake(engine, text);
    if (!mistake) return [];
    const message = `${mistake.message} (line ${mistake.line}, column ${mistake.column})`;
    return [{ path, code: 'template_syntax', message }];
  } catch (error) {
    if (isLimitError(error)) throw error;
    return [{ path, code: 'template_syntax', message: describeLiquidError(error) }];
  }
}
