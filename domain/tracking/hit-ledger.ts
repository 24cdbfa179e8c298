import type { EntityManager, RawBuilder } from '../../db/orm.ts';

/** A stored hit that is not classified yet. */
export interface PendingHit {
  id: number;
  tenant_id: string;
  /** The email or message that was hit. */
  subject: number;
  type: 'OPEN' | 'CLICK';
  at: Date;
  /** How many links it has. */
  link_count: number | null;
  automated: boolean;
  first: boolean;
}

/** A ledger whose emails or messages are hit. Its hits are called `v`. */
export interface HitLedger<Row extends PendingHit> {
  /**
   * An advisory lock: only one process classifies at a time, so that at most one hit becomes the "first open" of an
   * email.
   */
  lock: number;
  table: RawBuilder<unknown>;
  subject: RawBuilder<unknown>;
  type: RawBuilder<unknown>;
  /** Hits received at least `afterSeconds` ago, oldest first. */
  readPending: (tx: EntityManager, afterSeconds: number, limit: number) => Promise<Row[]>;
  /** Settles what was UNKNOWN and was hit by people. */
  settle: (tx: EntityManager, hits: readonly Row[]) => Promise<void>;
  /** Stores the first opens that clicks by people imply, and returns them; absent if nothing is opened. */
  inferOpens?: (tx: EntityManager, clicks: readonly Row[]) => Promise<Row[]>;
  /** Writes the events of classified hits. */
  tell: (tx: EntityManager, hits: readonly Row[]) => Promise<void>;
}
