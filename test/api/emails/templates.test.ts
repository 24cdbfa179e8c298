import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { engineEm, rows, sql, tenantEm } from '../../../db/orm.ts';
import { TemplateCache } from '../../../domain/emails/message/template-cache.ts';
import { linksFrom } from '../../../domain/emails/rendering/link-settings.ts';
import { makeContact, makeTemplate } from '../../support/mail/emails.ts';
import { makeConfirmedSender } from '../../support/mail/senders.ts';
import { startService, type Service } from '../../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const inTenant = <T>(query: Parameters<typeof rows>[1]) =>
  tenantEm(service.deps.orm, 'default').transactional((tx) => rows<T>(tx, query));

test('a template has exactly the fields of the contract, and GET can be PUT back', async () => {
  const made = await service.api('POST', '/emails/templates', {
    name: 'Welcome',
    subject: 'Hi {{firstName}}',
    content: '<p>{{company}}</p>',
  });
  assert.equal(made.status, 201);
  assert.equal(made.headers.get('location'), `/api/v1/emails/templates/${made.body.id}`);
  const { createdAt, updatedAt, id, ...fields } = made.body;
  assert.deepEqual(fields, {
    name: 'Welcome',
    subject: 'Hi {{firstName}}',
    content: '<p>{{company}}</p>',
    text: null,
    previewText: null,
    category: 'marketing',
    topicId: null,
    fromName: null,
    fromEmail: null,
    replyTo: null,
    contentVersion: 1,
    tenantId: 'default',
    version: 1,
    warnings: [],
  });
  assert.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.match(updatedAt, /Z$/);
  const read = await service.api('GET', `/emails/templates/${id}`);
  assert.equal(read.headers.get('etag'), '"1"');
  const back = await service.api('PUT', `/emails/templates/${id}`, read.body);
  assert.equal(back.status, 200, JSON.stringify(back.body));
  assert.deepEqual(back.body, { ...read.body, warnings: [] });
});

test('a name is not content: only what is sent makes another content version, each of which is kept', async () => {
  const id = await makeTemplate(service, { name: 'A', subject: 's1', content: 'c1' });
  const renamed = await service.api('PUT', `/emails/templates/${id}`, { name: 'B' });
  assert.deepEqual([renamed.body.contentVersion, renamed.body.version], [1, 2]);
  const resubjected = await service.api('PUT', `/emails/templates/${id}`, { subject: 's2', previewText: '' });
  assert.deepEqual(
    [resubjected.body.contentVersion, resubjected.body.version, resubjected.body.previewText],
    [2, 3, null],
  );
  const same = await service.api('PUT', `/emails/templates/${id}`, { subject: 's2' });
  assert.equal(same.body.contentVersion, 2);
  await makeConfirmedSender(service, 'team@example.com');
  const resent = await service.api('PUT', `/emails/templates/${id}`, { fromEmail: 'team@example.com' });
  assert.equal(resent.body.contentVersion, 3);
  const versions = await inTenant(
    sql`select content_version, subject, content, from_email from email_template_versions where template_id = ${id} order by 1`,
  );
  assert.deepEqual(versions, [
    { content_version: 1, subject: 's1', content: 'c1', from_email: null },
    { content_version: 2, subject: 's2', content: 'c1', from_email: null },
    { content_version: 3, subject: 's2', content: 'c1', from_email: 'team@example.com' },
  ]);
});

test('a saved template says whether a sender may render its emails on its event loop: MJML by the HTML that is made of it', async () => {
  const LOOP = '{% for tag in tags %}{{ tag }}{% endfor %}';
  const mjml = (inside: string): string =>
    `<mjml><mj-body><mj-section><mj-column><mj-text>${inside}</mj-text></mj-column></mj-section></mj-body></mjml>`;
  const [simple, inText, ofMjml] = await Promise.all([
    makeTemplate(service, { content: '<p>Hello {{ firstName | default: "there" }}</p>' }),
    makeTemplate(service, { content: '<p>Hello</p>', text: LOOP }),
    makeTemplate(service, { content: mjml('Hello {{ firstName }}') }),
  ]);
  await service.api('PUT', `/emails/templates/${simple}`, { content: `<p>${LOOP}</p>` });
  await service.api('PUT', `/emails/templates/${ofMjml}`, { content: mjml(LOOP) });
  const wanted = [
    [simple, 1],
    [simple, 2],
    [inText, 1],
    [ofMjml, 1],
    [ofMjml, 2],
  ] as const;
  const versions = wanted.map(([templateId, contentVersion]) => ({ tenantId: 'default', templateId, contentVersion }));
  const links = linksFrom({ publicUrl: 'https://mail.example.com', linkSecret: service.deps.env.LINK_SECRET });
  const cache = new TemplateCache(() => ({ links, from: { name: null, address: 'team@example.com' } }));
  const load = await cache.load(engineEm(service.deps.orm), versions);
  assert.deepEqual(
    versions.map((version) => load(version).permit.limits(false) !== null),
    [true, false, false, true, false],
  );
  // One that an earlier release has stored, or judged by other rules, is judged with its first email.
  await inTenant(sql`update email_template_versions set judged = null where template_id = ${simple}`);
  await inTenant(
    sql`update email_template_versions set judged = jsonb_set(judged, '{rules}', '0') where template_id = ${ofMjml}`,
  );
  const again = await new TemplateCache(() => ({ links, from: { name: null, address: 'team@example.com' } })).load(
    engineEm(service.deps.orm),
    versions,
  );
  assert.deepEqual(
    versions.map((version) => again(version).permit.isJudged),
    [false, false, true, false, false],
  );
});

