import type { Context } from 'koa';
import { Type } from 'typebox';
import { readPeriod } from '../../domain/common/period.ts';
import { AppError } from '../../lib/checks/errors.ts';
import { Places } from '../../lib/async/places.ts';
import { BOM } from '../../domain/export/csv.ts';
import { MEDIA_TYPES } from '../../domain/export/media-types.ts';
import { REPORT_TYPES, type ReportFormat } from '../../db/entities/reports.ts';
import { reportFileName } from '../../domain/reports/content/file-name.ts';
import { readContent } from '../../domain/reports/content/read-content.ts';
import { renderInThread } from '../../domain/reports/render/report-thread.ts';
import { figuresAsOf } from '../../runtime/figures-freshness.ts';
import { bomQuery, mediaTypesOf } from '../route/export.ts';
import { route, type RouteSpec } from '../route/route.ts';
import { oneOf, strict } from '../route/schemas.ts';
import { periodQuery } from '../route/period-schema.ts';

const FORMATS = ['csv', 'pdf', 'xlsx'] as const;

/** Each takes a thread: a process renders two at once, one of a tenant. */
const tenantPlaces = new Places({ most: 1, mostWaiting: 4, waitMs: 20_000 });
const allPlaces = new Places({ most: 2, mostWaiting: 20, waitMs: 20_000 });

const tooMany = (): AppError =>
  new AppError('unavailable', 'Too many exports are being made; try again, or use POST /analytics/reports', {
    headers: { 'Retry-After': '5' },
  });

/** The headers of a report's file as a download, which nobody stores. */
export function fileHeaders(ctx: Context, fileName: string, format: ReportFormat): Record<string, string> {
  // RFC 6266: a name that is not ASCII also as `filename*` (RFC 8187).
  ctx.attachment(fileName, { fallback: fileName.replace(/[^\x20-\x7e]/gu, '?') });
  return {
    'Content-Type': MEDIA_TYPES[format],
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "sandbox; default-src 'none'",
    'Cache-Control': 'private, no-store',
  };
}

export const exportRoutes: RouteSpec[] = [
  route({
    method: 'GET',
    path: '/analytics/export',
    operationId: 'exportAnalytics',
    summary: 'Download the figures of a period as CSV, PDF or XLSX',
    description:
      'The figures are those of the endpoint named like `type`, with those of the period before: as many whole months ' +
      'or days before, if the period consists of whole months or days in `timezone`, else the same duration. ' +
      'csv has one figure per row (`section,at,id,name,metric,value`): `metric` is its name in the API, `section` is ' +
      '`period`, `previousPeriod`, `series` or the name of a breakdown, or `note` with a text as its name; rates are fractions; texts that a spreadsheet ' +
      'would run as formulas are prefixed with an apostrophe. xlsx has a summary and a sheet for each table. pdf has ' +
      'key figures, charts, and up to 1,000 rows of each table. `POST /analytics/reports` makes the same files in the ' +
      'background, and regularly.',
    access: 'analytics:read',
    query: strict({
      type: oneOf(REPORT_TYPES),
      format: Type.Optional(oneOf(FORMATS, { default: 'csv' })),
      bom: bomQuery,
      ...periodQuery,
    }),
    responses: { 200: { contentType: mediaTypesOf(FORMATS), description: 'The file' } },
    errors: ['unavailable'],
    handler: async ({ ctx, deps, em, principal: { tenantId }, query }) => {
      const { type, format = 'csv', bom, ...asked } = query;
      const now = new Date();
      const period = readPeriod(asked, now);
      return tenantPlaces.hold(tenantId, tooMany, () =>
        allPlaces.hold('', tooMany, async () => {
          const asOf = await figuresAsOf(deps, em, now);
          const content = await readContent(em, { type, title: null, tenantId, period, generatedAt: now, asOf });
          const bytes = await renderInThread({ content, format });
          return {
            body: bom && format === 'csv' ? Buffer.concat([Buffer.from(BOM), bytes]) : Buffer.from(bytes.buffer),
            headers: fileHeaders(ctx, reportFileName(content, format), format),
          };
        }),
      );
    },
  }),
];
