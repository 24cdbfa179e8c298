import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import fc from 'fast-check';
import { rows, sql, tenantEm } from '../../../db/orm.ts';
import { asService } from '../../../domain/audit/audit.ts';
import { createImport, inspectImport } from '../../../domain/contacts/import/create-import.ts';
import { completeImport, runImport } from '../../../domain/contacts/import/run-import.ts';
import { startUndo, undoNextChunk } from '../../../domain/contacts/import/undo-import.ts';
import { startService, type Service } from '../../support/service.ts';

/**
 * Imports of overlapping files, edits by people in between, and undos in any order. Once all imports are undone, a
 * contact is as the last person left it, or as it was before if nobody touched it.
 */

let service: Service;
let list: number;
beforeAll(async () => {
  service = await startService();
  list = (await service.api('POST', '/contacts/lists', { name: 'Imported' })).body.id;
});
afterAll(() => service.stop());

const TENANT = 'default';
const em = () => tenantEm(service.deps.orm, TENANT);
const query = <T>(statement: Parameters<typeof rows>[1]) => em().transactional((tx) => rows<T>(tx, statement));

/** Imports a file as the workflow does; returns the import's id. */
async function importFile(csv: string): Promise<number> {
  const bytes = Buffer.from(csv);
  const request = { mode: 'upsert', runTriggers: false, dryRun: false, listId: list } as const;
  const inspection = await inspectImport(em(), TENANT, { bytes, complete: true }, request);
  const file = { fileName: 'people.csv', objectKey: 'none' };
  const { id } = await createImport(em(), asService(TENANT), file, request, inspection);
  await runImport({
    orm: service.deps.orm,
    tenantId: TENANT,
    importId: id,
    open: (_key, offset) => ({
      inputOffset: offset,
      content: (async function* () {
        yield bytes.subarray(offset);
      })(),
    }),
    progress() {},
  });
  await completeImport(service.deps.orm, TENANT, id);
  await forgetJobs();
  return id;
}

/** No worker runs here: what would start the workflows is not needed. */
const forgetJobs = () => query(sql`delete from outbox_workflows`);

async function beginUndo(id: number): Promise<void> {
  await startUndo(em(), asService(TENANT), id);
  await forgetJobs();
}
async function finishUndo(id: number): Promise<void> {
  while (!(await undoNextChunk(service.deps.orm, TENANT, id)).over);
}
async function undo(...ids: number[]): Promise<void> {
  for (const id of ids) await beginUndo(id);
  await Promise.all(ids.map(finishUndo));
}

interface Person {
  email: string;
  version: number;
  is: Record<string, unknown>;
}
/** Contacts whose address contains `part`, with all that an import can change. */
const people = (part: string) =>
  query<Person>(sql`
    select c.email, c.version, jsonb_build_object('firstName', c.first_name, 'lastName', c.last_name, 'phone', c.phone, 'e164', c.phone_e164,
      'jobTitle', c.job_title, 'tags', c.tags, 'status', c.status, 'company', (select k.name from companies k where k.id = c.company_id)) as is
    from contacts c where c.email_key like ${`%${part}%`} order by c.email_key`);
const suppressed = (part: string) =>
  query<{ email: string; reason: string }>(
    sql`select email_key as email, reason from suppressions where email_key like ${`%${part}%`} order by 1`,
  );
const companies = async (part: string) =>
  (await query<{ name: string }>(sql`select name from companies where name like ${`%${part}%`} order by 1`)).map(
    ({ name }) => name,
  );
const members = async (part: string) =>
  (
    await query<{ email: string }>(sql`
    select c.email from segment_members m join contacts c on c.id = m.contact_id where c.email_key like ${`%${part}%`} order by 1`)
  ).map(({ email }) => email);
const figures = async (id: number) =>
  (await query<{ undo: object }>(sql`select undo from contact_imports where id = ${id}`))[0]!.undo;
const kept = async (id: number): Promise<{ email: string; reason: string }[]> =>
  (await service.api('GET', `/contacts/imports/${id}/kept`)).body.data.map(
    ({ email, reason }: { email: string; reason: string }) => ({ email, reason }),
  );
async function edit(email: string, body: object): Promise<void> {
  const { data } = (await service.api('GET', `/contacts?email=${encodeURIComponent(email)}`)).body;
  const answer = await service.api('PUT', `/contacts/${data[0].id}`, body);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
}
const values = async (part: string) => (await people(part)).map(({ email, is }) => ({ email, ...is }));

