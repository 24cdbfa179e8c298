import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, test } from '@jest/globals';
import { engineEm, rows, sql } from '../../../db/orm.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';
import { newMember } from '../../support/users.ts';
import { startVariant } from '../../support/variant.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const fields = [
  { name: 'email', label: 'Email', type: 'email', required: true },
  { name: 'firstName', label: 'First name', type: 'text' },
];

async function make(more: object = {}): Promise<Answer['body']> {
  const answer = await service.api('POST', '/forms', { name: 'Newsletter', fields, ...more });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body;
}
const refused = async (method: string, path: string, body: object): Promise<string[]> => {
  const answer = await service.api(method, path, body);
  assert.equal(answer.status, 400, JSON.stringify(answer.body));
  assert.match(answer.headers.get('content-type')!, /^application\/problem\+json/);
  return answer.body.errors.map((error: { path: string; code: string }) => `${error.path} ${error.code}`).sort();
};

test('a form is created, read, put back as it is, changed, listed and deleted', async () => {
  const answer = await service.api('POST', '/forms', { name: 'First', fields });
  assert.equal(answer.status, 201);
  const form = answer.body;
  assert.equal(answer.headers.get('location'), `/api/v1/forms/${form.id}`);
  const { id, createdAt, updatedAt, ...rest } = form;
  const empty = {
    placeholder: null,
    defaultValue: null,
    validationRegex: null,
    minLength: null,
    maxLength: null,
    min: null,
    max: null,
    options: null,
    mapTo: null,
    accept: null,
    maxBytes: null,
  };
  assert.deepEqual(rest, {
    name: 'First',
    description: null,
    status: 'ACTIVE',
    successMessage: null,
    redirectUrl: null,
    submitLabel: null,
    listId: null,
    allowedOrigins: [],
    updateExisting: 'fillEmpty',
    enableProgressiveProfiling: false,
    enableCaptcha: false,
    doubleOptIn: false,
    notifyEmails: [],
    progressiveFields: [],
    tenantId: 'default',
    version: 1,
    fields: [
      { id: 1, name: 'email', label: 'Email', type: 'email', required: true, displayOrder: 0, ...empty },
      { id: 2, name: 'firstName', label: 'First name', type: 'text', required: false, displayOrder: 1, ...empty },
    ],
  });
  assert.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const read = await service.api('GET', `/forms/${id}`);
  assert.deepEqual(read.body, form);
  assert.equal(read.headers.get('etag'), '"1"');

  const back = await service.api('PUT', `/forms/${id}`, form);
  assert.equal(back.status, 200, JSON.stringify(back.body));
  assert.deepEqual(back.body.fields, form.fields);
  const changed = await service.api('PUT', `/forms/${id}`, {
    description: 'About',
    successMessage: 'Thanks',
    status: 'DRAFT',
  });
  assert.deepEqual(
    [changed.body.description, changed.body.successMessage, changed.body.status, changed.body.name],
    ['About', 'Thanks', 'DRAFT', 'First'],
  );
  const cleared = await service.api('PUT', `/forms/${id}`, { description: null, successMessage: '' });
  assert.deepEqual([cleared.body.description, cleared.body.successMessage], [null, null]);
  assert.ok(cleared.body.version > changed.body.version);
  assert.ok(cleared.body.updatedAt >= updatedAt);

  const stale = await service.api('PUT', `/forms/${id}`, { name: 'Late' }, { headers: { 'if-match': '"1"' } });
  assert.equal(stale.status, 412);
  const drafts = await service.api('GET', '/forms?status=DRAFT&includeTotal=true');
  assert.deepEqual(
    drafts.body.data.map((one: { id: number }) => one.id),
    [id],
  );
  assert.equal(drafts.body.page.total, 1);

  assert.equal((await service.api('DELETE', `/forms/${id}`)).status, 204);
  assert.equal((await service.api('GET', `/forms/${id}`)).status, 404);
});

test('a field keeps its id when it is renamed, and the list of fields its order', async () => {
  const form = await make();
  const put = await service.api('PUT', `/forms/${form.id}`, {
    fields: [
      { ...form.fields[1], name: 'givenName', mapTo: 'firstName' },
      form.fields[0],
      { name: 'note', label: 'Note', type: 'textarea', displayOrder: -1 },
    ],
  });
  assert.deepEqual(
    put.body.fields.map((field: { id: number; name: string }) => [field.id, field.name]),
    [
      [3, 'note'],
      [1, 'email'],
      [2, 'givenName'],
    ],
  );
});

