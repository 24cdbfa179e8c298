import { Type } from 'typebox';
import { stepKind } from './kind.ts';

export const exit = stepKind({
  config: Type.Object({}, { additionalProperties: false }),
  about: '`EXIT {}` stops the execution',
  summary: () => 'exit',
  plan: () => ({ effect: 'none' }),
  stops: 'exit_step',
});
