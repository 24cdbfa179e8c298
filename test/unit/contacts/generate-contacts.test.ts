import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { generateContactsCsv, type ContactsFile } from '../../../dev/demo/generate-contacts.ts';
import { createRowCheck } from '../../../domain/contacts/import/check-row.ts';
import { readRows } from '../../../domain/contacts/import/csv/read-csv.ts';
import { collect, inPieces, inspect } from './csv-support.ts';

async function generate(options: ContactsFile) {
  const { csv, account } = generateContactsCsv(options);
  return { file: Buffer.concat(await collect(csv)), account };
}

/** Counts a file the way an import into an empty tenant does. */
async function count(file: Buffer) {
  const { format, cells, from, plan } = inspect(file);
  assert.deepEqual(plan.ignoredColumns, ['Lifecycle Stage', 'Country', 'Notes']);
  const check = createRowCheck(plan, { customFields: new Map() });
  const keys = new Set<string>();
  const counted = { rows: 0, contacts: 0, duplicates: 0, rejected: 0, rejectedByCode: {} as Record<string, number> };
  for await (const { rows } of readRows(inPieces(file), { format, columns: cells, from })) {
    for (const row of rows) {
      counted.rows += 1;
      const checked = check(row);
      if ('violations' in checked) {
        counted.rejected += 1;
        const codes = checked.violations.map(({ code }) => code).join(' ');
        counted.rejectedByCode[codes] = (counted.rejectedByCode[codes] ?? 0) + 1;
      } else {
        if (keys.has(checked.values.emailKey)) counted.duplicates += 1;
        keys.add(checked.values.emailKey);
      }
    }
  }
  return { ...counted, contacts: keys.size };
}

test('the account of a generated file is what an import counts', async () => {
  for (const options of [
    { seed: 7, rows: 10_000 },
    { seed: 8, rows: 3_000, dirt: 0.5 },
    { seed: 9, rows: 50, dirt: 1 },
    { seed: 1, rows: 0 },
  ]) {
    const {
      file,
      account: { blankLines, ...account },
    } = await generate(options);
    if (options.rows === 0) assert.equal(file.toString().split('\n').length, 2);
    else assert.deepEqual(await count(file), account);
    assert.ok(options.rows < 3_000 || blankLines > 0);
    assert.equal(account.contacts + account.duplicates + account.rejected, options.rows);
  }
});

test('the dirt has its rate and all its kinds', async () => {
  const { account } = await generate({ seed: 7, rows: 20_000 });
  assert.deepEqual(Object.keys(account.rejectedByCode).sort(), [
    'invalid_character',
    'invalid_email',
    'invalid_encoding',
    'required',
    'surplus_cells',
    'too_long',
  ]);
  assert.ok(account.duplicates > 0);
  // Six of the twelve kinds of dirt are rejected: 0.02 * 6 / 12 of the rows, give or take.
  assert.ok(account.rejected > 120 && account.rejected < 290, `${account.rejected} rejected`);
  const clean = await generate({ seed: 7, rows: 1_000, dirt: 0 });
  assert.deepEqual(clean.account, {
    rows: 1_000,
    contacts: 1_000,
    duplicates: 0,
    rejected: 0,
    rejectedByCode: {},
    blankLines: 0,
  });
});

test('the same seed gives the same bytes, another one others', async () => {
  const first = await generate({ seed: 7, rows: 2_000 });
  assert.ok(first.file.equals((await generate({ seed: 7, rows: 2_000 })).file));
  assert.ok(!first.file.equals((await generate({ seed: 8, rows: 2_000 })).file));
});

test('nobody real is named: addresses are of reserved domains and numbered', async () => {
  const { file } = await generate({ seed: 7, rows: 5_000 });
  const addresses = file.toString().match(/[^\s,"]+@[^\s,"]+/g) ?? [];
  assert.ok(addresses.length > 4_900);
  const strange = addresses.filter((address) => !/^[a-z.]+\.\d+@example\.(com|net|org)$/i.test(address));
  assert.deepEqual(
    new Set(strange.filter((address) => /example\.(com|net|org)$/i.test(address) && /\d/.test(address))),
    new Set(),
  );
});