test('what is wrong is told all at once, by JSON Pointer', async () => {
  assert.deepEqual(
    await refused('POST', '/forms', { fields: [{ name: '1', type: 'nope' }], colour: 'red', status: 'LIVE' }),
    [
      '/colour unknown_field',
      '/fields/0/label required',
      '/fields/0/name format',
      '/fields/0/type enum',
      '/name required',
      '/status enum',
    ],
  );
  assert.deepEqual(await refused('POST', '/forms', { name: 'x', fields: [] }), ['/fields too_few']);
  assert.deepEqual(await refused('POST', '/forms', { name: 'x', fields: [fields[1]] }), ['/fields required']);
  assert.deepEqual(
    await refused('POST', '/forms', { name: 'x', fields: [{ name: 'email', label: 'E', type: 'checkbox' }] }),
    ['/fields/0/type enum'],
  );
  assert.deepEqual(
    await refused('POST', '/forms', {
      name: 'x',
      listId: 99_999,
      redirectUrl: 'javascript:alert(1)',
      allowedOrigins: [
        'https://example.com',
        'https://example.com/path',
        'example.com',
        'ftp://example.com',
        'https://a;b',
      ],
      fields: [
        ...fields,
        { name: 'email', label: 'Again', type: 'email' },
        { name: 'pick', label: 'Pick', type: 'select' },
        { name: 're', label: 'R', type: 'text', validationRegex: '(' },
      ],
    }),
    [
      '/allowedOrigins/1 format',
      '/allowedOrigins/2 format',
      '/allowedOrigins/3 format',
      '/allowedOrigins/4 format',
      '/fields/2/name duplicate',
      '/fields/3/options required',
      '/fields/4/validationRegex format',
      '/listId not_found',
      '/redirectUrl format',
    ],
  );
  for (const redirectUrl of [
    'http://[',
    'https://a b',
    '/thanks',
    'https://x;y/',
    'https://a@b.example',
    'https://a:b@c.example/',
  ])
    assert.deepEqual(await refused('POST', '/forms', { name: 'x', fields, redirectUrl }), ['/redirectUrl format']);
  const form = await make();
  assert.deepEqual(
    await refused('PUT', `/forms/${form.id}`, { version: 99, tenantId: 'other', fields: [{ ...fields[0], id: 42 }] }),
    ['/fields/0/id read_only', '/tenantId read_only', '/version read_only'],
  );
  assert.deepEqual(await refused('PUT', `/forms/${form.id}`, { fields: [{ ...fields[0], id: 42 }] }), [
    '/fields/0/id read_only',
  ]);
  assert.deepEqual(await refused('PUT', `/forms/${form.id}`, { fields: [fields[1]] }), ['/fields required']);
  const costly = Array.from({ length: 99 }, (_, n) => ({
    name: `t${n}`,
    label: 'T',
    type: 'textarea',
    maxLength: 10_000,
    validationRegex: '(\\pL{1,1000}|x)*y',
  }));
  assert.deepEqual(await refused('POST', '/forms', { name: 'x', fields: [fields[0], ...costly] }), [
    '/fields/1/validationRegex too_complex',
  ]);
  assert.equal((await service.api('GET', '/forms/0')).status, 400);
  assert.equal((await service.api('GET', '/forms/999999')).status, 404);
});

