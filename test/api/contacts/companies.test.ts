import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { startService, type Answer, type Service } from '../../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const api = (...call: Parameters<Service['api']>): Promise<Answer> => service.api(...call);
const person = (n: number, fields: object) =>
  api('POST', '/contacts', { firstName: 'P', lastName: String(n), email: `p${n}@example.com`, ...fields });

test('a company is made, read, put back, changed and deleted; its contacts stay', async () => {
  const made = await api('POST', '/contacts/companies', {
    name: ' Example Ltd ',
    domain: 'example.com',
    industry: '',
    employeeCount: 40,
    customFields: {},
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const { id, createdAt: _c, updatedAt: _u, ...rest } = made.body;
  assert.deepEqual(rest, {
    name: 'Example Ltd',
    domain: 'example.com',
    industry: null,
    employeeCount: 40,
    address: null,
    customFields: {},
    tenantId: 'default',
    version: 1,
  });
  assert.equal(made.headers.get('location'), `/api/v1/contacts/companies/${id}`);
  assert.deepEqual((await api('GET', `/contacts/companies/${id}`)).body, made.body);
  assert.deepEqual((await api('PUT', `/contacts/companies/${id}`, made.body)).body, made.body);

  const put = await api(
    'PUT',
    `/contacts/companies/${id}`,
    { name: 'Example & Sons', domain: null },
    { headers: { 'if-match': '"1"' } },
  );
  assert.deepEqual(
    [put.body.name, put.body.domain, put.body.employeeCount, put.body.version],
    ['Example & Sons', null, 40, 2],
  );
  assert.equal(
    (await api('PUT', `/contacts/companies/${id}`, { name: 'X' }, { headers: { 'if-match': '"1"' } })).status,
    412,
  );
  const { body: contact } = await person(1, { company: 'EXAMPLE & SONS' });
  assert.equal(contact.companyId, id, 'found by its new name');
  await person(2, {});
  const members = await api('GET', `/contacts/companies/${id}/contacts`);
  assert.deepEqual(members.body.data, [contact]);

  assert.equal((await api('DELETE', `/contacts/companies/${id}`)).status, 204);
  assert.equal((await api('GET', `/contacts/companies/${id}`)).status, 404);
  assert.equal((await api('GET', `/contacts/companies/${id}/contacts`)).status, 404);
  const freed = (await api('GET', `/contacts/${contact.id}`)).body;
  assert.deepEqual([freed.company, freed.companyId, freed.version], [null, null, 2]);
});

test('bad companies are refused with every violation', async () => {
  const bad = await api('POST', '/contacts/companies', {
    name: ' ',
    industry: 'x'.repeat(101),
    employeeCount: -1,
    customFields: { size: 'L' },
    colour: 1,
  });
  assert.equal(bad.status, 400);
  assert.deepEqual(bad.body.errors.map((error: { path: string }) => error.path).sort(), [
    '/colour',
    '/customFields/size',
    '/employeeCount',
    '/industry',
    '/name',
  ]);
  const worse = await api('POST', '/contacts/companies', {
    name: ' ',
    domain: 'a\u0007b',
    customFields: { size: 'L' },
  });
  assert.deepEqual(
    worse.body.errors.map((error: { path: string; code: string }) => [error.path, error.code]),
    [
      ['/customFields/size', 'unknown_custom_field'],
      ['/name', 'required'],
      ['/domain', 'invalid_character'],
    ],
  );
  assert.equal((await api('PUT', '/contacts/companies/99999', { name: 'X' })).status, 404);
  assert.equal((await api('DELETE', '/contacts/companies/99999')).status, 404);
});

test('companies are listed by name and order', async () => {
  for (const name of ['Beta', 'alpha', 'Beta'])
    await api('POST', '/contacts/companies', { name, domain: `${name}.example.com` });
  const names = async (path: string) =>
    (await api('GET', path)).body.data.map((company: { name: string }) => company.name);
  assert.deepEqual((await names('/contacts/companies?sort=name')).slice(-3), ['Beta', 'Beta', 'alpha']);
  assert.deepEqual(await names('/contacts/companies?name=BETA'), ['Beta', 'Beta']);
  assert.deepEqual(await names('/contacts/companies?domain=alpha.example.com'), ['alpha']);
});

test('a company and its members move in segments together', async () => {
  const { body: company } = await api('POST', '/contacts/companies', { name: 'Growing', employeeCount: 5 });
  await person(11, { companyId: company.id });
  await person(12, {});
  const { body: segment } = await api('POST', '/contacts/segments', {
    name: 'Large',
    type: 'dynamic',
    filter: { field: 'company.employeeCount', operator: 'gte', value: 100 },
  });
  const count = async () => (await api('GET', `/contacts/segments/${segment.id}`)).body.count;
  assert.equal(await count(), 0);
  await api('PUT', `/contacts/companies/${company.id}`, { employeeCount: 100 });
  assert.equal(await count(), 1);
  await api('DELETE', `/contacts/companies/${company.id}`);
  assert.equal(await count(), 0);
});
