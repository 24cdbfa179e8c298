import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { scoringRoutes } from '../../../api/scoring/routes.ts';

test('every operation of scoring says more than its summary', () => {
  for (const { operationId, description } of scoringRoutes) assert.ok(description, operationId);
});
