import { afterAll, beforeAll } from '@jest/globals';
import pg from 'pg';
import { createDeps, type Deps } from '../../../runtime/deps.ts';
import { readEnv } from '../../../config/env.ts';
import { foldEvents } from '../../../domain/analytics/fold-events.ts';
import { readPeriod, type Period, type PeriodQuery } from '../../../domain/common/period.ts';
import { engineEm, tenantEm, type EntityManager } from '../../../db/orm.ts';
import type { AnyEvent } from '../../../events/contracts.ts';
import { claimSlot, type Slot } from '../../support/slot.ts';

export interface FiguresDatabase {
  deps: Deps;
  owner: pg.Client;
  /** Counts events that were not counted before. */
  count: (...events: AnyEvent[]) => Promise<void>;
  /** An entity manager of the tenant `default`. */
  em: () => EntityManager;
}

/** A database of this file, with figures and without a service around it. */
export function figuresDatabase(env: Record<string, string> = {}): FiguresDatabase {
  let slot: Slot;
  const database = {} as FiguresDatabase & { deps: Deps & { close: () => Promise<void> } };
  beforeAll(async () => {
    slot = await claimSlot();
    const settings = readEnv({ LOG_LEVEL: 'silent', SMTP_URL: 'smtp://127.0.0.1:1', ...slot.env, ...env });
    database.deps = await createDeps(settings, 'test');
    database.owner = new pg.Client({ connectionString: slot.env['DATABASE_MIGRATION_URL'] });
    await database.owner.connect();
    database.count = (...events) => engineEm(database.deps.orm).transactional((tx) => foldEvents(tx, events));
    database.em = () => tenantEm(database.deps.orm, 'default');
  });
  afterAll(async () => {
    await database.owner.end();
    await database.deps.close();
    await slot.release();
  });
  return database;
}

export const periodOf = (from: string, to: string, more: PeriodQuery = {}): Period =>
  readPeriod({ from, to, ...more }, new Date());
