import { Type } from 'typebox';
import { INTERVALS } from '../../domain/analytics/period.ts';
import { oneOf } from '../route/schemas.ts';

/** The parameters for a period, of all figures. */
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
