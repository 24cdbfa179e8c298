import { Type } from 'typebox';
import { TargetSchema } from '../schemas.ts';
import { stepKind } from './kind.ts';

const MAX_BRANCHES = 20;

/** Divides contacts by weight. A contact takes the same branch at every visit. */
export const split = stepKind({
  config: Type.Object(
    {
      branches: Type.Array(
        Type.Object(
          { weight: Type.Integer({ minimum: 1, maximum: 1000 }), next: Type.Optional(TargetSchema) },
          { additionalProperties: false },
        ),
        { minItems: 2, maxItems: MAX_BRANCHES },
      ),
    },
    { additionalProperties: false },
  ),
  about:
    '`SPLIT {branches: [{weight, next?}]}` divides the contacts by weight (1 to 1000); a contact takes the same branch ' +
    'at every visit; an omitted target is the following step, null the end',
  summary: ({ branches }) => `split ${branches.map(({ weight }) => weight).join(' : ')}`,
  plan: ({ branches }) => ({ effect: 'split', weights: branches.map(({ weight }) => weight) }),
  exits: ({ branches }) => branches.map(({ next }, index) => ({ path: `/branches/${index}/next`, to: next })),
});
