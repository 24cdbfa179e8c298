import { enterOnEvents, TRIGGER_EVENTS } from '../../domain/campaigns/enrolment/enter-on-events.ts';
import type { EventHandler } from '../../transport/event-handler.ts';

export const campaignHandler: EventHandler = { name: 'campaign', types: TRIGGER_EVENTS, handle: enterOnEvents };
