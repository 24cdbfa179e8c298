import type { Filter } from '../../membership/filter/filter.ts';
import type { Definition } from '../../campaign-definitions/definition.ts';
import { stepKind } from '../../campaign-definitions/step-kinds.ts';

/** Every filter that a step of the campaign may evaluate. */
export function plannedFilters({ steps, entry }: Definition): Filter[] {
  const moment = { now: new Date(), timezone: null };
  return steps.flatMap(({ type, config }): Filter[] => {
    const effect = stepKind(type)!.plan(config, entry, moment, null);
    if (effect.effect === 'evaluate') return effect.filters;
    if (effect.effect === 'await') return [effect.event];
    return effect.effect === 'goal' ? [effect.filter] : [];
  });
}
