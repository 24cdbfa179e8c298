import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { engineEm, rows, sql } from '../../../db/orm.ts';
import { erasedKey } from '../../../domain/addresses/digest.ts';
import { collide, newTenant, outcome, problemsOf } from '../../support/accounts.ts';
import { makeContact, makeTemplate, send, startAs } from '../../support/mail/emails.ts';
import { startService, type Service } from '../../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const api = (...call: Parameters<Service['api']>) => service.api(...call);
const engine = <T>(query: Parameters<typeof rows>[1]) =>
  engineEm(service.deps.orm).transactional((tx) => rows<T>(tx, query));

let made = 0;
async function makeTopic(fields: object = {}) {
  const answer = await api('POST', '/emails/topics', { name: `Topic ${(made += 1)}`, ...fields });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body;
}
const refuse = (address: string, topicId: number, tenantId = 'default') =>
  engine(
    sql`insert into topic_opt_outs (tenant_id, address, topic_id) values (${tenantId}, ${address}, ${topicId}) on conflict do nothing`,
  );
const refusedBy = async (address: string) =>
  (
    await engine<{ topic_id: number }>(sql`select topic_id from topic_opt_outs where address = ${address} order by 1`)
  ).map((row) => row.topic_id);
async function sendTo(fields: object) {
  const { body } = await api('POST', '/emails/send', fields);
  const email = (await api('GET', `/emails/${body.emailId}`)).body;
  return [email.status, email.reason, body.emailId] as [string, string | null, number];
}

test('topics are made, read, listed, changed and deleted', async () => {
  const answer = await api('POST', '/emails/topics', { name: ' Product news ', description: '' });
  const { id, createdAt, updatedAt, ...shown } = answer.body;
  assert.equal(answer.status, 201);
  assert.deepEqual(shown, { name: 'Product news', description: null, tenantId: 'default', version: 1 });
  assert.ok(!Number.isNaN(Date.parse(createdAt)) && !Number.isNaN(Date.parse(updatedAt)));
  assert.equal(answer.headers.get('location'), `/api/v1/emails/topics/${id}`);

  const read = await api('GET', `/emails/topics/${id}`);
  assert.deepEqual([read.body, read.headers.get('etag')], [answer.body, '"1"']);
  assert.deepEqual((await api('PUT', `/emails/topics/${id}`, read.body)).body, read.body, 'put back as it was read');
  const changed = await api(
    'PUT',
    `/emails/topics/${id}`,
    { description: 'What is new,\nonce a month' },
    { headers: { 'if-match': '"1"' } },
  );
  assert.deepEqual(
    [changed.status, changed.body.name, changed.body.description, changed.body.version],
    [200, 'Product news', 'What is new,\nonce a month', 2],
  );
  assert.equal(
    (await api('PUT', `/emails/topics/${id}`, { name: 'x' }, { headers: { 'if-match': '"1"' } })).status,
    412,
  );
  assert.equal((await api('PUT', `/emails/topics/${id}`, { description: null })).body.description, null);

  const other = await makeTopic({ name: 'A first one' });
  const listed = await api('GET', '/emails/topics?sort=name&limit=1&includeTotal=true');
  assert.deepEqual(
    [listed.body.data.map((topic: { id: number }) => topic.id), listed.body.page.total, listed.body.page.hasMore],
    [[other.id], 2, true],
  );

  assert.deepEqual(
    outcome(await api('DELETE', `/emails/topics/${id}`, undefined, { headers: { 'if-match': '"1"' } })),
    [412, 'precondition_failed'],
  );
  await refuse('someone@example.org', id);
  assert.equal((await api('DELETE', `/emails/topics/${id}`)).status, 204);
  assert.deepEqual(await refusedBy('someone@example.org'), [], 'nobody refuses what is not there');
  for (const [method, body] of [
    ['GET', undefined],
    ['PUT', {}],
    ['DELETE', undefined],
  ] as const)
    assert.equal((await api(method, `/emails/topics/${id}`, body)).status, 404);
  const { body: log } = await api('GET', `/auth/audit-log?resourceType=email_topic&resourceId=${id}`);
  assert.deepEqual(
    log.data.map((entry: { action: string; before: object }) => [entry.action, entry.before]),
    [['email_topic.deleted', { name: 'Product news' }]],
  );
});

test('what is no topic is refused with its place; a name is there once in a tenant', async () => {
  const { id, name } = await makeTopic();
  for (const [body, problems] of [
    [{}, ['/name required']],
    [{ name: '   ' }, ['/name required']],
    [{ name: 'x'.repeat(101) }, ['/name too_long']],
    [{ name: 'two\nlines' }, ['/name invalid_character']],
    [{ name: 'x', description: 'y'.repeat(1001), colour: 'red' }, ['/colour unknown_field', '/description too_long']],
    [{ name: 'x', id: 7 }, ['/id read_only']],
  ] as const) {
    const answer = await api('POST', '/emails/topics', body);
    assert.deepEqual([answer.status, problemsOf(answer)], [400, problems], JSON.stringify(body));
  }
  assert.deepEqual(problemsOf(await api('PUT', `/emails/topics/${id}`, { name: null })), ['/name type']);
  for (const answer of [
    await api('POST', '/emails/topics', { name }),
    await api('PUT', `/emails/topics/${(await makeTopic()).id}`, { name }),
  ]) {
    assert.deepEqual([...outcome(answer), problemsOf(answer)], [409, 'name_taken', ['/name name_taken']]);
  }
});

