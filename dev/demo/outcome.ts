import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { poll, STALLED_MS, type Client } from './client.ts';
import { chance } from './recipients.ts';

/** Where the demo leaves the report that it makes. */
export const REPORT_FILE = join('.data', 'demo-report.pdf');
const POINTS = { open: 5, click: 10, form: 25, visit: 2 };

export interface DemoContact {
  id: number;
  firstName: string;
  status: string;
}

/** Makes a report on the dashboard, as a PDF for people, and as JSON to read what it says. */
export async function makeReport(api: Client, run: string): Promise<{ opens: number }> {
  const files: Uint8Array[] = [];
  for (const format of ['pdf', 'json']) {
    const { id } = await api.call('POST', '/analytics/reports', { name: `Demo ${run}`, type: 'dashboard', format });
    await poll(
      'the report is made',
      async () => {
        const { status, error } = await api.call('GET', `/analytics/reports/${id}`);
        if (status === 'FAILED') throw new Error(`The report has failed: ${error}`);
        return status === 'COMPLETED' ? true : null;
      },
      () => 'making the report',
      STALLED_MS,
    );
    files.push(await api.download(`/analytics/reports/${id}/download`));
  }
  await mkdir(dirname(REPORT_FILE), { recursive: true });
  await writeFile(REPORT_FILE, files[0]!);
  const content = JSON.parse(new TextDecoder().decode(files[1])) as { keyFigures: { key: string; value: number }[] };
  return { opens: content.keyFigures.find(({ key }) => key === 'emails.opens')!.value };
}

/** The contacts of a list, by address. */
export async function contactsOf(api: Client, listId: number): Promise<Map<string, DemoContact>> {
  const found = new Map<string, DemoContact>();
  for (let cursor: string | null = ''; cursor !== null;) {
    const page = await api.call(
      'GET',
      `/contacts/lists/${listId}/contacts?limit=200${cursor ? `&cursor=${cursor}` : ''}`,
    );
    for (const contact of page.data) found.set(contact.email.toLowerCase(), contact);
    cursor = page.page.nextCursor;
  }
  return found;
}

/** The number of recipients that got the right branch for whether they opened the first email. */
export function branchesRight(received: Map<string, string[]>, seed: number, openRate: number): number {
  return [...received].filter(([address, steps]) => {
    const opened = chance(String(seed), address, 'welcome', 'open') < openRate;
    return steps.includes(opened ? 'tips' : 'reminder') && !steps.includes(opened ? 'reminder' : 'tips');
  }).length;
}

/** Compares the scores of up to 60 contacts with what their actions should give. */
export async function scoresOf(
  api: Client,
  names: [string, { id: number }][],
  deeds: Map<string, { opens: number; clicks: number }>,
  submitters: Set<string>,
  visitors: Set<string>,
) {
  const sample = names.filter((_, index) => index % Math.ceil(names.length / 60) === 0);
  let right = 0;
  let example: number | null = null;
  for (const [address, { id }] of sample) {
    const { opens = 0, clicks = 0 } = deeds.get(address) ?? {};
    const earned =
      opens * POINTS.open +
      clicks * POINTS.click +
      (submitters.has(address) ? POINTS.form : 0) +
      (visitors.has(address) ? POINTS.visit : 0);
    let score = await api.call('GET', `/scoring/contacts/${id}`);
    // The dashboard and the scores have separate consumers, so one may be a moment behind the other.
    for (let tries = 0; tries < 40 && score.totalScore < earned; tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 250));
      score = await api.call('GET', `/scoring/contacts/${id}`);
    }
    if (score.totalScore === earned) right += 1;
    if (earned > 0) example ??= id;
  }
  return { looked: sample.length, right, example };
}
