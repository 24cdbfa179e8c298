/** The round numbers of an axis. */
export interface Scale {
  /** At least the largest value, and a tick. */
  top: number;
  ticks: number[];
}

const MOST_TICKS = 5;

/**
 * An axis from 0 to at least `most`, with at most five steps of 1, 2, 2.5 or 5 times a power of ten. `integer`: no
 * ticks between whole numbers.
 */
export function niceScale(most: number, unit: 'integer' | 'percent'): Scale {
  const least = unit === 'integer' ? 1 : 0.01;
  const rough = Math.max(most, least) / MOST_TICKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 2.5, 5, 10].find((each) => each * power >= rough * (1 - 1e-9))!;
  const step = unit === 'integer' ? Math.max(1, Math.ceil(factor * power - 1e-9)) : factor * power;
  const steps = Math.max(1, Math.ceil(most / step - 1e-9));
  // Multiplied, not added up: sums of 0.1 are not round.
  const ticks = Array.from({ length: steps + 1 }, (_, index) => Number((index * step).toPrecision(12)));
  return { top: ticks.at(-1)!, ticks };
}

/**
 * The points of a line to draw where there are more values than its width can show: the first and the last of each
 * stretch, its smallest and its largest, so that no peak is lost. Returns indexes in order.
 */
export function thinned(values: readonly number[], stretches: number): number[] {
  if (values.length <= 4 * stretches) return values.map((_, index) => index);
  const shown = new Set<number>();
  for (let part = 0; part < stretches; part += 1) {
    const [from, to] = [part, part + 1].map((n) => Math.floor((n * values.length) / stretches)) as [number, number];
    let [low, high] = [from, from];
    for (let index = from; index < to; index += 1) {
      if (values[index]! < values[low]!) low = index;
      if (values[index]! > values[high]!) high = index;
    }
    for (const index of [from, low, high, to - 1]) shown.add(index);
  }
  return [...shown].sort((one, other) => one - other);
}
