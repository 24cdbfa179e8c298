import type { ReportSchedule } from '../../db/entities/reports.ts';
import { asService } from '../../domain/audit/audit.ts';
import { createReport, updateReport, type NewReport } from '../../domain/reports/save-report.ts';
import { ensureStreams, KEPT_FILES } from '../../transport/streams.ts';
import { QUEUES, workflowId } from '../../registry/workflows.ts';
import { TENANT, type Journeys } from './campaign-support.ts';
import { hindered } from './job-paths.ts';

/** A run or firing that is over: its workflow, whose history is worth keeping. */
interface Done {
  workflowId: string;
}

const author = asService(TENANT);
const schedule: ReportSchedule = { cron: '0 6 1 * *', timezone: 'UTC', recipients: [], period: 'month' };

export async function newReport({ deps, em }: Journeys, fields: Partial<NewReport> = {}): Promise<number> {
  await ensureStreams(deps.nats.jsm, deps.env);
  const { report } = await createReport(em(), author, { name: 'Report', type: 'dashboard', format: 'csv', ...fields });
  return report.id;
}

/** Runs the one workflow that is in the outbox. */
export async function ended(journeys: Journeys): Promise<Done> {
  const [id] = await journeys.relay();
  await journeys.finished(id!);
  return { workflowId: id! };
}

/** Does `work` while the store of files has no room. */
export async function withoutRoom<T>({ deps: { nats } }: Journeys, work: () => Promise<T>): Promise<T> {
  const { config, state } = await nats.jsm.streams.info(KEPT_FILES);
  await nats.jsm.streams.update(KEPT_FILES, { ...config, max_bytes: state.bytes + 10 });
  try {
    return await work();
  } finally {
    await nats.jsm.streams.update(KEPT_FILES, config);
  }
}

/** A report on a period that is over, of which an event waits to be counted. */
export async function newLateReport(journeys: Journeys): Promise<number> {
  await journeys.contact();
  await journeys.owner(`update outbox_events set occurred_at = now() - interval '2 hours'`);
  const hoursAgo = (hours: number): string => new Date(Date.now() - hours * 3_600_000).toISOString();
  return newReport(journeys, { from: hoursAgo(3), to: hoursAgo(1) });
}

/** Fires a report's schedule at a nominal time. */
export async function fired({ env, finished }: Journeys, reportId: number): Promise<Done> {
  const input = { tenantId: TENANT, reportId };
  const nominal = new Date(Math.ceil((await env.currentTimeMs()) / 1000) * 1000).toISOString().replace('.000', '');
  const id = `${workflowId('reportOccurrence', input)}-${nominal}`;
  await env.client.workflow.start('reportOccurrence', { workflowId: id, taskQueue: QUEUES.jobs, args: [input] });
  await finished(id);
  return { workflowId: id };
}

/** One for each way that the workflows of reports can go. */
export const reportPaths = {
  report: async (journeys) => {
    await newReport(journeys);
    return ended(journeys);
  },
  'report-retried': async (journeys) => {
    await newReport(journeys);
    return hindered(journeys, 'update on analytics_report_runs');
  },
  'report-waits': async (journeys) => {
    await newLateReport(journeys);
    return ended(journeys);
  },
  'report-failed': async (journeys) => {
    await newReport(journeys);
    return withoutRoom(journeys, () => ended(journeys));
  },
  'report-schedule': async (journeys) => {
    await newReport(journeys, { schedule });
    return ended(journeys);
  },
  'report-occurrence': async (journeys) => {
    const reportId = await newReport(journeys, { schedule });
    await ended(journeys);
    const done = await fired(journeys, reportId);
    await ended(journeys);
    return done;
  },
  'report-occurrence-skipped': async (journeys) => {
    const reportId = await newReport(journeys, { schedule });
    await updateReport(journeys.em(), author, reportId, { schedule: null }, () => {});
    await journeys.relay();
    return fired(journeys, reportId);
  },
} satisfies Record<string, (journeys: Journeys) => Promise<Done>>;
