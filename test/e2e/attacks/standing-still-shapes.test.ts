import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { jsonShapes } from '../../support/attacks/body-shapes.ts';
import { PUBLIC_BYTES, startWatched, type Request, type Watched } from '../../support/attacks/standing-still.ts';

let watched: Watched;
beforeAll(async () => {
  watched = await startWatched();
});
afterAll(() => watched.stop());

test('every shape of JSON, up to every limit, is taken or refused without standing still', async () => {
  const to = (path: string, limit: number, wrap: (text: string) => string) =>
    Object.entries(jsonShapes).map(([what, shape]): Request => ({
      what,
      method: 'POST',
      path: `/api/v1${path}`,
      body: wrap(shape(limit - 100)),
      type: 'application/json',
      headers: { 'idempotency-key': what },
    }));
  await watched.check([
    ...to('/auth/login', PUBLIC_BYTES, (text) => `{"password":"x","username":${text}}`),
    ...to(`/forms/${watched.formId}/submit`, 300_000, (text) => `{"email":"a@example.com","a_textarea":${text}}`),
    ...to('/contacts/batch', 5_000_000, (text) => `{"contacts":${text}}`),
    ...to(
      '/contacts',
      5_000_000,
      (text) => `{"firstName":"A","lastName":"B","email":"a@example.com","customFields":${text}}`,
    ),
    ...to('/contacts/segments/preview', 5_000_000, (text) => `{"filter":${text}}`),
  ]);
});

test('headers and addresses of every shape are read without standing still', async () => {
  const units = [
    'a,',
    '"1",',
    'W/"1",',
    'text/html;q=0.1,',
    'en-a;q=0.5,',
    '*;q=0,',
    '1.1.1.1,',
    '[::ffff:1.1.1.1]:1,',
    '%',
    'a=b; ',
    'a=b&',
    'a&',
    '&',
    '%41',
    '%FF',
    '+',
    '[]=1&',
    '__proto__=1&',
    '"',
    '\\"',
    ';',
    '(',
    ' ,',
    ']',
  ];
  const names = [
    'accept',
    'accept-language',
    'if-none-match',
    'if-match',
    'x-forwarded-for',
    'cookie',
    'origin',
    'x-request-id',
    'authorization',
    'content-type',
    'user-agent',
    'idempotency-key',
    'traceparent',
  ];
  const long = (unit: string) => unit.repeat(14_000 / unit.length);
  const requests = units.flatMap((unit): Request[] => [
    ...names.map((name) => ({
      what: `${name}: ${unit}`,
      method: 'GET',
      path: name === 'if-match' ? '/api/v1/contacts/1' : `/api/v1/forms/${watched.formId}/page`,
      headers: { [name]: long(unit).trim() },
    })),
    ...['/contacts', '/contacts/search', '/forms/1/fields', '/emails/tracking/click/x', '/analytics/dashboard'].map(
      (path) => ({
        what: `?${unit}`,
        method: 'GET',
        path: `/api/v1${path}?${long(unit).replaceAll(/["\\ ]/g, encodeURIComponent)}`,
      }),
    ),
    {
      what: `cursor ${unit}`,
      method: 'GET',
      path: `/api/v1/contacts?cursor=${encodeURIComponent(unit.repeat(2_000 / unit.length))}`,
    },
    {
      what: `path ${unit}`,
      method: 'GET',
      path: `/api/v1/contacts/${encodeURIComponent(unit.repeat(4_000 / unit.length))}`,
    },
  ]);
  await watched.check(requests);
});

test('large requests that are as they should be are taken without standing still', async () => {
  const create = (path: string, body: object): Request => ({
    what: 'as it should be',
    method: 'POST',
    path: `/api/v1${path}`,
    body: JSON.stringify(body),
    type: 'application/json',
    headers: { 'idempotency-key': `large ${path}` },
  });
  for (let n = 0; n < 20; n += 1)
    await watched.service.api('POST', '/contacts/custom-fields', { entity: 'contact', name: `c${n}`, type: 'string' });
  const customFields = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`c${n}`, 'x'.repeat(100)]));
  const contacts = Array.from({ length: 1000 }, (_, n) => ({
    firstName: 'Ada',
    lastName: 'Byron',
    email: `large${n}@example.com`,
    phone: '+44 20 7946 0958',
    company: `Mill ${n % 10}`,
    tags: ['a', 'b', 'c'],
    timezone: 'Europe/Berlin',
    locale: 'de-AT',
    customFields,
  }));
  const ids = Array.from({ length: 10_000 }, (_, n) => n + 1);
  const fields = Array.from({ length: 100 }, (_, n) => ({
    name: n === 0 ? 'email' : `f${n}`,
    label: 'L',
    type: n === 0 ? 'email' : 'select',
    ...(n === 0 ? {} : { options: Array.from({ length: 50 }, (__, o) => ({ value: `v${o}`, label: `l${o}` })) }),
  }));
  const requests = [
    create('/contacts/batch', { contacts }),
    create('/contacts/lists', { name: 'Large', contactIds: ids }),
    create('/forms', { name: 'Large', fields }),
    create('/contacts/segments/preview', {
      filter: {
        op: 'or',
        conditions: Array.from({ length: 1000 }, (_, n) => ({
          field: 'email',
          operator: 'eq',
          value: `a${n}@example.com`,
        })),
      },
    }),
    create('/emails/templates', {
      name: 'Large',
      subject: 'S',
      content: `<p>${'Hello {{firstName}}. '.repeat(20_000)}</p>`,
    }),
  ];
  await watched.check(requests);
  assert.equal(await watched.send({ ...create('/contacts/batch', { contacts }), headers: {} }), 200);
});
