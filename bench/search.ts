/**
 * `npm run bench:search -- --contacts 1000000 --searches 300`: searches of the API compared to the same search in
 * hand-written SQL, alternately: for words that match one, some hundred, many thousand and no contact.
 */
import { parseArgs } from 'node:util';
import pg from 'pg';
import { startApiProcess } from '../test/support/api-process.ts';
import { startService } from '../test/support/service.ts';
import { at } from './support/load.ts';
import { onStack } from './support/stack.ts';

const { values } = parseArgs({
  options: { contacts: { type: 'string', default: '1000000' }, searches: { type: 'string', default: '300' } },
});
const CONTACTS = Number(values.contacts);

/** Search words by the number of contacts that match; `n` makes each word different. */
const KINDS: [what: string, word: (n: number) => string][] = [
  ['one contact', (n) => `person${(n * 7919) % CONTACTS}@`],
  ['a thousandth of them', (n) => `ivena${n % 1000}x`],
  ['a company of ten', (n) => `works ${1 + ((n * 31) % (CONTACTS / 10))} ltd`],
  ['nobody', (n) => `nobody${n}here`],
];

/**
 * The query that a developer would write: trigrams of names and address, and of the company; the first fifty by name.
 */
const BY_HAND = `
  select c.*, k.name as company from contacts c left join companies k on k.tenant_id = c.tenant_id and k.id = c.company_id
  where c.tenant_id = 'default' and c.id in (
    select id from contacts where tenant_id = 'default' and lower(first_name || ' ' || last_name || chr(10) || email) like $1
    union select c.id from companies k join contacts c on c.tenant_id = k.tenant_id and c.company_id = k.id where k.tenant_id = 'default' and lower(k.name) like $1)
  order by c.last_name, c.id limit 50`;

await onStack(1, async () => {
  const service = await startService();
  const api = await startApiProcess(service);
  const owner = new pg.Client({ connectionString: service.deps.env.DATABASE_MIGRATION_URL });
  await owner.connect();
  try {
    await owner.query(
      `insert into companies (tenant_id, name, name_key) select 'default', 'Works ' || n || ' Ltd', 'works ' || n || ' ltd' from generate_series(1, $1::int) n`,
      [CONTACTS / 10],
    );
    await owner.query(
      `
      insert into contacts (tenant_id, first_name, last_name, email, email_key, company_id)
      select 'default', 'Givena' || n % 1000 || 'x', 'Family' || n % 1009, 'person' || n || '@example.com', 'person' || n || '@example.com', first + n % $2
      from (select min(id) as first from companies) f, generate_series(1, $1::int) n`,
      [CONTACTS, CONTACTS / 10],
    );
    await owner.query('vacuum analyze contacts, companies');
    console.log(`searches among ${CONTACTS} contacts, ms: the API beside the same by hand`);
    for (const [what, word] of KINDS) {
      const [ours, hand]: [number[], number[]] = [[], []];
      for (let n = 0; n < Number(values.searches) + 20; n += 1) {
        const q = word(n);
        let begin = performance.now();
        const { rows } = await owner.query(BY_HAND, [`%${q}%`]);
        const byHand = performance.now() - begin;
        begin = performance.now();
        const { status, body } = await api.api('GET', `/contacts/search?limit=50&q=${encodeURIComponent(q)}`);
        const took = performance.now() - begin;
        if (status !== 200 || body.data.length !== rows.length)
          throw new Error(`${status}: ${body.data?.length} found for ${q}, by hand ${rows.length}`);
        if (n < 20) continue;
        ours.push(took);
        hand.push(byHand);
      }
      const [a, b] = [ours, hand].map((times) => times.sort((x, y) => x - y)) as [number[], number[]];
      const figures = (p: number): string =>
        `p${p * 100} ${at(a, p).toFixed(1)} beside ${at(b, p).toFixed(1)} (${(at(a, p) / at(b, p)).toFixed(2)})`;
      console.log(`  what ${what} has: ${figures(0.5)}, ${figures(0.95)}`);
    }
  } finally {
    await owner.end();
    await api.end();
    await service.stop();
  }
});
