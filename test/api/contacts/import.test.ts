import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import pg from 'pg';
import { asService } from '../../../domain/audit/audit.ts';
import { createImport, inspectImport } from '../../../domain/contacts/import/create-import.ts';
import { rows, sql, tenantEm } from '../../../db/orm.ts';
import { putFile } from '../../../transport/file-store.ts';
import { EVENTS } from '../../../transport/streams.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { importer } from './import-support.ts';

let service: Service;
let { upload, finished, run } = {} as ReturnType<typeof importer>;
beforeAll(async () => {
  service = await startService({ worker: ['temporal', 'relay', 'intake', 'consumers'] });
  ({ upload, finished, run } = importer(service));
});
afterAll(() => service.stop());

const query = <T>(statement: Parameters<typeof rows>[1]) =>
  tenantEm(service.deps.orm, 'default').transactional((tx) => rows<T>(tx, statement));

/** The data of all published events of a type, once there are as many as that. */
async function published(type: string, atLeast: number): Promise<{ contactId: number; [key: string]: unknown }[]> {
  const { jsm } = service.deps.nats;
  const subject = `events.default.${type}`;
  await until(`${atLeast} ${type} are published`, async () => {
    const info = await jsm.streams.info(EVENTS, { subjects_filter: subject });
    return (info.state.subjects?.[subject] ?? 0) >= atLeast;
  });
  const found = [];
  for (let seq = 1; ;) {
    const message = await jsm.streams.getMessage(EVENTS, { seq, next_by_subj: subject } as never).catch(() => null);
    if (message === null) return found;
    found.push(message.json<{ data: { contactId: number } }>().data);
    seq = message.seq + 1;
  }
}

/** Holds a new contact uncommitted until it is released. */
async function heldContact(email: string, lastName: string): Promise<() => Promise<void>> {
  const made = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const done = tenantEm(service.deps.orm, 'default').transactional(async (tx) => {
    await rows(
      tx,
      sql`insert into contacts (tenant_id, first_name, last_name, email, email_key) values ('default', 'Held', ${lastName}, ${email}, ${email})`,
    );
    made.resolve();
    await gate.promise;
  });
  await made.promise;
  return async () => {
    gate.resolve();
    await done;
  };
}

/** Waits until some backend of the database waits for another. */
const someoneWaits = () =>
  until(
    'the import waits for the other transaction',
    async () =>
      (
        await query(
          sql`select 1 from pg_locks l join pg_database d on d.oid = l.database or l.database = 0 or l.database is null where not l.granted and d.datname = current_database()`,
        )
      ).length > 0,
  );

const contactBy = async (email: string) =>
  (await service.api('GET', `/contacts?email=${encodeURIComponent(email)}`)).body.data[0];

test('creates, updates, leaves unchanged, counts duplicates and rejects, each with its reason', async () => {
  const first = await run(
    'First Name,last_name,EMAIL,Company,Shoe size\nAda,One,ada@example.com,Mills,7\nBen,Two,ben@example.com,mills,8\nNo,Address,,,\nBad,Mail,not-an-address,,\nAda,Uno,ADA@example.com,Mills,7\n\n',
  );
  assert.deepEqual(
    [
      first.status,
      first.created,
      first.updated,
      first.unchanged,
      first.duplicates,
      first.rejected,
      first.ignoredColumns,
    ],
    ['COMPLETED', 2, 0, 0, 1, 2, ['Shoe size']],
  );
  const ada = await contactBy('ada@example.com');
  assert.equal(ada.lastName, 'Uno');
  assert.equal(ada.company.name.toLowerCase(), 'mills');
  assert.equal((await contactBy('ben@example.com')).companyId, ada.companyId);

  const errors = (await service.api('GET', `/contacts/imports/${first.id}/errors`)).body as string;
  assert.deepEqual(errors.trim().split('\r\n'), [
    'row,column,code,message,First Name,last_name,EMAIL,Company,Shoe size',
    '4,EMAIL,required,must not be empty,No,Address,,,',
    errors.trim().split('\r\n')[2],
  ]);
  assert.match(errors, /\r\n5,EMAIL,invalid_email,[^\r]*,Bad,Mail,not-an-address,,\r\n/);

  const second = await run(
    'firstName,lastName,email,jobTitle\nAda,,ada@example.com,Miller\nBen,Two,ben@example.com,\n',
  );
  assert.deepEqual([second.created, second.updated, second.unchanged], [0, 1, 1]);
  assert.deepEqual(
    [
      (await contactBy('ada@example.com')).lastName,
      (await contactBy('ada@example.com')).jobTitle,
      (await contactBy('ada@example.com')).version,
    ],
    ['Uno', 'Miller', 2],
  );
  assert.equal((await contactBy('ben@example.com')).version, 1);
});

