import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import {
  getCountries,
  getCountryCallingCode,
  getExampleNumber,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max';
import examples from 'libphonenumber-js/mobile/examples';
import { seededRandom } from '../../../dev/demo/random.ts';
import { phoneE164 } from '../../../lib/addresses/phone.ts';

test('phones become E.164 where they can be read, null where not', () => {
  const cases: [string, string | null][] = [
    ['+1 202 555 0143', '+12025550143'],
    ['+1 (202) 555-0143 x12', '+12025550143'],
    ['+44 (0)20 7946 0958', '+442079460958'],
    ['tel:+49-30-23125-123', '+493023125123'],
    ['+39 06 1234 5678', '+390612345678'],
    ['(202) 555-0143', null],
    ['+1 202 555', null],
    ['+999 12345678', null],
    ['n/a', null],
    ['', null],
    ['+', null],
    ['1'.repeat(50), null],
  ];
  for (const [phone, expected] of cases) assert.equal(phoneE164(phone), expected, phone);
});

test('a default country reads national numbers', () => {
  assert.equal(phoneE164('(202) 555-0143', 'US'), '+12025550143');
  assert.equal(phoneE164('030 / 23125-123', 'DE'), '+493023125123');
  assert.equal(phoneE164('00442079460958', 'DE'), '+442079460958');
  assert.equal(phoneE164('n/a', 'US'), null);
});

test('the quick way gives what the library gives, for numbers near valid ones of every country', () => {
  const random = seededRandom(3);
  const digit = () => String(Math.floor(random() * 10));
  let valid = 0;
  for (const country of getCountries()) {
    const example = getExampleNumber(country, examples)?.nationalNumber ?? '123456789';
    for (let n = 0; n < 30; n++) {
      const digits = [...example];
      for (let changes = Math.floor(random() * 4); changes > 0; changes--)
        digits[Math.floor(random() * digits.length)] = digit();
      const prefix = ['', '', '', '', '0', '1', '8', digit()][Math.floor(random() * 8)] ?? '';
      const national = (prefix + digits.join('')).slice(0, random() < 0.9 ? undefined : -1);
      const phone = `+${getCountryCallingCode(country)} (${national.slice(0, 3)}) ${national.slice(3, 6)}-${national.slice(6)}`;
      const parsed = parsePhoneNumberFromString(phone);
      const expected = parsed?.isValid() ? parsed.number : null;
      if (expected !== null) valid += 1;
      assert.equal(phoneE164(phone), expected, phone);
    }
  }
  assert.ok(valid > 1_000, `only ${valid} of the numbers were valid`);
});
