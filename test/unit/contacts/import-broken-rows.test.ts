import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { readAsSecond, readByPython } from './csv-support.ts';

/** For a million: `BROKEN_ROWS=1000000 npm test -- test/unit/contacts/import-broken-rows.test.ts` */
const ROWS = Number(process.env['BROKEN_ROWS'] ?? 20_000);
const EVERY = 1_000;

const sound = [
  (n: number) => `Given${n},Family,p${n}@example.com,a note`,
  (n: number) => `"Given${n}","Family, of ${n}",p${n}@example.com,"a ""note"""`,
  (n: number) => `Given${n},Family,p${n}@example.com,"a note\nof two lines"`,
  (n: number) => `Given${n},5" pipes,p${n}@example.com,`,
];
const broken = [
  (n: number) => `"Given"${n},Family,p${n}@example.com,a note`,
  (n: number) => `"Given${n},Family,p${n}@example.com,a note`,
  (n: number) => `Given${n},Family,p${n}@example.com,"She said "no""`,
  (n: number) => `Given${n},Family,p${n}@example.com,"a note`,
];
const isBroken = (n: number): boolean => n % EVERY === EVERY - 1;

test(`of ${ROWS} rows, a broken quote in every thousandth costs that row and no other`, async () => {
  const line = (n: number): string => {
    const write = isBroken(n) ? broken[Math.floor(n / EVERY) % broken.length] : sound[n % sound.length];
    return write!(n);
  };
  const lines = Array.from({ length: ROWS }, (_, n) => line(n));
  const bytes = Buffer.from(`firstName,lastName,email,note\n${lines.join('\n')}\n`);
  const rows = await readAsSecond(bytes, { encoding: 'utf-8', delimiter: ',' });
  const [expected] = readByPython([{ bytes, codec: 'utf-8', delimiter: ',' }]);
  assert.equal(rows.length, ROWS);
  assert.equal(expected!.length, ROWS);
  for (const [n, row] of rows.entries()) assert.deepEqual(row, expected![n]);

  const rejected = rows.filter(([, , , fault]) => fault !== null);
  // The header is row 1.
  assert.deepEqual(
    rejected.map(([row]) => row),
    Array.from({ length: ROWS / EVERY }, (_, n) => (n + 1) * EVERY + 1),
  );
  const codes = Map.groupBy(rejected, ([, , , fault]) => fault);
  const counts = Object.fromEntries([...codes].map(([code, { length }]) => [String(code), length]));
  console.log(`${ROWS - rejected.length} rows accepted, rejected: ${JSON.stringify(counts)}`);
});
