import type { CheckUrl } from '../../outbound/check-url.ts';
import { Campaign, CampaignSimulation } from '../../../db/entities/campaigns.ts';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { appendJob, type Origin } from '../../../events/outbox.ts';
import { workflowId } from '../../../registry/workflows.ts';
import { parseDateTime } from '../../../lib/time/instants.ts';
import { AppError, assertNoneMissing, assertValid, notFound, type Violation } from '../../../lib/checks/errors.ts';
import { Places } from '../../../lib/async/places.ts';
import type { Definition } from '../../campaign-definitions/definition.ts';
import { readVersion } from '../management/read-versions.ts';
import { draftOf } from '../management/save-campaign.ts';
import { assertContacts, audienceViolations, type Audience } from '../management/start-campaign.ts';
import { definitionViolations } from '../../campaign-definitions/validation/check-definition.ts';
import type { Assumption } from './draws.ts';
import type { StoredRequest } from './run-simulation.ts';
import { simulate, type SimulatedAudience } from './simulate.ts';
import type { SimulationResult } from './tally.ts';

/** How many contacts are simulated within a request; more are a job. */
export const MAX_AT_ONCE = 10_000;
/** Simulations within requests of one process: each keeps a connection to the database and most of a core. */
const allPlaces = new Places({ most: 2, mostWaiting: 20, waitMs: 30_000 });
const tenantPlaces = new Places({ most: 1, mostWaiting: 5, waitMs: 30_000 });
const [FIRST_YEAR, LAST_YEAR] = [2000, 2199];

export interface SimulationInput extends Audience {
  at?: string;
  version?: number | 'draft';
  assume?: Partial<Assumption>;
  paths?: number;
}

/** The violations of an unchecked request: exactly one audience, and a time that timers can reach. */
export function simulationViolations(input: { [P in keyof SimulationInput]?: unknown }): Violation[] {
  const { contactIds, segmentId, listId, at } = input;
  const none = contactIds === undefined && segmentId === undefined && listId === undefined;
  const audience = none
    ? [{ path: '/contactIds', code: 'required', message: 'one of contactIds, segmentId and listId is required' }]
    : audienceViolations({ contactIds, segmentId, listId });
  const year = typeof at === 'string' ? parseDateTime(at)?.getUTCFullYear() : undefined;
  if (typeof at !== 'string' || (year !== undefined && year >= FIRST_YEAR && year <= LAST_YEAR)) return audience;
  const message = `must be an RFC 3339 date-time in the years ${FIRST_YEAR} to ${LAST_YEAR}`;
  return [...audience, { path: '/at', code: 'format', message }];
}

/**
 * Simulates a campaign: at once for up to MAX_AT_ONCE contacts, else by a workflow. Throws 404 for a missing campaign,
 * version, segment or contact, 400 for a draft that could not be started, 409 while the segment is BUILDING, 503 while
 * too many simulations are running.
 */
export async function requestSimulation(
  em: EntityManager,
  origin: Origin,
  campaignId: number,
  input: SimulationInput,
  mailFrom: string,
  checkUrl?: CheckUrl,
): Promise<{ result: SimulationResult } | { job: CampaignSimulation }> {
  assertValid(simulationViolations(input));
  const { tenantId } = origin;
  const { version = 'draft', paths = 100 } = input;
  const assume = { openRate: 0, clickRate: 0, seed: 1, ...input.assume };
  const at = input.at === undefined ? new Date() : parseDateTime(input.at)!;
  const definition = await definitionOf(em, tenantId, campaignId, version, checkUrl);
  const { audience, contacts } = await em.transactional((tx) => readAudience(tx, tenantId, input));
  if (contacts <= MAX_AT_ONCE) {
    const plan = { tenantId, campaignId, definition, at, assume, mailFrom };
    return { result: await inTurn(tenantId, () => simulate(em, plan, audience, paths)) };
  }
  const request: StoredRequest = { definition, at: at.toISOString(), assume, audience, paths };
  return { job: await startJob(em, origin, campaignId, request, contacts) };
}

const othersRun = (): AppError =>
  new AppError('unavailable', 'Other simulations are running; try again', { headers: { 'Retry-After': '10' } });

/** Runs a simulation when it is its turn. Throws 503 when too many are in the line, or have been for too long. */
const inTurn = <T>(tenantId: string, work: () => Promise<T>): Promise<T> =>
  tenantPlaces.hold(tenantId, othersRun, () => allPlaces.hold('all', othersRun, work));

async function definitionOf(
  em: EntityManager,
  tenantId: string,
  campaignId: number,
  version: number | 'draft',
  checkUrl: CheckUrl | undefined,
): Promise<Definition> {
  return em.transactional(async (tx) => {
    const campaign = await tx.findOne(Campaign, { id: campaignId });
    if (!campaign) throw notFound('campaign', campaignId);
    if (version !== 'draft') return (await readVersion(tx, campaignId, version)).definition;
    const draft = draftOf(campaign);
    assertValid(await definitionViolations(tx, tenantId, draft, checkUrl));
    return draft;
  });
}

async function readAudience(
  tx: EntityManager,
  tenantId: string,
  { contactIds, segmentId, listId }: Audience,
): Promise<{ audience: SimulatedAudience; contacts: number }> {
  if (contactIds) {
    await assertContacts(tx, tenantId, contactIds);
    const ids = [...new Set(contactIds)].sort((a, b) => a - b);
    return { audience: { contactIds: ids }, contacts: ids.length };
  }
  const id = segmentId ?? listId!;
  const [segment] = await rows<{ status: string }>(
    tx,
    sql`select status from segments where tenant_id = ${tenantId} and id = ${id}`,
  );
  if (!segment) {
    assertNoneMissing([
      listId === undefined ? { path: '/segmentId', what: 'segment', id } : { path: '/listId', what: 'list', id },
    ]);
  }
  if (segment?.status === 'BUILDING')
    throw new AppError('conflict', `Segment ${id} is still being built; try again later`);
  const [members] = await rows<{ n: number }>(
    tx,
    sql`select count(*)::int as n from segment_members where tenant_id = ${tenantId} and segment_id = ${id}`,
  );
  return { audience: { segmentId: id }, contacts: members!.n };
}

async function startJob(
  em: EntityManager,
  { tenantId }: Origin,
  campaignId: number,
  request: StoredRequest,
  contacts: number,
): Promise<CampaignSimulation> {
  return em.transactional(async (tx) => {
    // Get the id first, because it is part of the workflow id.
    const [next] = await rows<{ id: number }>(tx, sql`select nextval('campaign_simulations_id_seq') as id`);
    const { id } = next!;
    const input = { tenantId, simulationId: id };
    const job = tx.create(CampaignSimulation, {
      id,
      tenantId,
      campaignId,
      request,
      contacts,
      result: null,
      workflowId: workflowId('campaignSimulation', input),
    });
    await tx.flush();
    await appendJob(tx, 'campaignSimulation', input);
    return job;
  });
}