test('the embed code comes in three types', async () => {
  const form = await make({ name: 'A "quoted" <form>', fields: [{ name: 'email', label: '<b>&"', type: 'email' }] });
  const code = async (type: string) => (await service.api('GET', `/forms/${form.id}/embed?type=${type}`)).body;
  const url = `${service.url}/api/v1/forms/${form.id}`;
  const script = await code('javascript');
  assert.equal(script.type, 'javascript');
  const tag =
    /^<div data-perennial-form="(\d+)"><\/div>\n(<script src="([^"]+)" integrity="(sha384-[^"]+)" crossorigin="anonymous" defer><\/script>)$/;
  const [, id, element, src, integrity] = tag.exec(script.code as string) ?? [];
  assert.equal(id, String(form.id), script.code);
  assert.deepEqual((await service.api('GET', `/forms/${form.id}/embed`)).body, script);
  const frame = await code('iframe');
  assert.ok(
    frame.code.includes(`src="${url}/page"`) &&
      frame.code.endsWith(`</iframe>\n${element}`) &&
      frame.code.includes('title="A &quot;quoted&quot; &lt;form&gt;"'),
    frame.code,
  );
  const html = await code('html');
  assert.ok(
    html.code.includes(`action="${url}/submit"`) &&
      html.code.includes('&lt;b&gt;&amp;&quot;') &&
      !html.code.includes('_token'),
    html.code,
  );
  assert.match(html.code, /^<!-- In two steps: .* type=javascript takes one step, and is recommended\. -->\n<form /);
  // A page can have the plain HTML of several forms, whose ids must differ.
  assert.match(html.code, new RegExp(`<label for="f${form.id}-email">.*<input id="f${form.id}-email"`));
  assert.equal((await service.api('GET', `/forms/${form.id}/embed?type=flash`)).status, 400);
  assert.equal((await service.api('GET', `/forms/${form.id}/embed`, undefined, { token: null })).status, 401);

  const load = (address: string, encoding: string) => fetch(address, { headers: { 'accept-encoding': encoding } });
  const named = await load(src!, 'identity');
  const content = Buffer.from(await named.arrayBuffer());
  assert.equal(`sha384-${createHash('sha384').update(content).digest('base64')}`, integrity);
  assert.deepEqual(
    ['content-type', 'cache-control', 'access-control-allow-origin', 'cross-origin-resource-policy'].map((name) =>
      named.headers.get(name),
    ),
    ['text/javascript; charset=utf-8', 'public, max-age=31536000, immutable', '*', 'cross-origin'],
  );
  assert.match(named.headers.get('vary')!, /Accept-Encoding/);
  const gzipped = await load(src!, 'gzip');
  assert.equal(gzipped.headers.get('content-encoding'), 'gzip');
  assert.deepEqual(Buffer.from(await gzipped.arrayBuffer()), content);
  // Codes that were pasted before scripts had names of their own.
  const stable = await load(`${url}/script`, 'identity');
  assert.deepEqual(Buffer.from(await stable.arrayBuffer()), content);
  assert.equal(stable.headers.get('cache-control'), 'public, max-age=300');
  for (const name of ['form-0000000000000000.js', 'current', '..%2Fscript.ts', 'x'.repeat(100)])
    assert.equal((await fetch(`${service.url}/api/v1/forms/assets/${name}`)).status, 404, name);
});

test('the hosted page runs nothing that an editor typed', async () => {
  const evil = '"><script>alert(1)</script><img src=x onerror=alert(1)>\'';
  const options = [{ value: evil, label: evil }];
  const form = await make({
    name: evil,
    description: evil,
    submitLabel: evil,
    successMessage: evil,
    allowedOrigins: ['https://www.example.com'],
    redirectUrl: 'https://thanks.example.com/a?b',
    fields: ['text', 'textarea', 'select', 'multiselect', 'radio', 'checkbox', 'hidden', 'email'].map((type) => ({
      name: `f.${type}`,
      label: evil,
      type,
      placeholder: evil,
      defaultValue: evil,
      ...(/select|radio/.test(type) ? { options } : {}),
    })),
  });
  const page = await service.api('GET', `/forms/${form.id}/page?utm_source=x`, undefined, { token: null });
  assert.equal(page.status, 200);
  const pages = [
    page.body as string,
    (await service.api('GET', `/forms/${form.id}/embed?type=html`)).body.code as string,
  ];
  // Prefilled by what a visitor sent, with their errors.
  const sent = await service.api(
    'POST',
    `/forms/${form.id}/submit`,
    new URLSearchParams({ 'f.text': `${evil}visitor`, 'f.email': evil }),
    { token: null, headers: { accept: 'text/html' } },
  );
  assert.match(sent.body, /visitor/);
  pages.push(sent.body);
  for (const html of pages) {
    // The hosted page has our script, and the form as data for it, of which nothing ends the element.
    const rest = html
      .replace(
        /<script src="[^"]+\/forms\/assets\/form-\w+\.js" integrity="[^"]+" crossorigin="anonymous" defer><\/script>/,
        '',
      )
      .replace(/<script type="application\/json" data-definition>([^<]*)<\/script>/, (_, data: string) => {
        assert.equal(JSON.parse(data).fields[0].label, evil);
        return '';
      });
    assert.doesNotMatch(rest, /<script|<img/);
    assert.match(rest, /&lt;script&gt;/);
  }
  const policy = page.headers.get('content-security-policy')!;
  assert.match(policy, /default-src 'none'/);
  assert.match(policy, /frame-ancestors https:\/\/www\.example\.com(;|$)/);
  assert.match(policy, /form-action 'self' https:\/\/thanks\.example\.com;/);
  assert.match(
    policy,
    /; script-src http:\/\/[\w.:]+\/api\/v1\/forms\/assets\/form-\w+\.js; connect-src http:\/\/[\w.:]+$/,
  );
  assert.equal(page.headers.get('x-frame-options'), null);
  assert.equal(page.headers.get('cache-control'), 'no-store');
  assert.notEqual(page.headers.get('referrer-policy'), 'no-referrer', 'a browser would post it with Origin: null');
});