test('mistakes in Liquid are refused with their place, all at once, and nothing is saved', async () => {
  const before = (await service.api('GET', '/emails/templates?includeTotal=true')).body.page.total;
  const bad = await service.api('POST', '/emails/templates', {
    name: 'Bad',
    subject: '{{ firstName | shout }}',
    content: '<p>\n  {% if firstName %}</p>',
    text: '{% nosuch %}',
    replyTo: 'not an address',
  });
  assert.equal(bad.status, 400);
  assert.equal(bad.body.code, 'validation_failed');
  const found = new Map(bad.body.errors.map((error: { path: string; message: string }) => [error.path, error.message]));
  assert.deepEqual([...found.keys()].sort(), ['/content', '/replyTo', '/subject', '/text']);
  assert.match(String(found.get('/content')), /line 2, column 3/);
  assert.match(String(found.get('/subject')), /shout.*line 1, column 1/);
  const made = await makeTemplate(service);
  const worse = await service.api('PUT', `/emails/templates/${made}`, { content: '{{ x | }' });
  assert.equal(worse.status, 400);
  assert.equal((await service.api('GET', `/emails/templates/${made}`)).body.contentVersion, 1);
  assert.equal((await service.api('GET', '/emails/templates?includeTotal=true')).body.page.total, before + 1);
});

test('what takes too much is refused as over its limits', async () => {
  const huge = await service.api('POST', '/emails/templates', {
    name: 'Huge',
    subject: 's',
    content: '{% for i in (1..99999999) %}x{% endfor %}',
  });
  assert.equal(huge.status, 422);
  assert.equal(huge.body.code, 'template_limit');
});

test('read-only and unknown fields, stale versions and missing fields are refused', async () => {
  const id = await makeTemplate(service);
  const stale = await service.api('PUT', `/emails/templates/${id}`, { name: 'x' }, { headers: { 'if-match': '"7"' } });
  assert.equal(stale.status, 412);
  const readOnly = await service.api('PUT', `/emails/templates/${id}`, { contentVersion: 9 });
  assert.deepEqual([readOnly.status, readOnly.body.errors[0].code], [400, 'read_only']);
  const unknown = await service.api('PUT', `/emails/templates/${id}`, { html: 'x' });
  assert.deepEqual([unknown.status, unknown.body.errors[0].path], [400, '/html']);
  const empty = await service.api('POST', '/emails/templates', {});
  assert.deepEqual(empty.body.errors.map((error: { path: string }) => error.path).sort(), [
    '/content',
    '/name',
    '/subject',
  ]);
  assert.equal((await service.api('PUT', `/emails/templates/${id}`, { name: null })).status, 400);
  assert.equal((await service.api('GET', '/emails/templates/999999')).status, 404);
});

test('lists go by keyset, in either order', async () => {
  for (const name of ['kb', 'ka', 'kc']) await makeTemplate(service, { name, category: 'transactional' });
  const names: string[] = [];
  let cursor = '';
  do {
    const { body } = await service.api('GET', `/emails/templates?category=transactional&sort=name&limit=2${cursor}`);
    names.push(...body.data.map((template: { name: string }) => template.name));
    cursor = body.page.nextCursor ? `&cursor=${body.page.nextCursor}` : '';
  } while (cursor);
  assert.deepEqual(names, ['ka', 'kb', 'kc']);
});

