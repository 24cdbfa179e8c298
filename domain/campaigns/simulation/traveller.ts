import type { Channel } from '../../../db/entities/channels.ts';
import type { ContactFields } from '../../contact-values/apply-values.ts';
import type { SimulatedEvent } from '../../membership/compile/simulated-contact.ts';
import type { Position } from '../execution/advance.ts';

export interface PathStep {
  stepId: string;
  type: string;
  at: string;
  result: string;
  reason: string | null;
}

/** An effect that would have failed, as `performEffect` would have thrown. */
export interface Failed {
  failure: string;
}

/** How a contact's way ended; RUNNING: it did not within the simulated time. */
export interface PathEnd {
  status: 'COMPLETED' | 'STOPPED' | 'FAILED' | 'RUNNING';
  reason: string | null;
  at: string | null;
}

/** A marketing email or message: when it was sent (ms); null = still QUEUED. */
export interface Marketing {
  channel: Channel;
  at: number | null;
}

/** A contact on its simulated way: where it is, and how it differs from what is stored. */
export interface Traveller {
  contactId: number;
  timezone: string | null;
  position: Position;
  /** When it came to its step (ms). */
  enteredAt: number;
  /** How many steps it has done. */
  steps: number;
  /** Its steps, if they are to be shown. */
  path: PathStep[] | null;
  end: PathEnd | null;
  /** Its fields, once a step has read them; `changedAt`: when a step last changed them, null if none has. */
  fields: (ContactFields & { changedAt: string | null }) | null;
  newCompany: string | null;
  points: number;
  joined: Set<number>;
  left: Set<number>;
  events: SimulatedEvent[];
  /** Events of its steps that are noticed when it next waits: they take a moment to arrive, as in the service. */
  arriving: SimulatedEvent[];
  /** Its marketing emails and messages, those of the simulation included. */
  marketing: Marketing[];
}

export function newTraveller(
  contactId: number,
  timezone: string | null,
  position: Position,
  enteredAt: number,
): Traveller {
  return {
    contactId,
    timezone,
    position,
    enteredAt,
    steps: 0,
    path: null,
    end: null,
    fields: null,
    newCompany: null,
    points: 0,
    joined: new Set(),
    left: new Set(),
    events: [],
    arriving: [],
    marketing: [],
  };
}