test('mode create refuses who exists, mode update who does not', async () => {
  await run('firstName,lastName,email\nMo,De,mode@example.com\n');
  const create = await run('firstName,lastName,email\nMo,De,mode@example.com\nNew,One,mode2@example.com\n', {
    mode: 'create',
  });
  assert.deepEqual([create.created, create.rejected], [1, 1]);
  assert.match((await service.api('GET', `/contacts/imports/${create.id}/errors`)).body, /\n2,email,email_taken/);
  const update = await run('firstName,lastName,email\nMoo,De,mode@example.com\nNew,One,mode3@example.com\n', {
    mode: 'update',
  });
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

test('an opt-out in a file counts for who is archived, and an archived row is none', async () => {
  await run('firstName,lastName,email,status\nIs,Archived,archived@example.com,archived\n');
  assert.equal((await run('email,status\narchived@example.com,unsubscribed\n')).updated, 1);
  assert.equal((await contactBy('archived@example.com')).status, 'unsubscribed');
  assert.equal(
    (await query(sql`select 1 from suppressions where email_key = 'archived@example.com' and source = 'import'`))
      .length,
    1,
  );
  assert.equal((await run('email,status\narchived@example.com,archived\n')).unchanged, 1);
});

test('a mapping names columns, a list takes the accepted', async () => {
  const { status, body: list } = await service.api('POST', '/contacts/lists', { name: 'Imported' });
  assert.equal(status, 201, JSON.stringify(list));
  const job = await run('who;where\nMa Pping;map@example.com\n', {
    mapping: JSON.stringify({ who: 'firstName', where: 'email' }),
    listId: String(list.id),
    delimiter: ';',
  });
  assert.equal(job.created, 1, 'without a last name');
  await run('a;b;c\nMa;Pping;map@example.com\n', {
    mapping: JSON.stringify({ a: 'firstName', b: 'lastName', c: 'email' }),
    listId: String(list.id),
  });
  assert.deepEqual(
    (await service.api('GET', `/contacts/lists/${list.id}/contacts`)).body.data.map(
      (contact: { email: string }) => contact.email,
    ),
    ['map@example.com'],
  );
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
    assert.ok(
      (body['errors'] as { path: string; code: string }[]).some(
        (error) => error.code === code && error.path === '/file',
      ),
      `${code}: ${JSON.stringify(body)}`,
    );
  }
  const bad = await upload('email\na@example.com\n', { mapping: '[1]', mode: 'merge' });
  assert.equal(bad.status, 400);
  const none = await service.api('POST', '/contacts/import', new FormData());
  assert.equal(none.status, 400);
});

test('many chunks: all rows accounted for, one event each, resumed where it was cut', async () => {
  await service.deps.nats.jsm.streams.purge(EVENTS);
  const count = 12_345;
  const csv = `firstName,lastName,email\n${Array.from({ length: count }, (_, n) => `F${n},L${n},bulk${n}@example.com`).join('\n')}\n`;
  const job = await run(csv);
  assert.deepEqual([job.created, job.processedRows], [count, count]);
  await until(
    'every event is published',
    async () => (await service.deps.nats.jsm.streams.info(EVENTS)).state.messages >= count + 1,
  );
  const pages = await query<Record<string, string>>(
    sql`explain select id from contacts where tenant_id = 'default' order by created_at desc, id desc limit 51`,
  );
  assert.match(
    JSON.stringify(pages),
    /Index Only Scan Backward using contacts_created_idx/,
    'the planner knows of the new rows before autovacuum comes by',
  );
  const again = await run(csv);
  assert.equal(again.unchanged, count);
  // As autovacuum does: what an index of trigrams has pending goes into it.
  const owner = new pg.Client({ connectionString: service.deps.env.DATABASE_MIGRATION_URL });
  await owner.connect();
  await owner.query('vacuum analyze contacts');
  await owner.end();
  await until('a search is answered from the trigram index', async () => {
    const { body } = await service.api('GET', '/contacts/search?q=ULK12344@EXAM');
    assert.deepEqual(
      body.data.map((contact: { email: string }) => contact.email),
      ['bulk12344@example.com'],
    );
    return (
      await query<{ used: boolean }>(
        sql`select idx_scan > 0 as used from pg_stat_user_indexes where indexrelname = 'contacts_search_idx'`,
      )
    )[0]!.used;
  });
});

test('the timeline of an imported contact begins with its creation, whatever later imports change', async () => {
  const entries = async () => {
    const { id } = await contactBy('timeline@example.com');
    const { body } = await service.api('GET', `/contacts/${id}/activities`);
    return body.data
      .filter(({ type }: { type: string }) => type === 'CONTACT_CREATED')
      .map(({ data }: { data: { contactId: number } }) => ({ ...data, contactId: data.contactId === id }));
  };
  for (const email of ['timeline@example.com', 'Timeline@example.com', 'TIMELINE@example.com']) {
    await run(`firstName,lastName,email\nT,L,${email}\n`);
    assert.deepEqual(await entries(), [{ contactId: true, email: 'timeline@example.com', runTriggers: false }], email);
  }
});

test('a cancelled import stays cancelled', async () => {
  const { body } = await upload(
    `firstName,lastName,email\n${Array.from({ length: 60_000 }, (_, n) => `F,L,cancel${n}@example.com`).join('\n')}\n`,
  );
  const cancelled = await service.api('POST', `/contacts/imports/${body.id}/cancel`);
  assert.equal(cancelled.status, 200);
  const ended = await finished(body.id);
  assert.deepEqual([ended.status, ended.updatedAt], ['CANCELLED', ended.finishedAt]);
  assert.equal((await service.api('POST', `/contacts/imports/${body.id}/cancel`)).status, 409);
});

test('a contact that somebody else makes meanwhile is not created again, whatever the mode', async () => {
  const release = await heldContact('meanwhile@example.com', 'First');
  const file = 'firstName,lastName,email\nMean,While,meanwhile@example.com\nNew,One,meanwhile2@example.com\n';
  const upsert = await upload(file);
  await someoneWaits();
  await release();
  const first = await finished(upsert.body.id);
  assert.deepEqual([first.created, first.updated], [1, 1]);
  assert.deepEqual(
    [(await contactBy('meanwhile@example.com')).lastName, (await contactBy('meanwhile@example.com')).version],
    ['While', 2],
  );

  const again = await heldContact('taken@example.com', 'First');
  const create = await upload('firstName,lastName,email\nTa,Ken,taken@example.com\n', { mode: 'create' });
  await someoneWaits();
  await again();
  const second = await finished(create.body.id);
  assert.deepEqual([second.created, second.rejected], [0, 1]);
  assert.equal((await contactBy('taken@example.com')).lastName, 'First');
  assert.match((await service.api('GET', `/contacts/imports/${create.body.id}/errors`)).body, /\n2,email,email_taken/);
});

test('two imports of the same new addresses at once create each once, with one event', async () => {
  await service.deps.nats.jsm.streams.purge(EVENTS);
  const lines = Array.from({ length: 3000 }, (_, n) => `T${n},L,twin${n}@example.com`);
  const header = 'firstName,lastName,email\n';
  const made = await Promise.all([upload(header + lines.join('\n')), upload(header + lines.toReversed().join('\n'))]);
  const jobs = await Promise.all(made.map(({ body }) => finished(body.id)));
  assert.equal(jobs[0].created + jobs[1].created, 3000);
  assert.equal(jobs[0].unchanged + jobs[1].unchanged, 3000);
  const events = await published('CONTACT_CREATED', 3000);
  assert.equal(new Set(events.map(({ contactId }) => contactId)).size, events.length);
});

test('who is unsubscribed by a file is suppressed, and a contact that was there leaves with an event', async () => {
  await run('firstName,lastName,email\nWas,There,was-there@example.com\n');
  await service.deps.nats.jsm.streams.purge(EVENTS);
  const job = await run(
    'firstName,lastName,email,status\nWas,There,was-there@example.com,unsubscribed\nNot,There,not-there@example.com,unsubscribed\n',
  );
  assert.deepEqual([job.created, job.updated], [1, 1]);
  const suppressed = await query<{ email_key: string; reason: string; source: string }>(sql`
    select email_key, reason, source from suppressions where email_key like '%-there@example.com' order by 1`);
  assert.deepEqual(
    suppressed,
    ['not-there@example.com', 'was-there@example.com'].map((email_key) => ({
      email_key,
      reason: 'unsubscribed',
      source: 'import',
    })),
  );
  const { id } = await contactBy('was-there@example.com');
  const [event, ...more] = await published('CONTACT_UNSUBSCRIBED', 1);
  assert.deepEqual([event!.contactId, event!['reason'], event!['tenantId'], more.length], [id, 'import', 'default', 0]);
  assert.deepEqual((await published('CONTACT_UPDATED', 1))[0]!['changed'], ['status']);
});

test('a contact is told to be created before it is told to have entered a list or segment', async () => {
  const list = (await service.api('POST', '/contacts/lists', { name: 'Told in order' })).body;
  const filter = { field: 'jobTitle', operator: 'eq', value: 'Orderly' };
  const segment = await service.api('POST', '/contacts/segments', { name: 'Orderly', type: 'dynamic', filter });
  const person = (email: string) => ({ firstName: 'In', lastName: 'Order', jobTitle: 'Orderly', email });
  const made = (await service.api('POST', '/contacts', person('order-1@example.com'))).body.id;
  const batch = { contacts: [person('order-2@example.com')] };
  const ofBatch = (await service.api('POST', '/contacts/batch', batch)).body.results[0].id;
  const rows = Array.from({ length: 3 }, (_, n) => `In,Order,import-${n}@order.example.com,Orderly`);
  await run(`firstName,lastName,email,jobTitle\n${rows.join('\n')}\n`, { listId: String(list.id) });
  const imported = (await service.api('GET', `/contacts?listId=${list.id}`)).body.data.map(
    ({ id }: { id: number }) => id,
  ) as number[];
  assert.equal(imported.length, 3);

  const types = ['CONTACT_CREATED', 'SEGMENT_ENTERED'];
  const { jsm } = service.deps.nats;
  /** What was published of our contacts, in order. */
  const told = async (): Promise<[type: string, contactId: number, segmentId: number | undefined][]> => {
    const { state } = await jsm.streams.info(EVENTS);
    const found: [string, number, number | undefined][] = [];
    for (let seq = state.first_seq; seq <= state.last_seq; seq += 1) {
      const message = await jsm.streams.getMessage(EVENTS, { seq }).catch(() => null);
      const event = message?.json<{ type: string; data: { contactId: number; segmentId?: number } }>();
      if (event && types.includes(event.type) && [made, ofBatch, ...imported].includes(event.data.contactId))
        found.push([event.type, event.data.contactId, event.data.segmentId]);
    }
    return found;
  };
  // Each enters the segment, and those that were imported the list too.
  const all = await until('all is published', async () => {
    const found = await told();
    return found.length === 5 + 5 + 3 ? found : null;
  });
  for (const id of [made, ofBatch, ...imported]) {
    const [first, ...others] = all.filter(([, contactId]) => contactId === id);
    assert.equal(first![0], 'CONTACT_CREATED', JSON.stringify(all));
    assert.ok(others.some(([, , segmentId]) => segmentId === segment.body.id));
    // The timeline has them in the same order.
    const { data } = (await service.api('GET', `/contacts/${id}/activities?sort=id`)).body;
    assert.equal(data[0].type, 'CONTACT_CREATED');
  }
});

test('members that an import adds enter the list with an event, and segments that hang on it follow', async () => {
  await run('firstName,lastName,email\nOld,Hand,old-hand@example.com\n');
  await service.deps.nats.jsm.streams.purge(EVENTS);
  const { body: list } = await service.api('POST', '/contacts/lists', { name: 'Entered' });
  const { body: segment, status } = await service.api('POST', '/contacts/segments', {
    name: 'On the list',
    type: 'dynamic',
    filter: { field: 'listId', operator: 'eq', value: list.id },
  });
  assert.equal(status, 201, JSON.stringify(segment));
  const job = await run('firstName,lastName,email\nOld,Hand,old-hand@example.com\nNew,Hand,new-hand@example.com\n', {
    listId: String(list.id),
  });
  assert.deepEqual([job.created, job.unchanged], [1, 1]);
  const entered = (await published('SEGMENT_ENTERED', 2))
    .filter((event) => event['segmentId'] === list.id)
    .map(({ contactId }) => contactId);
  const ids = [(await contactBy('old-hand@example.com')).id, (await contactBy('new-hand@example.com')).id];
  assert.deepEqual(entered.toSorted(), ids.toSorted());
  await until(
    'the segment has both',
    async () => (await service.api('GET', `/contacts/segments/${segment.id}/contacts`)).body.data.length === 2,
  );
  await run('firstName,lastName,email\nOld,Hand,old-hand@example.com\n', { listId: String(list.id) });
  assert.equal(
    (await published('SEGMENT_ENTERED', 2)).filter((event) => event['segmentId'] === list.id).length,
    2,
    'who is there does not enter',
  );
});

test('a job that can not work is FAILED and says why', async () => {
  const { body: list } = await service.api('POST', '/contacts/lists', { name: 'Deleted meanwhile' });
  assert.equal((await service.api('DELETE', `/contacts/lists/${list.id}`)).status, 204);
  const em = tenantEm(service.deps.orm, 'default');
  const bytes = Buffer.from('firstName,lastName,email\nNo,List,no-list@example.com\n');
  const request = { mode: 'upsert', runTriggers: false, dryRun: false } as const;
  const inspection = await inspectImport(em, 'default', { bytes, complete: true }, request);
  await putFile(
    service.deps.nats,
    'no-list',
    (async function* () {
      yield bytes;
    })(),
  );
  const noList = await createImport(
    em,
    asService('default'),
    { fileName: 'a.csv', objectKey: 'no-list' },
    { ...request, listId: list.id },
    inspection,
  );
  const noFile = await createImport(
    em,
    asService('default'),
    { fileName: 'b.csv', objectKey: 'never-kept' },
    request,
    inspection,
  );
  const ended = [await finished(noList.id), await finished(noFile.id)];
  assert.deepEqual(
    ended.map(({ status }) => status),
    ['FAILED', 'FAILED'],
  );
  assert.deepEqual(
    ended.map(({ error }) => error),
    [`The list ${list.id} no longer exists`, 'The file is no longer stored'],
  );
  assert.equal(await contactBy('no-list@example.com'), undefined);
});

test('the last usable row of an address counts, the first time and the second, in one chunk or several', async () => {
  const filler = Array.from({ length: 10_100 }, (_, n) => `F,L,filler${n}@example.com,`);
  const file = [
    'firstName,lastName,email,timezone',
    'A,One,near@example.com,',
    'A,Two,near@example.com,',
    ',,near@example.com,',
    'B,One,far@example.com,',
    ...filler,
    ',Three,far@example.com,',
    ',,far@example.com,nowhere',
    ',,none@example.com,',
  ].join('\n');
  for (const [options, created, unchanged] of [
    [{ dryRun: 'true' }, filler.length + 3, 0],
    [{}, filler.length + 3, 0],
    [{}, 0, filler.length + 3],
  ] as [Record<string, string>, number, number][]) {
    const job = await run(file, options);
    assert.deepEqual([job.created, job.unchanged, job.duplicates, job.rejected], [created, unchanged, 3, 1]);
  }
  const names = async (email: string) => {
    const { firstName, lastName } = await contactBy(email);
    return `${firstName}/${lastName}`;
  };
  assert.deepEqual(
    [await names('near@example.com'), await names('far@example.com'), await names('none@example.com')],
    ['/', '/Three', '/'],
  );
});

test('the answer tells how the file is read', async () => {
  const answer = await upload('E-Mail;Vorname;Privat\na@example.com;A;x\n', { dryRun: 'true' });
  const { encoding, delimiter, mapping, dryRun, onBadCell, warnings, ignoredColumns } = answer.body;
  assert.deepEqual(
    { encoding, delimiter, mapping, dryRun, onBadCell, warnings, ignoredColumns },
    {
      encoding: 'utf-8',
      delimiter: ';',
      mapping: { 'E-Mail': 'email', Vorname: 'firstName' },
      dryRun: true,
      onBadCell: 'reject',
      warnings: [],
      ignoredColumns: ['Privat'],
    },
  );
  await finished(answer.body.id);
});

test('a file of which every row is rejected has failed, with the reasons', async () => {
  const rejected = 'email,timezone\nnobody,\nnone,Mars\n';
  const job = await run(rejected);
  assert.deepEqual([job.status, job.rejected], ['FAILED', 2]);
  assert.match(job.error, /^All 2 rows were rejected: "email" .*\(invalid_email\); "timezone" .*\(invalid_timezone\)$/);
  assert.equal((await run(rejected, { dryRun: 'true' })).status, 'FAILED');
  assert.equal((await run(`${rejected}some@example.com,\n`)).status, 'COMPLETED');
});

test('a wrong cell is left out with a warning, if that is asked for', async () => {
  const rows = Array.from(
    { length: 5_100 },
    (_, n) => `cell${n}@example.com,${n % 425 === 0 ? 'Mars' : 'Europe/Rome'}`,
  );
  const job = await run(`email,timezone\n${rows.join('\n')}\n`, { onBadCell: 'skip' });
  assert.deepEqual([job.created, job.rejected], [5_100, 0]);
  assert.deepEqual(job.warnings, [
    {
      code: 'cell_skipped',
      column: 'timezone',
      message: 'left out: must be an IANA time zone such as Europe/Berlin',
      count: 12,
      rows: Array.from({ length: 10 }, (_, n) => 2 + n * 425),
    },
  ]);
  assert.equal((await contactBy('cell0@example.com')).timezone, null);
  assert.equal((await run('email,timezone\ncell0@example.com,Mars\ncell1@example.com,\n')).rejected, 1);
});

test('dates whose order nothing tells are rejected with the reason, those of a clear column are read', async () => {
  await service.api('POST', '/contacts/custom-fields', { entity: 'contact', name: 'since', type: 'date' });
  const file = (date: string) => `email,since\ndate1@example.com,3/4/2025\ndate2@example.com,${date}\n`;
  const unclear = await run(file('5/5/2025'));
  assert.deepEqual([unclear.created, unclear.rejected, unclear.warnings], [1, 1, []]);
  const errors = (await service.api('GET', `/contacts/imports/${unclear.id}/errors`)).body as string;
  assert.match(errors, /\r\n2,since,invalid_date,"may be day first or month first, .*"/);
  const clear = await run(file('12/31/2025'));
  assert.equal(clear.rejected, 0);
  assert.deepEqual(clear.warnings, [
    { code: 'date_order', column: 'since', message: 'dates are read with the month first' },
  ]);
  assert.equal((await contactBy('date1@example.com')).customFields.since, '2025-03-04');
});

test('an opt-out counts without names and without a contact', async () => {
  const suppression = async (email: string) =>
    (await service.api('GET', `/emails/suppressions?email=${encodeURIComponent(email)}`)).body.data[0]?.reason;
  const file = 'Email,Email Opt Out\nout1@example.com,1\nout2@example.com,0\n';
  const update = await run(file, { mode: 'update' });
  assert.deepEqual([update.updated, update.rejected], [1, 1]);
  assert.deepEqual(
    [await suppression('out1@example.com'), await contactBy('out1@example.com')],
    ['unsubscribed', undefined],
  );
  const again = await run(file, { mode: 'update' });
  assert.deepEqual([again.unchanged, again.rejected], [1, 1]);
  const upsert = await run(file);
  assert.equal(upsert.created, 2);
  assert.deepEqual(
    [(await contactBy('out1@example.com')).status, (await contactBy('out2@example.com')).status],
    ['unsubscribed', 'active'],
  );
});

test('the errors file gives rejected rows exactly as they came', async () => {
  const cells = ['+49 30 12', '=1+1', '@handle', '-3', "'quoted'", 'a,"b"', 'two\nlines', ' blanks ', '\\u0000', ''];
  const file = `email,${cells.map((_, n) => `c${n}`).join(',')}\nnope,${cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',')}\n`;
  const job = await run(file);
  assert.equal(job.rejected, 1);
  const { body } = await service.api('GET', `/contacts/imports/${job.id}/errors`);
  const [, row] = parse(body, { record_delimiter: ['\r\n', '\n', '\r'] });
  assert.deepEqual(row!.slice(4), ['nope', ...cells]);
});

test('a file part without a Content-Type is a file', async () => {
  const body = [
    '--b',
    'Content-Disposition: form-data; name="mode"',
    '',
    'create',
    '--b',
    'Content-Disposition: form-data; name="file"; filename="plain.csv"',
    '',
    'firstName,lastName,email',
    'No,Type,no-type@example.com',
    '--b--',
    '',
  ].join('\r\n');
  const response = await fetch(`${service.url}/api/v1/contacts/import`, {
    method: 'POST',
    body,
    headers: { authorization: `Bearer ${service.admin.token}`, 'content-type': 'multipart/form-data; boundary=b' },
  });
  const job = (await response.json()) as { id: number; fileName: string };
  assert.equal(response.status, 202, JSON.stringify(job));
  assert.equal(job.fileName, 'plain.csv');
  assert.equal((await finished(job.id)).created, 1);
});

test('our own export comes back unchanged, with statuses and tags, and makes the same contacts', async () => {
  const { body: list } = await service.api('POST', '/contacts/lists', { name: 'Own' });
  const listId = String(list.id);
  const file = [
    'email,firstName,lastName,status,tags',
    'own1@example.com,A,One,active,"""Berlin; Mitte"",""say """"hi"""""",a"',
    'own2@example.com,,,pending,"* star"',
    'own3@example.com,C,Three,unsubscribed,"""x, y"""',
    'own4@example.com,D,Four,bounced,',
    'own5@example.com,E,Five,complained,',
    'own6@example.com,F,Six,archived,',
  ].join('\n');
  assert.equal((await run(file, { listId })).created, 6);
  const exported = async () => (await service.api('GET', `/contacts/export?listId=${listId}`)).body as string;
  const csv = await exported();
  const again = await run(csv);
  assert.deepEqual([again.unchanged, again.warnings], [6, []]);
  assert.equal(await exported(), csv);

  const of = (text: string) =>
    parse<Record<string, string>>(text, { columns: true }).map(({ email, firstName, status, tags }) => ({
      email,
      firstName,
      status,
      tags,
    }));
  assert.deepEqual(
    of(csv).map(({ status }) => status),
    ['active', 'pending', 'unsubscribed', 'bounced', 'complained', 'archived'],
  );
  for (const { id } of parse<{ id: string }>(csv, { columns: true })) await service.api('DELETE', `/contacts/${id}`);
  await query(sql`delete from suppressions where email_key like 'own%'`);
  assert.equal((await run(csv, { listId })).created, 6);
  const after = of(await exported()).sort((a, b) => a.email!.localeCompare(b.email!));
  assert.deepEqual(after, of(csv));
  const [first] = (await service.api('GET', '/contacts?email=own1@example.com')).body.data;
  assert.deepEqual(first.tags, ['Berlin; Mitte', 'say "hi"', 'a']);
  const reasons = await query<{ reason: string }>(
    sql`select reason from suppressions where email_key like 'own%' order by email_key`,
  );
  assert.deepEqual(
    reasons.map(({ reason }) => reason),
    ['unsubscribed', 'bounced', 'complained'],
  );
});

test('an undo takes back the statuses that an import set, with their suppressions', async () => {
  await run('email,firstName,status\nback1@example.com,A,\n');
  const job = await run('email,status\nback1@example.com,bounced\nback2@example.com,complained\n');
  assert.deepEqual([job.created, job.updated], [1, 1]);
  await service.api('POST', `/contacts/imports/${job.id}/undo`);
  await until(
    'the import is undone',
    async () => (await service.api('GET', `/contacts/imports/${job.id}`)).body.status === 'UNDONE',
  );
  assert.deepEqual(
    [(await contactBy('back1@example.com')).status, await contactBy('back2@example.com')],
    ['active', undefined],
  );
  assert.deepEqual(await query(sql`select 1 from suppressions where email_key like 'back%'`), []);
});

test('an opt-out in any row of a repeated address counts, also of one far above; an undo takes it back', async () => {
  await service.api('POST', '/contacts', { firstName: 'Known', lastName: 'X', email: 'known-repeat@example.com' });
  const others = Array.from({ length: 12_000 }, (_, n) => `filler${n}@repeat.example.com,F,\n`).join('');
  const job = await run(
    `Email,First Name,Unsubscribed\nnear@example.com,A,true\nNEAR@example.com,B,\nfar@example.com,A,true\nknown-repeat@example.com,K,yes\n${others}far@example.com,C,false\nknown-repeat@example.com,L,\nlater@example.com,A,\nlater@example.com,B,true\n`,
  );
  assert.equal(job.duplicates, 4);
  assert.deepEqual(
    job.warnings.map(({ code, count, rows: named }: { code: string; count: number; rows: number[] }) => [
      code,
      count,
      named.length,
    ]),
    [['status_of_another_row', 3, 3]],
  );
  for (const [email, firstName] of [
    ['near@example.com', 'B'],
    ['far@example.com', 'C'],
    ['known-repeat@example.com', 'L'],
    ['later@example.com', 'B'],
  ] as const) {
    const contact = await contactBy(email);
    assert.deepEqual([contact.status, contact.firstName], ['unsubscribed', firstName], email);
  }
  assert.equal((await service.api('POST', `/contacts/imports/${job.id}/undo`)).status, 202);
  await until('it is undone', async () => {
    const known = await contactBy('known-repeat@example.com');
    return known.status === 'active' && known.firstName === 'Known';
  });
});

test('of two columns for the telephone the one that is filled counts, row by row', async () => {
  const job = await run(
    'Email,Phone Number,Mobile Phone Number\none@phones.example.com,+49 30 111,\ntwo@phones.example.com,+49 30 222,+49 170 2\n',
  );
  assert.deepEqual([job.created, job.ignoredColumns], [2, []]);
  assert.equal((await contactBy('one@phones.example.com')).phone, '+49 30 111');
  assert.equal((await contactBy('two@phones.example.com')).phone, '+49 170 2');
});
