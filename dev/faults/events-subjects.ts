import { createPublished } from './figures/recompute.ts';
import { withClient } from '../stack/postgres.ts';

export interface Subjects {
  tenantIds: readonly string[];
  contactIds: ReadonlyMap<string, readonly number[]>;
}

/** The first tenant's points decay; those of the second do not, so what ever was reached can be computed from them. */
const TENANTS = ['default', 'steady'] as const;
const CONTACTS = { default: 2_000, steady: 1_000 };
const COMPANIES = 50;
/** Scores of the thresholds of the second tenant: nearly all, some and hardly any contacts reach them. */
const THRESHOLDS = [50, 1_000, 3_000];

/** Rules besides those that a tenant begins with: decay, caps, both, and one for companies. */
const RULES: Record<(typeof TENANTS)[number], string[]> = {
  default: [
    `('default', 'Visits fade', 'WEBSITE_VISITED', 8, 1.25, null, '{"halfLifeDays": 1}', 'contact')`,
    `('default', 'Clicks up to 500', 'EMAIL_CLICKED', 6, 1, 500, null, 'contact')`,
    `('default', 'Forms fade, up to 300', 'FORM_SUBMITTED', 9, 1, 300, '{"halfLifeDays": 2}', 'contact')`,
    `('default', 'Goals of companies', 'GOAL_MET', 4, 1, null, '{"halfLifeDays": 0.5}', 'company')`,
    `('default', 'Opens tire', 'EMAIL_OPENED', -1, 1, null, '{"halfLifeDays": 3}', 'contact')`,
  ],
  steady: [
    `('steady', 'Clicks', 'EMAIL_CLICKED', 10, 1, null, null, 'contact')`,
    `('steady', 'Goals up to 200', 'GOAL_MET', 15, 1, 200, null, 'contact')`,
    `('steady', 'Visits', 'WEBSITE_VISITED', 2, 1.5, null, null, 'contact')`,
  ],
};

/** Makes tenants, contacts, rules and thresholds, and the table of the written events. */
export const makeSubjects = (ownerUrl: string): Promise<Subjects> =>
  withClient(ownerUrl, async (owner) => {
    await createPublished(owner);
    await owner.query('grant insert on published to perennial_app');
    const contactIds = new Map<string, number[]>();
    for (const tenantId of TENANTS) {
      await owner.query(`
        insert into companies (tenant_id, name, name_key) select '${tenantId}', 'C' || n, 'c' || n from generate_series(1, ${COMPANIES}) n`);
      const { rows } = await owner.query<{ id: string }>(`
        insert into contacts (tenant_id, first_name, last_name, email, email_key, company_id, created_activity_id)
        select '${tenantId}', 'F', 'L', 'e' || n || '@faults.example', 'e' || n || '@faults.example',
          (select id from companies where tenant_id = '${tenantId}' and name = 'C' || n % ${COMPANIES + 1}), null
        from generate_series(1, ${CONTACTS[tenantId]}) n returning id`);
      contactIds.set(
        tenantId,
        rows.map(({ id }) => Number(id)),
      );
      await owner.query(`
        insert into scoring_rules (tenant_id, name, event_type, points, weight, max_per_contact, decay, target)
        values ${RULES[tenantId].join(', ')}`);
    }
    await owner.query(`
      with lists as (
        insert into segments (tenant_id, name, type, status) select 'steady', 'Reached ' || score, 'static', 'READY'
        from unnest('{${THRESHOLDS.join()}}'::int[]) score returning id, name)
      insert into score_thresholds (tenant_id, name, score, action)
      select 'steady', name, split_part(name, ' ', 2)::int, jsonb_build_object('type', 'ADD_TO_LIST', 'listId', id) from lists`);
    return { tenantIds: TENANTS, contactIds };
  });
