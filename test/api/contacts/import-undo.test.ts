import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { rows, sql, tenantEm } from '../../../db/orm.ts';
import { CHUNK_ROWS } from '../../../domain/contacts/import/csv/read-csv.ts';
import { undoNextChunk } from '../../../domain/contacts/import/undo-import.ts';
import { holding, waiting } from '../../support/accounts.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { importer } from './import-support.ts';

let service: Service;
let { run, upload, finished } = {} as ReturnType<typeof importer>;
beforeAll(async () => {
  service = await startService({ worker: ['temporal', 'relay', 'intake', 'consumers'] });
  ({ run, upload, finished } = importer(service));
});
afterAll(() => service.stop());

const query = <T>(statement: Parameters<typeof rows>[1]) =>
  tenantEm(service.deps.orm, 'default').transactional((tx) => rows<T>(tx, statement));
const contactBy = async (email: string) =>
  (await service.api('GET', `/contacts?email=${encodeURIComponent(email)}`)).body.data[0];

async function undo(id: number) {
  const answer = await service.api('POST', `/contacts/imports/${id}/undo`);
  assert.deepEqual(
    [answer.status, answer.headers.get('location')],
    [202, `/api/v1/contacts/imports/${id}`],
    JSON.stringify(answer.body),
  );
  assert.deepEqual(answer.body.undo, { removed: 0, restored: 0, kept: 0 });
  return until(
    'the import is undone',
    async () => {
      const { body } = await service.api('GET', `/contacts/imports/${id}`);
      return body.status === 'UNDONE' && body;
    },
    120_000,
  );
}

/** All that an import can leave behind, version and time of change apart. */
const state = () =>
  query(sql`
  select 'contact' as what, (to_jsonb(c) - 'version' - 'updated_at')::text as is from contacts c
  union all select 'company', (to_jsonb(c))::text from companies c
  union all select 'suppression', (to_jsonb(s))::text from suppressions s
  union all select 'member', (to_jsonb(m))::text from segment_members m join segments s on s.id = m.segment_id and s.type = 'static'
  order by 1, 2`);

test('an import over people who were there is undone: the new are gone, the old as before, what it made beside them too', async () => {
  await query(
    sql`insert into custom_fields (tenant_id, entity, name, type) values ('default', 'contact', 'shoe', 'number') on conflict do nothing`,
  );
  const old = [
    'firstName,lastName,email,phone,jobTitle,company,tags,shoe,timezone',
    'Ann,Old,ann@example.com,+44 20 7946 0958,Miller,Old Mills,a;b,38,Europe/London',
    'Ben,Old,ben@example.com,,,,,,',
    'Cy,Old,cy@example.com,,,Old Mills,,,',
  ];
  await run(old.join('\n'));
  const { body: list } = await service.api('POST', '/contacts/lists', { name: 'Imported' });
  await service.api('POST', `/contacts/lists/${list.id}/contacts`, {
    contactIds: [(await contactBy('cy@example.com')).id],
  });
  const before = await state();
  const filler = Array.from(
    { length: 10_050 },
    (_, n) =>
      `N${n},New,new${n}@example.com,,,${n % 100 === 0 ? 'Fresh Ltd' : ''},,,,${n % 50 === 0 ? 'unsubscribed' : ''}`,
  );
  const file = [
    'firstName,lastName,email,phone,jobTitle,company,tags,shoe,timezone,status',
    'Anna,Newer,ANN@example.com,123,"Owner, ""and"" baker",Fresh Ltd,c,39,Europe/Berlin,',
    ...filler,
    'Ben,Old,ben@example.com,+49 30 123456,,,x,40,,unsubscribed',
    'Cy,Old,cy@example.com,,,,,,,',
    ',,nobody,,,,,,,',
  ].join('\n');
  const job = await run(file, { listId: String(list.id) });
  assert.deepEqual([job.created, job.updated, job.unchanged, job.rejected, job.undo], [10_050, 2, 1, 1, null]);
  const undone = await undo(job.id);
  assert.deepEqual(undone.undo, { removed: 10_050, restored: 2, kept: 0 });
  assert.deepEqual(await state(), before);
  assert.deepEqual([(await contactBy('ann@example.com')).version, (await contactBy('cy@example.com')).version], [3, 1]);
  assert.deepEqual((await service.api('GET', `/contacts/imports/${job.id}/kept`)).body.data, []);
  const again = await service.api('POST', `/contacts/imports/${job.id}/undo`);
  assert.deepEqual([again.status, again.body.code], [409, 'conflict']);
  const leavers = await until('who left the list and stays has left with an event', async () => {
    const found = await query<{ email: string }>(sql`
      select c.email from contact_activities a join contacts c on c.id = a.contact_id where a.type = 'SEGMENT_LEFT' and (a.data ->> 'segmentId')::bigint = ${list.id} order by 1`);
    return found.length === 2 && found;
  });
  assert.deepEqual(
    leavers.map(({ email }) => email),
    ['ann@example.com', 'ben@example.com'],
  );
  assert.equal((await run(file, { listId: String(list.id) })).created, 10_050, 'it can be imported again');
});

