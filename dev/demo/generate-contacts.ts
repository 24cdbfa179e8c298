import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import * as lists from './contact-values.ts';
import { pick, seededRandom } from './random.ts';

export interface ContactsFile {
  readonly seed: number;
  /** The number of data rows, without blank lines and the header. */
  readonly rows: number;
  /** The share of dirty rows, 0..1. Default 0.02. */
  readonly dirt?: number;
  /** A part of all addresses, by which files of the same seed have different contacts. */
  readonly tag?: string;
}

/** The counts of a generated file, as an import into an empty tenant must report them. */
export interface ContactsAccount {
  rows: number;
  /** Distinct valid addresses: the contacts created. */
  contacts: number;
  /** Valid rows that precede another one with the same address. */
  duplicates: number;
  rejected: number;
  rejectedByCode: Record<string, number>;
  /** Blank lines, which do not count as rows. */
  blankLines: number;
}

type Random = () => number;
type Cells = Record<'first' | 'last' | 'email' | 'phone' | 'title' | 'company' | 'stage' | 'country' | 'notes', string>;

const HEADER = [
  'First Name',
  'Last Name',
  'Email',
  'Phone',
  'Job Title',
  'Company',
  'Lifecycle Stage',
  'Country',
  'Notes',
];
const CHUNK_BYTES = 64 * 1024;

/** The kinds of dirty rows, with the code by which an import rejects them; null = accepted. */
const DIRT: Record<string, string | null> = {
  duplicate: null,
  strayBlanks: null,
  formula: null,
  oddPhone: null,
  blankLineBefore: null,
  noLastName: null,
  noEmail: 'required',
  badEmail: 'invalid_email',
  tooLong: 'too_long',
  surplusCell: 'surplus_cells',
  nul: 'invalid_character',
  badByte: 'invalid_encoding',
};
const DIRT_KINDS = Object.keys(DIRT);
const BAD_EMAILS = [
  'n/a',
  'none',
  '@example.com',
  'two words@example.com',
  'one@two@example.com',
  'someone@example',
  'dots..twice@example.com',
];
const FORMULAS = ['=1+1', '+49', '-', '@SUM(A1:A2)', '=HYPERLINK("https://example.com","open")'];
const ODD_PHONES = ['n/a', 'see notes', '555', '+', '1234567890123456789', 'ext. 12'];

/**
 * Generates a contacts CSV like a CRM's export: UTF-8, LF, nine columns, with realistic dirt. The bytes depend only on
 * the options. `account` is complete when `csv` has been read to its end.
 */
export function generateContactsCsv(options: ContactsFile): { csv: AsyncIterable<Buffer>; account: ContactsAccount } {
  const account = { rows: 0, contacts: 0, duplicates: 0, rejected: 0, rejectedByCode: {}, blankLines: 0 };
  return { csv: writeFile(options, account), account };
}

async function* writeFile(options: ContactsFile, account: ContactsAccount): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [Buffer.from(line(HEADER))];
  let bytes = 0;
  for (let index = 0; index < options.rows; index++) {
    const part = writeRow(options, index, account);
    parts.push(part);
    bytes += part.length;
    if (bytes < CHUNK_BYTES) continue;
    yield Buffer.concat(parts);
    parts = [];
    bytes = 0;
  }
  yield Buffer.concat(parts);
}

function writeRow(options: ContactsFile, index: number, account: ContactsAccount): Buffer {
  const random = randomOf(options.seed, index);
  const kind = kindOf(options, random);
  const cells = cellsOf(random, index, options.tag);
  account.rows += 1;
  const code = kind === null ? null : DIRT[kind];
  if (typeof code === 'string') {
    account.rejected += 1;
    account.rejectedByCode[code] = (account.rejectedByCode[code] ?? 0) + 1;
  }
  const original = kind === 'duplicate' ? emailOfEarlier(options, index, random) : null;
  if (original !== null) account.duplicates += 1;
  else if (code == null) account.contacts += 1;
  if (kind === 'blankLineBefore') account.blankLines += 1;
  return dirty(kind, original === null ? cells : { ...cells, email: original.toUpperCase() }, random);
}

/** Each row has its own random numbers, so that a duplicate can recompute its original without storing it. */
function randomOf(seed: number, index: number): Random {
  const mixed = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(index + 1, 0xc2b2ae35);
  return seededRandom(mixed ^ (mixed >>> 16));
}

