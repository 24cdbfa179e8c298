import type { ChildProcess } from 'node:child_process';
import { readEnv } from '../../config/env.ts';
import { freePorts } from '../../dev/stack/ports.ts';
import { createLinkSigner } from '../../domain/addresses/tokens.ts';
import { createEmailLinks, trackableLink } from '../../domain/emails/rendering/links.ts';
import { at, sendLoad, type Post } from '../support/load.ts';
import { startServer, stopServer } from '../support/server.ts';
import { measureWork, printRates, type Rates } from './measure.ts';
import { importRecipients } from './send.ts';
import { onStarted, type Started } from './started.ts';

/** Contacts that are there before. */
const CONTACTS = 20_000;
const LONGEST_SECONDS = 3_600;

/** What is measured, and its references by name; `run` numbers the pairs. */
interface Job {
  job: (run: number) => Promise<number>;
  references: Record<string, (run: number) => Promise<number>>;
}

/** Sends each request once; throws unless all have this status. Prints the response times. */
async function sendAll(
  port: number,
  paths: readonly (string | Post)[],
  status: number,
  connections: number,
): Promise<number> {
  const { times, seconds } = await sendLoad({
    port,
    paths,
    once: true,
    connections,
    seconds: LONGEST_SECONDS,
  });
  const good = times.get(status) ?? [];
  if (good.length !== paths.length)
    throw new Error(`answers with status ${[...times].map(([code, all]) => `${code} (${all.length})`).join(', ')}`);
  console.log(`  response times: p50 ${at(good, 0.5).toFixed(1)} ms, p99 ${at(good, 0.99).toFixed(1)} ms`);
  return paths.length / seconds;
}

/** Submissions of new contacts. */
function submissions(formId: number, run: number, count: number): Post[] {
  return Array.from({ length: count }, (_, n) => ({
    path: `/api/v1/forms/${formId}/submit`,
    body: { email: `visitor.${run}.${n}@example.com`, firstName: `Given${n % 997}`, lastName: `Family${n % 1009}` },
  }));
}

/** Signed links of different emails, as a recipient's mail program requests them. */
function clicks({ env }: Started, emailIds: readonly number[], count: number): string[] {
  const links = createEmailLinks({ publicUrl: '', signer: createLinkSigner({ secret: readEnv(env).LINK_SECRET }) });
  return Array.from({ length: count }, (_, n) =>
    links.clickUrl(emailIds[n % emailIds.length]!, trackableLink(`https://www.example.com/offers/${n}`)!),
  );
}

/** Sends one email to each contact of a new list through the API; returns the ids of the emails. */
async function sendEmails({ client, database, untilCaughtUp }: Started, count: number): Promise<number[]> {
  const { id: templateId } = await client.call('POST', '/emails/templates', {
    name: 'Bench',
    subject: 'Hello',
    content: '<p>Hello</p>',
  });
  for (let n = 0; n < count; n += 1)
    await client.call('POST', '/emails/send', { templateId, to: `reader.${n}@example.com` });
  await untilCaughtUp();
  const { rows } = await database.query<{ id: string }>('select id from emails order by id');
  return rows.map(({ id }) => Number(id));
}

/** The tables of the references of submissions. */
const REFERENCE_TABLES = `
  create schema same;
  create table same.contacts (like contacts including all);
  create table same.form_submissions (like form_submissions including all);
  create table same.outbox_events (like outbox_events including all);
  create schema bench;
  create table bench.contacts (id bigserial primary key, first_name text, last_name text, email text, email_key text unique);
  create table bench.submissions (id bigserial primary key, contact_id bigint references bench.contacts, data jsonb, ip text);
  create table bench.events (id bigserial primary key, type text, data jsonb)`;

/**
 * Form submissions and clicks through the public API, with everything behind them: submissions beside bare Koa with the
 * same three inserts in one transaction (into tables like the service's, and into narrow ones), clicks beside bare Koa
 * that redirects to any URL.
 */
export async function benchForms(count: number, pairs: number, connections: number): Promise<void> {
  await onStarted({}, async (started) => {
    const port = Number(new URL(started.url).port);
    const [barePort = 0, samePort = 0, narrowPort = 0] = await freePorts(3);
    await started.database.query(REFERENCE_TABLES);
    const { DATABASE_MIGRATION_URL = '' } = started.env;
    const bare: ChildProcess = await startServer('bench/references/bare-redirect.ts', barePort, {});
    const inserting = [
      await startServer('bench/references/bare-submission.ts', samePort, { DATABASE_MIGRATION_URL, SAME_TABLES: '1' }),
      await startServer('bench/references/bare-submission.ts', narrowPort, { DATABASE_MIGRATION_URL }),
    ];
    try {
      await importRecipients(started, CONTACTS);
      const { id: formId } = await started.client.call('POST', '/forms', {
        name: 'Bench',
        fields: [
          { name: 'email', label: 'Email', type: 'email', required: true },
          { name: 'firstName', label: 'First name', type: 'text' },
          { name: 'lastName', label: 'Last name', type: 'text' },
        ],
      });
      const emailIds = await sendEmails(started, 500);
      const redirects = Array.from({ length: count }, (_, n) => `/?url=https://www.example.com/offers/${n}`);
      const jobs = {
        submissions: {
          job: (run: number) => sendAll(port, submissions(formId as number, run, count), 200, connections),
          references: {
            'bare Koa with the same three inserts in one transaction, into tables like ours': (run: number) =>
              sendAll(samePort, submissions(formId as number, run, count), 200, connections),
            'the same into narrow tables': (run: number) =>
              sendAll(narrowPort, submissions(formId as number, run, count), 200, connections),
          },
        },
        clicks: {
          job: () => sendAll(port, clicks(started, emailIds, count), 302, connections),
          references: { 'bare Koa that redirects': () => sendAll(barePort, redirects, 302, connections) },
        },
      };
      for (const [units, { job, references }] of Object.entries<Job>(jobs)) {
        const measured = new Map<string, { ours: Rates; reference: number }[]>();
        for (let pair = 0; pair < pairs; pair += 1) {
          const bare: [string, number][] = [];
          for (const [beside, reference] of Object.entries(references)) bare.push([beside, await reference(pair)]);
          const work = async (): Promise<void> => void (await job(pair));
          const ours = await measureWork(started, units.slice(0, -1), count, work);
          for (const [beside, reference] of bare)
            measured.set(beside, [...(measured.get(beside) ?? []), { ours, reference }]);
        }
        for (const [beside, rates] of measured) {
          console.log(`${count} ${units} over ${connections} connections, beside ${beside}`);
          printRates(units, 'bare Koa', rates);
        }
      }
    } finally {
      for (const server of inserting) await stopServer(server);
      await stopServer(bare);
    }
  });
}