test('who leaves a list while an import adds them to it leaves and comes, and does not come before; an undo takes them out', async () => {
  await run('firstName,lastName,email,phone\nFirst,Old,first@example.com,1\nLeaves,Old,leaves@example.com,1\n');
  const { id: contactId } = await contactBy('leaves@example.com');
  const { body: list } = await service.api('POST', '/contacts/lists', { name: 'Leaving' });
  const { status: added } = await service.api('POST', `/contacts/lists/${list.id}/contacts`, {
    contactIds: [contactId],
  });
  assert.equal(added, 200);
  const file = 'firstName,lastName,email,phone\nFirst,Old,first@example.com,2\nLeaves,Old,leaves@example.com,1\n';
  const job = await holding(
    service,
    `select 1 from contacts where email = 'first@example.com' for update`,
    async (client) => {
      const { body } = await upload(file, { listId: String(list.id) });
      await until('the import waits for a contact', async () => (await waiting(client)) > 0);
      const path = `/contacts/lists/${list.id}/contacts/remove`;
      assert.equal((await service.api('POST', path, { contactIds: [contactId] })).body.removed, 1);
      await client.query('commit');
      return finished(body.id);
    },
  );
  assert.equal(job.status, 'COMPLETED');
  const [times] = await query<{ added_at: Date; left_at: Date }>(sql`
    select m.added_at, p.left_at from segment_members m join segment_past_members p on p.segment_id = m.segment_id and p.contact_id = m.contact_id
    where m.segment_id = ${list.id} and m.contact_id = ${contactId}`);
  assert.ok(times!.added_at >= times!.left_at, JSON.stringify(times));
  await undo(job.id);
  assert.deepEqual((await service.api('GET', `/contacts/segments/${list.id}/contacts`)).body.data, []);
});

test('segments follow an undo', async () => {
  const { body: segment } = await service.api('POST', '/contacts/segments', {
    name: 'Wizards',
    type: 'dynamic',
    filter: { field: 'jobTitle', operator: 'eq', value: 'Wizard' },
  });
  const members = async () => (await service.api('GET', `/contacts/segments/${segment.id}/contacts`)).body.data.length;
  await run('firstName,lastName,email\nWi,Zard,wizard@example.com\n');
  const job = await run(
    'firstName,lastName,email,jobTitle\nWi,Zard,wizard@example.com,Wizard\nWi,Too,wizard2@example.com,Wizard\n',
  );
  await until('both are in', async () => (await members()) === 2);
  await undo(job.id);
  await until('both are out', async () => (await members()) === 0);
});

