import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, test } from '@jest/globals';
import { startService, type Service } from '../../support/service.ts';
import { importer } from './import-support.ts';

const FOLDER = join(import.meta.dirname, '../../fixtures/exports');

let service: Service;
let { upload, run } = {} as ReturnType<typeof importer>;
beforeAll(async () => {
  service = await startService({ worker: ['temporal', 'relay'] });
  ({ upload, run } = importer(service));
  for (const [name, type] of [
    ['Kunde_seit', 'date'],
    ['Client_depuis', 'date'],
    ['Member_since', 'date'],
    ['Active_customer', 'boolean'],
  ] as const) {
    const { status, body } = await service.api('POST', '/contacts/custom-fields', { entity: 'contact', name, type });
    assert.equal(status, 201, JSON.stringify(body));
  }
});
afterAll(() => service.stop());

/** What comes of a file that is imported without a mapping. */
interface Outcome {
  encoding?: string;
  delimiter?: string;
  created: number;
  duplicates?: number;
  /** The fields that are imported, in the order of the columns. */
  fields: string;
  warnings?: string[];
  /** Of the contacts: the values that are expected, by address. */
  contacts: Record<string, object>;
}

const OUTCOMES: Record<string, Outcome> = {
  'mailchimp-subscribed.csv': {
    created: 2,
    fields: 'email firstName lastName phone timezone tags',
    contacts: {
      'mc1@example.com': { firstName: 'Ada', lastName: 'Meadow', tags: ['Customer', 'VIP, gold'], status: 'active' },
      'mc2@example.org': { firstName: 'Ben', tags: ['Customer'], timezone: null },
    },
  },
  'mailchimp-unsubscribed.csv': {
    created: 2,
    fields: 'email firstName lastName optedOut tags',
    contacts: {
      'mcu1@example.com': { firstName: '', lastName: '', status: 'unsubscribed' },
      'mcu2@example.com': { firstName: 'Cy', status: 'unsubscribed', tags: ['Former'] },
    },
  },
  'mailchimp-cleaned.csv': {
    created: 1,
    fields: 'email firstName lastName bounced',
    contacts: { 'mcc1@example.com': { firstName: 'Di', status: 'bounced' } },
  },
  'hubspot-contacts.csv': {
    created: 2,
    fields: 'firstName lastName email phone company jobTitle optedOut source',
    warnings: ['Marketing contact status consent_not_imported'],
    contacts: {
      'hs1@example.com': { firstName: 'Eve', jobTitle: 'Buyer', status: 'active' },
      'hs2@example.com': { firstName: '', status: 'unsubscribed' },
    },
  },
  'salesforce-contacts.csv': {
    created: 2,
    fields: 'firstName lastName jobTitle company phone email optedOut',
    warnings: ['Mobile column_second'],
    contacts: {
      'sf1@example.com': { firstName: 'Flo', jobTitle: 'Head of Sales', status: 'active' },
      'sf2@example.com': { firstName: 'Gus', status: 'unsubscribed' },
    },
  },
  'salesforce-data-export.csv': {
    created: 2,
    fields: 'lastName firstName phone email jobTitle source optedOut',
    warnings: ['MOBILEPHONE column_second'],
    contacts: {
      'sd1@example.com': { firstName: 'Hal', source: 'Web', status: 'active' },
      'sd2@example.com': { status: 'unsubscribed' },
    },
  },
  'google-contacts.csv': {
    created: 2,
    fields: 'firstName lastName company jobTitle tags email phone',
    contacts: {
      'gc1@example.com': { firstName: 'Jo', jobTitle: 'Diver', tags: ['Friends'], phone: '+1 202-555-0107' },
      'gc2@example.com': { firstName: 'Kim', lastName: '', tags: [] },
    },
  },
  'google-contacts-old.csv': {
    encoding: 'utf-16le',
    created: 1,
    fields: 'firstName lastName tags email phone company jobTitle',
    contacts: { 'go1@example.com': { firstName: 'Lee', lastName: 'Moss', tags: ['Club'] } },
  },
  'outlook.csv': {
    created: 1,
    fields: 'firstName lastName company jobTitle phone tags email',
    warnings: ['Title column_not_used', 'Business Phone column_second', 'Home Phone column_second'],
    contacts: {
      'ol1@example.com': {
        firstName: 'May',
        jobTitle: 'Planner',
        phone: '+1 202 555 0110',
        tags: ['Partner', 'Press'],
      },
    },
  },
  'outlook-de.csv': {
    encoding: 'windows-1252',
    created: 1,
    fields: 'firstName lastName company jobTitle phone tags email',
    warnings: ['null encoding_judged', 'Telefon geschäftlich column_second'],
    contacts: { 'od1@example.com': { firstName: 'Jörg', lastName: 'Öhler', jobTitle: 'Geschäftsführer' } },
  },
  'klaviyo-profiles.csv': {
    created: 3,
    fields: 'email firstName lastName company jobTitle phone source status',
    contacts: {
      'kl1@example.com': { firstName: 'Nia', status: 'active' },
      'kl2@example.com': { status: 'pending' },
      'kl3@example.com': { status: 'unsubscribed' },
    },
  },
  'klaviyo-suppressed.csv': {
    created: 2,
    fields: 'email optedOut',
    contacts: { 'ks1@example.com': { status: 'unsubscribed' }, 'ks2@example.com': { status: 'unsubscribed' } },
  },
  'brevo.csv': {
    delimiter: ';',
    created: 2,
    fields: 'email lastName firstName phone optedOut',
    warnings: ['DOUBLE_OPT-IN consent_not_imported'],
    contacts: {
      'br1@example.com': { firstName: 'Pat', phone: '33600000001', status: 'active' },
      'br2@example.com': { firstName: 'Quin', status: 'unsubscribed' },
    },
  },
  'activecampaign.csv': {
    created: 4,
    fields: 'email firstName lastName phone company tags status',
    contacts: {
      'ac1@example.com': { tags: ['news', 'trial'], status: 'active' },
      'ac2@example.com': { status: 'unsubscribed' },
      'ac3@example.com': { status: 'bounced' },
      'ac4@example.com': { status: 'pending' },
    },
  },
  'mailerlite.csv': {
    created: 2,
    fields: 'email status firstName lastName company',
    contacts: {
      'ml1@example.com': { firstName: 'Val', lastName: 'Vetch', status: 'active' },
      'ml2@example.com': { status: 'complained' },
    },
  },
  'shopify-customers.csv': {
    created: 2,
    fields: 'firstName lastName email subscribed phone tags',
    contacts: {
      'sh1@example.com': { phone: '+12025550112', tags: ['loyal', 'newsletter'], status: 'active' },
      'sh2@example.com': { status: 'unsubscribed' },
    },
  },
  'pipedrive.csv': {
    created: 1,
    fields: 'firstName lastName tags company email phone',
    warnings: ['Person - Email - Home column_second'],
    contacts: { 'pd1@example.com': { firstName: 'Zed', lastName: 'Aster', tags: ['Hot lead'] } },
  },
  'zoho-contacts.csv': {
    created: 2,
    fields: 'source firstName lastName company email jobTitle phone optedOut tags',
    warnings: ['Mobile column_second'],
    contacts: {
      'zo1@example.com': { firstName: 'Abe', tags: ['gold', 'silver'], status: 'active' },
      'zo2@example.com': { status: 'unsubscribed' },
    },
  },
  'crm-english-semicolons.csv': {
    delimiter: ';',
    created: 3,
    fields: 'email firstName lastName company phone',
    contacts: { 'ce1@example.com': { firstName: 'Cal', lastName: 'Dill' }, 'ce3@example.com': { firstName: '' } },
  },
  'excel-de.csv': {
    encoding: 'windows-1252',
    delimiter: ';',
    created: 2,
    fields: 'firstName lastName email company phone customFields.Kunde_seit',
    warnings: ['null encoding_judged', 'Newsletter consent_not_imported'],
    contacts: {
      'xd1@example.com': { firstName: 'Jürgen', lastName: 'Groß', customFields: { Kunde_seit: '2024-03-01' } },
      'xd2@example.com': { customFields: { Kunde_seit: '2023-12-31' } },
    },
  },
  'excel-sep-line.csv': {
    delimiter: ';',
    created: 2,
    fields: 'email firstName lastName',
    contacts: { 'xs1@example.com': { firstName: 'Lea', lastName: 'Klee' } },
  },
  'excel-fr.csv': {
    encoding: 'windows-1252',
    delimiter: ';',
    created: 2,
    fields: 'firstName lastName email company phone customFields.Client_depuis',
    warnings: ['null encoding_judged', 'Client depuis date_order'],
    contacts: {
      'xf1@example.com': { firstName: 'Hélène', customFields: { Client_depuis: '2024-03-25' } },
      'xf2@example.com': { lastName: 'Bérenger', customFields: { Client_depuis: '2024-04-03' } },
    },
  },
  'excel-pl.csv': {
    encoding: 'windows-1250',
    delimiter: ';',
    created: 2,
    fields: 'firstName lastName email company jobTitle',
    warnings: ['null encoding_judged'],
    contacts: {
      'xp1@example.com': { firstName: 'Łukasz', lastName: 'Wiśniewski', jobTitle: 'Księgowy' },
      'xp2@example.com': { firstName: 'Małgorzata', lastName: 'Dąbrowska' },
    },
  },
  'excel-ja.csv': {
    encoding: 'shift_jis',
    created: 2,
    fields: 'lastName firstName email company phone',
    warnings: ['null encoding_judged'],
    contacts: { 'xj1@example.com': { firstName: '花子', lastName: '佐藤' } },
  },
  'excel-ru.csv': {
    encoding: 'windows-1251',
    delimiter: ';',
    created: 2,
    fields: 'firstName lastName email company',
    warnings: ['null encoding_judged'],
    contacts: { 'xr1@example.com': { firstName: 'Иван', lastName: 'Петров' } },
  },
  'excel-zh.csv': {
    encoding: 'gbk',
    created: 2,
    fields: 'lastName firstName email company phone',
    warnings: ['null encoding_judged'],
    contacts: { 'xz1@example.com': { firstName: '芳', lastName: '王' } },
  },
  'excel-us.csv': {
    created: 2,
    fields: 'email firstName lastName customFields.Member_since customFields.Active_customer',
    warnings: ['Member since date_order'],
    contacts: {
      'xu1@example.com': { customFields: { Member_since: '2024-03-04', Active_customer: true } },
      'xu2@example.com': { customFields: { Member_since: '2023-12-31', Active_customer: false } },
    },
  },
  'excel-unicode-text.txt': {
    encoding: 'utf-16le',
    delimiter: '\t',
    created: 1,
    fields: 'email firstName lastName company',
    contacts: { 'xt1@example.com': { firstName: 'Żaneta', lastName: 'Müller' } },
  },
  'excel-es.csv': {
    encoding: 'windows-1252',
    delimiter: ';',
    created: 1,
    fields: 'firstName lastName email company phone',
    warnings: ['null encoding_judged'],
    contacts: { 'xe1@example.com': { firstName: 'José', lastName: 'Muñoz Ibáñez' } },
  },
  'excel-pt.csv': {
    delimiter: ';',
    created: 1,
    fields: 'firstName lastName email company jobTitle',
    contacts: { 'xb1@example.com': { firstName: 'João', jobTitle: 'Gerente' } },
  },
  'addresses-alone.csv': {
    created: 2,
    duplicates: 1,
    fields: 'email',
    warnings: ['null no_header'],
    contacts: { 'AA1@example.com': { firstName: '', status: 'active' }, 'aa2@example.net': {} },
  },
  'addresses-with-header.csv': {
    created: 2,
    fields: 'email',
    contacts: { 'ah1@example.com': { status: 'active' }, 'ah2@example.org': {} },
  },
  'opt-outs-alone.csv': {
    created: 3,
    fields: 'email optedOut',
    contacts: {
      'oo1@example.com': { status: 'unsubscribed' },
      'oo2@example.com': { status: 'unsubscribed' },
      'oo3@example.com': { status: 'unsubscribed' },
    },
  },
  'contacts-app-multiline.csv': {
    created: 1,
    fields: 'firstName lastName email company',
    contacts: { 'ap1@example.com': { firstName: 'Ann Mary', company: { name: 'Juniper Works' } } },
  },
};

