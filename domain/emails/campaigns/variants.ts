import type { Variant, Winner } from '../../../db/entities/email-campaigns.ts';
import type { Violation } from '../../common/errors.ts';

/** The audience is dealt out over so many places. */
export const PLACES = 10_000;
/** The golden ratio's share of the places: its multiples fill them evenly from the first few on. */
const STRIDE = 6_180;

/** A part of the places, from inclusive to exclusive, and what those on it get; a null name awaits the winner. */
export interface Share {
  from: number;
  to: number;
  variant: string | null;
  templateId: number;
}

/**
 * How the places are shared: by weight, among the part that is the test where there is a winner to find. The rest then has
 * no variant yet, and the first one's template until it has.
 */
export function shares(variants: readonly Variant[], winner: Winner | null): Share[] {
  const end = winner ? Math.round((PLACES * winner.testPercent) / 100) : PLACES;
  const total = variants.reduce((sum, { weight }) => sum + weight, 0);
  let weight = 0;
  const tested = variants.map((variant): Share => {
    const from = Math.round((end * weight) / total);
    weight += variant.weight;
    return { from, to: Math.round((end * weight) / total), variant: variant.name, templateId: variant.templateId };
  });
  return end < PLACES
    ? [...tested, { from: end, to: PLACES, variant: null, templateId: variants[0]!.templateId }]
    : tested;
}

/** The place of the n-th recipient (from 0), as SQL over a bigint; any run of recipients is spread evenly over all places. */
export const placeOf = (n: string): string => `((${n}) * ${STRIDE + 1}) % ${PLACES}`;

/** What is wrong with the variants of a campaign. */
export function variantViolations(
  variants: readonly Partial<Variant>[] | null,
  winner: Partial<Winner> | null,
): Violation[] {
  const violations: Violation[] = [];
  const names = new Set<string | undefined>();
  for (const [index, { name }] of (variants ?? []).entries()) {
    if (name !== undefined && names.has(name))
      violations.push({ path: `/variants/${index}/name`, code: 'unique', message: 'is the name of another variant' });
    names.add(name);
  }
  if (winner && (variants?.length ?? 0) < 2)
    violations.push({ path: '/winner', code: 'conflict', message: 'requires at least two variants' });
  return violations;
}

/** What became of a variant's test. */
export interface VariantResult {
  variant: string;
  delivered: number;
  uniqueOpens: number;
  uniqueClicks: number;
}

/** The variant with the best rate by the metric; the earlier in the list where two are equal, or nothing is known. */
export function chooseWinner(
  variants: readonly Variant[],
  metric: Winner['metric'],
  results: readonly VariantResult[],
): string {
  const rate = ({ name }: Variant): number => {
    const result = results.find(({ variant }) => variant === name);
    if (!result || result.delivered === 0) return 0;
    return (
      (metric === 'clicks' || metric === 'clickRate' ? result.uniqueClicks : result.uniqueOpens) / result.delivered
    );
  };
  return variants.reduce((best, variant) => (rate(variant) > rate(best) ? variant : best)).name;
}
