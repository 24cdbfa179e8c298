import { Type } from 'typebox';
import { REPORT_TYPES } from '../../db/entities/reports.ts';
import { INTERVALS } from '../../domain/common/period.ts';
import { nullable, oneOf, strict, Timestamp } from '../route/schemas.ts';

const label = Type.String({ examples: ['Sent'] });
const key = Type.String({ examples: ['sent'], description: 'Its name in the answers of the API' });
const kind = oneOf(['integer', 'percent'], { description: 'percent: a fraction, 0.25 = 25%' });
const periodFields = { from: Timestamp, to: Timestamp };

const KeyFigure = strict({
  key,
  label,
  kind,
  value: Type.Number(),
  previous: nullable(Type.Number({ description: 'In the period before; null for what is counted now' })),
  change: nullable(
    Type.Number({ description: 'integer: as a fraction of `previous`, null if that is 0; percent: the difference' }),
  ),
  higherIsBetter: nullable(Type.Boolean()),
});
const Chart = strict({
  title: Type.String(),
  kind: oneOf(['line', 'bar']),
  unit: kind,
  over: oneOf(['at', 'name'], { description: 'What the points are: times, or names' }),
  points: Type.Array(Type.String()),
  series: Type.Array(strict({ key, label, values: Type.Array(Type.Number()) })),
});
const Table = strict({
  key,
  title: Type.String(),
  columns: Type.Array(strict({ key, label, kind: oneOf(['integer', 'percent', 'text', 'id', 'at']) })),
  rows: Type.Array(
    Type.Array(
      Type.Unsafe<string | number | null>({ type: ['string', 'number', 'null'], description: 'One cell per column' }),
    ),
  ),
});

/** A report as JSON: all that the other formats show. */
export const ReportContent = strict({
  type: oneOf(REPORT_TYPES),
  title: Type.String(),
  tenantId: Type.String(),
  period: strict({ ...periodFields, interval: oneOf(INTERVALS), timezone: Type.String() }),
  previousPeriod: strict(periodFields),
  generatedAt: Timestamp,
  asOf: Timestamp,
  notes: Type.Array(
    Type.String({ description: 'What is not as usual: a breakdown that has only its 100,000 largest rows' }),
  ),
  keyFigures: Type.Array(KeyFigure),
  charts: Type.Array(Chart),
  tables: Type.Array(Table),
});
