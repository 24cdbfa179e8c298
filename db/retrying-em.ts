import type { TransactionOptions } from '@mikro-orm/core';
import { EntityManager } from '@mikro-orm/postgresql';
import { isRetryable, retried } from './errors.ts';

/**
 * Repeats a transaction that met another one (deadlock, serialization failure), a few times: nothing of it was
 * committed, so the caller need not know. What runs in a transaction must therefore be repeatable: it must change nothing
 * but the database. One within another is repeated with that.
 *
 * Each attempt reads its entities anew: those of the attempt before look as if they were stored.
 */
export class RetryingEntityManager extends EntityManager {
  override transactional<T>(work: (tx: this) => Promise<T> | T, options?: TransactionOptions): Promise<T> {
    const begin = (em: this): Promise<T> => super.transactional.call(em, work as never, options) as Promise<T>;
    if (this.isInTransaction()) return begin(this);
    return retried(() => begin(this.fork()), isRetryable);
  }
}
