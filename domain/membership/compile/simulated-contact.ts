import type { FilterEvent } from '../../../events/contracts.ts';

/** An event that a simulation makes up. */
export interface SimulatedEvent {
  type: FilterEvent;
  /** RFC 3339, UTC. */
  at: string;
  data: Record<string, unknown>;
}

/** A contact, and how it would differ from what is stored. Filters are evaluated for it as for any other. */
export interface SimulatedContact {
  id: number;
  /** The columns of `contacts` that would have other values, by their names. */
  columns?: Record<string, unknown>;
  /** The name of its company, if that would be a new one. */
  newCompany?: string | null;
  /** What would be added to its score. */
  points?: number;
  /** The segments and lists that it would be in, or not be in, besides the stored ones. */
  joined?: readonly number[];
  left?: readonly number[];
  /** What would have happened, besides the stored events. */
  events?: readonly SimulatedEvent[];
}
