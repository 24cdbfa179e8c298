import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { readAddress } from '../../../api/middleware/address.ts';

test('one client has one address, however a proxy writes it', () => {
  for (const item of ['192.0.2.7', ' 192.0.2.7 ', '192.0.2.7:4444', '::ffff:192.0.2.7', '[::FFFF:192.0.2.7]:4444'])
    assert.equal(readAddress(item), '192.0.2.7', item);
  for (const item of [
    '2001:db8::7',
    '2001:DB8::7',
    '[2001:db8::7]',
    '[2001:db8::7]:4444',
    '2001:db8::7%eth0',
    `[2001:db8::7%${'x'.repeat(5000)}]:4444`,
  ])
    assert.equal(readAddress(item), '2001:db8::7', item);
});

test('what is no address is none', () => {
  for (const item of ['', 'unknown', '_hidden', '192.0.2', '192.0.2.7.8', 'x'.repeat(5000), '192.0.2.7; drop'])
    assert.equal(readAddress(item), null, item.slice(0, 20));
});
