import type { Attempted, Copy, Fault, MessageFault } from './ledger.ts';

/** The most sends of a process that may be SENDING. */
export const IN_DOUBT = 2;

/**
 * What makes a provider act: a message with its final dot, or the last byte of a request. From the moment it is sent;
 * it may arrive after its sender's death.
 */
export interface Dot {
  id: number;
  /** The name of the start that it belongs to. */
  start: string;
  provider: number | null;
  /** Two dots with the same key are one message to whoever gets them. */
  key: string;
  /** How often an operator had chosen `resend` at that start. */
  resends: number;
  /** When it was let go. */
  at: number;
  /** The server's reply; `lost` if the message never arrived. */
  verdict: null | 'accepted' | 'later' | 'never' | 'lost';
  /** Its sender heard no reply. */
  isSilent: boolean;
}

/** What was started: it waits for a connection, or is on one. */
export interface Sending {
  id: number;
  attempt: number;
  start: string;
  provider: number | null;
  resends: number;
  dot: Dot | null;
}

/** A process with senders, modelled on worker/senders and worker/channels: its memory, and what it believes. */
export class Process {
  readonly holder: string;
  /** Its monotonic clock. */
  clock = 0;
  state: 'awake' | 'frozen' | 'suspended' = 'awake';
  /** Whether it was ever suspended, so that its clock may be behind all others. */
  late = false;
  calls = 0;
  ready: (Copy & { until: number })[] = [];
  /** Sent to Postgres and not answered yet. */
  starts: { name: string; on: Copy[]; until: number }[] = [];
  /** Started; waits for a connection. */
  waiting: Sending[] = [];
  wire: Sending[] = [];
  /** Outcomes that are not in Postgres yet: these sends are still in doubt. */
  known: Attempted[] = [];
  readonly leases = new Map<number, number>();
  readonly #broken: Fault | MessageFault | undefined;

  constructor(holder: string, broken: Fault | MessageFault | undefined) {
    this.holder = holder;
    this.#broken = broken;
  }

  /** How many more may be started. */
  get room(): number {
    const known =
      this.#broken === 'lost starts are not in doubt' ? this.known.filter(({ tried }) => tried) : this.known;
    const asked = this.starts.reduce((sum, { on }) => sum + on.length, 0);
    return IN_DOUBT - asked - this.waiting.length - this.wire.length - known.length;
  }

  /** Takes leased copies to start, those whose lease holds; `n` chooses the provider of those that may have any. */
  take(count: number, n: number, providers: number): Copy[] {
    const taken: Copy[] = [];
    while (taken.length < count && this.ready.length > 0) {
      const { until, ...copy } = this.ready.shift()!;
      if (this.clock < until) taken.push({ ...copy, provider: copy.provider ?? n % providers });
    }
    return taken;
  }
}