test('who was changed since, or has a history by now, is kept and listed with the reason', async () => {
  await run(
    'firstName,lastName,email\nWas,There,was-there@example.com\nOpted,Out,opted-out@example.com\nSup,Pressed,pressed@example.com\n',
  );
  const names = ['edited', 'entered', 'mailed', 'texted', 'pushed', 'submitted', 'visited', 'plain', 'deleted'];
  const { body: list } = await service.api('POST', '/contacts/lists', { name: 'Kept' });
  const job = await run(
    [
      'firstName,lastName,email,status,company',
      ...names.map((name) => `N,${name},${name}@example.org,,Kept Ltd`),
      'Was,Changed,was-there@example.com,,',
      'Opted,Out,opted-out@example.com,unsubscribed,',
      'Sup,Pressed,pressed@example.com,unsubscribed,',
    ].join('\n'),
    { listId: String(list.id) },
  );
  assert.deepEqual([job.created, job.updated], [9, 3]);
  const ids: Record<string, number> = {};
  for (const name of names) ids[name] = (await contactBy(`${name}@example.org`)).id;
  for (const email of ['was-there', 'opted-out', 'pressed']) ids[email] = (await contactBy(`${email}@example.com`)).id;
  assert.equal((await service.api('PUT', `/contacts/${ids['edited']}`, { jobTitle: 'Editor' })).status, 200);
  assert.equal((await service.api('PUT', `/contacts/${ids['was-there']}`, { jobTitle: 'Editor' })).status, 200);
  assert.equal((await service.api('DELETE', `/contacts/${ids['deleted']}`)).status, 204);
  const { body: template } = await service.api('POST', '/emails/templates', {
    name: 'T',
    subject: 'S',
    content: '<p>Hello</p>',
  });
  assert.equal(
    (await service.api('POST', '/emails/send', { templateId: template.id, recipientId: ids['mailed'] })).status,
    202,
  );
  const { body: mail } = await service.api('POST', '/emails/send', {
    templateId: template.id,
    recipientId: ids['opted-out'],
  });
  await query(sql`insert into email_events (tenant_id, email_id, event_id, type, at, automated, first)
    values ('default', ${mail.emailId}, gen_random_uuid(), 'UNSUBSCRIBE', now(), false, true)`);
  for (const [name, channel, status] of [
    ['texted', 'sms', 'SENT'],
    ['pushed', 'push', 'SUPPRESSED'],
  ])
    await query(sql`insert into messages (tenant_id, send_key, channel, category, contact_id, status)
      values ('default', ${`to ${name}`}, ${channel}, 'marketing', ${ids[name!]!}, ${status})`);
  await query(sql`update suppressions set reason = 'complained' where email_key = 'pressed@example.com'`);
  const { body: campaign } = await service.api('POST', '/campaigns', {
    name: 'C',
    steps: [{ id: 'w', type: 'WAIT', config: { waitMinutes: 10_000 } }],
  });
  assert.equal(
    (await service.api('POST', `/campaigns/${campaign.id}/start`, { contactIds: [ids['entered']] })).status,
    202,
  );
  await until(
    'one is in the campaign',
    async () => (await service.api('GET', `/campaigns/${campaign.id}/executions`)).body.data.length === 1,
  );
  const { body: form } = await service.api('POST', '/forms', {
    name: 'F',
    fields: [{ name: 'email', type: 'email', label: 'Mail', required: true }],
  });
  const submitted = await service.api('POST', `/forms/${form.id}/submit`, { email: 'submitted@example.org' });
  assert.equal(submitted.status, 200, JSON.stringify(submitted.body));
  assert.equal(
    (await service.api('POST', '/scoring/events', { contactId: ids['visited'], type: 'WEBSITE_VISITED', data: {} }))
      .status,
    202,
  );
  await until(
    'the visit is known',
    async () => (await query(sql`select 1 from contact_activities where type = 'WEBSITE_VISITED'`)).length === 1,
  );

  const undone = await undo(job.id);
  assert.deepEqual(undone.undo, { removed: 1, restored: 0, kept: 10 });
  const { body: kept } = await service.api('GET', `/contacts/imports/${job.id}/kept?limit=5&sort=id&includeTotal=true`);
  const { body: rest } = await service.api(
    'GET',
    `/contacts/imports/${job.id}/kept?limit=5&sort=id&cursor=${kept.page.nextCursor}`,
  );
  assert.deepEqual([kept.page.total, kept.page.hasMore, rest.page.hasMore], [10, true, false]);
  const reasons = [...kept.data, ...rest.data]
    .map(({ email, reason }: { email: string; reason: string }) => `${email} ${reason}`)
    .sort();
  assert.deepEqual(reasons, [
    'edited@example.org changed_since',
    'entered@example.org in_campaign',
    'mailed@example.org emailed',
    'opted-out@example.com suppressed',
    'pressed@example.com suppressed',
    'pushed@example.org messaged',
    'submitted@example.org submitted_form',
    'texted@example.org messaged',
    'visited@example.org active',
    'was-there@example.com changed_since',
  ]);
  assert.equal(await contactBy('plain@example.org'), undefined);
  assert.equal((await contactBy('was-there@example.com')).lastName, 'Changed');
  assert.deepEqual(
    [(await contactBy('opted-out@example.com')).status, (await contactBy('pressed@example.com')).status],
    ['unsubscribed', 'unsubscribed'],
  );
  assert.equal(
    (await query(sql`select 1 from suppressions where email_key in ('opted-out@example.com', 'pressed@example.com')`))
      .length,
    2,
  );
  assert.equal((await contactBy('edited@example.org')).company.name, 'Kept Ltd', 'its company is in use');
  assert.deepEqual((await service.api('GET', `/contacts/lists/${list.id}/contacts`)).body.data, []);
});

