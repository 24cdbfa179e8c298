import { Type } from 'typebox';
import { reportFileName } from '../../domain/reports/content/file-name.ts';
import { listReports, listRuns, readFinishedRun, readReport } from '../../domain/reports/read-reports.ts';
import { reportViolations, type PeriodInput } from '../../domain/reports/report-violations.ts';
import { createReport, deleteReport, updateReport } from '../../domain/reports/save-report.ts';
import { Report } from '../../db/entities/reports.ts';
import { BOM } from '../../domain/export/csv.ts';
import { bomQuery, mediaTypesOf, streamed } from '../route/export.ts';
import { openKeptFile } from '../route/kept-file.ts';
import {
  accepted,
  assertIfMatch,
  assertUnchanged,
  changedReadOnly,
  noContent,
  route,
  type RouteSpec,
} from '../route/route.ts';
import { Id, IdParams, listOf, strict } from '../route/schemas.ts';
import { fileHeaders } from './export-routes.ts';
import { ReportContent } from './report-content-schema.ts';
import { presentReport, presentRun } from './report-presenter.ts';
import * as schema from './report-schema.ts';

export const reportRoutes: RouteSpec[] = [
  route({
    method: 'GET',
    path: '/analytics/reports',
    operationId: 'listReports',
    summary: 'List reports',
    description: 'Reports made once, and those on a schedule.',
    access: 'analytics:read',
    query: schema.ReportQuery,
    responses: { 200: { schema: listOf(schema.Report) } },
    handler: async ({ deps, em, query }) => ({
      body: await listReports(em, query, (state) => presentReport(state, deps.env.PUBLIC_URL)),
    }),
  }),
  route({
    method: 'POST',
    path: '/analytics/reports',
    operationId: 'createReport',
    summary: 'Make a report, once or on a schedule',
    description:
      'Without `schedule`, the report on the period (by default the last 30 days) is made now: poll `status`, then ' +
      'download it. With `schedule`, a report on the last whole day, week or month is made at each of its times and ' +
      'emailed to `recipients`, as an attachment up to 5 MiB; `from`, `to` and `timezone` are left out. What the ' +
      'formats contain is described at `GET /analytics/export`; json has all of it. Files are kept for 90 days, of ' +
      'the 100 most recent runs of a report, and up to 64 MiB of an account; not removed before its emails are sent. ' +
      'A report that cannot be made is FAILED with its reason in `error`, and `recipients` are told. An account may ' +
      'have 200 reports with a schedule.',
    access: 'analytics:write',
    body: schema.ReportCreate,
    responses: { 202: { schema: schema.Report } },
    errors: ['limit_reached'],
    check: ({ tx, caller, body }) => reportViolations(tx, caller.tenantId, body as PeriodInput, null, new Date()),
    handler: async ({ deps, em, caller, body }) => {
      const state = await createReport(em, caller, body);
      return accepted(`/analytics/reports/${state.report.id}`, presentReport(state, deps.env.PUBLIC_URL));
    },
  }),
  route({
    method: 'GET',
    path: '/analytics/reports/{id}',
    operationId: 'getReport',
    summary: 'Get a report and the state of its most recent run',
    description: 'Poll `status` until it is COMPLETED; `downloadUrl` then leads to the file.',
    access: 'analytics:read',
    params: IdParams,
    responses: { 200: { schema: schema.Report } },
    // A run changes it without a new version.
    handler: async ({ deps, em, params }) => ({
      body: presentReport(await readReport(em, params.id), deps.env.PUBLIC_URL),
      derived: true,
    }),
  }),
  route({
    method: 'PUT',
    path: '/analytics/reports/{id}',
    operationId: 'updateReport',
    summary: 'Change a report: its name, format and schedule',
    description:
      'Changes the runs that follow. A changed `cron` or `timezone` counts from now on; `schedule: null` ends the ' +
      'schedule. What follows from runs (`status`, `from`, `to`, `timezone`, `nextRunAt`, `downloadUrl` and so on) is ignored. ' +
      '409 `conflict` for another `format` or `interval` of a report without a schedule: it is not made again.',
    access: 'analytics:write',
    params: IdParams,
    body: schema.ReportUpdate,
    responses: { 200: { schema: schema.Report } },
    errors: ['precondition_failed', 'conflict', 'limit_reached'],
    check: async ({ tx, deps, caller, params, body, readOnly }) => {
      const report = await tx.findOne(Report, { id: params.id ?? 0 });
      if (!report) return [];
      const current = presentReport(await readReport(tx, report.id), deps.env.PUBLIC_URL);
      return [
        ...changedReadOnly(schema.definitionOnly(readOnly), current),
        ...(await reportViolations(tx, caller.tenantId, body, report, new Date())),
      ];
    },
    handler: async ({ deps, em, caller, params, body, readOnly, ifMatch }) => {
      const state = await updateReport(em, caller, params.id, body, (current) => {
        assertIfMatch(ifMatch, current.report.version);
        assertUnchanged(schema.definitionOnly(readOnly), presentReport(current, deps.env.PUBLIC_URL));
      });
      return { body: presentReport(state, deps.env.PUBLIC_URL) };
    },
  }),
  route({
    method: 'DELETE',
    path: '/analytics/reports/{id}',
    operationId: 'deleteReport',
    summary: 'Delete a report with its schedule, runs and files',
    description: 'Also while it is being made. Emails with its file that are not sent yet end as FAILED.',
    access: 'analytics:write',
    params: IdParams,
    responses: { 204: { description: 'Deleted' } },
    errors: ['precondition_failed'],
    handler: async ({ em, caller, params, ifMatch }) => {
      await deleteReport(em, caller, params.id, ({ report }) => assertIfMatch(ifMatch, report.version));
      return noContent;
    },
  }),
  route({
    method: 'GET',
    path: '/analytics/reports/{id}/runs',
    operationId: 'listReportRuns',
    summary: 'List the runs of a report',
    description:
      'A report without a schedule has one run. The latest 100 are kept, with their files until these expire (`expiresAt`).',
    access: 'analytics:read',
    params: IdParams,
    query: schema.RunQuery,
    responses: { 200: { schema: listOf(schema.ReportRun) } },
    handler: async ({ deps, em, params, query }) => ({
      body: await listRuns(em, params.id, query, (run) => presentRun(run, deps.env.PUBLIC_URL)),
    }),
  }),
  route({
    method: 'GET',
    path: '/analytics/reports/{id}/download',
    operationId: 'downloadReport',
    summary: 'Download the file of a report',
    description: 'The most recent file, or that of the run `runId`.',
    access: 'analytics:read',
    params: IdParams,
    query: strict({ runId: Type.Optional(Id), bom: bomQuery }),
    responses: {
      200: { schema: ReportContent, contentType: mediaTypesOf(['csv', 'pdf', 'xlsx']), description: 'The file' },
    },
    errors: ['conflict'],
    handler: async ({ ctx, deps, em, params, query }) => {
      const { report, run } = await readFinishedRun(em, params.id, query.runId);
      const content = await openKeptFile(deps.nats, run.objectKey);
      const period = { from: run.from.toISOString(), to: run.to.toISOString(), timezone: run.timezone };
      const mark = query.bom && run.format === 'csv' ? Buffer.from(BOM) : Buffer.alloc(0);
      return {
        body: streamed(ctx, mark.length > 0 ? after(mark, content) : content),
        headers: {
          ...fileHeaders(ctx, reportFileName({ title: report.name, period }, run.format), run.format),
          'Content-Length': String(mark.length + Number(run.size)),
        },
      };
    },
  }),
];

async function* after(mark: Uint8Array, content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield mark;
  yield* content;
}
