import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import fc from 'fast-check';
import validator from 'validator';
import {
  cleanText,
  isViolation,
  normaliseEmail,
  normaliseLocale,
  normaliseTags,
  normaliseTimezone,
} from '../../../domain/common/fields.ts';

const outcome = (value: unknown): unknown => (isViolation(value) ? `! ${value.code}` : value);

test('an email is kept as given and keyed without regard to case, by the ASCII form of its domain', () => {
  const keys: [string, string, string][] = [
    ['ann@example.com', 'ann@example.com', 'ann@example.com'],
    ['  Ann.LEE+x@Example.COM\t', 'Ann.LEE+x@Example.COM', 'ann.lee+x@example.com'],
    ["o'neil@example.com", "o'neil@example.com", "o'neil@example.com"],
    ['ann@Bücher.example', 'ann@Bücher.example', 'ann@xn--bcher-kva.example'],
    ['ann@xn--bcher-kva.example', 'ann@xn--bcher-kva.example', 'ann@xn--bcher-kva.example'],
    ['ann@i❤️.example', 'ann@i❤️.example', 'ann@xn--i-7iq.example'],
    ['jo\u0308rg@example.com', 'jörg@example.com', 'jörg@example.com'],
    ['JÖRG@example.com', 'JÖRG@example.com', 'jörg@example.com'],
    ['用户@例え.example', '用户@例え.example', '用户@xn--r8jz45g.example'],
    [`${'a'.repeat(64)}@example.com`, `${'a'.repeat(64)}@example.com`, `${'a'.repeat(64)}@example.com`],
  ];
  for (const [input, email, emailKey] of keys) assert.deepEqual(normaliseEmail(input), { email, emailKey }, input);
});

test('what is no email address, or one that hardly a server takes, is refused', () => {
  const invalid = [
    '',
    ' ',
    'ann',
    'ann@',
    '@example.com',
    'ann@example',
    'ann@localhost',
    'a b@example.com',
    'ann@@example.com',
    'ann@example.com, bob@example.com',
    'Ann <ann@example.com>',
    'mailto:ann@example.com',
    'ann..lee@example.com',
    '.ann@example.com',
    'ann@-example.com',
    'ann@exa_mple.com',
    'ann@example..com',
    'ann@example.com.',
    'ann@127.0.0.1',
    'ann@[127.0.0.1]',
    'ann@0x7f.1',
    'ann@example.com/x',
    'ann@example.com:80',
    'ann@%65xample.com',
    'ann@example.com?x',
    '"a b"@example.com',
    '"a\r\nb"@example.com',
    'ann@example.com\r\nBcc: bob@example.com',
    'a\0nn@example.com',
    '😀@example.com',
    '☺@example.com',
    'ann\u200b@example.com',
    'ann@exam\u200bple.com',
    'ann@xn--\u00ad.com',
    'ann\ud800@example.com',
    `${'a'.repeat(65)}@example.com`,
    `ann@${'a'.repeat(64)}.com`,
    `ann@${'ü'.repeat(62)}.com`,
  ];
  for (const input of invalid) assert.equal(outcome(normaliseEmail(input)), '! invalid_email', JSON.stringify(input));
  assert.equal(outcome(normaliseEmail(`ann@${'a.'.repeat(130)}com`)), '! too_long');
  assert.equal(outcome(normaliseEmail('a'.repeat(10_000_000))), '! too_long');
});

test('the quick way for ordinary addresses accepts only what the full check does', () => {
  const part = fc.string({ unit: fc.constantFrom(...'aZ09._+-@x'), maxLength: 66 });
  fc.assert(
    fc.property(part, fc.stringMatching(/^[a-z0-9.-]{1,20}\.[a-z]{2,6}$/), (local, domain) => {
      const input = `${local}@${domain}`;
      assert.equal(!isViolation(normaliseEmail(input)), validator.isEmail(input), input);
    }),
    { numRuns: 3_000 },
  );
});

test('texts are trimmed, put into NFC, counted in code points, and have no control characters', () => {
  assert.equal(cleanText('  Ann\u00a0', 10), 'Ann');
  assert.equal(cleanText(' \t\n ', 10), null);
  assert.equal(cleanText('Zoe\u0308', 3), 'Zoë');
  assert.equal(cleanText('💐'.repeat(100), 100), '💐'.repeat(100));
  assert.equal(outcome(cleanText('💐'.repeat(101), 100)), '! too_long');
  assert.equal(outcome(cleanText('a'.repeat(101), 100)), '! too_long');
  assert.equal(cleanText(` ${'a'.repeat(100)} `, 100), 'a'.repeat(100));
  for (const bad of ['a\0b', 'a\nb', 'a\tb', 'a\u0085b', 'a\u007fb', 'a\ud800b', '\udc00']) {
    assert.equal(outcome(cleanText(bad, 10)), '! invalid_character', JSON.stringify(bad));
  }
  assert.equal(cleanText('a\r\n\tb', 10, { multiline: true }), 'a\r\n\tb');
  assert.equal(outcome(cleanText('a\0b', 10, { multiline: true })), '! invalid_character');
});

test('time zones are IANA names, locales BCP 47 tags, in their usual spelling', () => {
  const zones: [string, unknown][] = [
    ['Europe/Berlin', 'Europe/Berlin'],
    [' europe/berlin ', 'Europe/Berlin'],
    ['UTC', 'UTC'],
    ['', null],
    ['Europe/Atlantis', '! invalid_timezone'],
    ['+02:00', '! invalid_timezone'],
    ['x'.repeat(1_000), '! invalid_timezone'],
    ['__proto__', '! invalid_timezone'],
  ];
  for (const [input, expected] of [...zones, ...zones])
    assert.equal(outcome(normaliseTimezone(input)), expected, input);
  const locales: [string, unknown][] = [
    ['de-AT', 'de-AT'],
    ['de_at', 'de-AT'],
    ['EN', 'en'],
    ['zh-hant-tw', 'zh-Hant-TW'],
    [' ', null],
    ['German!', '! invalid_locale'],
    ['d', '! invalid_locale'],
    ['en-'.repeat(20), '! invalid_locale'],
  ];
  for (const [input, expected] of locales) assert.equal(outcome(normaliseLocale(input)), expected, input);
});

test('tags are trimmed, without empty ones and repetitions, and limited', () => {
  assert.deepEqual(normaliseTags([' vip ', '', 'VIP', 'vip', ' ']), ['vip', 'VIP']);
  assert.equal(outcome(normaliseTags(['ok', 'a'.repeat(101)])), '! too_long');
  assert.equal(outcome(normaliseTags(Array.from({ length: 101 }, (_, n) => `t${n}`))), '! too_many_tags');
});
