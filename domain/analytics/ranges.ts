import { DAY_MS, HOUR_MS, WINDOW_MS } from '../common/period.ts';

/** Windows of one length (5 minutes, an hour, a day UTC) from `from` to before `to`, in ms. */
export interface Range {
  minutes: 5 | 60 | 1440;
  from: number;
  to: number;
}

/**
 * The windows that spans consist of, as few as possible: whole days, whole hours at their ends, and windows of 5 minutes
 * for the rest. Spans are in order, do not overlap, and end where windows of 5 minutes do.
 */
export function rangesOf(spans: readonly (readonly [from: number, to: number])[]): Range[] {
  const ranges: Range[] = [];
  const last = new Map<number, Range>();
  const add = (minutes: Range['minutes'], from: number, to: number): void => {
    if (from >= to) return;
    const before = last.get(minutes);
    if (before?.to === from) before.to = to;
    else {
      const range = { minutes, from, to };
      last.set(minutes, range);
      ranges.push(range);
    }
  };
  for (const [from, to] of spans) {
    const hours = whole(from, to, HOUR_MS);
    const days = whole(...hours, DAY_MS);
    add(5, from, hours[0]);
    add(60, hours[0], days[0]);
    add(1440, ...days);
    add(60, days[1], hours[1]);
    add(5, hours[1], to);
  }
  return ranges;
}

/** The longest part of a span that consists of whole windows of a length; empty, at the end of the span, if there is none. */
function whole(from: number, to: number, length: number): [from: number, to: number] {
  const [first, end] = [Math.ceil(from / length) * length, Math.floor(to / length) * length];
  return first < end ? [first, end] : [to, to];
}

/** The end of the window of 5 minutes in which a moment lies. */
export const windowEndMs = (moment: number): number => Math.ceil(moment / WINDOW_MS) * WINDOW_MS;
