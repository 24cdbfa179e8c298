import type { Liquid } from 'liquidjs';
import type { Violation } from '../../common/errors.ts';
import { findMistake } from './check-liquid.ts';
import { scanHtml } from '../rendering/html-scan.ts';
import { renderChunks, sharedEngine } from '../rendering/template-engine.ts';
import {
  describeLiquidError,
  isLimitError,
  renderFailure,
  templateLimits,
  withTimeLimit,
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
function tryOut(engine: Liquid, source: string): string {
  return renderChunks(engine, engine.parse(source), templateScope(null, '', null, NO_LINKS)).join('');
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

/** A part of a template: where it is in the request, how its values are escaped, and its Liquid. */
export type TemplatePart = [path: string, kind: 'html' | 'text', source: string | null | undefined];

/** The same for the parts of any template. */
export function checkParts(parts: readonly TemplatePart[], compiled: string | null = null): Violation[] {
  const violations: Violation[] = [];
  for (const [path, kind, text] of parts) {
    if (!text) continue;
    try {
      const mistake = withTimeLimit(templateLimits.hardMs, () => {
        const written = tryOut(sharedEngine(kind), text);
        if (kind === 'html') {
          const rendered = compiled === null ? written : tryOut(sharedEngine(kind), compiled);
          scanHtml(rendered);
          htmlToText(rendered);
        }
        return findMistake(sharedEngine(kind), text);
      });
      if (mistake)
        violations.push({
          path,
          code: 'template_syntax',
          message: `${mistake.message} (line ${mistake.line}, column ${mistake.column})`,
        });
    } catch (error) {
      if (isLimitError(error)) throw renderFailure(error, path);
      violations.push({ path, code: 'template_syntax', message: describeLiquidError(error) });
    }
  }
  return violations;
}
