import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import {
  OPTIONAL_FIELDS,
  OPTIONAL_NAMES,
  type OptionalFieldName,
} from '../../../domain/contact-values/optional-fields.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { importer } from './import-support.ts';

let service: Service;
let number = 0;
beforeAll(async () => {
  service = await startService({ worker: true });
});
afterAll(() => service.stop());

async function ok(...call: Parameters<Service['api']>): Promise<Answer['body']> {
  const answer = await service.api(...call);
  assert.ok(answer.status < 300, `${call[0]} ${call[1]}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** A value of each field; those of `other` differ where the normalisation of the field allows any text. */
const examples = Object.fromEntries(OPTIONAL_NAMES.map((name) => [name, OPTIONAL_FIELDS[name].example]));
const other = Object.fromEntries(
  OPTIONAL_NAMES.map((name) => {
    const value = { timezone: 'Asia/Tokyo', locale: 'ja-JP' }[name as string] ?? 'Other';
    assert.equal(OPTIONAL_FIELDS[name].normalise(value), value);
    return [name, value];
  }),
);
const none = Object.fromEntries(OPTIONAL_NAMES.map((name) => [name, null]));
const of = (contact: Record<string, unknown>) =>
  Object.fromEntries(OPTIONAL_NAMES.map((name) => [name, contact[name]]));

const fresh = () => ({ firstName: 'Ada', lastName: 'Byron', email: `optional${(number += 1)}@example.com` });
const get = async (id: number) => of(await ok('GET', `/contacts/${id}`));
const byEmail = async (email: string) =>
  (await ok('GET', `/contacts?email=${encodeURIComponent(email)}`)).data[0] as Record<string, unknown> & { id: number };

test('a contact is created, read, changed and cleared with every field', async () => {
  const made = await ok('POST', '/contacts', { ...fresh(), ...examples });
  assert.deepEqual([of(made), await get(made.id), of(await byEmail(made.email))], [examples, examples, examples]);
  assert.deepEqual(of(await ok('PUT', `/contacts/${made.id}`, other)), other);
  assert.deepEqual(of(await ok('PUT', `/contacts/${made.id}`, none)), none);
  assert.deepEqual(of(await ok('POST', '/contacts', fresh())), none);
});

test('a batch creates and updates every field', async () => {
  const [one, two] = [fresh(), fresh()];
  const contacts = async () => [of(await byEmail(one.email)), of(await byEmail(two.email))];
  await ok('POST', '/contacts/batch', { contacts: [{ ...one, ...examples }, two] });
  assert.deepEqual(await contacts(), [examples, none]);
  await ok('POST', '/contacts/batch', {
    contacts: [
      { email: one.email, ...other },
      { ...two, ...examples },
    ],
  });
  assert.deepEqual(await contacts(), [other, examples]);
});

test('an import creates and updates every field, its undo restores them, an export has them', async () => {
  const { run } = importer(service);
  const { email, firstName, lastName } = fresh();
  const file = (values: Record<string, string>) =>
    `firstName,lastName,email,${OPTIONAL_NAMES.join(',')}\n${firstName},${lastName},${email},${Object.values(values).join(',')}\n`;
  await run(file(examples));
  assert.deepEqual(of(await byEmail(email)), examples);
  const { id } = await run(file(other));
  assert.deepEqual(of(await byEmail(email)), other);
  await ok('POST', `/contacts/imports/${id}/undo`);
  await until('it is undone', async () => (await ok('GET', `/contacts/imports/${id}`)).status === 'UNDONE');
  assert.deepEqual(of(await byEmail(email)), examples);
  const exported = (await ok('GET', `/contacts/export?email=${encodeURIComponent(email)}`)) as unknown as string;
  assert.deepEqual(of(parse<Record<string, string>>(exported, { columns: true })[0]!), examples);
  assert.deepEqual(of(await ok('GET', `/contacts/export?format=ndjson&email=${encodeURIComponent(email)}`)), examples);
});

test('a merge fills every field that the target lacks', async () => {
  const source = await ok('POST', '/contacts', { ...fresh(), ...examples });
  const target = await ok('POST', '/contacts', fresh());
  await ok('POST', `/contacts/${target.id}/merge`, { sourceId: source.id });
  assert.deepEqual(await get(target.id), examples);
});

test('filters and templates read every field', async () => {
  const made = await ok('POST', '/contacts', { ...fresh(), ...examples });
  const conditions = OPTIONAL_NAMES.map((field) => ({ field, operator: 'eq', value: examples[field] }));
  const { count } = await ok('POST', '/contacts/segments/preview', {
    filter: { op: 'and', conditions: [{ field: 'id', operator: 'eq', value: made.id }, ...conditions] },
  });
  assert.equal(count, 1);
  const template = await ok('POST', '/emails/templates', {
    name: 'Optional fields',
    subject: 'Fields',
    content: OPTIONAL_NAMES.map((name) => `<p>${name}: {{${name}}}</p>`).join('\n'),
  });
  const { html } = await ok('POST', `/emails/templates/${template.id}/preview`, { contactId: made.id });
  for (const name of OPTIONAL_NAMES) assert.match(html, new RegExp(`${name}: ${examples[name]}`));
});

test('a form fills every field but the source, which is the form itself', async () => {
  const filled = OPTIONAL_NAMES.filter((name) => name !== 'source');
  const form = await ok('POST', '/forms', {
    name: 'Optional fields',
    fields: [
      { name: 'email', label: 'Email', type: 'email', required: true },
      ...filled.map((name) => ({ name: `f${name}`, label: name, type: 'text', mapTo: name })),
    ],
  });
  const { email } = fresh();
  const values = Object.fromEntries(filled.map((name: OptionalFieldName) => [`f${name}`, examples[name]]));
  await ok('POST', `/forms/${form.id}/submit`, { email, ...values }, { token: null });
  const contact = await byEmail(email);
  assert.deepEqual({ ...of(contact), source: null }, { ...examples, source: null });
  assert.equal(contact['source'], `form:${form.id}`);
});
