/** About a tenth of a second, in steps of the engine. */
const MOST_STEPS = 100_000_000;

/**
 * Whether the engine of a browser, which tries one way after another, is soon done with any text of this length. RE2,
 * by which the server decides, has no such limit. A repeated group counts as slow; else the ways to match are at most
 * the product of the choices at each repetition and alternative.
 */
export function isQuick(pattern: string, length: number): boolean {
  // Escaped characters and classes stand for one character; what is in them repeats nothing.
  const bare = pattern.replace(/\\.|\[(?:\\.|[^\]\\])*\]/gs, 'x').replace(/\(\?/g, '(');
  if (/\)[*+{]/.test(bare)) return false;
  let steps = length + 1;
  for (const [mark, least, most] of bare.matchAll(/[*+?|]|\{(\d+)(?:,(\d*))?\}/g)) {
    if (/[?|]/.test(mark)) steps *= 2;
    else if (!mark.endsWith('}')) steps *= length + 1;
    else if (mark.includes(',')) steps *= Math.max(0, Math.min(length, Number(most || length) - Number(least))) + 1;
  }
  return steps <= MOST_STEPS;
}
