import { foldEvents } from '../../domain/analytics/fold-events.ts';
import { COUNTED_EVENTS } from '../../domain/analytics/metrics.ts';
import type { EventHandler } from '../../transport/event-handler.ts';

export const analyticsHandler: EventHandler = { name: 'analytics', types: COUNTED_EVENTS, handle: foldEvents };
