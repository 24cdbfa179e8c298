/** Edits of one character, or of two neighbours that changed places, that make one text of another, ignoring case. */
function distance(one: string, other: string): number {
  const [a, b] = [one.toLowerCase(), other.toLowerCase()];
  let [before, row]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, n) => n)];
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const changed = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      const least = Math.min(row[j]! + 1, next[j - 1]! + 1, changed);
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      next.push(isSwapped ? Math.min(least, before[j - 2]! + 1) : least);
    }
    [before, row] = [row, next];
  }
  return row[b.length]!;
}

const LONGEST = 64;

/** The name that was probably meant: the nearest one, if it differs in no more than a third; null if none does. */
export function nearest(written: string, names: readonly string[]): string | null {
  if (written.length > LONGEST) return null;
  // `first_name` and `FIRST-NAME` are `firstName`.
  const plain = written.replaceAll(/[\s_-]+/g, '');
  const found = names
    .map((name) => ({ name, away: Math.min(distance(written, name), distance(plain, name)) }))
    .sort((a, b) => a.away - b.away)[0];
  return found && found.away <= Math.max(1, Math.floor(found.name.length / 3)) ? found.name : null;
}