const HEADER = 'firstName,lastName,email,jobTitle,company,status';

test.each(['first, then second', 'second, then first', 'both at once'])(
  'two imports of overlapping files leave nothing behind when both are undone: %s',
  async (order) => {
    const part = `two-${order.replace(/\W/g, '')}`;
    await importFile(`${HEADER}\nOld,One,old@${part}.example,Miller,Mill ${part},\n`);
    const before = [await values(part), await suppressed(part), await companies(part), await members(part)];
    const first = await importFile(
      `${HEADER}\nNew,Two,new@${part}.example,,First ${part},\nA,One,OLD@${part}.example,Baker,First ${part},\n`,
    );
    const second = await importFile(
      `${HEADER}\nNewer,Two,new@${part}.example,Cook,First ${part},unsubscribed\nB,One,old@${part}.example,Cook,Second ${part},unsubscribed\nX,Three,third@${part}.example,,First ${part},\n`,
    );
    if (order === 'first, then second') {
      await undo(first);
      assert.deepEqual(await figures(first), { removed: 0, restored: 0, kept: 2 });
      assert.deepEqual(await kept(first), [
        { email: `new@${part}.example`, reason: 'changed_since' },
        { email: `old@${part}.example`, reason: 'changed_since' },
      ]);
      assert.deepEqual(
        (await people(part)).map(({ is }) => is['jobTitle']),
        ['Cook', 'Cook', null],
        'while the second stands, nothing of it is changed',
      );
      await undo(second);
    } else if (order === 'second, then first') {
      await undo(second);
      assert.deepEqual(await figures(second), { removed: 1, restored: 2, kept: 0 });
      await undo(first);
    } else await undo(first, second);
    assert.deepEqual([await values(part), await suppressed(part), await companies(part), await members(part)], before);
    assert.deepEqual(await figures(first), { removed: 1, restored: 1, kept: 0 });
    assert.deepEqual(await figures(second), { removed: 1, restored: 2, kept: 0 });
    assert.deepEqual([...(await kept(first)), ...(await kept(second))], []);
  },
);

test('the chunks of two undos may come in any turns', async () => {
  const part = 'turns';
  const file = (name: string) =>
    `firstName,lastName,email\n${Array.from({ length: 11_000 }, (_, n) => `${name},L,n${n}@${part}.example`).join('\n')}\n`;
  const [first, second] = [await importFile(file('One')), await importFile(file('Two'))];
  await beginUndo(first);
  await beginUndo(second);
  const turns = [first, second, second, first, first, second, second, first];
  for (const id of turns) await undoNextChunk(service.deps.orm, TENANT, id);
  assert.deepEqual(await people(part), []);
  assert.deepEqual(await figures(first), { removed: 11_000, restored: 0, kept: 0 });
  assert.deepEqual(await figures(second), { removed: 0, restored: 11_000, kept: 0 });
});

test('a company that was deleted while nobody was in it is there again for who is put back into it', async () => {
  const part = 'company-back';
  await importFile(`${HEADER}\nOld,One,old@${part}.example,,,\n`);
  const first = await importFile(`${HEADER}\nX,Two,new@${part}.example,,First ${part},\n`);
  await edit(`old@${part}.example`, { company: `First ${part}` });
  const second = await importFile(`${HEADER}\nOld,One,old@${part}.example,,Second ${part},\n`);
  await undo(first);
  assert.deepEqual(await companies(part), [`Second ${part}`]);
  await undo(second);
  assert.deepEqual(
    (await values(part)).map((is) => (is as unknown as { company: string }).company),
    [`First ${part}`],
  );
  assert.deepEqual(await companies(part), [`First ${part}`]);
});

const noted = (name: string) => query(sql`select 1 from undone_companies where name like ${`%${name}%`}`);
const companyOf = async (email: string) => (await people(email))[0]!.is['company'];
async function deleteCompany(name: string): Promise<void> {
  const [{ id } = { id: 0 }] = await query<{ id: number }>(sql`select id from companies where name = ${name}`);
  const answer = await service.api('DELETE', `/contacts/companies/${id}`);
  assert.equal(answer.status, 204, JSON.stringify(answer.body));
}

