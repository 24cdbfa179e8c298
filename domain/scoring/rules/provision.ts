import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { DEFAULT_LEVELS } from '../../../db/entities/scoring.ts';

const DEFAULT_RULES = [
  { name: 'Email opened', eventType: 'EMAIL_OPENED', points: 5, category: 'engagement' },
  { name: 'Email clicked', eventType: 'EMAIL_CLICKED', points: 10, category: 'engagement' },
  { name: 'Form submitted', eventType: 'FORM_SUBMITTED', points: 25, category: 'conversion' },
  { name: 'Website visited', eventType: 'WEBSITE_VISITED', points: 2, category: 'engagement' },
];

/** Creates the scoring rules and levels that every tenant starts with. */
export async function provisionScoring(tx: EntityManager, tenantId: string): Promise<void> {
  await rows(
    tx,
    sql`
    insert into scoring_rules (tenant_id, name, event_type, points, category)
    select ${tenantId}, r.name, r."eventType", r.points, r.category
    from jsonb_to_recordset(${JSON.stringify(DEFAULT_RULES)}::jsonb) as r(name text, "eventType" text, points int, category text)`,
  );
  await rows(
    tx,
    sql`insert into scoring_settings (tenant_id, warm, hot) values (${tenantId}, ${DEFAULT_LEVELS.warm}, ${DEFAULT_LEVELS.hot})`,
  );
}
