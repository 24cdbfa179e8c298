import { Type, type TProperties } from 'typebox';
import { INTERVALS } from '../../domain/common/period.ts';
import { oneOf, strict, Timestamp } from './schemas.ts';

/** The query parameters of figures over time; `readPeriod` reads them. */
export const periodQuery = {
  from: Type.Optional(
    Type.String({ format: 'date-time', description: 'Inclusive; rounded down to the start of its 5-minute window' }),
  ),
  to: Type.Optional(
    Type.String({ format: 'date-time', description: 'Exclusive; rounded up to the end of its 5-minute window' }),
  ),
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
