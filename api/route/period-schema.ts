import { Type, type TProperties } from 'typebox';
import { INTERVALS } from '../../domain/common/period.ts';
import { oneOf, strict, Timestamp } from './schemas.ts';

/** A date-time, or a date, which stands for its beginning in the timezone of the period. */
const moment = (description: string) =>
  Type.String({
    format: 'moment',
    description: `${description}. A date is its beginning in \`timezone\``,
    'x-described-as': Type.Union([Type.String({ format: 'date-time' }), Type.String({ format: 'date' })]),
    examples: ['2026-01-31T09:30:00.000Z'],
  });

/** The query parameters of figures over time; `readPeriod` reads them. */
export const periodQuery = {
  from: Type.Optional(moment('Inclusive; rounded down to the start of its 5-minute window')),
  to: Type.Optional(moment('Exclusive; rounded up to the end of its 5-minute window')),
  interval: Type.Optional(oneOf(INTERVALS, { default: 'day' })),
  timezone: Type.Optional(Type.String({ maxLength: 64, default: 'UTC', examples: ['Europe/Warsaw'] })),
};

/** The period of an answer. */
export const periodOf = (description: string) =>
  strict({ from: Timestamp, to: Timestamp, interval: oneOf(INTERVALS), timezone: Type.String() }, { description });

const at = Type.String({
  format: 'date-time',
  examples: ['2030-01-31T00:00:00.000Z'],
  description:
    'The start of the interval in `timezone`. The first may lie before `from`; what happened before `from` is not counted',
});
/** Figures over time. */
export const series = <T extends TProperties>(figures: T) =>
  Type.Array(strict({ at, ...figures }), { description: 'For each interval of the period, also those without events' });
