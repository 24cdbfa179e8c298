import { isDeepStrictEqual } from 'node:util';
import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '../../../db/orm.ts';
import { ScoringSettings } from '../../../db/entities/scoring.ts';
import { appendAudit, type Author } from '../../audit/audit.ts';
import { assertValid, type Violation } from '../../../lib/checks/errors.ts';
import { beginBuilds } from '../../membership/members/build-segment.ts';
import { lockDefinitions } from '../../membership/members/lock-definitions.ts';

export async function readSettings(em: EntityManager): Promise<ScoringSettings> {
  return em.findOneOrFail(ScoringSettings, { tenantId: { $ne: null } });
}

/** The violations of the levels. */
export const levelViolations = ({ warm, hot }: { warm: number; hot: number }): Violation[] =>
  warm < hot ? [] : [{ path: '/warm', code: 'out_of_range', message: 'must be below hot' }];

/**
 * Changes the levels; `warm` must stay below `hot`. Segments that depend on the qualification are rebuilt, without
 * events.
 */
export async function updateSettings(
  em: EntityManager,
  author: Author,
  input: { warm?: number; hot?: number },
  check: (current: ScoringSettings) => void,
): Promise<ScoringSettings> {
  return em.transactional(async (tx) => {
    const settings = await tx.findOneOrFail(
      ScoringSettings,
      { tenantId: { $ne: null } },
      { lockMode: LockMode.PESSIMISTIC_WRITE },
    );
    check(settings);
    const before = { warm: settings.warm, hot: settings.hot };
    tx.assign(settings, input);
    assertValid(levelViolations(settings));
    await tx.flush();
    const after = { warm: settings.warm, hot: settings.hot };
    if (!isDeepStrictEqual(before, after)) {
      await lockDefinitions(tx, author.tenantId);
      await beginBuilds(tx, author.tenantId, (segment) => segment.causes.has('levels'));
    }
    await appendAudit(tx, author, {
      action: 'scoring_settings.updated',
      resourceType: 'scoring_settings',
      resourceId: null,
      before,
      after,
    });
    return settings;
  });
}
