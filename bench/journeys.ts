/**
 * `npm run bench:journeys -- enrolment due latency events history`: what executions of campaigns take in what `npm
 * start` runs, each beside a reference of the same run; without names, all of it. Prints a table with what is wanted.
 *
 * - `enrolment`: executions started per second, from the request until the enrolment is COMPLETED, beside bare starts of
 *   as many workflows with the same options.
 * - `due`: how long `--count` waits that end in the same second take to drain, beside the time that as many executions of
 *   EMAIL, WAIT 0, EMAIL take.
 * - `latency`: from when a step is due until it is done, while half as many executions per second are started as can be
 *   run.
 * - `events`: `--count` events of a tenth as many contacts that wait for them: from the first event of each to its step.
 * - `history`: events and bytes of the history of EMAIL, WAIT, EMAIL.
 *
 * Options: `--count` (10,000: contacts, events), `--pairs` (3: rounds of `enrolment` and `due`), `--seconds` (120: how
 * long `latency` starts executions), `--event-rate` (events per second; by default as many as wake half as many
 * executions per second as can be run; 0 = as fast as they are answered), `--sink` (the path of Postfix's `smtp-sink`).
 */
import { parseArgs } from 'node:util';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { readEnv } from '../config/env.ts';
import { benchEvents } from './journeys/events.ts';
import { benchHistory } from './journeys/history.ts';
import { benchLatency } from './journeys/latency.ts';
import { benchStarts } from './journeys/starts.ts';
import { printTable, type Row } from './journeys/table.ts';
import { startNothing } from './support/nothing.ts';
import { endProcess } from './support/processes.ts';
import { runCampaign } from './whole/journey.ts';
import { importRecipients, makeTemplate, startSink } from './whole/send.ts';
import { onStarted } from './whole/started.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '10000' },
    pairs: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '120' },
    'event-rate': { type: 'string' },
    sink: { type: 'string', default: 'smtp-sink' },
  },
});
const PARTS = ['enrolment', 'due', 'latency', 'events', 'history'];
const unknown = positionals.filter((name) => !PARTS.includes(name));
if (unknown.length > 0) throw new Error(`There is no ${unknown.join(', ')}: ${PARTS.join(', ')}`);
const wanted = (name: string): boolean => positionals.length === 0 || positionals.includes(name);
const count = Number(values.count);

// The worker of the reference tells of every workflow that is terminated under it.
Runtime.install({
  shutdownSignals: [],
  logger: new DefaultLogger('ERROR'),
  telemetryOptions: { logging: { filter: 'ERROR' } },
});
const [sink, url] = await startSink({ sink: values.sink, replyMs: null });
try {
  await onStarted({ SMTP_URL: url, MAIL_FROM: 'no-reply@example.com' }, async (started) => {
    const listId = await importRecipients(started, count);
    const templateId = await makeTemplate(started);
    const bench = { started, listId, templateId, count };
    const { TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE } = readEnv(started.env);
    const nothing = await startNothing(TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE);
    const rows: Row[] = [];
    /** Executions of EMAIL, WAIT 0, EMAIL per second. */
    const executionRate = async (): Promise<number> => {
      await started.untilCaughtUp();
      const begun = performance.now();
      await runCampaign(started, templateId, listId, count);
      const rate = (count * 1000) / (performance.now() - begun);
      console.log(`  ${rate.toFixed(1)} executions of EMAIL, WAIT 0, EMAIL per second`);
      return rate;
    };
    if (wanted('history')) rows.push(...(await benchHistory(bench)));
    let rate: number | undefined;
    if (wanted('enrolment') || wanted('due'))
      rows.push(
        ...(await benchStarts(bench, Number(values.pairs), nothing, async () => (rate = await executionRate()))),
      );
    if (wanted('latency'))
      rows.push(...(await benchLatency(bench, (rate ??= await executionRate()), Number(values.seconds))));
    if (wanted('events')) {
      const eventRate = values['event-rate'] ?? String(((rate ??= await executionRate()) / 2) * 10);
      rows.push(...(await benchEvents(bench, Number(eventRate))));
    }
    await nothing.stop();
    printTable(rows);
  });
} finally {
  await endProcess(sink);
}
