/**
 * `npm run demo`: uses the running service or starts one, sends a text whose recipient answers STOP, has a webhook told
 * of it, imports a CRM export of 1,000 rows, runs a welcome series with a branch, simulates its recipients, makes a
 * report, and prints the results. Options: `--rows`, `--seed`. The text and the webhook need a service with
 * OUTBOUND_ALLOW=127.0.0.1/32, the webhook also ADMIN_PASSWORD here; without them it says so.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { withSecretFiles } from '../../config/env.ts';
import { createCampaign } from './campaign.ts';
import { poll, STALLED_MS, type Client } from './client.ts';
import { generateContactsCsv } from './generate-contacts.ts';
import { branchesRight, contactsOf, makeReport, REPORT_FILE, scoresOf } from './outcome.ts';
import { chance, createRecipients } from './recipients.ts';
import { atLeast, check, formatReport, progressOfImport, type Check } from './report.ts';
import { ensureService, findAdmin, logIn } from './service.ts';
import { showTexts } from './texts.ts';

// As `npm start` does.
const envFile = join(import.meta.dirname, '..', '..', '.env');
if (existsSync(envFile)) process.loadEnvFile(envFile);
const { values: options } = parseArgs({
  options: { rows: { type: 'string', default: '1000' }, seed: { type: 'string', default: '7' } },
});
const { settings } = withSecretFiles(process.env);
const rows = Number(options.rows);
const seed = Number(options.seed);
const apiUrl = `http://localhost:${process.env['PORT'] || 8080}`;
const mailPage = `http://localhost:${process.env['MAIL_PAGE_PORT'] || 1080}`;
const temporalUi = `http://localhost:${process.env['TEMPORAL_UI_PORT'] || 8233}`;
const OPEN_RATE = 0.4;
const CLICK_RATE = 0.3;
const SUBMIT_RATE = 0.2;
const VISITORS = 20;
const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
const place = {
  apiUrl,
  adminUsername: settings['ADMIN_USERNAME'] || 'admin',
  adminPassword: settings['ADMIN_PASSWORD'],
  say,
};

async function importContacts(api: Client, listId: number, tag: string) {
  const { csv, account } = generateContactsCsv({ seed, rows, tag });
  const parts: Buffer[] = [];
  for await (const part of csv) parts.push(part);
  const form = new FormData();
  form.set('listId', String(listId));
  form.set('file', new Blob([Buffer.concat(parts)], { type: 'text/csv' }), 'crm-export.csv');
  const { id } = await api.call('POST', '/contacts/import', form);
  let job = await api.call('GET', `/contacts/imports/${id}`);
  await poll(
    'the import is over',
    async () => {
      job = await api.call('GET', `/contacts/imports/${id}`);
      return ['COMPLETED', 'FAILED', 'CANCELLED'].includes(job.status) ? true : null;
    },
    () => progressOfImport(job),
    STALLED_MS,
  );
  return { job, account };
}

async function main(): Promise<void> {
  const { own, password } = await ensureService(place);
  const admin = await findAdmin(place, password);
  // In the names and addresses of all that it makes: others may run the demo at the same time.
  const tag = randomBytes(4).toString('hex');
  const run = `${new Date().toISOString().slice(0, 19).replace('T', ' ')} ${tag}`;
  const api = await logIn(place);
  const before = await api.call('GET', '/analytics/dashboard');
  const list = await api.call('POST', '/contacts/lists', { name: `Demo ${run}` });

  say('\nSending a text, and telling a webhook of it …');
  const texts = await showTexts({ api, admin, apiUrl, run, say });
  for (const line of texts.leftOut) say(line);

  say(`\nImporting ${rows} rows of a CRM export …`);
  const { job, account } = await importContacts(api, list.id, tag);

  say('Starting a welcome series of three emails …');
  const campaign = await createCampaign(api, run);
  const form = await api.call('POST', '/forms', {
    name: `Demo form ${run}`,
    fields: [
      { name: 'email', label: 'Email', type: 'email', required: true },
      { name: 'message', label: 'Message', type: 'textarea' },
    ],
  });
  const names = await contactsOf(api, list.id);
  const subjects = new Map([...names.values()].flatMap(({ firstName }) => campaign.subjectsFor(firstName)));
  const recipients = createRecipients({ mailPage, seed, subjects, openRate: OPEN_RATE, clickRate: CLICK_RATE });
  await recipients.begin();
  await api.call('POST', `/campaigns/${campaign.id}/start`, { listId: list.id });

  // A killed worker leaves emails whose outcome is only known from the recipients' mailboxes. The service never resends
  // them by itself, so the demo does what an operator would do: it looks, and reports what it found.
  let unknown = 0;
  const resolveUnknown = async (): Promise<void> => {
    const { data } = await api.call('GET', `/emails?campaignId=${campaign.id}&status=UNKNOWN&limit=200`);
    if (data.length === 0) return;
    while ((await recipients.look()) > 0);
    const addresses = new Map([...names].map(([address, contact]) => [contact.id, address]));
    for (const email of data) {
      const came = recipients.received.get(addresses.get(email.contactId) ?? '')?.includes(email.stepId) ?? false;
      await api.call('POST', `/emails/${email.id}/resolve`, { outcome: came ? 'sent' : 'resend' });
      unknown += 1;
    }
  };

  const audience = [...names.values()].filter((contact) => contact.status === 'active').length;
  let stats = await api.call('GET', `/campaigns/${campaign.id}/stats`);
  await poll(
    'every journey is over and every mail has come',
    async () => {
      while ((await recipients.look()) > 0);
      await resolveUnknown();
      stats = await api.call('GET', `/campaigns/${campaign.id}/stats`);
      return stats.executions.completed >= names.size && recipients.mails >= audience * 3 ? true : null;
    },
    () =>
      `${stats.executions.running} journeys under way, ${stats.executions.completed} over; ${recipients.mails} mails in the catcher`,
    STALLED_MS,
  );

  say('Submitting the form for some of those who clicked …');
  const submitters = [...recipients.deeds]
    .filter(([address, deeds]) => deeds.clicks > 0 && chance(String(seed), address, 'submit') < SUBMIT_RATE)
    .map(([address]) => address);
  for (const address of submitters)
    await api.call('POST', `/forms/${form.id}/submit`, { email: address, message: 'Tell me more' });

  say('Some of them visit the website …');
  const visitors = submitters.slice(0, VISITORS);
  for (const address of visitors)
    await api.call('POST', '/scoring/events', {
      contactId: names.get(address)!.id,
      type: 'WEBSITE_VISITED',
      data: { url: 'https://www.example.com/pricing', title: 'Pricing' },
    });

  const opens = [...recipients.deeds.values()].reduce((sum, deeds) => sum + deeds.opens, 0);
  const clicks = [...recipients.deeds.values()].reduce((sum, deeds) => sum + deeds.clicks, 0);
  let dashboard = before;
  const grown = (area: string, field: string): number => dashboard[area][field] - before[area][field];
  await poll(
    'the dashboard has counted everything',
    async () => {
      dashboard = await api.call('GET', '/analytics/dashboard');
      return grown('emails', 'opens') >= opens &&
        grown('emails', 'clicks') >= clicks &&
        grown('forms', 'submissions') >= submitters.length
        ? true
        : null;
    },
    () => `${grown('emails', 'opens')} of ${opens} opens, ${grown('emails', 'clicks')} of ${clicks} clicks counted`,
    STALLED_MS,
  );

  stats = await api.call('GET', `/campaigns/${campaign.id}/stats`);
  const { submissions } = await api.call('GET', `/forms/${form.id}/stats`);
  const scores = await scoresOf(api, [...names], recipients.deeds, new Set(submitters), new Set(visitors));
  say('Making a report of the last 30 days …');
  const report = await makeReport(api, run);
  const sum = job.created + job.updated + job.unchanged + job.duplicates + job.rejected;
  const checks: Check[] = [
    check('rows of the file accounted for', sum, account.rows),
    check(
      'contacts in the file (created, updated or unchanged)',
      job.created + job.updated + job.unchanged,
      account.contacts,
    ),
    check('duplicates', job.duplicates, account.duplicates),
    check('rejected rows', job.rejected, account.rejected),
    check('journeys completed', stats.executions.completed, names.size),
    check('mails in the catcher', recipients.mails, audience * 3),
    check('mails that came twice', recipients.twice, 0),
    check(
      'contacts with exactly their three mails',
      [...recipients.received.values()].filter((steps) => steps.length === 3 && new Set(steps).size === 3).length,
      audience,
    ),
    check('branches taken as the recipients opened', branchesRight(recipients.received, seed, OPEN_RATE), audience),
    check('mails sent by the campaign', stats.emails.sent, audience * 3),
    check('opens of its mails', stats.emails.opens, opens),
    check('clicks in its mails', stats.emails.clicks, clicks),
    check('submissions of the form', submissions, submitters.length),
    // Others may use the service meanwhile, so these are at least what the demo has added.
    atLeast('mails sent on the dashboard', grown('emails', 'sent'), audience * 3),
    atLeast('opens on the dashboard', grown('emails', 'opens'), opens),
    atLeast('clicks on the dashboard', grown('emails', 'clicks'), clicks),
    atLeast('submissions on the dashboard', grown('forms', 'submissions'), submitters.length),
    atLeast('opens in the report', report.opens - before.emails.opens, opens),
    check(`scores as the rules say, of ${scores.looked} contacts looked at`, scores.right, scores.looked),
    ...texts.checks,
  ];
  if (unknown > 0)
    say(`\n${unknown} mails were on a connection when a process was killed: looked up in the catcher and resolved.`);
  say(
    formatReport(checks, {
      Mails: mailPage,
      'Journeys in the Temporal UI': `${temporalUi}/namespaces/default/workflows?query=${encodeURIComponent(`CampaignId=${campaign.id}`)}`,
      'Campaign statistics': `${apiUrl}/api/v1/campaigns/${campaign.id}/stats`,
      'A score': scores.example ? `${apiUrl}/api/v1/scoring/contacts/${scores.example}` : 'nobody opened a mail',
      Dashboard: `${apiUrl}/api/v1/analytics/dashboard`,
      'The report': REPORT_FILE,
      ...texts.links,
    }),
  );
  for (const line of texts.leftOut) say(`${line}\n`);
  process.exitCode = checks.every((one) => one.right) ? 0 : 1;
  if (own) say('The service stays up; Ctrl-C stops it.');
}

await main();
