import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from '@jest/globals';
import { createMetrics } from '../../../config/metrics.ts';

interface Metric {
  name: string;
  labelNames: string[];
}

const text = readFileSync(new URL('../../../docs/operating.md', import.meta.url), 'utf8');
const registered = createMetrics().registry.getMetricsAsArray() as unknown as Metric[];
const namesIn = (cell: string): string[] => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name!);
const rows = text
  .split('\n')
  .filter((line) => /^\| `(perennial|process|nodejs)_/.test(line))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
const ours = rows.filter(([names]) => names!.startsWith('`perennial_'));

test('docs/operating.md has every metric, and no other', () => {
  // Those of the process differ from system to system: Linux has them all.
  const expected = registered
    .map(({ name }) => name)
    .filter((name) => process.platform === 'linux' || !name.startsWith('process_'))
    .sort();
  const documented = rows
    .flatMap(([names]) => namesIn(names!))
    .filter((name) => process.platform === 'linux' || !name.startsWith('process_'))
    .sort();
  assert.deepEqual(documented, expected);
});

test('each of ours has its labels and what it tells', () => {
  assert.ok(ours.length > 0);
  for (const [name = '', of, labels = '', what] of ours) {
    const metric = registered.find((one) => `\`${one.name}\`` === name)!;
    assert.deepEqual(namesIn(labels), metric.labelNames, name);
    for (const cell of [of, what]) assert.ok(cell, `${name} has an empty cell`);
  }
});

test('each alert has what to do about it', () => {
  const documented = [...text.matchAll(/^\| `([A-Z]\w+)` \| .{10,} \|$/gm)].map(([, name]) => name);
  const rules = readFileSync(new URL('../../../deploy/alerts.yml', import.meta.url), 'utf8');
  assert.deepEqual(documented.sort(), [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name).sort());
});