test('a template names a topic, which then stays; another topic is no other content', async () => {
  const [one, two] = [await makeTopic(), await makeTopic()];
  const id = await makeTemplate(service, { topicId: one.id });
  const read = (await api('GET', `/emails/templates/${id}`)).body;
  assert.equal(read.topicId, one.id);
  const back = await api('PUT', `/emails/templates/${id}`, read);
  assert.deepEqual([back.status, back.body], [200, read]);

  const used = await api('DELETE', `/emails/topics/${one.id}`);
  assert.deepEqual([...outcome(used), used.body.errors[0].message], [409, 'in_use', `template ${id}: ${read.name}`]);
  const moved = await api('PUT', `/emails/templates/${id}`, { topicId: two.id });
  assert.deepEqual([moved.body.topicId, moved.body.contentVersion, moved.body.version], [two.id, 1, read.version + 1]);
  assert.equal((await api('DELETE', `/emails/topics/${one.id}`)).status, 204);
  assert.equal((await api('PUT', `/emails/templates/${id}`, { topicId: null })).body.topicId, null);
  assert.equal((await api('DELETE', `/emails/topics/${two.id}`)).status, 204);

  for (const answer of [
    await api('PUT', `/emails/templates/${id}`, { topicId: one.id, subject: '{{' }),
    await api('POST', '/emails/templates', { name: 'x', subject: '{{', content: 'x', topicId: one.id }),
  ]) {
    assert.equal(answer.status, 400);
    assert.ok(
      problemsOf(answer).includes('/topicId not_found') &&
        problemsOf(answer).some((problem) => problem.startsWith('/subject')),
      'with every other mistake',
    );
  }
});

test('a template and the end of its topic meet: one of them wins, and no template names what is gone', async () => {
  const topic = await makeTopic();
  const lock = `select 1 from email_topics where id = ${topic.id} for update`;
  const answers = await collide(service, lock, [
    () => api('POST', '/emails/templates', { name: 'x', subject: 'x', content: 'x', topicId: topic.id }),
    () => api('DELETE', `/emails/topics/${topic.id}`),
  ]);
  assert.ok(
    [
      [201, 409],
      [400, 204],
    ].some(([made, deleted]) => answers[0]!.status === made && answers[1]!.status === deleted),
    JSON.stringify(answers.map(outcome)),
  );
});

test('who switched a topic off gets no marketing mail about it, as a contact and at the bare address', async () => {
  const [topic, other] = [await makeTopic(), await makeTopic()];
  const about = await makeTemplate(service, { topicId: topic.id });
  const contact = await makeContact(service);
  await refuse(contact.email, topic.id);
  const bare = contact.email.toUpperCase();
  for (const [what, fields, expected] of [
    ['about it', { templateId: about, recipientId: contact.id }, ['SUPPRESSED', 'topic_off']],
    ['about it, to the address', { templateId: about, to: bare }, ['SUPPRESSED', 'topic_off']],
    [
      'about another',
      { templateId: await makeTemplate(service, { topicId: other.id }), recipientId: contact.id },
      ['QUEUED', null],
    ],
    ['about none', { templateId: await makeTemplate(service), to: bare }, ['QUEUED', null]],
    [
      'transactional',
      { templateId: await makeTemplate(service, { topicId: topic.id, category: 'transactional' }), to: bare },
      ['QUEUED', null],
    ],
    ['about it, to somebody else', { templateId: about, to: `x${contact.email}` }, ['QUEUED', null]],
  ] as const) {
    const [status, reason] = await sendTo(fields);
    assert.deepEqual([status, reason], expected, what);
  }
  // The choice outlives the contact, and holds for who comes anew.
  assert.equal((await api('DELETE', `/contacts/${contact.id}`)).status, 204);
  const anew = await makeContact(service, { email: contact.email });
  assert.equal((await sendTo({ templateId: about, recipientId: anew.id }))[1], 'topic_off');
  assert.equal((await sendTo({ templateId: about, to: bare }))[1], 'topic_off');
});

