import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import type { CustomFieldType } from '../../../domain/contact-values/custom-values.ts';
import { createRowCheck, type CheckedRow, type RowCheckOptions } from '../../../domain/contacts/import/check-row.ts';
import { createOrderFinder } from '../../../domain/contacts/import/date-orders.ts';
import type { RowFault } from '../../../domain/contacts/import/csv/read-csv.ts';
import { inspect } from './csv-support.ts';

const customFields = new Map<string, CustomFieldType>([
  ['plan', { type: 'enum', options: ['free', 'paid'] }],
  ['seats', { type: 'number' }],
  ['since', { type: 'date' }],
  ['__proto__', { type: 'boolean' }],
]);

function check(
  header: string,
  cells: string[],
  faults: RowFault[] = [],
  options: Partial<RowCheckOptions> = {},
): CheckedRow {
  const { plan } = inspect(`${header}\n`, { customFields, delimiter: ',' });
  return createRowCheck(plan, { customFields, ...options })({ row: 2, cells, faults });
}

/** The values of a row that is usable, with its left out cells as `column:code`. */
function usable(...args: Parameters<typeof check>) {
  const checked = check(...args);
  assert.ok('values' in checked, JSON.stringify(checked));
  const { emailKey: _, ...values } = checked.values;
  return { ...values, skipped: checked.skipped.map(({ column, code }) => `${column}:${code}`) };
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
    'vip; b2b;,vip',
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
    "skipped": []
  }`),
  );
  assert.deepEqual(check(header, ['', ' ', 'a@example.com', '', '', ' ', '', ' ; ', '', ' ', '', '', ' ']), {
    values: { email: 'a@example.com', emailKey: 'a@example.com' },
    skipped: [],
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
    skipped: [],
  });
});

test('all violations of a row are told at once, by the header of their column', () => {
  const header = 'First Name,Last Name,E-Mail,Phone,Status,Tags,Timezone,Locale,Plan,Seats';
  const cells = [
    'x'.repeat(101),
    'a\x07b',
    'nobody',
    '1'.repeat(51),
    'gone fishing',
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

test('tabs and line breaks in a name are spaces', () => {
  assert.deepEqual(
    usable('email,firstName,Last Name,company,jobTitle', ['a@example.com', 'Ann\tMary', 'van\r\nDyk', 'A\nB', 'C\vD']),
    {
      email: 'a@example.com',
      firstName: 'Ann Mary',
      lastName: 'van Dyk',
      company: 'A B',
      jobTitle: 'C D',
      skipped: [],
    },
  );
  assert.deepEqual(violations('email,firstName', ['a@example.com', 'a\0b\n']), ['firstName:invalid_character']);
});

test('a wrong cell is left out where it may be, the email and consent are not', () => {
  const skip = { onBadCell: 'skip' } as const;
  assert.deepEqual(usable('email,Seats,Plan,Timezone', ['a@example.com', 'ten', 'paid', 'Mars'], [], skip), {
    email: 'a@example.com',
    customFields: Object.assign(Object.create(null), { plan: 'paid' }),
    skipped: ['Seats:invalid_number', 'Timezone:invalid_timezone'],
  });
  assert.deepEqual(violations('email,Seats,Status,Email Opt Out', ['nobody', 'ten', '?', '?'], [], skip), [
    'email:invalid_email',
    'Status:invalid_status',
    'Email Opt Out:invalid_boolean',
  ]);
  const fault: RowFault[] = [{ cell: 1, code: 'invalid_encoding' }];
  assert.deepEqual(violations('email,Seats', ['a@example.com', '\uFFFD'], fault, skip), ['Seats:invalid_encoding']);
});

test('columns about consent set the status, the strictest counts', () => {
  const status = (header: string, ...cells: string[]) =>
    (usable(`email,${header}`, ['a@example.com', ...cells]) as { status?: string }).status ?? 'active';
  const cases: [header: string, cells: string[], expected: string][] = [
    ['Status', ['Subscribed'], 'active'],
    ['Status', ['Cleaned'], 'bounced'],
    ['Status', ['complained'], 'complained'],
    ['Email Marketing Consent', ['NEVER_SUBSCRIBED'], 'pending'],
    ['Email Opt Out', ['1'], 'unsubscribed'],
    ['Email Opt Out', ['0'], 'active'],
    ['Email Opt Out', ['unsubscribed'], 'unsubscribed'],
    ['UNSUB_TIME', ['2025-03-01 10:00:00'], 'unsubscribed'],
    ['UNSUB_TIME', ['Mar 1, 2025'], 'unsubscribed'],
    ['CLEAN_TIME', ['01.03.2025'], 'bounced'],
    ['Accepts Marketing', ['no'], 'unsubscribed'],
    ['Accepts Marketing', ['yes'], 'active'],
    ['Subscribed', ['unsubscribed'], 'unsubscribed'],
    ['Status,Unsubscribed', ['bounced', 'yes'], 'bounced'],
    ['Status,Unsubscribed,Email Opt Out', ['archived', 'no', 'X'], 'unsubscribed'],
  ];
  for (const [header, cells, expected] of cases)
    assert.equal(status(header, ...cells), expected, `${header}: ${cells.join()}`);
});

test('dates are read in the order of their column', () => {
  const since = (cell: string, order?: NonNullable<RowCheckOptions['dateOrders']>[number]) => {
    const checked = check('email,since', ['a@example.com', cell], [], order ? { dateOrders: { 1: order } } : {});
    return 'values' in checked ? checked.values.customFields!['since'] : checked.violations[0]!.code;
  };
  for (const [cell, order, expected] of [
    ['2025-12-31', 'unclear', '2025-12-31'],
    ['31.12.2025', 'month_first', '2025-12-31'],
    ['1. 2. 25', 'unclear', '2025-02-01'],
    ['2025/12/31', undefined, '2025-12-31'],
    ['2025年12月31日', undefined, '2025-12-31'],
    ['2025-12-31T23:59:59Z', undefined, '2025-12-31'],
    ['3/4/2025', 'day_first', '2025-04-03'],
    ['3/4/2025 5:06 PM', 'month_first', '2025-03-04'],
    ['3/4/30', 'month_first', '1930-03-04'],
    ['4/4/2025', 'unclear', '2025-04-04'],
    ['3/4/2025', 'unclear', 'invalid_date'],
    ['3/4/2025', 'mixed', 'invalid_date'],
    ['31/12/2025', 'month_first', 'invalid_date'],
    ['30.02.2025', undefined, 'invalid_date'],
    ['45123', undefined, 'invalid_date'],
  ] as const)
    assert.equal(since(cell, order), expected, `${cell} ${order}`);
});

test('the order of dates is found if the column has dates that tell it', () => {
  const { plan } = inspect('email,since\n', { customFields });
  const orderOf = (...cells: string[]) => {
    const finder = createOrderFinder(plan, customFields);
    finder.add(cells.map((cell) => ({ row: 2, cells: ['a@example.com', cell], faults: [] })));
    return finder.orders()[1];
  };
  assert.equal(orderOf('3/4/2025', '31/12/2025', ''), 'day_first');
  assert.equal(orderOf('3-4-2025', '12-31-2025 10:00'), 'month_first');
  assert.equal(orderOf('3/4/2025', '5/5/2025'), 'unclear');
  assert.equal(orderOf('31/12/2025', '12/31/2025'), 'mixed');
  assert.equal(orderOf('31.12.2025', '2025-12-31', 'soon', '99/99/2025'), 'unclear');
  assert.equal(orderOf('31.12.2025', '2025-12-31', 'soon'), undefined);
});
