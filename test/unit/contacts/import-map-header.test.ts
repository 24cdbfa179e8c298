import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import type { CustomFieldType } from '../../../domain/contact-values/custom-values.ts';
import { mapHeader } from '../../../domain/contacts/import/map-header.ts';

const custom = new Map<string, CustomFieldType>([
  ['plan', { type: 'string' }],
  ['Shoe Size', { type: 'number' }],
  ['two_ways', { type: 'string' }],
  ['twoWays', { type: 'string' }],
  ['email', { type: 'string' }],
  ['__proto__', { type: 'string' }],
]);

function fields(headers: string[], mapping = {}): string[] {
  const plan = mapHeader(headers, custom, mapping);
  if ('errors' in plan) return plan.errors.map(({ code }) => `! ${code}`);
  return headers.map((_, index) => plan.columns.find((column) => column.index === index)?.field ?? '-');
}

test('headers are fields in any spelling', () => {
  assert.deepEqual(
    fields([
      'firstName',
      'last_name',
      'E-Mail',
      'PHONE',
      ' Job Title ',
      'company',
      'Status',
      'tags',
      'Timezone',
      'locale',
      'source',
    ]),
    [
      'firstName',
      'lastName',
      'email',
      'phone',
      'jobTitle',
      'company',
      'status',
      'tags',
      'timezone',
      'locale',
      'source',
    ],
  );
  assert.deepEqual(fields(['First Name', 'FIRST NAME 2', 'email']), ['firstName', '-', 'email']);
  assert.deepEqual(fields(['Ｅｍａｉｌ']), ['email']);
});

test('custom fields match by name if defined; contact fields go first, doubtful names match exactly only', () => {
  assert.deepEqual(fields(['email', 'Plan', 'shoe_size', 'two_ways', 'twoWays', 'Two Ways', 'colour']), [
    'email',
    'customFields.plan',
    'customFields.Shoe Size',
    'customFields.two_ways',
    'customFields.twoWays',
    '-',
    '-',
  ]);
  assert.deepEqual(fields(['Email', 'customFields.email', 'custom_fields.plan']), [
    'email',
    'customFields.email',
    'customFields.plan',
  ]);
  assert.deepEqual(fields(['email', '__proto__', 'constructor']), ['email', 'customFields.__proto__', '-']);
});

test('unknown, read-only and nameless columns are ignored and reported', () => {
  const plan = mapHeader(
    ['id', 'email', 'Company ID', '', 'Notes', 'created_at', 'phoneE164', 'version', '__proto__', '', ''],
    new Map(),
  );
  assert.ok('columns' in plan);
  assert.deepEqual(plan.ignoredColumns, [
    'id',
    'Company ID',
    '(column 4)',
    'Notes',
    'created_at',
    'phoneE164',
    'version',
    '__proto__',
  ]);
  assert.deepEqual(plan.columns, [{ index: 1, header: 'email', field: 'email' }]);
  assert.deepEqual(JSON.parse(JSON.stringify(plan)), plan);
});

test('a mapping comes first, can ignore columns, and takes a field from the column that has its name', () => {
  assert.deepEqual(fields(['Kontakt', 'Name'], { Kontakt: 'email', ' Name ': 'lastName' }), ['email', 'lastName']);
  assert.deepEqual(fields(['Work Email', 'Email', 'plan'], { 'Work Email': 'email', plan: null }), ['email', '-', '-']);
  assert.deepEqual(fields(['email', 'x'], { x: 'customFields.Shoe Size' }), ['email', 'customFields.Shoe Size']);
  assert.deepEqual(fields(['email', '__proto__'], JSON.parse('{"__proto__": "firstName"}')), ['email', 'firstName']);
});

