import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { rows, sql, tenantEm } from '../../../db/orm.ts';
import { makeContactToken, readContactToken } from '../../../domain/addresses/contact-token.ts';
import { startService, type Service } from '../../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({});
});
afterAll(() => service.stop());

const inTenant = <T>(query: Parameters<typeof rows>[1]) =>
  tenantEm(service.deps.orm, 'default').transactional((tx) => rows<T>(tx, query));
const call = async (method: string, path: string, status: number, body?: object) => {
  const answer = await service.api(method, path, body);
  assert.equal(answer.status, status, JSON.stringify(answer.body));
  return answer.body;
};
const TEXT = { name: 'Shipped', channel: 'sms', body: 'Hi {{firstName}}' };
const PUSH = { name: 'Shipped', channel: 'push', title: 'On its way', body: 'Hi {{firstName}}' };
const paths = (body: { errors: { path: string; code: string }[] }) => body.errors.map(({ path, code }) => [path, code]);

test('a template of text messages is made, read, listed, changed and deleted', async () => {
  const made = await call('POST', '/channels/templates', 201, TEXT);
  assert.deepEqual(
    { ...made, id: 0, createdAt: '', updatedAt: '' },
    {
      ...{
        ...TEXT,
        id: 0,
        category: 'marketing',
        topicId: null,
        title: null,
        url: null,
        iconUrl: null,
        imageUrl: null,
      },
      ...{ ttlSeconds: null, urgency: null, collapseKey: null, smartEncoding: true, contentVersion: 1 },
      ...{ tenantId: 'default', version: 1, createdAt: '', updatedAt: '' },
    },
  );
  const path = `/channels/templates/${made.id}`;
  assert.deepEqual(await call('GET', path, 200), made);
  const renamed = await call('PUT', path, 200, { ...made, name: 'Sent' });
  assert.deepEqual([renamed.contentVersion, renamed.version], [1, 2]);
  const changed = await call('PUT', path, 200, { body: 'Hello' });
  assert.deepEqual([changed.contentVersion, changed.body], [2, 'Hello']);
  await call('POST', '/channels/templates', 201, PUSH);
  const listed = await call('GET', '/channels/templates?channel=sms', 200);
  assert.deepEqual(listed.data, [changed]);
  await call('DELETE', path, 204);
  await call('GET', path, 404);
  await call('POST', '/channels/templates', 400, { ...TEXT, name: '' });
  const { data: log } = await call('GET', `/auth/audit-log?resourceType=channel_template&resourceId=${made.id}`, 200);
  const { name, channel, category, topicId } = made;
  assert.deepEqual(
    log.map(({ action, before, after }: Record<string, unknown>) => [action, before, after]),
    [
      ['channel_template.deleted', { name: 'Sent', channel, category, topicId, contentVersion: 2 }, null],
      ['channel_template.updated', { contentVersion: 1 }, { contentVersion: 2 }],
      ['channel_template.updated', { name }, { name: 'Sent' }],
      ['channel_template.created', null, { name, channel, category, topicId, contentVersion: 1 }],
    ],
  );
});

test('every mistake is named at once', async () => {
  const text = { ...TEXT, name: ' ', body: '{% if %}', title: 'no', url: 'x', ttlSeconds: 1, topicId: 99 };
  assert.deepEqual(paths(await call('POST', '/channels/templates', 400, text)).sort(), [
    ['/body', 'template_syntax'],
    ['/name', 'required'],
    ['/title', 'not_allowed'],
    ['/topicId', 'not_found'],
    ['/ttlSeconds', 'not_allowed'],
    ['/url', 'invalid_url'],
    ['/url', 'not_allowed'],
  ]);
  const urls = { url: 'javascript:alert(1)', iconUrl: '/icon.png', imageUrl: '{{ data.image }}' };
  assert.deepEqual(paths(await call('POST', '/channels/templates', 400, { ...PUSH, ...urls })), [
    ['/url', 'invalid_url'],
    ['/iconUrl', 'invalid_url'],
  ]);
  assert.deepEqual(paths(await call('POST', '/channels/templates', 400, { ...PUSH, title: '' })), [
    ['/title', 'required'],
  ]);
  const { id } = await call('POST', '/channels/templates', 201, TEXT);
  assert.deepEqual(paths(await call('PUT', `/channels/templates/${id}`, 400, { channel: 'push' })), [
    ['/channel', 'read_only'],
  ]);
});

test('eleven segments are too many; ten are not, nor is what Liquid may make shorter', async () => {
  const make = (body: string, status: number, more: object = {}) =>
    call('POST', '/channels/templates', status, { ...TEXT, body, ...more });
  await make('x'.repeat(1_530), 201);
  assert.equal((await make('x'.repeat(1_531), 422)).code, 'template_limit');
  await make('я'.repeat(670), 201);
  assert.equal((await make('я'.repeat(671), 422)).code, 'template_limit');
  await make(`${'x'.repeat(1_500)}{{ contact.firstName | append: "${'y'.repeat(100)}" }}`, 201);
  // Smart encoding makes it GSM-7.
  await make('’'.repeat(1_000), 201);
  assert.equal((await make('’'.repeat(1_000), 422, { smartEncoding: false })).code, 'template_limit');
});

