import type { Report, ReportRun } from '../../db/entities/reports.ts';
import type { EntityManager } from '../../db/orm.ts';
import { activeUsers } from '../addresses/active-users.ts';
import { addressKey } from '../addresses/address-key.ts';
import { queueEmails } from '../emails/ledger/queue-emails.ts';
import { NOTIFICATION_KEY, notificationTemplate } from '../emails/system-mail/notification-template.ts';
import { upsertSystemTemplate } from '../emails/templates/keep-system-template.ts';
import type { ReportContent } from './content/content.ts';
import { changeText, figureText, momentText, periodText } from './render/format.ts';

/** Larger files are not attached: many servers refuse emails above 10 MB, and base64 adds a third. */
export const MOST_ATTACHED_BYTES = 5 * 1024 * 1024;

/**
 * Queues an email with a scheduled run's file to each recipient who is still an active user, once per run and user, in
 * the transaction `tx`.
 */
export async function mailReport(
  tx: EntityManager,
  { tenantId, id, name, schedule }: Report,
  run: ReportRun,
  content: ReportContent,
  publicUrl: string,
): Promise<void> {
  if (!schedule || !run.scheduledAt) return;
  const users = [...(await activeUsers(tx, tenantId, schedule.recipients.map(addressKey))).values()];
  if (users.length === 0) return;
  const templateId = await upsertSystemTemplate(tx, tenantId, NOTIFICATION_KEY, notificationTemplate());
  const isAttached = run.size! <= MOST_ATTACHED_BYTES;
  const data = {
    subject: `${name}: ${periodText(content.period, content.period)}`,
    body: bodyOf(content, isAttached ? null : `${publicUrl}${downloadPath(id, run.id)}`),
    ...(isAttached ? { reportRunId: run.id } : {}),
  };
  await queueEmails(
    tx,
    tenantId,
    users.map((user) => ({
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
}

/** Where the file of a run is downloaded, with a token. */
export const downloadPath = (reportId: number, runId: number): string =>
  `/api/v1/analytics/reports/${reportId}/download?runId=${runId}`;

function bodyOf({ title, period, asOf, keyFigures }: ReportContent, url: string | null): string {
  return [
    `${title}, ${periodText(period, period)} (${period.timezone})`,
    '',
    ...keyFigures.map((figure) => {
      const change = changeText(figure);
      return `${figure.label}: ${figureText(figure.value, figure.kind)}${change === '' ? '' : ` (${change})`}`;
    }),
    '',
    `Figures complete up to ${momentText(asOf, period)}.`,
    url === null
      ? 'The whole report is attached.'
      : `The file is too large for an email. Download it from the API, with your token: ${url}`,
  ].join('\n');
}
