import { CampaignSimulation } from '../../../db/entities/campaigns.ts';
import { freshEm, rows, sql, type EntityManager } from '../../../db/orm.ts';
import { notFound } from '../../../lib/checks/errors.ts';
import { simulate, type SimulatedAudience } from './simulate.ts';
import type { Plan } from './world.ts';

/** What a simulation of many contacts stores, to be run later: JSON. */
export interface StoredRequest extends Omit<Plan, 'tenantId' | 'campaignId' | 'at' | 'mailFrom'> {
  at: string;
  audience: SimulatedAudience;
  paths: number;
}

/**
 * Runs a stored simulation and keeps its result. It can be repeated: it writes only its own row, and nothing after that
 * is COMPLETED or FAILED. Without its segment it is FAILED. `onTime` ends it by throwing; it is called at least once per
 * simulated time of a page.
 */
export async function runSimulation(
  em: EntityManager,
  { tenantId, simulationId: id }: { tenantId: string; simulationId: number },
  mailFrom: string,
  onTime: () => void,
): Promise<void> {
  const job = await freshEm(em).findOne(CampaignSimulation, { id });
  // Deleted with its campaign.
  if (!job || job.status === 'COMPLETED' || job.status === 'FAILED') return;
  const set = async (values: ReturnType<typeof sql>): Promise<void> => {
    await em.transactional((tx) =>
      rows(
        tx,
        sql`
      update campaign_simulations set ${values} where tenant_id = ${tenantId} and id = ${id} and status in ('PENDING', 'RUNNING')`,
      ),
    );
  };
  await set(sql`status = 'RUNNING', started_at = coalesce(started_at, now()), processed = 0`);
  const { at, audience, paths, definition, assume } = job.request as StoredRequest;
  const plan = { tenantId, campaignId: job.campaignId, definition, assume, at: new Date(at), mailFrom };
  const onPage = (done: number): Promise<void> => set(sql`processed = ${done}`);
  const result = await simulate(em, plan, audience, paths, { onPage, onTime });
  if (!(await hasSegment(em, tenantId, audience))) {
    await set(sql`status = 'FAILED', error = 'The segment was deleted', finished_at = now()`);
    return;
  }
  await set(
    sql`status = 'COMPLETED', result = ${JSON.stringify(result)}::jsonb, processed = ${result.contacts}, finished_at = now()`,
  );
}

async function hasSegment(em: EntityManager, tenantId: string, audience: SimulatedAudience): Promise<boolean> {
  if (!('segmentId' in audience)) return true;
  const found = await em.transactional((tx) =>
    rows(tx, sql`select 1 from segments where tenant_id = ${tenantId} and id = ${audience.segmentId}`),
  );
  return found.length > 0;
}

/** A simulation of many contacts. Throws 404. */
export async function readSimulation(em: EntityManager, id: number): Promise<CampaignSimulation> {
  const simulation = await em.findOne(CampaignSimulation, { id });
  if (!simulation) throw notFound('simulation', id);
  return simulation;
}