test('the hosted page is in the language of its visitor, and its answers too', async () => {
  const form = await make({ fields: [...fields, { name: 'seats', label: 'Seats', type: 'number', max: 3 }] });
  const get = async (language: string) => {
    const page = await fetch(`${service.url}/api/v1/forms/${form.id}/page`, {
      headers: { 'accept-language': language },
    });
    assert.match(page.headers.get('vary')!, /accept-language/i);
    return { language: page.headers.get('content-language'), html: await page.text() };
  };
  const polish = await get('pl-PL, en;q=0.5');
  assert.equal(polish.language, 'pl');
  assert.match(polish.html, /<html lang="pl">[^]*<button type="submit">Wyślij<\/button>/);
  assert.equal((await get('ja')).language, 'en');

  const post = (body: object) =>
    service.api('POST', `/forms/${form.id}/submit`, new URLSearchParams({ ...body, _token: token }), {
      token: null,
      headers: { accept: 'text/html', 'accept-language': 'fr' },
    });
  const token = /name="_token" value="([^"]+)"/.exec(polish.html)![1]!;
  const wrong = await post({ email: 'lang@example.com', seats: '4' });
  assert.equal(wrong.status, 422);
  assert.match(wrong.body, /<a href="#f\d+-seats">Seats: est supérieur à 3<\/a>/);
  assert.match((await post({ email: 'lang@example.com', seats: '3' })).body, /<html lang="fr">[^]*Merci\./);
});

test('fields that were stored before there were ranges have none', async () => {
  const form = await make({ fields: [...fields, { name: 'seats', label: 'Seats', type: 'number' }] });
  await engineEm(service.deps.orm).transactional((tx) =>
    rows(
      tx,
      sql`update forms set fields = (select jsonb_agg(field - 'min' - 'max') from jsonb_array_elements(fields) field) where id = ${form.id}`,
    ),
  );
  const read = (await service.api('GET', `/forms/${form.id}`)).body;
  assert.deepEqual(read.fields, form.fields);
  assert.equal((await service.api('PUT', `/forms/${form.id}`, read)).status, 200);
  const shown = (await service.api('GET', `/forms/${form.id}/fields`, undefined, { token: null })).body.fields;
  assert.deepEqual([shown[2].min, shown[2].max], [null, null]);
  const answer = await service.api(
    'POST',
    `/forms/${form.id}/submit`,
    { email: 'old@example.com', seats: 7 },
    { token: null },
  );
  assert.equal(answer.status, 200);
});

test('views and submissions make the statistics', async () => {
  const form = await make();
  const path = `/forms/${form.id}`;
  assert.deepEqual((await service.api('GET', `${path}/stats`)).body, {
    views: 0,
    submissions: 0,
    conversionRate: 0,
    abandonment: [],
    series: [],
  });
  for (const view of ['page', 'page', 'fields', 'fields'])
    await service.api('GET', `${path}/${view}`, undefined, { token: null });
  await service.api('HEAD', `${path}/page`, undefined, { token: null });
  await service.api('GET', `${path}/token`, undefined, { token: null });
  assert.equal(
    (await service.api('POST', `${path}/submit`, { email: 'stats@example.com' }, { token: null })).status,
    200,
  );
  assert.equal((await service.api('POST', `${path}/submit`, { email: 'wrong' }, { token: null })).status, 422);
  const { series, ...figures } = (await service.api('GET', `${path}/stats`)).body;
  assert.deepEqual(figures, { views: 4, submissions: 1, conversionRate: 0.25, abandonment: [] });
  assert.deepEqual(series, [
    { at: `${new Date().toISOString().slice(0, 10)}T00:00:00.000Z`, views: 4, submissions: 1 },
  ]);
});