test('of who is deleted by an undo, devices are nobody’s, and it is taken from received texts', async () => {
  const job = await run('firstName,lastName,email,phone\nTex,Ted,texted@example.com,+442079460777\n');
  const { id } = await contactBy('texted@example.com');
  const [inbound] = await query<{ id: number }>(sql`
    insert into inbound_texts (tenant_id, provider_id, provider_message_id, from_address, text, opt_out, contact_ids)
    values ('default', 1, 'undone', '+442079460777', 'Hi', 'no', array[${id}, 999999]::bigint[]) returning id`);
  const [device] = await query<{ id: number }>(sql`
    insert into push_subscriptions (tenant_id, type, contact_id, endpoint, digest) values ('default', 'webpush', ${id}, 'x', 'undone') returning id`);
  assert.deepEqual((await undo(job.id)).undo, { removed: 1, restored: 0, kept: 0 });
  const [is] = await query(sql`
    select (select to_jsonb(contact_ids) from inbound_texts where id = ${inbound!.id}) as texts,
      (select contact_id is null and status = 'active' from push_subscriptions where id = ${device!.id}) as nobodys`);
  assert.deepEqual(is, { texts: [999999], nobodys: true });
});

test.each(['the first is undone first', 'the second is undone first'])(
  'who was created by an import and changed by another is gone when both are undone, with events and all: %s',
  async (order) => {
    const email = `both${order.length}@example.com`;
    const first = await run(`firstName,lastName,email\nBo,Th,${email}\n`);
    const second = await run(`firstName,lastName,email,jobTitle,status\nBo,Th,${email},Cook,unsubscribed\n`);
    const { id } = await contactBy(email);
    await until('its timeline has the changes', async () => {
      const found = await query<{ type: string }>(sql`select type from contact_activities where contact_id = ${id}`);
      return ['CONTACT_UPDATED', 'CONTACT_UNSUBSCRIBED'].every((type) => found.some((one) => one.type === type));
    });
    const inOrder = order.startsWith('the first') ? [first, second] : [second, first];
    for (const { id: importId } of inOrder) await undo(importId);
    assert.equal(await contactBy(email), undefined);
    assert.deepEqual(await query(sql`select 1 from suppressions where email_key = ${email}`), []);
    const figures = async (importId: number) => (await service.api('GET', `/contacts/imports/${importId}`)).body.undo;
    assert.deepEqual(await figures(first.id), { removed: 1, restored: 0, kept: 0 });
    assert.deepEqual(await figures(second.id), { removed: 0, restored: 1, kept: 0 });
    assert.deepEqual((await service.api('GET', `/contacts/imports/${first.id}/kept`)).body.data, []);
  },
);

test('an erasure erases what an undo has left for later', async () => {
  const email = 'owed-and-erased@example.com';
  await run(`firstName,lastName,email,jobTitle\nOw,Ed,${email},Secretkeeper\n`);
  const first = await run(`firstName,lastName,email,jobTitle\nOw,Ed,${email},Baker\n`);
  const second = await run(`firstName,lastName,email,jobTitle\nOw,Ed,${email},Cook\n`);
  const third = await run(`firstName,lastName,email,jobTitle\nOw,Ed,${email},Miller\n`);
  await undo(first.id);
  await undo(third.id);
  const left = () =>
    query(sql`
      select 1 from contact_import_kept where owed::text like '%Secretkeeper%'
      union all select 1 from contact_restored_versions v join contacts c on c.id = v.contact_id where c.email = ${email}`);
  assert.equal((await left()).length, 2);
  const { body } = await service.api('POST', `/contacts/${(await contactBy(email)).id}/erase`);
  await until(
    'the erasure is complete',
    async () => (await service.api('GET', `/contacts/erasures/${body.id}`)).body.status === 'COMPLETED',
    60_000,
  );
  assert.deepEqual(await left(), []);
  assert.deepEqual((await undo(second.id)).undo, { removed: 0, restored: 0, kept: 0 });
});