test('explain names the gate, of a mail that was held and of one that waits', async () => {
  const topic = await makeTopic();
  const templateId = await makeTemplate(service, { topicId: topic.id });
  const [early, late] = [await makeContact(service), await makeContact(service)];
  await refuse(early.email, topic.id);
  const [, , held] = await sendTo({ templateId, recipientId: early.id });
  const waiting = await send(service, { templateId, recipientId: late.id });
  const gatesOf = async (id: number) =>
    (await api('GET', `/emails/${id}/explain`)).body.gates.map(
      (gate: { gate: string; passed: boolean; reason: string | null }) => [gate.gate, gate.passed, gate.reason],
    );
  const passed = ['template', 'contact', 'status', 'suppression'].map((gate) => [gate, true, null]);
  assert.deepEqual(await gatesOf(held), [...passed, ['topic', false, 'topic_off']]);
  assert.deepEqual(await gatesOf(waiting), [
    ...passed,
    ['topic', true, null],
    ['sender', true, null],
    ['frequency_cap', true, null],
    ['priority', true, null],
    ['intake', false, 'waiting'],
  ]);
  await refuse(late.email, topic.id);
  assert.deepEqual(await gatesOf(waiting), [...passed, ['topic', false, 'topic_off'], ['intake', false, 'waiting']]);
});

test('a mail that was queued meets the gate when it is started, by the topic that its template has then', async () => {
  const [topic, other] = [await makeTopic(), await makeTopic()];
  const templateId = await makeTemplate(service, { topicId: topic.id });
  const people = [await makeContact(service), await makeContact(service)];
  const ids: number[] = [];
  for (const { id: recipientId } of people) ids.push(await send(service, { templateId, recipientId }));
  await refuse(people[0]!.email, topic.id);
  await refuse(people[1]!.email, other.id);
  const start = async (id: number) => {
    await engine(
      sql`update emails set holder = 'me', lease_until = now() + interval '1 minute', accepted_at = now() where id = ${id}`,
    );
    const [started] = await startAs(service, 'me', [
      {
        id,
        tenantId: 'default',
        batchId: null,
        contactVersion: 1,
        contentVersion: 1,
        linkCount: 0,
        fromKey: null,
        address: people[ids.indexOf(id)]!.email,
        isBareAddress: false,
        attempt: 0,
      },
    ]);
    return started!.status;
  };
  assert.equal(await start(ids[0]!), 'SUPPRESSED');
  assert.equal((await api('GET', `/emails/${ids[0]}`)).body.reason, 'topic_off');
  assert.equal((await api('PUT', `/emails/templates/${templateId}`, { topicId: other.id })).status, 200);
  assert.equal(await start(ids[1]!), 'SUPPRESSED');
});

test('what was switched off follows a contact to another address, and from one that is merged into it', async () => {
  const [one, two] = [await makeTopic(), await makeTopic()];
  const contact = await makeContact(service);
  await refuse(contact.email, one.id);
  const moved = `moved-${contact.email}`;
  assert.equal((await api('PUT', `/contacts/${contact.id}`, { email: moved })).status, 200);
  assert.deepEqual([await refusedBy(moved), await refusedBy(contact.email)], [[one.id], [one.id]]);

  const source = await makeContact(service);
  await refuse(source.email, one.id);
  await refuse(erasedKey('default', source.email), two.id);
  assert.equal((await api('POST', `/contacts/${contact.id}/merge`, { sourceId: source.id })).status, 200);
  assert.deepEqual(await refusedBy(moved), [one.id, two.id]);
  const { topicOptOuts } = (await api('GET', `/contacts/${contact.id}/data-export`)).body;
  assert.deepEqual(
    topicOptOuts.map(({ topicId, name }: { topicId: number; name: string }) => [topicId, name]),
    [
      [one.id, one.name],
      [two.id, two.name],
    ],
  );
});

test('an address that was erased is not written to about what it refused', async () => {
  const topic = await makeTopic();
  const templateId = await makeTemplate(service, { topicId: topic.id });
  await refuse(erasedKey('default', 'erased-reader@example.org'), topic.id);
  const contact = await makeContact(service, { email: 'erased-reader@example.org' });
  assert.equal((await sendTo({ templateId, recipientId: contact.id }))[1], 'topic_off');
  assert.equal((await sendTo({ templateId, to: 'Erased-Reader@example.org' }))[1], 'topic_off');
});

test('tenants are apart: the topics of another are unknown, and its choices hold for it alone', async () => {
  const mine = await makeTopic({ name: 'Both have it' });
  const them = await newTenant(service);
  const theirs = await api('POST', '/emails/topics', { name: 'Both have it' }, { token: them.token });
  assert.equal(theirs.status, 201);
  for (const [method, body] of [
    ['GET', undefined],
    ['PUT', { name: 'x' }],
    ['DELETE', undefined],
  ] as const) {
    assert.equal((await api(method, `/emails/topics/${mine.id}`, body, { token: them.token })).status, 404);
  }
  const answer = await api(
    'POST',
    '/emails/templates',
    { name: 'x', subject: 'x', content: 'x', topicId: mine.id },
    { token: them.token },
  );
  assert.deepEqual(problemsOf(answer), ['/topicId not_found']);
  await refuse('shared@example.org', theirs.body.id, them.user.tenantId as string);
  assert.equal(
    (await sendTo({ templateId: await makeTemplate(service, { topicId: mine.id }), to: 'shared@example.org' }))[0],
    'QUEUED',
  );
});
