import { Type, type Static } from 'typebox';
import { appendAudit } from '../../domain/audit/audit.ts';
import { tablePages } from '../../domain/export/table.ts';
import {
  countSubmissions,
  findSubmissions,
  readSubmissions,
  submissionColumns,
} from '../../domain/forms/export-submissions.ts';
import { findForm } from '../../domain/forms/forms.ts';
import { assertFits, bomQuery, exportReply, mediaTypesOf } from '../route/export.ts';
import { route, type Call, type Reply, type RouteSpec } from '../route/route.ts';
import { IdParams, oneOf, strict } from '../route/schemas.ts';
import { presentSubmission } from './presenter.ts';

const FORMATS = ['csv', 'ndjson', 'xlsx'] as const;
const Query = strict({ format: Type.Optional(oneOf(FORMATS, { default: 'csv' })), bom: bomQuery });

async function exportSubmissions({
  ctx,
  deps,
  em,
  caller,
  params,
  query: { format = 'csv', bom },
}: Call<{ id: number }, Static<typeof Query>, unknown>): Promise<Reply> {
  const form = await findForm(em, params.id);
  await assertFits(format, 'submissions: use csv', (most) => countSubmissions(em, form, most));
  const { upTo, formerFields } = await em.transactional(async (tx) => {
    await appendAudit(tx, caller, {
      action: 'form.submissions_exported',
      resourceType: 'form',
      resourceId: form.id,
      after: { format },
    });
    return findSubmissions(tx, form);
  });
  const pages = readSubmissions(deps.orm, form, upTo);
  return exportReply(
    ctx,
    { format, bom },
    {
      name: `form-${form.id}-submissions`,
      sheet: 'Submissions',
      items: async function* () {
        for await (const page of pages) yield page.map(presentSubmission);
      },
      table: (options) => tablePages(submissionColumns(form.fields, formerFields), pages, options),
    },
  );
}

export const formExportRoutes: RouteSpec[] = [
  route({
    method: 'GET',
    path: '/forms/{id}/submissions/export',
    operationId: 'exportFormSubmissions',
    summary: 'Download submissions as CSV, NDJSON or XLSX',
    access: 'forms:read',
    description:
      'Streamed in id order. In csv and xlsx, the columns are id, contactId, submittedAt, ipAddress and userAgent, then one per field of the form, then those that only ' +
      'older submissions have. Headers are field names; a field named like one of the first columns is `submissionData.name`. Lists are separated by semicolons, a file is its name, ' +
      'and in csv, text that begins with = + - @, a tab or a carriage return is prefixed with an apostrophe, so that spreadsheets do not run it as a formula. ' +
      'ndjson has the submissions as in the API. xlsx supports at most 200,000 submissions.',
    params: IdParams,
    query: Query,
    responses: {
      200: { contentType: mediaTypesOf(FORMATS), description: 'The submissions in the requested format' },
    },
    handler: exportSubmissions,
  }),
];