test('headers and mappings that can not work are refused, with every reason', () => {
  assert.deepEqual(fields(['firstName', 'lastName']), ['! no_email_column']);
  assert.deepEqual(fields(['', '', '']), ['! no_email_column']);
  assert.deepEqual(fields(['email', 'E-Mail']), ['! duplicate_column']);
  assert.deepEqual(fields(['first_name', 'First Name', 'post', 'plan', 'PLAN']), [
    '! duplicate_column',
    '! duplicate_column',
    '! no_email_column',
  ]);
  assert.deepEqual(fields(['email', 'notes', 'notes']), ['email', '-', '-']);
  assert.deepEqual(fields(['email', 'x', 'x'], { x: 'firstName' }), ['! duplicate_column', '! duplicate_column']);
  assert.deepEqual(fields(['email', 'x', 'y'], { x: 'firstName', y: 'firstName' }), ['! duplicate_column']);
  assert.deepEqual(fields(['email'], { mail: 'email', email: 'nonsense' }), ['! unknown_column', '! unknown_field']);
  for (const field of ['__prot', 'customFields.none', 'customFields.', 'toString', '']) {
    assert.deepEqual(fields(['email', 'x'], { x: field }), ['! unknown_field'], field);
  }
  assert.deepEqual(fields(['email', 'x'], { x: 'tenantId' }), ['! read_only']);
  assert.deepEqual(fields(['email', ...Array.from({ length: 200 }, (_, n) => `c${n}`)]), ['! too_many_columns']);
  assert.equal(fields(['email', ...Array.from({ length: 199 }, (_, n) => `c${n}`)])[0], 'email');
  assert.equal(fields(['email', ...new Array<string>(16_383).fill('')])[0], 'email');
});

test('headers are what other programs call a field, in the languages people have', () => {
  const cases: [headers: string, expected: string][] = [
    ['Email Address,First Name,Last Name,Address,Phone Number,TAGS', 'email,firstName,lastName,-,phone,tags'],
    ['E-Mail;Vorname;Nachname;Firma;Telefon;Position', 'email,firstName,lastName,company,phone,jobTitle'],
    ['Adresse e-mail;Prénom;Nom;Société;Téléphone', 'email,firstName,lastName,company,phone'],
    ['ADRESSE E-MAIL;PRENOM;NOM', 'email,firstName,lastName'],
    ['Correo electrónico;Nombre;Apellidos;Empresa;Móvil', 'email,firstName,lastName,company,phone'],
    ['Adres e-mail;Imię;Nazwisko;Firma;Stanowisko', 'email,firstName,lastName,company,jobTitle'],
    ['E-mail;Nome;Sobrenome;Empresa;Cargo;Celular', 'email,firstName,lastName,company,jobTitle,phone'],
    ['メールアドレス;姓;名;会社名;電話番号', 'email,lastName,firstName,company,phone'],
    ['邮箱;姓;名;公司;手机', 'email,lastName,firstName,company,phone'],
    ['Электронная почта;Имя;Фамилия', 'email,firstName,lastName'],
    ['Given Name;Family Name;E-mail 1 - Label;E-mail 1 - Value', 'firstName,lastName,-,email'],
    ['Email;Email Opt Out;Unsubscribed', 'email,optedOut,optedOut'],
    ['Vorname;Name;E-Mail', 'firstName,lastName,email'],
    ['Name;Given Name;Family Name;Email', '-,firstName,lastName,email'],
    ['Name;Surname;Email', 'firstName,lastName,email'],
    ['Name;Email', '-,email'],
  ];
  for (const [headers, expected] of cases) assert.equal(fields(headers.split(/[,;]/)).join(','), expected, headers);
});

test('of several columns with known names the best is taken, and said', () => {
  const plan = mapHeader(['E-mail 2 Address', 'Work Email', 'Business Phone', 'Email Address', 'Mobile Phone'], custom);
  assert.ok('columns' in plan);
  assert.deepEqual(
    plan.columns.map(({ header, field }) => `${header}=${field}`),
    ['Email Address=email', 'Mobile Phone=phone'],
  );
  assert.deepEqual(plan.ignoredColumns, ['E-mail 2 Address']);
  assert.deepEqual(
    plan.columns.map(({ others }) => others),
    [[1], [2]],
    'the others count where the best is empty',
  );
  assert.deepEqual(
    plan.warnings.map(({ code, column }) => `${column} ${code}`),
    ['Work Email column_second', 'Business Phone column_second'],
  );
  assert.deepEqual(fields(['Work Email', 'Email']), ['-', 'email']);
  const own = new Map<string, CustomFieldType>([['Mobile', { type: 'string' }]]);
  const withOwn = mapHeader(['Email', 'mobile', 'Phone Number'], own);
  assert.ok('columns' in withOwn);
  assert.deepEqual(
    withOwn.columns.map(({ field }) => field),
    ['email', 'customFields.Mobile', 'phone'],
  );
});

