export interface Check {
  what: string;
  found: number;
  expected: number;
  right: boolean;
}

export const check = (what: string, found: number, expected: number): Check => ({
  what,
  found,
  expected,
  right: found === expected,
});

/** A figure that others may raise too. */
export const atLeast = (what: string, found: number, expected: number): Check => ({
  ...check(what, found, expected),
  right: found >= expected,
});

/** Formats actual and expected results, with links. */
export function formatReport(checks: Check[], links: Record<string, string>): string {
  const width = Math.max(...checks.map(({ what }) => what.length));
  const lines = checks.map(
    ({ what, found, expected, right }) =>
      `  ${right ? '✓' : '✗'} ${what.padEnd(width)}  ${found}${right ? '' : ` (should be ${expected})`}`,
  );
  const places = Object.entries(links).map(([name, url]) => `  ${name.padEnd(28)} ${url}`);
  return ['', 'What happened', ...lines, '', 'Where to look', ...places, ''].join('\n');
}

/** What an import has done, as long as it does not know how many rows there are. */
export const progressOfImport = ({ processedRows, totalRows }: { processedRows: number; totalRows: number | null }) =>
  totalRows === null ? 'reading the file' : `imported ${processedRows} of ${totalRows} rows`;
