export interface Click {
  /** Milliseconds since the epoch. */
  at: number;
  url: string;
}

const BURST_MS = 1000;

/**
 * The clicks of a scanner: every one of the `links` of the email was followed within one second. Mail filters do that,
 * people do not; but with a single link it would prove nothing.
 */
export function scannerClicks<T extends Click>(clicks: readonly T[], links: number | null): Set<T> {
  const found = new Set<T>();
  if (links === null || links < 2) return found;
  const ordered = [...clicks].sort((a, b) => a.at - b.at);
  const inWindow = new Map<string, number>();
  let start = 0;
  let marked = 0;
  for (const [end, click] of ordered.entries()) {
    inWindow.set(click.url, (inWindow.get(click.url) ?? 0) + 1);
    for (let first = ordered[start]!; click.at - first.at > BURST_MS; first = ordered[start]!) {
      const left = inWindow.get(first.url)! - 1;
      if (left > 0) inWindow.set(first.url, left);
      else inWindow.delete(first.url);
      start += 1;
    }
    if (inWindow.size < links) continue;
    for (marked = Math.max(marked, start); marked <= end; marked += 1) found.add(ordered[marked]!);
  }
  return found;
}