/** Always draws two numbers, so that the cells that follow do not depend on the share of dirt. */
function kindOf({ dirt = 0.02 }: ContactsFile, random: Random): string | null {
  const isDirty = random() < dirt;
  const kind = pick(random, DIRT_KINDS);
  return isDirty ? kind : null;
}

/** The address of an earlier clean row, or null if none was found; the row then gets an address of its own. */
function emailOfEarlier(options: ContactsFile, index: number, random: Random): string | null {
  for (let attempt = 0; attempt < 20 && index > 0; attempt++) {
    const earlier = Math.floor(random() * index);
    const itsRandom = randomOf(options.seed, earlier);
    if (kindOf(options, itsRandom) === null) return cellsOf(itsRandom, earlier, options.tag).email;
  }
  return null;
}

function cellsOf(random: Random, index: number, tag?: string): Cells {
  const first = pick(random, lists.GIVEN_NAMES);
  const last = pick(random, lists.FAMILY_NAMES);
  const [country, formats] = pick(random, lists.COUNTRIES);
  const phone = random() < 0.2 ? '' : pick(random, formats).replace(/#/g, () => String(Math.floor(random() * 10)));
  const company =
    random() < 0.15 ? '' : `${pick(random, lists.COMPANY_KINDS)} ${Math.floor(random() ** 2 * 2_000) + 1}`;
  const local = `${ascii(first)}.${ascii(last)}`.replace(/^\.|\.$/g, '') || 'contact';
  const address = `${local}.${index + 1}${tag ? `.${tag}` : ''}@example.${pick(random, ['com', 'net', 'org'])}`;
  return {
    first,
    last,
    email: random() < 0.1 ? address : address.toLowerCase(),
    phone,
    title: pick(random, lists.JOB_TITLES),
    company,
    stage: pick(random, lists.LIFECYCLE_STAGES),
    country,
    notes: pick(random, lists.NOTES),
  };
}

const ascii = (name: string): string => name.normalize('NFD').replace(/[^A-Za-z]/g, '');

function dirty(kind: string | null, cells: Cells, random: Random): Buffer {
  const write = (changed: Partial<Cells>, surplus: string[] = []) =>
    line([...Object.values({ ...cells, ...changed }), ...surplus]);
  switch (kind) {
    case 'strayBlanks':
      return Buffer.from(write({ first: `  ${cells.first} `, last: ` ${cells.last}`, email: ` ${cells.email}  ` }));
    case 'formula':
      return Buffer.from(write({ title: pick(random, FORMULAS) }));
    case 'oddPhone':
      return Buffer.from(write({ phone: pick(random, ODD_PHONES) }));
    case 'blankLineBefore':
      return Buffer.from(`\n${write({})}`);
    case 'noEmail':
      return Buffer.from(write({ email: pick(random, ['', '', ' ']) }));
    case 'noLastName':
      return Buffer.from(write({ last: '' }));
    case 'badEmail':
      return Buffer.from(write({ email: pick(random, BAD_EMAILS) }));
    case 'tooLong':
      return Buffer.from(
        write(random() < 0.5 ? { last: `${cells.last} `.repeat(60) } : { phone: '+1 202 555 0100 / '.repeat(4) }),
      );
    case 'surplusCell':
      return Buffer.from(write({}, ['moved here by mistake']));
    case 'nul':
      return Buffer.from(write({ title: `Cut\0off` }));
    case 'badByte': {
      const [before = '', after = ''] = write({ title: 'Bad \uE000 byte' }).split('\uE000');
      return Buffer.concat([Buffer.from(before), Buffer.from([0xff]), Buffer.from(after)]);
    }
    default:
      return Buffer.from(write({}));
  }
}

const line = (cells: readonly string[]): string => `${cells.map(quoted).join(',')}\n`;

const quoted = (cell: string): string => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      rows: { type: 'string', default: '10000' },
      seed: { type: 'string', default: '1' },
      dirt: { type: 'string', default: '0.02' },
    },
  });
  const [rows, seed, dirt] = [Number(values.rows), Number(values.seed), Number(values.dirt)];
  const { csv, account } = generateContactsCsv({ rows, seed, dirt });
  await pipeline(Readable.from(csv), process.stdout);
  console.error(JSON.stringify(account));
}