test('a preview is what the contact would get, with nothing tracked and values escaped', async () => {
  const id = await makeTemplate(service, {
    subject: 'For {{firstName}}',
    content: '<p>{{firstName}} of {{company}}: <a href="https://example.com/">go</a> {{data.x}} {{missing}}</p>',
  });
  const contact = await makeContact(service, { firstName: '<b>Eve', company: 'Acme & Sons' });
  const preview = await service.api('POST', `/emails/templates/${id}/preview`, {
    contactId: contact.id,
    data: { x: '7' },
  });
  assert.equal(preview.status, 200, JSON.stringify(preview.body));
  assert.deepEqual(Object.keys(preview.body).sort(), ['html', 'subject', 'text', 'warnings']);
  assert.equal(preview.body.subject, 'For <b>Eve');
  assert.match(
    preview.body.html,
    /&lt;b&gt;Eve of Acme &amp; Sons: <a href="https:\/\/example\.com\/">go<\/a> 7 <\/p>/,
  );
  assert.doesNotMatch(preview.body.html, /tracking/);
  assert.match(preview.body.text, /<b>Eve of Acme & Sons/);
  assert.equal((await service.api('POST', `/emails/templates/${id}/preview`, { contactId: 999_999 })).status, 404);
  assert.equal((await service.api('POST', `/emails/templates/${id}/preview`)).status, 200);
});

test('a template that an active campaign uses can not be deleted; others can', async () => {
  const [used, free] = [await makeTemplate(service), await makeTemplate(service)];
  const definition = JSON.stringify({
    trigger: { type: 'MANUAL' },
    steps: [{ id: 'a', type: 'EMAIL', config: { templateId: used } }],
    entry: {},
  });
  await inTenant(sql`insert into campaigns (tenant_id, name, status, trigger, steps, entry, published_version)
    values ('default', 'Journey', 'PAUSED', '{"type":"MANUAL"}', '[]', '{}', 1)`);
  await inTenant(
    sql`insert into campaign_versions (tenant_id, campaign_id, version, definition) select 'default', id, 1, ${definition}::jsonb from campaigns`,
  );
  const refused = await service.api('DELETE', `/emails/templates/${used}`);
  assert.deepEqual([refused.status, refused.body.code], [409, 'in_use']);
  assert.match(refused.body.errors[0].message, /Journey/);
  assert.equal((await service.api('DELETE', `/emails/templates/${free}`)).status, 204);
  assert.equal((await service.api('GET', `/emails/templates/${free}`)).status, 404);
  await inTenant(sql`update campaigns set status = 'STOPPED'`);
  assert.equal((await service.api('DELETE', `/emails/templates/${used}`)).status, 204);
});

test('only who may read or write templates does', async () => {
  assert.equal((await service.api('GET', '/emails/templates', undefined, { token: null })).status, 401);
  assert.equal(
    (await service.api('POST', '/emails/templates', { name: 'x', subject: 'y', content: 'z' }, { token: null })).status,
    401,
  );
});

test('a template says something, and its names are one line', async () => {
  const refusedFor = async (fields: object) => {
    const answer = await service.api('POST', '/emails/templates', { name: 'N', subject: 's', content: 'c', ...fields });
    assert.equal(answer.status, 400, JSON.stringify(answer.body));
    return answer.body.errors.map((error: { path: string; code: string }) => `${error.path} ${error.code}`);
  };
  assert.deepEqual(await refusedFor({ content: ' \n\t ' }), ['/content required']);
  assert.deepEqual(await refusedFor({ name: '  ', subject: ' ' }), ['/name required', '/subject required']);
  assert.deepEqual(await refusedFor({ name: 'a\r\nb', fromName: 'Team\nBcc: x@example.com' }), [
    '/name invalid_character',
    '/fromName invalid_character',
  ]);
  const broken = await service.api('POST', '/emails/templates', {
    name: 'N',
    subject: 's',
    content: 'a\n{% if firstName %}{{ "a" | append }}{% endif %}',
  });
  assert.deepEqual(
    [broken.status, broken.body.errors],
    [400, [{ path: '/content', code: 'template_syntax', message: 'append expect 2 arguments (line 2, column 19)' }]],
  );
});

test('the times of a contact print as the API writes them, the contact itself prints nothing', async () => {
  const id = await makeTemplate(service, {
    content: '<p>[{{createdAt}}][{{contact.updatedAt}}][{{companyId}}][{{contact}}]</p>',
  });
  const contact = (await service.api('GET', `/contacts/${(await makeContact(service)).id}`)).body;
  const { html } = (await service.api('POST', `/emails/templates/${id}/preview`, { contactId: contact.id })).body;
  assert.ok(html.includes(`[${contact.createdAt}][${contact.updatedAt}][][]`), html);
});
