import { SCORABLE_EVENTS } from '../../events/contracts.ts';
import { scoreEvents } from '../../domain/scoring/scores/score-events.ts';
import type { EventHandler } from '../../transport/event-handler.ts';

export const scoringHandler: EventHandler = { name: 'scoring', types: SCORABLE_EVENTS, handle: scoreEvents };
