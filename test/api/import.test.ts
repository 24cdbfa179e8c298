import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { EVENTS } from '../../events/streams.ts';
import { startService, type Service } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: Service;
before(async () => { service = await startService({ worker: ['temporal', 'relay'] }); });
after(() => service.stop());

function upload(csv: string | Uint8Array, parts: Record<string, string> = {}): Promise<{ status: number; body: { [key: string]: unknown; id: number } }> {
  const form = new FormData();
  for (const [name, value] of Object.entries(parts)) form.set(name, value);
  form.set('file', new Blob([csv as never], { type: 'text/csv' }), 'people.csv');
  return service.api('POST', '/contacts/import', form) as never;
}

async function finished(id: number) {
  return until('the import is over', async () => {
    const { body } = await service.api('GET', `/contacts/imports/${id}`);
    return ['COMPLETED', 'FAILED', 'CANCELLED'].includes(body.status) && body;
  }, 120_000);
}

async function run(csv: string | Uint8Array, parts: Record<string, string> = {}) {
  const answer = await upload(csv, parts);
  assert.equal(answer.status, 202, JSON.stringify(answer.body));
  const job = await finished(answer.body.id);
  assert.equal(job.created + job.updated + job.unchanged + job.duplicates + job.rejected, job.processedRows);
  assert.equal(job.processedRows, job.totalRows);
  return job;
}

const contactBy = async (email: string) => (await service.api('GET', `/contacts?email=${encodeURIComponent(email)}`)).body.data[0];

test('creates, updates, leaves unchanged, counts duplicates and rejects, each with its reason', async () => {
  const first = await run('First Name,last_name,EMAIL,Company,Shoe size\nAda,One,ada@example.com,Mills,7\nBen,Two,ben@example.com,mills,8\n,Three,nameless@example.com,,\nBad,Mail,not-an-address,,\nAda,Uno,ADA@example.com,Mills,7\n\n');
  assert.deepEqual(
    [first.status, first.created, first.updated, first.unchanged, first.duplicates, first.rejected, first.ignoredColumns],
    ['COMPLETED', 2, 0, 0, 1, 2, ['Shoe size']]);
  const ada = await contactBy('ada@example.com');
  assert.equal(ada.lastName, 'Uno');
  assert.equal(ada.company.name.toLowerCase(), 'mills');
  assert.equal((await contactBy('ben@example.com')).companyId, ada.companyId);

  const errors = (await service.api('GET', `/contacts/imports/${first.id}/errors`)).body as string;
  assert.deepEqual(errors.trim().split('\r\n'), [
    'row,column,code,message,First Name,last_name,EMAIL,Company,Shoe size',
    '4,First Name,required,must not be empty,,Three,nameless@example.com,,',
    errors.trim().split('\r\n')[2],
  ]);
  assert.match(errors, /\r\n5,EMAIL,invalid_email,[^\r]*,Bad,Mail,not-an-address,,\r\n/);

  const second = await run('firstName,lastName,email,jobTitle\nAda,,ada@example.com,Miller\nBen,Two,ben@example.com,\n');
  assert.deepEqual([second.created, second.updated, second.unchanged], [0, 1, 1]);
  assert.deepEqual([(await contactBy('ada@example.com')).lastName, (await contactBy('ada@example.com')).jobTitle, (await contactBy('ada@example.com')).version], ['Uno', 'Miller', 2]);
  assert.equal((await contactBy('ben@example.com')).version, 1);
});

test('mode create refuses who exists, mode update who does not', async () => {
  await run('firstName,lastName,email\nMo,De,mode@example.com\n');
  const create = await run('firstName,lastName,email\nMo,De,mode@example.com\nNew,One,mode2@example.com\n', { mode: 'create' });
  assert.deepEqual([create.created, create.rejected], [1, 1]);
  assert.match((await service.api('GET', `/contacts/imports/${create.id}/errors`)).body, /\n2,email,email_taken/);
  const update = await run('firstName,lastName,email\nMoo,De,mode@example.com\nNew,One,mode3@example.com\n', { mode: 'update' });
  assert.deepEqual([update.updated, update.rejected], [1, 1]);
  assert.equal(await contactBy('mode3@example.com'), undefined);
});

