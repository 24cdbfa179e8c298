import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, test } from '@jest/globals';

const root = join(import.meta.dirname, '../../..');
const INSTALL = 'npm install "./$(npm pack --silent ../perennial/clients/typescript)"';

let project: string;
beforeAll(async () => {
  project = mkdtempSync(join(tmpdir(), 'perennial-client-'));
  writeFileSync(join(project, 'package.json'), '{"type": "module"}');
  // The line as the README has it, with the path of this repository, in an empty project and without a network.
  const readme = await readFile(join(root, 'README.md'), 'utf8');
  assert.ok(readme.split('\n').includes(INSTALL), 'README.md has the line');
  const line = INSTALL.replace('../perennial', root).replace(
    'npm install',
    'npm install --offline --no-audit --no-fund',
  );
  execFileSync('sh', ['-c', line], { cwd: project, stdio: 'pipe' });
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

const SETTINGS = {
  compilerOptions: {
    target: 'ES2022',
    module: 'NodeNext',
    lib: ['ES2022', 'DOM', 'DOM.Iterable'],
    types: [],
    strict: true,
    noEmit: true,
  },
  include: ['program.ts'],
};

/** What the compiler says of a program of the project. */
function compile(program: string): string {
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(SETTINGS));
  writeFileSync(join(project, 'program.ts'), program);
  return spawnSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', '.'], {
    cwd: project,
    encoding: 'utf8',
  }).stdout;
}

const RIGHT = `
import { createClient, each, type Schemas } from '@perennial/client';
const client = createClient({ baseUrl: 'http://localhost:8080', token: 'a-key' });
export async function run(): Promise<void> {
  const contact = await client.createContact({ body: { firstName: 'Ada', lastName: 'Byron', email: 'ada@example.com' } });
  const filter: Schemas['Filter'] = {
    op: 'and',
    conditions: [
      { field: 'status', operator: 'eq', value: 'active' },
      { event: 'EMAIL_OPENED', operator: 'atLeast', where: [{ field: 'templateId', operator: 'eq', value: 1 }] },
    ],
  };
  const segment = await client.createSegment({ body: { name: 'Readers', type: 'dynamic', filter } });
  const campaign = await client.createCampaign({
    body: {
      name: 'Welcome',
      trigger: { type: 'SEGMENT_ENTERED', segmentId: segment.id },
      steps: [
        { id: 'hello', type: 'EMAIL', config: { templateId: 1 } },
        { type: 'CONDITION', config: { if: filter, then: 'bye' } },
        { id: 'bye', type: 'EXIT' },
      ],
    },
  });
  // A list tells its kinds apart by their type.
  for (const step of campaign.steps) if (step.type === 'EMAIL') console.log(step.config.templateId.toFixed());
  await client.startCampaign({ path: { id: campaign.id }, body: { contactIds: [contact.id] } });
  for await (const one of each(client.listContacts, { query: { limit: 10 } })) console.log(one.email);
}
`;

test('the package has what it needs and nothing else, and runs', async () => {
  const installed = join(project, 'node_modules/@perennial/client');
  assert.deepEqual(
    readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.')),
    ['@perennial'],
  );
  assert.deepEqual(
    readdirSync(installed).sort(),
    [
      ...['LICENSE', 'README.md', 'index.d.ts', 'index.js', 'operations.d.ts', 'operations.js', 'package.json'],
      ...['schema.d.ts', 'types.d.ts'],
    ].sort(),
  );
  const run = `const { createClient } = await import('@perennial/client');
    const answers = async (url, { method }) => Response.json({ url: String(url), method });
    const client = createClient({ baseUrl: 'http://localhost:1', fetch: answers });
    console.log(JSON.stringify(await client.getContact({ path: { id: 7 } })));`;
  writeFileSync(join(project, 'run.mjs'), run);
  const said = execFileSync(process.execPath, ['run.mjs'], { cwd: project, encoding: 'utf8' });
  assert.deepEqual(JSON.parse(said), { url: 'http://localhost:1/api/v1/contacts/7', method: 'GET' });
});

test('a right program compiles against the installed package', () => {
  assert.equal(compile(RIGHT), '');
});

test('misspelt types of steps, settings and fields do not compile', () => {
  const wrong = `
import { createClient, type Schemas } from '@perennial/client';
const client = createClient({ baseUrl: 'http://localhost:8080' });
// @ts-expect-error a type of steps that does not exist
export const one: Schemas['Step'] = { type: 'EMIAL', config: { templateId: 1 } };
// @ts-expect-error a setting that its type does not have
export const two: Schemas['Step'] = { type: 'EMAIL', config: { templateID: 1 } };
// @ts-expect-error the settings of another type
export const three: Schemas['Step'] = { type: 'EMAIL', config: { waitMinutes: 1 } };
// @ts-expect-error a field that no contact has
void client.createContact({ body: { firstName: 'A', lastName: 'B', email: 'a@example.com', surname: 'C' } });
// @ts-expect-error an operator that does not exist
export const four: Schemas['Filter'] = { field: 'email', operator: 'equals', value: 'a@example.com' };
// @ts-expect-error an event that does not exist
export const five: Schemas['Filter'] = { event: 'EMAIL_OPEND', operator: 'atLeast' };
// @ts-expect-error a trigger without its setting
export const six: Schemas['Trigger'] = { type: 'FORM_SUBMITTED' };
// @ts-expect-error a campaign with a misspelt step
void client.createCampaign({ body: { name: 'N', steps: [{ type: 'EMIAL', config: { templateId: 1 } }] } });
// @ts-expect-error a permission that does not exist
void client.createApiKey({ body: { name: 'N', permissions: ['contact:read'] } });
`;
  assert.equal(compile(wrong), '');
  const found = compile(wrong.replaceAll('@ts-expect-error', 'expected:'));
  const lines = [...found.matchAll(/^program\.ts\((\d+),/gm)].map((match) => Number(match[1]));
  const marked = wrong.split('\n').flatMap((line, at) => (line.includes('@ts-expect-error') ? [at + 2] : []));
  assert.deepEqual([...new Set(lines)], marked, found);
});
