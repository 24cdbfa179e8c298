import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '../../db/orm.ts';
import { ScoringSettings } from '../../db/entities/scoring.ts';
import { assertValid } from '../errors.ts';

export async function readSettings(em: EntityManager): Promise<ScoringSettings> {
  return em.findOneOrFail(ScoringSettings, { tenantId: { $ne: null } });
}

/** Moves the levels; `warm` must stay below `hot`. */
export async function updateSettings(em: EntityManager, input: { warm?: number; hot?: number }, check: (current: ScoringSettings) => void): Promise<ScoringSettings> {
  return em.transactional(async (tx) => {
    const settings = await tx.findOneOrFail(ScoringSettings, { tenantId: { $ne: null } }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    check(settings);
    tx.assign(settings, input);
    assertValid(settings.warm < settings.hot ? [] : [{ path: '/warm', code: 'out_of_range', message: 'must be below hot' }]);
    await tx.flush();
    return settings;
  });
}