test('attempts that undo at the same time undo every chunk once', async () => {
  const job = await run(
    `firstName,lastName,email\n${Array.from({ length: 20_001 }, (_, n) => `F,L,twice${n}@example.com`).join('\n')}\n`,
  );
  await query(sql`update contact_imports set undo = '{"removed": 0, "restored": 0, "kept": 0}' where id = ${job.id}`);
  const attempt = async (): Promise<number> => {
    for (let chunks = 0; ; chunks += 1)
      if ((await undoNextChunk(service.deps.orm, 'default', job.id)).over) return chunks;
  };
  const [one, other] = await Promise.all([attempt(), attempt()]);
  assert.equal(one + other, Math.ceil(20_001 / CHUNK_ROWS));
  const { body } = await service.api('GET', `/contacts/imports/${job.id}`);
  assert.deepEqual([body.status, body.undo], ['UNDONE', { removed: 20_001, restored: 0, kept: 0 }]);
});

test('what can not be undone is a conflict, with the reason; what was cancelled or failed can', async () => {
  const refused = async (id: number) => {
    const { status, body } = await service.api('POST', `/contacts/imports/${id}/undo`);
    return [status, body.code, body.detail];
  };
  const dry = await run('firstName,lastName,email\nDry,Run,dry-undo@example.com\n', { dryRun: 'true' });
  assert.deepEqual(await refused(dry.id), [409, 'conflict', 'The import was a dry run; there is nothing to undo']);
  const early = await run('firstName,lastName,email\nEar,Ly,early@example.com\n');
  await query(sql`update contact_import_chunks set undo = null where import_id = ${early.id}`);
  assert.deepEqual(await refused(early.id), [
    409,
    'conflict',
    'The import cannot be undone: it ran before undo was supported',
  ]);
  await query(sql`update contact_import_chunks set undo = '{}' where import_id = ${early.id}`);
  await query(sql`update contact_imports set status = 'RUNNING' where id = ${early.id}`);
  assert.deepEqual(await refused(early.id), [409, 'conflict', 'The import is RUNNING: cancel it first']);
  await query(sql`update contact_imports set status = 'CANCELLED' where id = ${early.id}`);
  assert.deepEqual((await undo(early.id)).undo, { removed: 0, restored: 0, kept: 0 });
  assert.equal((await refused(999_999))[0], 404);
  assert.equal((await service.api('GET', '/contacts/imports/999999/kept')).status, 404);
});

test('addresses that were erased are not taken in again, and nothing of the row is kept', async () => {
  await query(
    sql`insert into erased_addresses (tenant_id, hash) values ('default', encode(sha256(convert_to('default' || E'\n' || 'erased@example.com', 'UTF8')), 'hex'))`,
  );
  await query(
    sql`insert into erased_addresses (tenant_id, hash) values ('default', encode(sha256(convert_to('other' || E'\n' || 'free@example.com', 'UTF8')), 'hex'))`,
  );
  const file = 'firstName,lastName,email\nErr,Ased,Erased@Example.com\nFr,Ee,free@example.com\n';
  for (const mode of ['upsert', 'create', 'update']) {
    const job = await run(file, { mode });
    assert.equal(
      job.created + job.unchanged,
      mode === 'create' || mode === 'upsert' ? 1 - Number(mode === 'create') : 1,
      mode,
    );
    const errors = (await service.api('GET', `/contacts/imports/${job.id}/errors`)).body as string;
    assert.match(errors, /\n2,email,erased,/);
    assert.doesNotMatch(errors, /Ased|Erased@/);
  }
  assert.equal(await contactBy('erased@example.com'), undefined);
});
