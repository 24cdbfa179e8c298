import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { analyticsRoutes } from '../../../api/analytics/routes.ts';

interface Schema {
  type?: string;
  description?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
}

/** The figures of an answer by their paths, with their descriptions. */
const figuresOf = ({ properties, items, description, type }: Schema, path: string): [string, string | undefined][] => {
  if (properties)
    return Object.entries(properties).flatMap(([name, inner]) =>
      ['page', 'period'].includes(name) || name.endsWith('Id') ? [] : figuresOf(inner, `${path}/${name}`),
    );
  if (items) return figuresOf(items, path);
  return type === 'integer' || type === 'number' || path.endsWith('/at') ? [[path, description]] : [];
};

const described = Object.fromEntries(
  analyticsRoutes.flatMap(({ path, responses }) => figuresOf((responses[200] as { schema: Schema }).schema, path)),
);

test('the description of the API says of every figure what it counts', () => {
  for (const [path, description] of Object.entries(described)) assert.ok(description, path);
  assert.ok(Object.keys(described).length > 100);
  for (const { path, description } of analyticsRoutes) assert.ok(description, path);
});

test('figures of now are described as such', () => {
  const ofNow = Object.keys(described).filter((path) => described[path]!.includes('now, whatever the period is'));
  assert.deepEqual(ofNow, [
    '/analytics/dashboard/contacts/total',
    '/analytics/dashboard/campaigns/active',
    '/analytics/dashboard/campaigns/running',
    '/analytics/contacts/totals/total',
    '/analytics/contacts/byStatus/count',
  ]);
});