test('a company that a user deletes stays deleted, whoever was in it', async () => {
  const part = 'company-deleted';
  const old = `old@${part}.example`;
  await importFile(`${HEADER}\nOld,One,${old},,,\n`);
  const first = await importFile(`${HEADER}\nX,Two,new@${part}.example,,First ${part},\n`);
  await edit(old, { company: `First ${part}` });
  await undo(first);
  assert.deepEqual(await companies(part), [`First ${part}`], 'somebody is in it');
  assert.deepEqual(await noted(part), [], 'its name is its own alone');
  const second = await importFile(`${HEADER}\nOld,One,${old},,Second ${part},\n`);
  await deleteCompany(`First ${part}`);
  await undo(second);
  assert.deepEqual([await companyOf(old), await companies(part)], [null, []]);
});

test('nor does an undo bring back a company whose name a user has deleted since', async () => {
  const part = 'name-deleted';
  const old = `old@${part}.example`;
  await importFile(`${HEADER}\nOld,One,${old},,,\n`);
  const first = await importFile(`${HEADER}\nX,Two,new@${part}.example,,First ${part},\n`);
  await edit(old, { company: `First ${part}` });
  const second = await importFile(`${HEADER}\nOld,One,${old},,Second ${part},\n`);
  await undo(first);
  assert.deepEqual([await companies(part), (await noted(part)).length], [[`Second ${part}`], 1]);
  const made = await service.api('POST', '/contacts/companies', { name: `FIRST ${part}` });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  await deleteCompany(`FIRST ${part}`);
  assert.deepEqual(await noted(part), []);
  await undo(second);
  assert.deepEqual([await companyOf(old), await companies(part)], [null, []]);
});

test('an undone company is remembered while an import stands that can need it, and no longer', async () => {
  const part = 'forgotten';
  const [{ last }] = (await query<{ last: number }>(sql`select max(id) as last from companies`)) as [{ last: number }];
  const remembered = async () => (await query(sql`select 1 from undone_companies where company_id > ${last}`)).length;
  await importFile(`${HEADER}\nOld,One,old@${part}.example,,,\n`);
  const first = await importFile(`${HEADER}\nX,Two,new@${part}.example,,First ${part},\n`);
  await edit(`old@${part}.example`, { company: `First ${part}` });
  const second = await importFile(`${HEADER}\nOld,One,old@${part}.example,,Second ${part},\n`);
  await undo(first);
  assert.equal(await remembered(), 1, 'the second may need it');
  const third = await importFile(`${HEADER}\nOld,One,old@${part}.example,,Third ${part},\n`);
  await undo(second);
  assert.equal(await remembered(), 2, 'the contact is owed the first, and the third may need the second');
  await undo(third);
  assert.deepEqual(
    [await companyOf(`old@${part}.example`), await companies(part)],
    [`First ${part}`, [`First ${part}`]],
  );
  assert.equal(await remembered(), 0);
});

test('a merge ends what an undo left', async () => {
  const part = 'gone';
  await importFile(`${HEADER}\nOld,One,old@${part}.example,Before,,\nOld,Two,other@${part}.example,Before,,\n`);
  const first = await importFile(`${HEADER}\nA,One,old@${part}.example,Secret,,\nA,Two,other@${part}.example,,,\n`);
  const second = await importFile(`${HEADER}\nB,One,old@${part}.example,,,\nB,Two,other@${part}.example,,,\n`);
  await undo(first);
  const [{ id }, { id: target }] = (await query<{ id: number }>(
    sql`select id from contacts where email like ${`%@${part}.example`} order by id`,
  )) as [{ id: number }, { id: number }];
  const merged = await service.api('POST', `/contacts/${target}/merge`, { sourceId: id });
  assert.equal(merged.status, 200, JSON.stringify(merged.body));
  const left = () =>
    query<{ contact_id: number }>(sql`select contact_id from contact_import_kept where import_id = ${first}`);
  assert.deepEqual(await left(), [{ contact_id: target }], 'of who is gone nothing is kept');
  const after = await values(part);
  await undo(second);
  assert.deepEqual(await values(part), after, 'the merge was a change');
  assert.deepEqual(await kept(second), [{ email: `other@${part}.example`, reason: 'changed_since' }]);
});

