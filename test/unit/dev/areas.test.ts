import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { readAreas, readArchitecture } from '../../../dev/areas.ts';

test('docs/ARCHITECTURE.md has the areas that are enforced, in their order (npm run areas writes them)', async () => {
  const { is, wanted } = await readArchitecture();
  expect(is).toBe(wanted);
});

test('each area of the domain is a folder, and each folder an area', async () => {
  const folders = (await readdir('domain', { withFileTypes: true })).map((entry) => `domain/${entry.name}/`);
  const areas = (await readAreas()).map(([folder]) => folder).filter((folder) => folder.startsWith('domain/'));
  assert.deepEqual([...areas].sort(), folders.sort());
});
