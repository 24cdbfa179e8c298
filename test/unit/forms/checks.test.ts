import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import fc from 'fast-check';
import validator from 'validator';
import { LANGUAGES } from '../../../lib/text/languages.ts';
import { isEmail, isWebAddress } from '../../../domain/forms/checks/addresses.ts';
import { checkValue } from '../../../domain/forms/checks/check-value.ts';
import { COUNTRY_CODES } from '../../../domain/forms/checks/country-codes.ts';
import { messageOf } from '../../../domain/forms/checks/messages.ts';
import { COUNTRY_NAMES } from '../../../domain/forms/country-names.ts';
import { normaliseFields, type FormFieldInput } from '../../../domain/forms/fields.ts';

const never = () => false;
const fieldOf = (more: Partial<FormFieldInput>) =>
  normaliseFields([{ name: 'f', label: 'F', type: 'text', ...more }])[0]!;
const problemOf = (more: Partial<FormFieldInput>, value: Parameters<typeof checkValue>[1]) => {
  const problem = checkValue(fieldOf(more), value, never);
  return problem && `${problem.code}: ${messageOf(problem, 'en')}`;
};

/** Addresses, and texts that are nearly addresses. */
const nearAddresses = fc.oneof(
  fc.emailAddress(),
  fc
    .array(
      fc.constantFrom(
        ...[
          'a',
          'Z',
          '9',
          '.',
          '-',
          '_',
          '@',
          '"',
          '\\',
          ' ',
          '+',
          'ü',
          '例',
          '！',
          '🙂',
          'x'.repeat(60),
          '.com',
          '.c',
          '<',
        ],
      ),
      { maxLength: 14 },
    )
    .map((parts) => parts.join('')),
  fc
    .tuple(
      fc.constantFrom('a', 'a.b', '"a b"', 'ü', `${'x'.repeat(64)}`, `${'ü'.repeat(33)}`, '.a', 'a.', ''),
      fc.domain(),
    )
    .map(([local, domain]) => `${local}@${domain}`),
);

test('an email address is what the validator of contacts takes', () => {
  fc.assert(
    fc.property(nearAddresses, (text) => {
      assert.equal(isEmail(text), validator.isEmail(text, { allow_utf8_local_part: true }), text);
    }),
    { numRuns: 3000 },
  );
});

test('a web address has a host, and nothing that opens another page', () => {
  for (const text of [
    'https://example.com',
    'HTTP://EXAMPLE.COM/a?b=c#d',
    'http://localhost:8080/',
    'http://192.168.0.1',
    'http://[::1]/x',
    'https://münchen.example/straße',
    `https://example.com/${'x'.repeat(2000)}`,
  ])
    assert.equal(isWebAddress(text), true, text);
  for (const text of [
    'example.com',
    'https:/example.com',
    'https://',
    'https:///x',
    'https://exa mple.com',
    'https://-x.com',
    'https://a_b.com',
    'https://example.com:99999',
    'https://x/<script>',
    'javascript://example.com/%0aalert(1)',
    'ftp://example.com',
    `https://example.com/${'x'.repeat(2100)}`,
  ])
    assert.equal(isWebAddress(text), false, text);
});

test('the list of countries is that of ISO 3166-1, each with a name', () => {
  assert.equal(COUNTRY_CODES.length, 249);
  assert.deepEqual(Object.keys(COUNTRY_NAMES), [...COUNTRY_CODES]);
  assert.deepEqual([...COUNTRY_CODES], [...COUNTRY_CODES].sort());
  for (const code of COUNTRY_CODES) assert.ok(validator.isISO31661Alpha2(code), code);
  assert.equal(new Set(Object.values(COUNTRY_NAMES)).size, 249);
});

test('numbers and ratings have a range, both ends of which belong to it', () => {
  for (const type of ['number', 'rating'] as const) {
    const range = { type, min: 2, max: 5 };
    assert.equal(problemOf(range, '2'), null);
    assert.equal(problemOf(range, 5), null);
    assert.equal(problemOf(range, '1'), 'out_of_range: is less than 2');
    assert.equal(problemOf(range, 6), 'out_of_range: is greater than 5');
    assert.equal(problemOf({ type, min: 2 }, '10'), null);
  }
  assert.equal(problemOf({ type: 'number', max: -0.5 }, '-0.25'), 'out_of_range: is greater than -0.5');
  assert.equal(problemOf({ type: 'number', min: 0 }, 'many'), 'format: is not a number');
  const { min: _min, max: _max, ...older } = fieldOf({ type: 'number' });
  assert.equal(checkValue(older, '7', never), null, 'a field that was stored before there were ranges');
});

test('the engine of patterns gets the whole text, and only where it is short enough', () => {
  const asked: string[] = [];
  const matches = (pattern: string, text: string) => asked.push(`${pattern} ${text}`) > 0;
  const field = fieldOf({ validationRegex: 'a+', maxLength: 3 });
  assert.equal(checkValue(field, 'aaa', matches), null);
  assert.equal(checkValue(field, 'aaaa', matches)?.code, 'too_long');
  assert.equal(checkValue(field, null, matches), null);
  assert.deepEqual(asked, ['a+ aaa']);
});

test('every message is there in every language, with its limit', () => {
  const problems = [
    checkValue(fieldOf({ required: true }), null, never),
    checkValue(fieldOf({ maxLength: 12 }), 'x'.repeat(13), never),
    checkValue(fieldOf({ minLength: 12 }), 'x', never),
    checkValue(fieldOf({ type: 'number', min: 12 }), 1, never),
    checkValue(fieldOf({ type: 'number', max: 12 }), 13, never),
  ];
  for (const language of LANGUAGES)
    for (const [index, problem] of problems.entries()) {
      const message = messageOf(problem!, language);
      assert.equal(message.includes('12'), index > 0, message);
      assert.doesNotMatch(message, /#/);
    }
  assert.equal(messageOf(problems[0]!, 'de'), 'ist erforderlich');
});
