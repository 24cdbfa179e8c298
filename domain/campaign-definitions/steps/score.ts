import { Type } from 'typebox';
import { stepKind } from './kind.ts';

const MAX_POINTS = 1_000_000;

/** Adds points to the contact's score; negative ones take some away. */
export const score = stepKind({
  config: Type.Object(
    {
      points: Type.Integer({ minimum: -MAX_POINTS, maximum: MAX_POINTS }),
      reason: Type.Optional(Type.String({ maxLength: 255 })),
    },
    { additionalProperties: false },
  ),
  about: '`SCORE {points, reason?}` adds points to the score of the contact; negative ones take some away',
  summary: ({ points }) => `score ${points < 0 ? '' : '+'}${points}`,
  plan: ({ points, reason }) => ({ effect: 'score', points, reason: reason ?? null }),
});