test('a dry run says what would happen and changes nothing', async () => {
  const dry = await run('firstName,lastName,email\nDry,Run,dry@example.com\nBad,Run,dry\n', { dryRun: 'true' });
  assert.deepEqual([dry.created, dry.rejected], [1, 1]);
  assert.equal(await contactBy('dry@example.com'), undefined);
});

test('a status is never lifted, and a suppressed address keeps its own', async () => {
  await run('firstName,lastName,email,status\nUn,Sub,unsub@example.com,unsubscribed\n');
  const again = await run('firstName,lastName,email,status\nUn,Sub,unsub@example.com,active\n');
  assert.equal(again.unchanged, 1);
  assert.equal((await contactBy('unsub@example.com')).status, 'unsubscribed');
});

test('a mapping names columns, a list takes the accepted', async () => {
  const { status, body: list } = await service.api('POST', '/contacts/lists', { name: 'Imported' });
  assert.equal(status, 201, JSON.stringify(list));
  const job = await run('who;where\nMa Pping;map@example.com\n', { mapping: JSON.stringify({ who: 'firstName', where: 'email' }), listId: String(list.id), delimiter: ';' });
  assert.equal(job.rejected, 1, 'no last name');
  await run('a;b;c\nMa;Pping;map@example.com\n', { mapping: JSON.stringify({ a: 'firstName', b: 'lastName', c: 'email' }), listId: String(list.id) });
  assert.deepEqual((await service.api('GET', `/contacts/lists/${list.id}/contacts`)).body.data.map((contact: { email: string }) => contact.email), ['map@example.com']);
});

test('files that can not work are a 400 at once, with a code', async () => {
  const cases: [string | Uint8Array, string][] = [
    ['', 'empty_file'],
    ['firstName,lastName\nA,B\n', 'no_email_column'],
    [Uint8Array.from([0x1f, 0x8b, 8, 0, 0, 0]), 'binary_file'],
    ['email,email\na@example.com,b@example.com\n', 'duplicate_column'],
    [`email,${Array.from({ length: 10_000 }, (_, n) => `c${n}`).join(',')}\n`, 'too_many_columns'],
  ];
  for (const [csv, code] of cases) {
    const { status, body } = await upload(csv);
    assert.equal(status, 400);
    assert.ok((body['errors'] as { path: string; code: string }[]).some((error) => error.code === code && error.path === '/file'), `${code}: ${JSON.stringify(body)}`);
  }
  const bad = await upload('email\na@example.com\n', { mapping: '[1]', mode: 'merge' });
  assert.equal(bad.status, 400);
  const none = await service.api('POST', '/contacts/import', new FormData());
  assert.equal(none.status, 400);
});

test('many chunks: all rows accounted for, one event each, resumed where it was cut', async () => {
  await service.deps.nats.jsm.streams.purge(EVENTS);
  const rows = 12_345;
  const csv = `firstName,lastName,email\n${Array.from({ length: rows }, (_, n) => `F${n},L${n},bulk${n}@example.com`).join('\n')}\n`;
  const job = await run(csv);
  assert.deepEqual([job.created, job.processedRows], [rows, rows]);
  await until('every event is published', async () => (await service.deps.nats.jsm.streams.info(EVENTS)).state.messages >= rows + 1);
  const again = await run(csv);
  assert.equal(again.unchanged, rows);
});

test('a cancelled import stays cancelled', async () => {
  const { body } = await upload(`firstName,lastName,email\n${Array.from({ length: 60_000 }, (_, n) => `F,L,cancel${n}@example.com`).join('\n')}\n`);
  const cancelled = await service.api('POST', `/contacts/imports/${body.id}/cancel`);
  assert.equal(cancelled.status, 200);
  assert.equal((await finished(body.id)).status, 'CANCELLED');
  assert.equal((await service.api('POST', `/contacts/imports/${body.id}/cancel`)).status, 409);
});
