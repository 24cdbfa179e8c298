import { rows, sql, type EntityManager } from '../../db/orm.ts';
import type { ReportFormat } from '../../db/entities/reports.ts';
import { MEDIA_TYPES } from '../export/media-types.ts';
import { reportFileName } from './content/file-name.ts';

/** What is needed to attach the file of a run to an email. */
export interface ReportAttachment {
  objectKey: string;
  fileName: string;
  mediaType: string;
}

/** The file of a tenant's run (engine `em`); null if it is no longer kept. */
export async function readAttachment(
  em: EntityManager,
  tenantId: string,
  runId: number,
): Promise<ReportAttachment | null> {
  const [found] = await em.transactional((tx) =>
    rows<{ object_key: string; name: string; format: ReportFormat; from_at: Date; to_at: Date; timezone: string }>(
      tx,
      sql`
      select r.object_key, p.name, r.format, r.from_at, r.to_at, r.timezone from analytics_report_runs r
      join analytics_reports p on p.tenant_id = r.tenant_id and p.id = r.report_id
      where r.tenant_id = ${tenantId} and r.id = ${runId} and r.object_key is not null`,
    ),
  );
  if (!found) return null;
  const { object_key: objectKey, name: title, format, from_at: from, to_at: to, timezone } = found;
  const period = { from: from.toISOString(), to: to.toISOString(), timezone };
  return { objectKey, fileName: reportFileName({ title, period }, format), mediaType: MEDIA_TYPES[format] };
}
