import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { checkUrl } from '../../../domain/outbound/check-url.ts';
import { judgeAddress, parseRanges } from '../../../domain/outbound/ranges.ts';

const REFUSED = {
  'this network': ['0.0.0.0', '0.1.2.3', '::'],
  loopback: ['127.0.0.1', '127.255.255.254', '::1'],
  private: ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fd12:3456::1'],
  'link-local, with the metadata services of clouds': ['169.254.169.254', 'fe80::1', 'fd00:ec2::254'],
  'carrier-grade NAT': ['100.64.0.1', '100.127.255.255'],
  multicast: ['224.0.0.1', '239.1.2.3', 'ff02::1'],
  broadcast: ['255.255.255.255'],
  'reserved and documentation': ['240.0.0.1', '192.0.0.8', '192.0.2.1', '198.18.0.1', '203.0.113.9', '2001:db8::1'],
  'IPv4-mapped and IPv4-compatible': ['::ffff:127.0.0.1', '::ffff:8.8.8.8', '::127.0.0.1', '::ffff:0:10.0.0.1'],
  'NAT64, 6to4, Teredo': ['64:ff9b::7f00:1', '64:ff9b:1::a00:1', '2002:7f00:1::', '2001::1'],
  'site-local, discard, not assigned': ['fec0::1', '100::1', '4000::1', 'e000::1', '5f00::1', '3fff::1'],
  'no address': ['', 'example.com', '1.2.3', '127.1', '1.2.3.4.5', '8.8.8.8 '],
};

for (const [what, addresses] of Object.entries(REFUSED)) {
  test(`${what}: refused`, () => {
    for (const address of addresses) assert.equal(judgeAddress(address, []), 'refused', address);
  });
}

test('global unicast addresses are public', () => {
  for (const address of ['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450::1'])
    assert.equal(judgeAddress(address, []), 'public', address);
});

test('what OUTBOUND_ALLOW contains is allowed, in its family, and nothing else', () => {
  const allow = parseRanges(' 10.1.2.0/24, 127.0.0.1/32,fd00:1::/32 ,');
  for (const address of ['10.1.2.0', '10.1.2.255', '127.0.0.1', 'fd00:1:2::3'])
    assert.equal(judgeAddress(address, allow), 'allowed', address);
  for (const address of ['10.1.3.0', '127.0.0.2', '::ffff:10.1.2.3', 'fd00:2::1', '::1'])
    assert.equal(judgeAddress(address, allow), 'refused', address);
  assert.equal(judgeAddress('8.8.8.8', allow), 'public');
});

test('a range that is none is an error that quotes it', () => {
  for (const bad of ['10.0.0.0', '10.0.0.0/33', '10/8', 'fd00::/129', 'localhost/8', '10.0.0.0/8/8', 'fe80::1%eth0/64'])
    assert.throws(() => parseRanges(`10.0.0.0/8,${bad}`), new RegExp(bad.replaceAll('.', '\\.')));
  assert.deepEqual(parseRanges(''), []);
});

const codeOf = (url: string, allow = ''): string | null => checkUrl(url, parseRanges(allow))?.code ?? null;

test('a URL with a refused address is refused in every spelling; a name is not judged yet', () => {
  for (const host of [
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '127.0.0.1.',
    '１２７.0.0.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[64:ff9b::10.0.0.1]',
    '10.0.0.1:8443',
    '169.254.169.254',
    '0',
  ])
    assert.equal(codeOf(`https://${host}/hook`), 'outbound_refused', host);
  for (const host of ['8.8.8.8', '[2606:4700::1111]', 'localhost', 'hooks.example.com:8443', 'localhost.', 'x.local'])
    assert.equal(codeOf(`https://${host}/hook?a=b#c`), null, host);
});

test('only https, and no user name or password', () => {
  for (const url of [
    'http://hooks.example.com',
    'http://8.8.8.8/',
    'ftp://hooks.example.com/',
    'file:///etc/passwd',
    'https://user@hooks.example.com/',
    'https://user:password@hooks.example.com/',
    'https://:password@hooks.example.com/',
  ])
    assert.equal(codeOf(url), 'outbound_refused', url);
  for (const url of [
    '',
    'hooks.example.com',
    '/hook',
    'https://',
    'https://a b/',
    ' https://a/',
    'https://a/\n',
    'https:\\\\a',
  ])
    assert.equal(codeOf(url), 'format', url);
});

test('what is allowed may be reached over http too; what is public may not', () => {
  const allow = '127.0.0.0/8';
  for (const url of ['http://127.0.0.1:8080/', 'https://127.1/', 'http://a-name/'])
    assert.equal(codeOf(url, allow), null, url);
  for (const url of [
    'http://8.8.8.8/',
    'http://10.0.0.1/',
    'https://10.0.0.1/',
    'http://u@127.0.0.1/',
    'http://[::1]/',
  ])
    assert.equal(codeOf(url, allow), 'outbound_refused', url);
});
