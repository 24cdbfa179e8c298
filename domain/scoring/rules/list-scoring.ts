import { ScoreThreshold, ScoringRule } from '../../../db/entities/scoring.ts';
import { sql, type EntityManager } from '../../../db/orm.ts';
import { byName, commonSort, listPage, type Present } from '../../common/list-page.ts';
import type { ListQuery, Page } from '../../common/paging.ts';

interface RuleQuery extends ListQuery {
  eventType?: string;
  active?: boolean;
}

const sortable = { ...commonSort, name: byName };

/** A page of the tenant's scoring rules. Throws `validation_failed` for a wrong cursor. */
export const listRules = <T>(em: EntityManager, query: RuleQuery, present: Present<ScoringRule, T>): Promise<Page<T>> =>
  listPage(
    em,
    ScoringRule,
    query,
    {
      from: sql`scoring_rules t`,
      sortable,
      where: [
        sql`t.deleted_at is null`,
        query.eventType !== undefined && sql`t.event_type = ${query.eventType}`,
        query.active !== undefined && sql`t.active = ${query.active}`,
      ],
    },
    present,
  );

/** A page of the tenant's score thresholds. Throws `validation_failed` for a wrong cursor. */
export const listThresholds = <T>(
  em: EntityManager,
  query: ListQuery,
  present: Present<ScoreThreshold, T>,
): Promise<Page<T>> =>
  listPage(
    em,
    ScoreThreshold,
    query,
    {
      from: sql`score_thresholds t`,
      where: [],
      sortable: { ...sortable, score: { column: sql`t.score`, type: 'integer' } },
    },
    present,
  );