/** Files of which nothing can be imported, with the reason that is told. */
const FAILURES: Record<string, RegExp> = {
  'no-addresses.csv': /^the header has no email column: .*; found: "Kunde", "Ort", "Umsatz"$/,
  'addresses-in-wrong-column.csv': /^All 2 rows were rejected: "Email" .*\(invalid_email\)$/,
  'status-of-leads.csv': /^All 2 rows were rejected: "Status" must be active, .*mapping.*\(invalid_status\)$/,
};

const contactBy = async (email: string) =>
  (await service.api('GET', `/contacts?email=${encodeURIComponent(email)}`)).body.data[0];

test('every fixture has an outcome', async () => {
  const names = [...Object.keys(OUTCOMES), ...Object.keys(FAILURES)];
  assert.deepEqual((await readdir(FOLDER)).sort(), names.sort());
});

test.each(Object.keys(OUTCOMES))('%s is imported without a mapping', async (name) => {
  const expected = OUTCOMES[name]!;
  const file = await readFile(join(FOLDER, name));
  const job = await run(file);
  const warnings = job.warnings.map(({ code, column }: { code: string; column: string | null }) => `${column} ${code}`);
  assert.deepEqual(
    {
      status: job.status,
      encoding: job.encoding,
      delimiter: job.delimiter,
      created: job.created,
      duplicates: job.duplicates,
      rejected: job.rejected,
      fields: Object.values(job.mapping).join(' '),
      warnings,
    },
    {
      status: 'COMPLETED',
      encoding: expected.encoding ?? 'utf-8',
      delimiter: expected.delimiter ?? ',',
      created: expected.created,
      duplicates: expected.duplicates ?? 0,
      rejected: 0,
      fields: expected.fields,
      warnings: expected.warnings ?? [],
    },
  );
  for (const [email, values] of Object.entries(expected.contacts)) {
    const contact = await contactBy(email);
    assert.partialDeepStrictEqual(contact, { email, ...values });
    const suppressed = ['unsubscribed', 'bounced', 'complained'].includes(contact.status);
    const { body } = await service.api('GET', `/emails/suppressions?email=${encodeURIComponent(email)}`);
    assert.equal(body.data.length, suppressed ? 1 : 0, `${email} is ${contact.status}`);
  }
  const again = await run(file, { mapping: JSON.stringify(job.mapping) });
  assert.deepEqual([again.created, again.updated, again.rejected], [0, 0, 0], 'the second time changes nothing');
});

test.each(Object.keys(FAILURES))('%s imports nothing, and says why', async (name) => {
  const file = await readFile(join(FOLDER, name));
  const { status, body } = await upload(file);
  if (status === 400) {
    assert.match((body['errors'] as { message: string }[])[0]!.message, FAILURES[name]!);
    return;
  }
  const job = await run(file);
  assert.deepEqual([job.status, job.created, job.rejected], ['FAILED', 0, job.totalRows]);
  assert.match(job.error, FAILURES[name]!);
});
