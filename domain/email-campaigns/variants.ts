import type { Variant, Winner } from '../../db/entities/email-campaigns.ts';
import type { Violation } from '../../lib/checks/errors.ts';

/** The audience is distributed over this many places. */
export const PLACES = 10_000;
/** The golden ratio's share of the places: its multiples are spread evenly from the first few on. */
const STRIDE = 6_180;

/**
 * A range of places, `from` inclusive, `to` exclusive, with its variant and template. A null variant waits for the
 * winner.
 */
export interface Share {
  from: number;
  to: number;
  variant: string | null;
  templateId: number;
}

/**
 * Distributes the places among the variants by weight. With a winner to find, only the tested part; the rest has no
 * variant yet, and the first variant's template until then.
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

/**
 * The place of the n-th recipient (from 0), as SQL over a bigint. Every range of recipients is spread evenly over all
 * places.
 */
export const placeOf = (n: string): string => `((${n}) * ${STRIDE + 1}) % ${PLACES}`;

/** The violations of a campaign's variants. */
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

/** The result of a variant in the test. */
export interface VariantResult {
  variant: string;
  delivered: number;
  uniqueOpens: number;
  uniqueClicks: number;
}

/** The variant with the best rate by the metric; on a tie, or without results, the first in the list. */
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
