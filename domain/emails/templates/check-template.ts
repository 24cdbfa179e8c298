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
import { nowhere, templateScope } from '../rendering/template-values.ts';
import { htmlToText } from '../rendering/text-part.ts';

export interface TemplateSource {
  subject?: string | null;
  content?: string | null;
  text?: string | null;
  previewText?: string | null;
}

/** Parses a part and renders it for no one: what it costs only shows then. */
function tryOut(engine: Liquid, source: string): string {
  return renderChunks(engine, engine.parse(source), templateScope(null, '', null, nowhere)).join('');
}

/**
 * What is wrong with a template, for a 400 at save: per part its first syntax error, unknown tag or unknown filter, in
 * whichever branch, with line and column (both from 1). Of MJML its Liquid is checked as it was written, and `compiled`, what
 * it became, for what it costs. Throws AppError `template_limit` when parsing it, or rendering it without any values, takes
 * more than a template may.
 */
export function checkTemplate(source: TemplateSource, compiled: string | null = null): Violation[] {
  const violations: Violation[] = [];
  const parts: [path: string, kind: 'html' | 'text', text: string | null | undefined][] = [
    ['/subject', 'text', source.subject],
    ['/content', 'html', source.content],
    ['/text', 'text', source.text],
    ['/previewText', 'text', source.previewText],
  ];
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
