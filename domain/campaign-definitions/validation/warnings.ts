import type { Channel } from '../../../db/entities/channels.ts';
import type { Violation } from '../../../lib/checks/errors.ts';
import type { Definition } from '../definition.ts';
import { type Step, stepKind } from '../step-kinds.ts';
import type { ReferenceKind } from '../steps/kind.ts';
import { recurs } from '../triggers.ts';
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

const TEMPLATES: Partial<Record<ReferenceKind, Channel>> = {
  templateIds: 'email',
  smsTemplateIds: 'sms',
  pushTemplateIds: 'push',
};

/** Whether a step sends a template (any, if none is named) by one of these channels. */
function sends({ type, config }: Step, channels: readonly Channel[], templateId: number | undefined): boolean {
  const kind = stepKind(type);
  const references = kind?.sends ? (kind.references?.(config) ?? []) : [];
  return references.some(({ kind: of, id }) => {
    const channel = TEMPLATES[of];
    return channel !== undefined && channels.includes(channel) && (templateId === undefined || id === templateId);
  });
}

/** The step whose effect would fire the trigger, or what else of the campaign would; undefined if nothing does. */
function selfStarter({ trigger, steps }: Definition, campaignId: number): string | undefined {
  const named = (step: Step | undefined): string | undefined => step && quoted(step);
  /** Of what is sent by these channels; the trigger may name a template and a campaign, which both must match. */
  const sender = (
    channels: readonly Channel[],
    wanted: { templateId?: number; campaignId?: number },
    what: string,
  ): string | undefined => {
    if (wanted.campaignId !== undefined && wanted.campaignId !== campaignId) return undefined;
    const own = steps.find((step) => sends(step, channels, wanted.templateId));
    const ofCampaign = wanted.campaignId === campaignId && wanted.templateId === undefined;
    return named(own) ?? (ofCampaign ? what : undefined);
  };
  switch (trigger.type) {
    case 'SEGMENT_ENTERED':
      return named(
        steps.find(
          ({ type, config }) => type === 'SEGMENT' && config.action === 'add' && config.listId === trigger.segmentId,
        ),
      );
    case 'GOAL_MET':
      if (trigger.campaignId !== undefined && trigger.campaignId !== campaignId) return undefined;
      return named(steps.find(({ type }) => stepKind(type)?.goal));
    case 'SCORE_REACHED':
      return named(steps.find(({ type, config }) => type === 'SCORE' && config.points > 0));
    case 'EMAIL_OPENED':
    case 'EMAIL_CLICKED':
      return sender(['email'], trigger, 'an email of this campaign');
    case 'MESSAGE_SENT':
    case 'MESSAGE_DELIVERED':
    case 'MESSAGE_CLICKED':
      return sender(
        (['sms', 'push'] as const).filter((channel) => trigger.channel === undefined || trigger.channel === channel),
        trigger,
        'a message of this campaign',
      );
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

/** A campaign whose trigger fires again and again, and that each contact enters only the first time. */
function entersOnce({ trigger, entry }: Definition): Warning[] {
  if (entry.reentry !== 'never' || !recurs(trigger)) return [];
  const often = trigger.type === 'SCHEDULE' ? 'at each time of its schedule' : 'every year';
  const message = `entry: the trigger fires ${often}, but reentry is never: each contact enters only once, for ever. after_completion lets it enter again`;
  return [{ path: '/entry/reentry', code: 'enters_once', message }];
}

/**
 * The warnings about a valid definition of a campaign: `unreachable_step` for steps to which no path leads,
 * `starts_itself` if a contact in the campaign would fire its trigger, and `enters_once` if the trigger recurs and
 * contacts may not enter again. Pure, and linear in the number of steps.
 */
export function definitionWarnings(definition: Definition, campaignId: number): Warning[] {
  return [...unreachableSteps(definition.steps), ...startsItself(definition, campaignId), ...entersOnce(definition)];
}