test('of Liquid only what is unavoidable counts', async () => {
  const make = (body: string, status: number) => call('POST', '/channels/templates', status, { ...TEXT, body });
  const branches = `{% if firstName == 'A' %}${'a'.repeat(900)}{% else %}${'b'.repeat(900)}{% endif %}`;
  await make(branches, 201);
  // What comes after it may not be rendered.
  await make(`{% if firstName == 'A' %}{% break %}{% endif %}${'x'.repeat(1_600)}`, 201);
  // A URL becomes a short link, however long it is.
  await make(`https://example.com/${'x'.repeat(1_600)}`, 201);
  await make(`Hi {{firstName}}, ${'x'.repeat(1_600)}`, 422);
  await make(`${branches}${'x'.repeat(1_600)}`, 422);
});

test('a text that could never tell a new number how to opt out is refused, once the account says how', async () => {
  const ten = { ...TEXT, body: 'x'.repeat(1_530) };
  const { id } = await call('POST', '/channels/templates', 201, ten);
  const path = `/channels/templates/${id}`;
  await call('PUT', '/channels/settings', 200, { optOutText: 'Reply STOP to opt out' });
  assert.equal((await call('POST', '/channels/templates', 422, ten)).code, 'template_limit');
  const transactional = await call('POST', '/channels/templates', 201, { ...ten, category: 'transactional' });
  await call('PUT', `/channels/templates/${transactional.id}`, 422, { category: 'marketing' });
  // The one from before is not changed by a new name, and its preview shows that it is too long.
  const renamed = await call('PUT', path, 200, { ...(await call('GET', path, 200)), name: 'Too long' });
  assert.equal(renamed.name, 'Too long');
  assert.equal((await call('POST', `${path}/preview`, 200)).segments, 11);
  await call('PUT', path, 422, { body: `${'x'.repeat(1_529)}y` });
  await call('PUT', '/channels/settings', 200, { optOutText: null });
});

test('a push that cannot fit is refused; what its preview counts is what is encrypted', async () => {
  const make = (push: object, status: number) => call('POST', '/channels/templates', status, { ...PUSH, ...push });
  assert.equal((await make({ body: 'x'.repeat(4_500) }, 422)).code, 'template_limit');
  assert.equal((await make({ body: `Hi {{firstName}} ${'ü'.repeat(2_000)}` }, 422)).code, 'template_limit');
  await make({ body: `{% if firstName %}${'x'.repeat(4_500)}{% endif %}` }, 201);
  // The largest that fits, with a tag and a token of its own.
  const bytesOf = async (id: number): Promise<number> =>
    (await call('POST', `/channels/templates/${id}/preview`, 200)).bytes;
  const small = await make({ body: 'x' }, 201);
  const room = 3_993 - (await bytesOf(small.id)) + 1;
  assert.equal(await bytesOf((await make({ body: 'x'.repeat(room) }, 201)).id), 3_993);
  await make({ body: 'x'.repeat(room + 1) }, 422);
  await make({ body: 'x'.repeat(room), url: 'https://example.com/' }, 422);
  const { id } = await call('POST', '/channels/templates', 201, { ...PUSH, body: 'x'.repeat(100) });
  await call('PUT', `/channels/templates/${id}`, 422, { body: 'x'.repeat(4_000) });
  // The defaults of a site are encrypted too.
  const before = await bytesOf(small.id);
  const defaults = { iconUrl: 'https://www.example.com/i.png', defaultUrl: 'https://www.example.com/' };
  await call('POST', '/channels/push/sites', 201, {
    ...{ name: 'Site', origins: ['https://www.example.com'], subject: 'mailto:a@example.com' },
    ...defaults,
  });
  const added = JSON.stringify({ icon: defaults.iconUrl, url: defaults.defaultUrl }).length - 1;
  assert.equal(await bytesOf(small.id), before + added);
});

test('a preview shows the text of a contact, its encoding, its segments and why', async () => {
  const contact = await call('POST', '/contacts', 201, { email: 'zoe@example.com', firstName: 'Zoë', lastName: 'Ng' });
  const { id } = await call('POST', '/channels/templates', 201, {
    ...TEXT,
    body: 'Hi {{firstName}} 🎉 https://example.com/a',
  });
  const shown = await call('POST', `/channels/templates/${id}/preview`, 200, { contactId: contact.id });
  assert.match(shown.text, /^Hi Zoë 🎉 http.*\/r\/x{10}$/);
  assert.deepEqual([shown.encoding, shown.segments, shown.ucs2Because, shown.payload], ['UCS-2', 1, ['ë', '🎉'], null]);
  assert.equal(shown.bytes, Buffer.byteLength(shown.text));
  const push = await call('POST', '/channels/templates', 201, { ...PUSH, url: 'https://example.com/' });
  const payload = (await call('POST', `/channels/templates/${push.id}/preview`, 200)).payload;
  assert.deepEqual([payload.title, payload.body], ['On its way', 'Hi']);
  await call('POST', `/channels/templates/${id}/preview`, 404, { contactId: 99_999 });
});

