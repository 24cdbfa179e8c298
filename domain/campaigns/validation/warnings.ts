import type { Violation } from '../../common/errors.ts';
import type { Definition } from '../definition/definition.ts';
import { type Step, stepKind } from '../definition/step-kinds.ts';
import { exitsOf, stepIndexes, targetIndex } from './flow.ts';

/** Advice about a definition that is valid but may not do what was meant: `path` is a JSON Pointer from the campaign. */
export type Warning = Violation;

const quoted = ({ id }: Step): string => `step ${JSON.stringify(id)}`;

/** The indexes of the steps that an execution can reach: from the first step, or from anywhere if they are goals. */
function reachable(steps: readonly Step[]): Set<number> {
  const indexes = stepIndexes(steps);
  const reached = new Set<number>();
  const next = steps.flatMap(({ type }, index) => (index === 0 || stepKind(type)?.goal ? [index] : []));
  for (let index = next.pop(); index !== undefined; index = next.pop()) {
    if (reached.has(index)) continue;
    reached.add(index);
    const step = steps[index]!;
    const kind = stepKind(step.type);
    if (!kind) continue;
    for (const exit of exitsOf(kind, step.config)) {
      const to = targetIndex(exit, step, index, steps.length, indexes);
      if (typeof to === 'number') next.push(to);
    }
  }
  return reached;
}

function unreachableSteps(steps: readonly Step[]): Warning[] {
  const reached = reachable(steps);
  return steps.flatMap((step, index) => {
    if (reached.has(index)) return [];
    const message = `${quoted(step)}: no path from the first step leads to it`;
    return [{ path: `/steps/${index}`, code: 'unreachable_step', message }];
  });
}

/** The step whose effect would fire the trigger, or what else of the campaign would; undefined if nothing does. */
function selfStarter({ trigger, steps }: Definition, campaignId: number): string | undefined {
  const named = (step: Step | undefined): string | undefined => step && quoted(step);
  switch (trigger.type) {
    case 'SEGMENT_ENTERED':
      return named(
        steps.find(
          ({ type, config }) => type === 'SEGMENT' && config.action === 'add' && config.listId === trigger.segmentId,
        ),
      );
    case 'SCORE_REACHED':
      return named(steps.find(({ type, config }) => type === 'SCORE' && config.points > 0));
    case 'EMAIL_OPENED':
    case 'EMAIL_CLICKED': {
      const { templateId } = trigger;
      if (trigger.campaignId !== undefined && trigger.campaignId !== campaignId) return undefined;
      const own = steps.find(
        ({ type, config }) => type === 'EMAIL' && (templateId === undefined || config.templateId === templateId),
      );
      const ofCampaign = trigger.campaignId === campaignId && templateId === undefined;
      return named(own) ?? (ofCampaign ? 'an email of this campaign' : undefined);
    }
    default:
      return undefined;
  }
}

/** A campaign whose own effects fire its trigger, unless a contact can enter only once. */
function startsItself(definition: Definition, campaignId: number): Warning[] {
  if (definition.entry.reentry === 'never') return [];
  const starter = selfStarter(definition, campaignId);
  if (starter === undefined) return [];
  const message = `trigger: ${starter} can start this campaign again, and reentry is ${definition.entry.reentry}`;
  return [{ path: '/trigger', code: 'starts_itself', message }];
}

/**
 * The warnings about a valid definition of a campaign: `unreachable_step` for steps to which no path leads, and
 * `starts_itself` if a contact in the campaign would fire its trigger. Pure, and linear in the number of steps.
 */
export function definitionWarnings(definition: Definition, campaignId: number): Warning[] {
  return [...unreachableSteps(definition.steps), ...startsItself(definition, campaignId)];
}
