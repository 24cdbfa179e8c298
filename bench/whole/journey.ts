import { until } from '../../test/support/until.ts';
import { setTimeout as delay } from 'node:timers/promises';
import { readEnv } from '../../config/env.ts';
import { endProcess } from '../support/processes.ts';
import { startNothing } from '../support/nothing.ts';
import { measureWork, printRates, type Rates } from './measure.ts';
import { importRecipients, makeTemplate, startSink, type SendOptions } from './send.ts';
import { onStarted, type Started } from './started.ts';

/** Runs a new campaign of EMAIL, WAIT 0, EMAIL for the list. Resolves when all executions and emails are over. */
export async function runCampaign(
  { client }: Started,
  templateId: number,
  listId: number,
  count: number,
): Promise<void> {
  const { id } = await client.call('POST', '/campaigns', {
    name: 'Bench',
    steps: [
      { id: 'first', type: 'EMAIL', config: { templateId } },
      { id: 'wait', type: 'WAIT', config: { waitMinutes: 0 } },
      { id: 'second', type: 'EMAIL', config: { templateId } },
    ],
  });
  await client.call('POST', `/campaigns/${id}/start`, { listId });
  await until(
    'all executions are over and all emails are sent',
    async () => {
      await delay(500);
      const { executions, emails } = await client.call('GET', `/campaigns/${id}/stats`);
      return executions.completed === count && emails.sent === 2 * count;
    },
    3_600_000,
  );
}

/** Journeys beside workflows that do nothing in as many steps, on the same Temporal server. */
export async function benchJourney(executions: number, pairs: number, sink: SendOptions['sink']): Promise<void> {
  const [server, url] = await startSink({ sink, replyMs: null });
  try {
    await onStarted({ SMTP_URL: url, MAIL_FROM: 'no-reply@example.com' }, async (started) => {
      const listId = await importRecipients(started, executions);
      const templateId = await makeTemplate(started);
      const { TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE } = readEnv(started.env);
      const nothing = await startNothing(TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE);
      const measured: { ours: Rates; reference: number }[] = [];
      for (let pair = 0; pair < pairs; pair += 1) {
        const reference = await nothing.rate(executions);
        const work = () => runCampaign(started, templateId, listId, executions);
        measured.push({ reference, ours: await measureWork(started, 'journey', executions, work) });
      }
      await nothing.stop();
      console.log(`${executions} journeys of EMAIL, WAIT 0, EMAIL beside workflows that do nothing in as many steps`);
      printRates('journeys', 'nothing', measured);
    });
  } finally {
    await endProcess(server);
  }
}
