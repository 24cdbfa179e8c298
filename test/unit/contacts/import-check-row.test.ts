import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import type { CustomFieldType } from '../../../domain/contacts/values/custom-values.ts';
import { createRowCheck, nameViolations, type CheckedRow } from '../../../domain/contacts/import/check-row.ts';
import type { RowFault } from '../../../domain/contacts/import/csv/read-csv.ts';
import { inspect } from './csv-support.ts';

const customFields = new Map<string, CustomFieldType>([
  ['plan', { type: 'enum', options: ['free', 'paid'] }],
  ['seats', { type: 'number' }],
  ['__proto__', { type: 'boolean' }],
]);

function check(header: string, cells: string[], faults: RowFault[] = []): CheckedRow {
  const { plan } = inspect(`${header}\n`, { customFields, delimiter: ',' });
  return createRowCheck(plan, { customFields })({ row: 2, cells, faults });
}

/** The violations as `column:code`. */
function violations(...args: Parameters<typeof check>): string[] {
  const checked = check(...args);
  assert.ok('violations' in checked, JSON.stringify(checked));
  assert.ok(checked.violations.every(({ message }) => message !== ''));
  return checked.violations.map(({ column, code }) => `${column ?? 'row'}:${code}`);
}

test('a row gives normalised values of its cells that are not empty', () => {
  const header =
    'First Name,Last Name,Email,Phone,Job Title,Company,Status,Tags,Timezone,Locale,Source,Plan,Seats,__proto__,Notes';
  const cells = [
    ' Ann ',
    'Lee',
    'Ann@Example.COM',
    '+1 (202) 555-0143',
    '=CEO',
    'Example, Ltd.',
    'Unsubscribed',
    'vip; b2b;;vip',
    'europe/paris',
    'fr_fr',
    'fair',
    'paid',
    '12',
    'yes',
    'x\0',
  ];
  const checked = check(header, cells);
  assert.deepEqual(
    JSON.parse(JSON.stringify(checked)),
    JSON.parse(`{
    "values": {
      "firstName": "Ann", "lastName": "Lee", "email": "Ann@Example.COM", "emailKey": "ann@example.com",
      "phone": "+1 (202) 555-0143", "phoneE164": "+12025550143", "jobTitle": "=CEO", "company": "Example, Ltd.",
      "status": "unsubscribed", "tags": ["vip", "b2b"], "timezone": "Europe/Paris", "locale": "fr-FR", "source": "fair",
      "customFields": {"plan": "paid", "seats": 12, "__proto__": true}
    },
    "missing": []
  }`),
  );
  assert.deepEqual(check(header, ['', ' ', 'a@example.com', '', '', ' ', '', ' ; ', '', ' ', '', '', ' ']), {
    values: { email: 'a@example.com', emailKey: 'a@example.com' },
    missing: ['firstName', 'lastName'],
  });
});

test('an unreadable phone is kept, active as status lifts nothing', () => {
  const checked = check('email,phone,status,firstName,lastName', ['a@example.com', 'call me', 'ACTIVE', 'A', 'B']);
  assert.deepEqual(checked, {
    values: {
      email: 'a@example.com',
      emailKey: 'a@example.com',
      phone: 'call me',
      phoneE164: null,
      firstName: 'A',
      lastName: 'B',
    },
    missing: [],
  });
});

test('all violations of a row are told at once, by the header of their column', () => {
  const header = 'First Name,Last Name,E-Mail,Phone,Status,Tags,Timezone,Locale,Plan,Seats';
  const cells = [
    'x'.repeat(101),
    'a\nb',
    'nobody',
    '1'.repeat(51),
    'bounced',
    'x'.repeat(101),
    'Mars/Crater',
    '?',
    'gold',
    'ten',
  ];
  assert.deepEqual(violations(header, cells), [
    'First Name:too_long',
    'Last Name:invalid_character',
    'E-Mail:invalid_email',
    'Phone:too_long',
    'Status:invalid_status',
    'Tags:too_long',
    'Timezone:invalid_timezone',
    'Locale:invalid_locale',
    'Plan:invalid_option',
    'Seats:invalid_number',
  ]);
  for (const cell of ['', '  '])
    assert.deepEqual(violations('E-Mail,phone', [cell, '1'.repeat(51)]), ['phone:too_long', 'E-Mail:required']);
  assert.deepEqual(violations('firstName,email', ['Ann']), ['email:required']);
});

test('faults of cells join the violations of the others, in ignored columns too; a row at fault has no more', () => {
  assert.deepEqual(
    violations(
      'email,phone,Notes',
      ['\uFFFD', '1'.repeat(51), ''],
      [
        { cell: 0, code: 'invalid_encoding' },
        { cell: 2, code: 'invalid_character' },
      ],
    ),
    ['email:invalid_encoding', 'Notes:invalid_character', 'phone:too_long'],
  );
  assert.deepEqual(violations('email', ['nobody', 'x'], [{ cell: null, code: 'surplus_cells' }]), [
    'row:surplus_cells',
  ]);
});

test('missing names are violations for a contact that would be created', () => {
  const { plan } = inspect('Last Name,Email\n');
  assert.deepEqual(
    nameViolations(['firstName', 'lastName'], plan).map(({ column, code }) => [column, code]),
    [
      ['firstName', 'required'],
      ['Last Name', 'required'],
    ],
  );
});
