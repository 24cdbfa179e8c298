import { rows, sql, type EntityManager } from '../../../db/orm.ts';

/** Deletes all scores of contacts or companies that are about to be deleted. */
export async function removeScores(
  tx: EntityManager,
  tenantId: string,
  subject: 'contact' | 'company',
  ids: readonly number[],
): Promise<void> {
  if (ids.length === 0) return;
  for (const table of ['score_totals', 'scores_by_rule', 'score_history']) {
    await rows(
      tx,
      sql`delete from ${sql.table(table)} where tenant_id = ${tenantId} and subject = ${subject} and subject_id = any(${[...ids]}::bigint[])`,
    );
  }
}
