/**
 * What all tests draw from, so that they draw the same each time. `npm run explore` gives others. The runner gives it to
 * fast-check too (`test/runner/fast-check.ts`).
 */
export const SEED = Number(process.env['EXPLORE_SEED'] ?? 20_260_101);