test('another tenant sees no form, submission or figure, and can not change one', async () => {
  const form = await make();
  const variant = await startVariant(service, { ENABLE_MULTI_TENANT: true });
  try {
    const { token, user } = await newMember(variant.api);
    assert.notEqual(user.tenantId, 'default');
    const call = (method: string, path: string, body?: object) =>
      variant.api(method, `/forms/${form.id}${path}`, body, { token });
    for (const path of ['', '/embed', '/stats', '/submissions'])
      assert.equal((await call('GET', path)).status, 404, path);
    assert.equal((await call('PUT', '', { name: 'Mine' })).status, 404);
    assert.equal((await call('DELETE', '')).status, 404);
    assert.deepEqual((await variant.api('GET', '/forms', undefined, { token })).body.data, []);
    const list = await service.api('POST', '/contacts/lists', { name: 'Ours' });
    const other = await variant.api('POST', '/forms', { name: 'x', fields, listId: list.body.id }, { token });
    assert.deepEqual(
      other.body.errors.map((error: { path: string }) => error.path),
      ['/listId'],
    );
  } finally {
    await variant.stop();
  }
});

test('what is not ACTIVE is not there for the public', async () => {
  const form = await make({ status: 'DRAFT' });
  for (const path of ['page', 'fields', 'token', 'script'])
    assert.equal((await service.api('GET', `/forms/${form.id}/${path}`, undefined, { token: null })).status, 404, path);
  assert.equal(
    (await service.api('POST', `/forms/${form.id}/submit`, { email: 'x@example.com' }, { token: null })).status,
    404,
  );
});

test('what a form does besides storing is off by default; null is the default of what always has a value', async () => {
  const defaults = {
    enableProgressiveProfiling: false,
    enableCaptcha: false,
    doubleOptIn: false,
    notifyEmails: [],
    progressiveFields: [],
  };
  const form = await make({ ...defaults, allowedOrigins: ['https://www.example.com'], updateExisting: 'overwrite' });
  assert.equal((await service.api('PUT', `/forms/${form.id}`, defaults)).status, 200);
  const wrong = {
    name: 'x',
    fields,
    enableCaptcha: 'yes',
    notifyEmails: ['a@example.com', 'nobody'],
    progressiveFields: ['nothing', 'email', 'firstName', 'firstName'],
  };
  assert.deepEqual(await refused('POST', '/forms', wrong), [
    '/enableCaptcha type',
    '/notifyEmails/1 invalid_email',
    '/progressiveFields/0 not_found',
    '/progressiveFields/1 conflict',
    '/progressiveFields/3 duplicate',
  ]);
  const cleared = await service.api('PUT', `/forms/${form.id}`, { allowedOrigins: null, updateExisting: null });
  assert.deepEqual([cleared.status, cleared.body.allowedOrigins, cleared.body.updateExisting], [200, [], 'fillEmpty']);
  assert.deepEqual((await make({ allowedOrigins: null })).allowedOrigins, []);
});

test('the field for the address is required wherever the form is shown', async () => {
  const form = await make({ fields: [{ name: 'address', label: 'Address', type: 'email', required: false }] });
  assert.equal(form.fields[0].required, true);
  const get = async (path: string) =>
    (await service.api('GET', `/forms/${form.id}/${path}`, undefined, { token: null })).body;
  assert.equal((await get('fields')).fields[0].required, true);
  assert.match(await get('page'), /<input [^>]*name="address"[^>]* required/);
});

test('a form is opened again only while its list is there', async () => {
  const list = (await service.api('POST', '/contacts/lists', { name: 'Readers' })).body.id as number;
  const form = await make({ listId: list });
  assert.equal((await service.api('PUT', `/forms/${form.id}`, { status: 'ARCHIVED' })).status, 200);
  const used = await service.api('DELETE', `/contacts/lists/${list}`);
  assert.deepEqual([used.status, used.body.errors[0].message], [409, `form ${form.id}: Newsletter`]);
  // Behind the service's back.
  await engineEm(service.deps.orm).transactional((tx) => rows(tx, sql`delete from segments where id = ${list}`));
  assert.deepEqual(await refused('PUT', `/forms/${form.id}`, { status: 'ACTIVE' }), ['/listId not_found']);
  assert.equal((await service.api('PUT', `/forms/${form.id}`, { status: 'ACTIVE', listId: null })).status, 200);
});

