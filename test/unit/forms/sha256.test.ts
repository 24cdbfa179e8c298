import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from '@jest/globals';
import fc from 'fast-check';
import { sha256 } from '../../../api/forms/browser/sha256.ts';

test('the hash in browsers is that of Node, whatever the length', () => {
  const same = (bytes: Uint8Array): void =>
    assert.deepEqual(
      [...sha256(bytes)].map((word) => word | 0),
      [...new Int32Array(8).keys()].map((index) =>
        createHash('sha256')
          .update(bytes)
          .digest()
          .readInt32BE(4 * index),
      ),
    );
  for (let length = 0; length < 200; length += 1) same(new Uint8Array(length).fill(length));
  fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), same));
});