test('an error about the email names the headers that were found', () => {
  const plan = mapHeader(['Kunde', '', 'Ort'], new Map());
  assert.ok('errors' in plan);
  assert.match(plan.errors[0]!.message, /found: "Kunde", "Ort"$/);
  const many = mapHeader(
    Array.from({ length: 40 }, (_, n) => `column ${n}`),
    new Map(),
  );
  assert.ok('errors' in many);
  assert.match(many.errors[0]!.message, /"column 29" and 10 more$/);
});

test('columns about consent count beside one that is mapped, and an unknown one that speaks of consent is said', () => {
  const headers = ['Email', 'Opted out of email: News', 'Unsubscribed from all email', 'DNC', 'Country', 'Newsletter'];
  const plan = mapHeader(headers, custom, { 'Opted out of email: News': 'optedOut', Newsletter: null });
  assert.ok('columns' in plan);
  assert.deepEqual(
    plan.columns.map(({ header, field }) => `${header}=${field}`),
    ['Email=email', 'Opted out of email: News=optedOut', 'Unsubscribed from all email=optedOut'],
  );
  assert.deepEqual(
    plan.warnings.map(({ code, column }) => `${column} ${code}`),
    ['DNC consent_not_imported'],
    'not of what is mapped to null',
  );
  const unmapped = mapHeader(headers, custom);
  assert.ok('columns' in unmapped);
  assert.deepEqual(
    unmapped.warnings.map(({ column }) => column),
    ['Opted out of email: News', 'DNC', 'Newsletter'],
  );
});

test('of several columns with a status, all are read, mapped or not', () => {
  for (const mapping of [{}, { State: 'status' }] as Record<string, string>[]) {
    const plan = mapHeader(['Email', 'Status', 'Email Status', 'State'], custom, mapping);
    assert.ok('columns' in plan);
    const statuses = plan.columns.filter(({ field }) => field === 'status').map(({ header }) => header);
    assert.deepEqual(statuses, ['Status', 'Email Status', ...Object.keys(mapping)]);
  }
});

test('dates of opt-outs opt out, and what else speaks of them is said, but not why or when somebody opted in', () => {
  const headers = ['Email', 'Unsubscribed Date', 'Date Unsubscribed', 'Abmeldedatum', 'Bounced Date'];
  assert.deepEqual(fields(headers), ['email', 'optedOut', 'optedOut', 'optedOut', 'bounced']);
  const warned = (header: string): boolean => {
    const plan = mapHeader(['Email', header], custom);
    assert.ok('columns' in plan);
    return plan.warnings.some(({ code }) => code === 'consent_not_imported');
  };
  for (const header of ['Newsletter unsubscribed on', 'Werbesperre', 'Opt-out date (all)', 'Marketing permission'])
    assert.ok(warned(header), header);
  for (const header of ['OPTIN_TIME', 'UNSUB_REASON', 'Consent Timestamp', 'Subscribed on', 'Country', 'Optician'])
    assert.ok(!warned(header), header);
});

test('a mapping takes a custom field by its bare name', () => {
  const own = new Map<string, CustomFieldType>([['country', { type: 'string' }]]);
  const plan = mapHeader(['Email', 'Country/Region'], own, { 'Country/Region': 'country' });
  assert.ok('columns' in plan);
  assert.equal(plan.columns[1]!.field, 'customFields.country');
  assert.deepEqual(fields(['email', 'x'], { x: '__proto__' }), ['email', 'customFields.__proto__']);
});
