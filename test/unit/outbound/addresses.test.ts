import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { checkUrl } from '../../../domain/outbound/check-url.ts';
import { judgeAddress, parseRanges } from '../../../lib/addresses/ranges.ts';
import { REFUSED_ADDRESSES, REFUSED_URLS } from '../../support/refused-urls.ts';

const NONE = { 'no address': ['', 'example.com', '1.2.3', '127.1', '1.2.3.4.5', '8.8.8.8 '] };

for (const [what, addresses] of Object.entries({ ...REFUSED_ADDRESSES, ...NONE })) {
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

test('what is refused when it is saved: refused addresses in every spelling, other schemes, user names', () => {
  for (const [code, urls] of Object.entries(REFUSED_URLS)) for (const url of urls) assert.equal(codeOf(url), code, url);
  assert.equal(codeOf(''), 'format');
  assert.equal(codeOf('http://hooks.example.com'), 'outbound_refused');
});

test('public addresses, and names, which are not judged yet, may be saved', () => {
  for (const host of ['8.8.8.8', '[2606:4700::1111]', 'localhost', 'hooks.example.com:8443', 'localhost.', 'x.local'])
    assert.equal(codeOf(`https://${host}/hook?a=b#c`), null, host);
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