test('a preview counts the token of a contact with its length, where it is no part of a URL', async () => {
  const contact = await call('POST', '/contacts', 201, { email: 'tok@example.com', firstName: 'Tok', lastName: 'En' });
  const { id } = await call('POST', '/channels/templates', 201, {
    ...{ ...TEXT, category: 'transactional' },
    body: `${'x'.repeat(100)}{{contactToken}} https://example.com/?contactToken={{contactToken}}`,
  });
  const shown = await call('POST', `/channels/templates/${id}/preview`, 200, { contactId: contact.id });
  const token = makeContactToken(service.deps.links, 'default', contact.id);
  const [text, link] = shown.text.split(' ');
  assert.equal(text.length, 100 + token.length);
  assert.match(link, /\/r\/x{10}$/);
  assert.deepEqual([shown.encoding, shown.segments], ['GSM-7', shown.characters > 160 ? 2 : 1]);
  // It stands for nobody.
  assert.equal(readContactToken(service.deps.links, text.slice(100), 'default'), null);
  const unknown = await call('POST', `/channels/templates/${id}/preview`, 200);
  assert.ok(unknown.text.length >= shown.text.length);
});

test('a preview of what could not be sent says why', async () => {
  const problemsOf = async (template: object): Promise<string[]> => {
    const { id } = await call('POST', '/channels/templates', 201, template);
    const { errors } = await call('POST', `/channels/templates/${id}/preview`, 400);
    return errors.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`);
  };
  assert.deepEqual(await problemsOf({ ...TEXT, body: '{{nickname}}' }), ['/body required']);
  assert.deepEqual(await problemsOf({ ...PUSH, title: '{{nickname}}', body: '{{nickname}}' }), ['/body required']);
  assert.deepEqual(
    await problemsOf({
      ...PUSH,
      url: 'ftp://{{nickname}}',
      iconUrl: 'https://example.com/',
      imageUrl: 'x{{nickname}}',
    }),
    ['/url invalid_url', '/imageUrl invalid_url'],
  );
});

test('a topic that a template names cannot be deleted', async () => {
  const topic = await call('POST', '/emails/topics', 201, { name: 'Offers' });
  const template = await call('POST', '/channels/templates', 201, { ...TEXT, topicId: topic.id });
  const refused = await call('DELETE', `/emails/topics/${topic.id}`, 409);
  assert.match(JSON.stringify(refused), new RegExp(`channel_template.*${template.id}`));
  await call('PUT', `/channels/templates/${template.id}`, 200, { topicId: null });
  await call('DELETE', `/emails/topics/${topic.id}`, 204);
});

test('a template that campaigns send, or that messages wait for, cannot be deleted', async () => {
  const make = async (): Promise<number> => (await call('POST', '/channels/templates', 201, TEXT)).id;
  const [step, branch, queued] = [await make(), await make(), await make()];
  const push = (await call('POST', '/channels/templates', 201, PUSH)).id;
  const steps = [
    { id: 'a', type: 'SMS', config: { templateId: step } },
    { id: 'b', type: 'PUSH', config: { templateId: push } },
    { id: 'c', type: 'MESSAGE', config: { templates: { email: queued, sms: branch }, order: ['email', 'sms'] } },
  ];
  const definition = JSON.stringify({ trigger: { type: 'MANUAL' }, steps, entry: {} });
  await inTenant(sql`insert into campaigns (tenant_id, name, status, trigger, steps, entry, published_version)
    values ('default', 'Journey', 'PAUSED', '{"type":"MANUAL"}', '[]', '{}', 1)`);
  await inTenant(
    sql`insert into campaign_versions (tenant_id, campaign_id, version, definition) select 'default', id, 1, ${definition}::jsonb from campaigns`,
  );
  await inTenant(sql`with message as (
      insert into messages (tenant_id, send_key, channel, category, template_id, to_address)
      values ('default', 'test/1', 'sms', 'marketing', ${queued}, '+4366412345678') returning id)
    insert into message_sends (tenant_id, message_id, type, lane) select 'default', id, 'sms', 'bulk' from message`);
  const refusal = async (id: number): Promise<string> => {
    const { code, errors } = await call('DELETE', `/channels/templates/${id}`, 409);
    assert.equal(code, 'in_use');
    return errors.map(({ message }: { message: string }) => message).join();
  };
  for (const id of [step, branch, push]) assert.match(await refusal(id), /^campaign \d+: Journey$/);
  assert.match(await refusal(queued), /^message \d+: sms \d+$/);
  await inTenant(sql`update campaigns set status = 'STOPPED'`);
  await inTenant(sql`update message_sends set status = 'SENT'`);
  for (const id of [step, branch, push, queued]) await call('DELETE', `/channels/templates/${id}`, 204);
});
