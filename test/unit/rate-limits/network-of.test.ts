import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { createWideLimit } from '../../../api/guard/admission.ts';
import { networkOf } from '../../../domain/rate-limits/network-of.ts';

test('an IPv6 client is its /64, however its address is written', () => {
  for (const address of ['2001:db8::1', '2001:db8:0:0:ffff::', '2001:0db8:0000:0000:1:2:3:4', '2001:DB8::192.0.2.7'])
    assert.equal(networkOf(address), '2001:db8:0:0::/64', address);
  for (const [address, network] of [
    ['2001:db8:0:1::1', '2001:db8:0:1::/64'],
    ['::1', '0:0:0:0::/64'],
    ['1::', '1:0:0:0::/64'],
    ['fe80::1:2:3:4', 'fe80:0:0:0::/64'],
    ['1:2:3:4:5:6:7:8', '1:2:3:4::/64'],
  ]) {
    assert.equal(networkOf(address!), network);
  }
});

test('an IPv4 address is one client, also written as IPv6', () => {
  for (const address of ['192.0.2.7', '::ffff:192.0.2.7', '::ffff:c000:207', '0:0:0:0:0:ffff:c000:0207'])
    assert.equal(networkOf(address), '192.0.2.7', address);
  assert.equal(networkOf(''), '');
});

test('the limit of public endpoints is one for a /64', () => {
  const mayPass = createWideLimit(6);
  assert.deepEqual(['2001:db8::1', '2001:db8::2', '2001:db8:0:1::1', '::ffff:192.0.2.7', '192.0.2.7'].map(mayPass), [
    true,
    false,
    true,
    true,
    false,
  ]);
});