test('the conversion rate is a fraction, whoever submits without having looked', async () => {
  const form = await make();
  await service.api('GET', `/forms/${form.id}/page`, undefined, { token: null });
  for (let n = 0; n < 3; n += 1)
    await service.api('POST', `/forms/${form.id}/submit`, { email: `rate${n}@example.com` }, { token: null });
  const { views, submissions, conversionRate } = (await service.api('GET', `/forms/${form.id}/stats`)).body;
  assert.deepEqual([views, submissions, conversionRate], [1, 3, 1]);
});

test('a custom field of contacts can be filled while it is defined, and is while a form fills it', async () => {
  const define = async (more: object): Promise<number> =>
    (await service.api('POST', '/contacts/custom-fields', { entity: 'contact', type: 'number', ...more })).body.id;
  // The longest name that there can be.
  const name = `s${'x'.repeat(99)}`;
  const id = await define({ name });
  await define({ name: 'seats', entity: 'company' });
  const filling = (...targets: string[]) => [
    fields[0],
    ...targets.map((mapTo, n) => ({ name: `f${n}`, label: 'F', type: 'number', mapTo })),
  ];
  const form = await make({ name: 'Shoes', fields: filling(`customFields.${name}`) });
  assert.equal(form.fields[1].mapTo, `customFields.${name}`);
  const wrong = filling(
    'customFields.nothing',
    'customFields.seats',
    `customFields.${name}`,
    `customFields.${name}`,
    'customFields',
  );
  const problems = [
    '/fields/1/mapTo unknown_custom_field',
    '/fields/2/mapTo unknown_custom_field',
    '/fields/4/mapTo duplicate',
    '/fields/5/mapTo enum',
  ];
  assert.deepEqual(await refused('POST', '/forms', { name: 'x', fields: wrong }), problems);
  assert.deepEqual(await refused('PUT', `/forms/${form.id}`, { fields: wrong }), problems);

  assert.equal((await service.api('PUT', `/forms/${form.id}`, { status: 'ARCHIVED' })).status, 200);
  const used = await service.api('DELETE', `/contacts/custom-fields/${id}`);
  assert.deepEqual(
    [used.status, used.body.code, used.body.errors[0].message],
    [409, 'in_use', `form ${form.id}: Shoes`],
  );
  assert.equal((await service.api('PUT', `/forms/${form.id}`, { fields: filling() })).status, 200);
  assert.equal((await service.api('DELETE', `/contacts/custom-fields/${id}`)).status, 204);
  assert.deepEqual(await refused('PUT', `/forms/${form.id}`, { fields: filling(`customFields.${name}`) }), [
    '/fields/1/mapTo unknown_custom_field',
  ]);
});

test('a form that nobody could submit is refused, and the violations say which field and why', async () => {
  const define = (name: string, more: object) =>
    service.api('POST', '/contacts/custom-fields', { entity: 'contact', name, ...more });
  await define('tier', { type: 'enum', options: ['basic', 'plus'] });
  await define('since', { type: 'date' });
  const unfit = [
    fields[0],
    { name: 'wantsPlus', label: 'Plus', type: 'checkbox', mapTo: 'customFields.tier' },
    { name: 'began', label: 'Since', type: 'datetime', mapTo: 'customFields.since' },
    {
      name: 'timezone',
      label: 'Where',
      type: 'select',
      options: ['Europe/Paris', 'Paris'].map((value) => ({ value, label: value })),
    },
  ];
  const answer = await service.api('POST', '/forms', { name: 'x', fields: unfit });
  assert.equal(answer.status, 400);
  assert.deepEqual(
    answer.body.errors.map(({ path, message }: { path: string; message: string }) => [path, message]),
    [
      [
        '/fields/1/mapTo',
        'nobody could submit the form: the field wantsPlus fills customFields.tier (enum), which must be one of basic, plus, and the type checkbox sends true or false',
      ],
      [
        '/fields/2/mapTo',
        'nobody could submit the form: the field began fills customFields.since (date), which must be a date such as 2025-12-31, and the type datetime has no value that it takes',
      ],
      [
        '/fields/3/options/1/value',
        'nobody could choose it: the field timezone fills timezone, which must be an IANA time zone such as Europe/Berlin',
      ],
    ],
  );
  const { id } = await make();
  assert.deepEqual(await refused('PUT', `/forms/${id}`, { fields: unfit }), [
    '/fields/1/mapTo not_allowed',
    '/fields/2/mapTo not_allowed',
    '/fields/3/options/1/value not_allowed',
  ]);
});
