/** `npm run areas`: writes the table of areas into docs/ARCHITECTURE.md. */
import { readFile, writeFile } from 'node:fs/promises';

const root = new URL('../', import.meta.url);
const document = new URL('docs/ARCHITECTURE.md', root);
const [BEGIN, END] = ['<!-- areas: from dev/areas.json -->', '<!-- end of areas -->'];

/** The areas from the lowest up: folder and description. */
export const readAreas = async (): Promise<[folder: string, what: string][]> =>
  JSON.parse(await readFile(new URL('dev/areas.json', root), 'utf8')) as [string, string][];

/** docs/ARCHITECTURE.md as it is, and with the table of the list. Throws if it has no place for it. */
export async function readArchitecture(): Promise<{ is: string; wanted: string }> {
  const is = await readFile(document, 'utf8');
  const [before, rest] = is.split(BEGIN);
  const after = rest?.split(END)[1];
  if (after === undefined) throw new Error(`docs/ARCHITECTURE.md has no ${BEGIN} … ${END}`);
  const rows = (await readAreas()).map(([folder, what]) => `| \`${folder}\` | ${what} |`);
  const table = ['| Folder | What |', '|---|---|', ...rows].join('\n');
  return { is, wanted: `${before}${BEGIN}\n${table}\n${END}${after}` };
}

if (import.meta.main) await writeFile(document, (await readArchitecture()).wanted);
