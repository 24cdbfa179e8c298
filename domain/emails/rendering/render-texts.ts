import { describeLiquidError, isLimitError, renderFailure, withTimeLimit } from './template-limits.ts';
import { renderChunks, sharedEngine } from './template-engine.ts';
import { NO_LINKS, templateScope, type ContactValues } from './template-values.ts';

/**
 * Plain texts with a contact's values, all of them together within the limits of a template; each is cut to `most`
 * characters. Throws AppError `template_limit` or `validation_failed`.
 */
export function renderTexts(
  texts: readonly { source: string; most: number }[],
  contact: ContactValues | null,
): string[] {
  const engine = sharedEngine('text');
  const scope = templateScope(contact, '', null, NO_LINKS);
  try {
    return withTimeLimit((budget) =>
      texts.map(({ source, most }) => {
        const text = renderChunks(engine, engine.parse(source), scope, budget).join('');
        return text.slice(0, most).toWellFormed().replaceAll('\0', '');
      }),
    );
  } catch (error) {
    throw renderFailure(error, '');
  }
}

/** What is wrong with the texts that are no Liquid, by text. They are only parsed. Throws AppError `template_limit`. */
export function parseTexts(sources: readonly string[]): Map<string, string> {
  const mistakes = (): Map<string, string> =>
    new Map(
      sources.flatMap((source) => {
        const mistake = mistakeIn(source);
        return mistake === null ? [] : [[source, mistake]];
      }),
    );
  try {
    return withTimeLimit(mistakes);
  } catch (error) {
    throw renderFailure(error, '');
  }
}

function mistakeIn(source: string): string | null {
  try {
    sharedEngine('text').parse(source);
    return null;
  } catch (error) {
    return isLimitError(error) ? 'exceeds the limits of a template' : describeLiquidError(error);
  }
}
