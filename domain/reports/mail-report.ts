import type { Report, ReportRun } from '../../db/entities/reports.ts';
import type { EntityManager } from '../../db/orm.ts';
import { queueEmails } from '../emails/ledger/queue-emails.ts';
import { NOTIFICATION_KEY, notificationTemplate } from '../emails/system-mail/notification-template.ts';
import { upsertSystemTemplate } from '../emails/templates/keep-system-template.ts';
import type { ReportContent } from './content/content.ts';
import { usersAt } from './recipients.ts';
import { changeText, figureText, momentText, periodText } from './content/format.ts';

/** Larger files are not attached: many servers refuse emails above 10 MB, and base64 adds a third. */
export const MOST_ATTACHED_BYTES = 5 * 1024 * 1024;

/** Who is told about a run. */
export interface Mailed {
  emailIds: number[];
  /** The ids of recipients who may no longer see reports, and get nothing. */
  refused: number[];
}

/**
 * Queues an email with a scheduled run's file to each recipient who is still an active user and may see reports, once
 * per run and user, in the transaction `tx`.
 */
export function mailReport(
  tx: EntityManager,
  report: Report,
  run: ReportRun,
  content: ReportContent,
  publicUrl: string,
): Promise<Mailed> {
  const isAttached = run.size! <= MOST_ATTACHED_BYTES;
  return mailRecipients(tx, report, run, {
    subject: `${report.name}: ${periodText(content.period, content.period)}`,
    body: bodyOf(content, isAttached ? null : `${publicUrl}${downloadPath(report.id, run.id)}`),
    ...(isAttached ? { reportRunId: run.id } : {}),
  });
}

/** Tells the same recipients that a scheduled run has failed, and why, in the transaction `tx`. */
export function mailFailure(tx: EntityManager, report: Report, run: ReportRun, reason: string): Promise<Mailed> {
  const { interval, timezone } = run;
  const period = { from: run.from.toISOString(), to: run.to.toISOString(), interval, timezone };
  return mailRecipients(tx, report, run, {
    subject: `${report.name}: the report could not be made`,
    body: [
      `${report.name}, ${periodText(period, period)} (${timezone})`,
      '',
      `This report could not be made. ${reason}.`,
      '',
      'The schedule goes on: the next report comes at its time.',
    ].join('\n'),
  });
}

async function mailRecipients(
  tx: EntityManager,
  { tenantId, schedule }: Report,
  run: ReportRun,
  data: Record<string, unknown>,
): Promise<Mailed> {
  if (!schedule || !run.scheduledAt) return { emailIds: [], refused: [] };
  const users = [...(await usersAt(tx, tenantId, schedule.recipients)).values()];
  const refused = users.filter(({ mayRead }) => !mayRead).map(({ id }) => id);
  const readers = users.filter(({ mayRead }) => mayRead);
  if (readers.length === 0) return { emailIds: [], refused };
  const templateId = await upsertSystemTemplate(tx, tenantId, NOTIFICATION_KEY, notificationTemplate());
  const queued = await queueEmails(
    tx,
    tenantId,
    readers.map((user) => ({
      sendKey: `report-run/${run.id}/${user.id}`,
      templateId,
      contactId: null,
      toAddress: user.email,
      // The emails of accounts must not wait for files.
      lane: 'journey',
      data,
      requestId: null,
      accepted: true,
    })),
  );
  return { emailIds: queued.map(({ emailId }) => emailId), refused };
}

/** Where the file of a run is downloaded, with a token. */
export const downloadPath = (reportId: number, runId: number): string =>
  `/api/v1/analytics/reports/${reportId}/download?runId=${runId}`;

function bodyOf({ title, period, asOf, keyFigures, notes }: ReportContent, url: string | null): string {
  return [
    `${title}, ${periodText(period, period)} (${period.timezone})`,
    '',
    ...keyFigures.map((figure) => {
      const change = changeText(figure);
      return `${figure.label}: ${figureText(figure.value, figure.kind)}${change === '' ? '' : ` (${change})`}`;
    }),
    '',
    ...notes,
    `Figures complete up to ${momentText(asOf, period)}.`,
    url === null
      ? 'The whole report is attached.'
      : `The file is too large for an email. Download it from the API, with your token: ${url}`,
  ].join('\n');
}