const NAMES = ['a', 'b', 'c', 'd'] as const;
const row = fc.record({
  who: fc.constantFrom(...NAMES),
  firstName: fc.constantFrom('', 'Ann', 'Ben'),
  jobTitle: fc.constantFrom('', 'Baker', 'Cook', 'Miller'),
  phone: fc.constantFrom('', '+442079460001', '+442079460002'),
  company: fc.constantFrom('', 'Mill', 'Shop', 'Forge'),
  status: fc.constantFrom('', '', '', 'unsubscribed', 'archived'),
});
type Row = typeof row extends fc.Arbitrary<infer T> ? T : never;
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('import' as const), rows: fc.array(row, { minLength: 1, maxLength: 4 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('edit' as const),
      who: fc.constantFrom(...NAMES),
      body: fc.oneof(
        fc.record({ jobTitle: fc.constantFrom('Editor', 'Baker') }),
        fc.record({ company: fc.constantFrom('Mill', 'Forge') }),
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete' as const), who: fc.constantFrom(...NAMES) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('undo' as const), which: fc.nat(), atOnce: fc.boolean() }) },
);

test('after all imports are undone, everybody is as the last person left them, or as before', async () => {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(row, { selector: ({ who }) => who, maxLength: 3 }),
      fc.array(step, { minLength: 2, maxLength: 9 }),
      fc.array(fc.nat(), { minLength: 9, maxLength: 9 }),
      async (initial, steps, last) => {
        run += 1;
        const part = `model${run}x`;
        const email = (who: string) => `${who}@${part}.example`;
        const file = (given: readonly Row[]) =>
          [
            'firstName,lastName,email,jobTitle,phone,company,status',
            ...given.map(
              ({ who, firstName, jobTitle, phone, company, status }) =>
                `${firstName},Last,${email(who)},${jobTitle},${phone},${company && `${company} ${part}`},${status}`,
            ),
            '',
          ].join('\n');
        if (initial.length > 0) await importFile(file(initial));
        const expected = new Map((await values(part)).map((is) => [is.email, is]));
        const blocked = new Map((await suppressed(part)).map((is) => [is.email, is]));
        const [allCompanies, allMembers] = [new Set(await companies(part)), await members(part)];
        const touched = new Set<string>();
        let open: number[] = [];
        const all: number[] = [];
        const undoSome = async (which: number, atOnce: boolean): Promise<void> => {
          if (open.length === 0) return;
          const first = open[which % open.length]!;
          const some = atOnce ? open.filter((id, n) => id === first || n % 2 === 0) : [first];
          await undo(...some);
          open = open.filter((id) => !some.includes(id));
        };
        for (const one of steps) {
          if (one.do === 'import') {
            const id = await importFile(file(one.rows));
            open.push(id);
            all.push(id);
          } else if (one.do === 'undo') await undoSome(one.which, one.atOnce);
          else {
            const there = (await people(part)).find((person) => person.email === email(one.who));
            if (!there) continue;
            if (one.do === 'edit') {
              const body = 'company' in one.body ? { company: `${one.body.company} ${part}` } : one.body;
              await edit(there.email, body);
            } else await query(sql`delete from contacts where email = ${there.email}`);
            const after = (await people(part)).find((person) => person.email === there.email);
            if (after?.version === there.version) continue;
            touched.add(there.email);
            for (const is of [there, after]) if (is?.is['company']) allCompanies.add(is.is['company'] as string);
            expected.delete(there.email);
            if (after) expected.set(there.email, { email: after.email, ...after.is });
            blocked.delete(there.email);
            const opted = (await suppressed(part)).find((is) => is.email === there.email);
            if (opted) blocked.set(there.email, opted);
          }
        }
        for (const which of last) await undoSome(which, false);
        assert.deepEqual(open, []);
        const byEmail = (map: Map<string, unknown>) =>
          [...map].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, is]) => is);
        assert.deepEqual(await values(part), byEmail(expected));
        assert.deepEqual(await suppressed(part), byEmail(blocked));
        const inUse = new Set([...expected.values()].map((is) => (is as unknown as { company: string }).company));
        for (const company of await companies(part))
          assert.ok(allCompanies.has(company) || inUse.has(company), `${company} is left behind`);
        assert.deepEqual(
          await members(part),
          allMembers.filter((member) => expected.has(member)),
        );
        for (const id of all)
          for (const one of await kept(id)) {
            assert.ok(touched.has(one.email), `${one.email} was changed by imports only`);
            assert.equal(one.reason, 'changed_since');
          }
      },
    ),
    { numRuns: process.env['EXPLORE_SEED'] ? 200 : 25 },
  );
});
