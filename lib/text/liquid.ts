/** Whether a text looks like Liquid. It is not parsed. */
export const hasLiquid = (text: unknown): text is string => typeof text === 'string' && /\{\{|\{%/.test(text);

const NO_LIQUID = {
  code: 'liquid_unavailable' as const,
  message: 'Liquid such as {{firstName}} is not available here: it would be used as it is written',
};

/** The violation of a text that is used as it is written; null if it has no Liquid. */
export const noLiquid = (text: unknown): typeof NO_LIQUID | null => (hasLiquid(text) ? NO_LIQUID : null);
