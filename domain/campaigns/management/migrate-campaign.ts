import { LockMode } from '@mikro-orm/core';
import { Campaign, CampaignMigration, OPEN_STATUSES } from '../../../db/entities/campaigns.ts';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { appendJob } from '../../../events/outbox.ts';
import { workflowId } from '../../../registry/workflows.ts';
import { appendAudit, type Author } from '../../audit/audit.ts';
import { AppError, assertNoneMissing, assertValid, notFound, type Violation } from '../../../lib/checks/errors.ts';
import type { Definition } from '../../campaign-definitions/definition.ts';
import type { VersionChange } from '../execution/migrate-state.ts';
import { findReferenced, lockReferenced } from '../../common/references.ts';
import { definitionViolations } from '../../campaign-definitions/validation/check-definition.ts';
import { type MigrationFigures, surveyMigration } from './survey-migration.ts';
import type { CheckUrl } from '../../outbound/check-url.ts';

export interface MigrationInput {
  from: number;
  to: number;
  /** Step ids of `to` by step ids of `from`. */
  map?: Record<string, string>;
}

async function definitionOf(tx: EntityManager, campaignId: number, version: number): Promise<Definition | null> {
  const [found] = await rows<{ definition: Definition }>(
    tx,
    sql`select definition from campaign_versions where campaign_id = ${campaignId} and version = ${version}::bigint`,
  );
  return found?.definition ?? null;
}

function mapViolations(map: Record<string, string>, from: Definition | null, to: Definition | null): Violation[] {
  const lacks = (definition: Definition | null, stepId: string): boolean =>
    definition !== null && !definition.steps.some(({ id }) => id === stepId);
  return Object.entries(map).flatMap(([old, now]) => {
    const path = `/map/${old.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const unknown = [
      ...(lacks(from, old) ? [`version from has no step ${JSON.stringify(old.slice(0, 64))}`] : []),
      ...(lacks(to, now) ? [`version to has no step ${JSON.stringify(now.slice(0, 64))}`] : []),
    ];
    return unknown.length === 0 ? [] : [{ path, code: 'unknown_step', message: unknown.join('; ') }];
  });
}

/** The violations of a migration, as far as it is given; missing versions are not among them. */
export async function migrationViolations(
  tx: EntityManager,
  campaignId: number,
  { from, to, map = {} }: { from?: number; to?: number; map?: Record<string, string> },
): Promise<Violation[]> {
  const same = from !== undefined && from === to;
  return [
    ...(same ? [{ path: '/to', code: 'same_version', message: 'must be another version than from' }] : []),
    ...mapViolations(
      map,
      from === undefined ? null : await definitionOf(tx, campaignId, from),
      to === undefined ? null : await definitionOf(tx, campaignId, to),
    ),
  ];
}

/** The change between the versions. Throws 404 for missing ones, and 400. */
async function changeOf(
  tx: EntityManager,
  campaign: Campaign,
  input: MigrationInput,
  checkUrl: CheckUrl | undefined,
  find: typeof lockReferenced,
): Promise<VersionChange> {
  const { tenantId, id } = campaign;
  assertValid(await migrationViolations(tx, id, input));
  const [from, to] = [await definitionOf(tx, id, input.from), await definitionOf(tx, id, input.to)];
  if (!from || !to) {
    assertNoneMissing([
      ...(from ? [] : [{ path: '/from', what: 'version', id: input.from }]),
      ...(to ? [] : [{ path: '/to', what: 'version', id: input.to }]),
    ]);
  }
  // An older version may refer to what was deleted since.
  const broken = await definitionViolations(tx, tenantId, to!, checkUrl, find);
  assertValid(broken.map(({ code, message }) => ({ path: '/to', code, message: `version ${input.to}: ${message}` })));
  return { from: from!, to: to!, version: input.to, map: input.map ?? {} };
}

function assertOpen({ status }: Campaign): void {
  if (!OPEN_STATUSES.includes(status))
    throw new AppError(
      'conflict',
      `The campaign is ${status}; only one that is ACTIVE or PAUSED has running executions`,
    );
}

/**
 * What a migration would do now, with no effect. Throws 404 for a missing campaign or version, 400 for a map that names
 * unknown steps, for equal versions, and if `to` refers to what was deleted, 409 if the campaign is neither ACTIVE nor
 * PAUSED.
 */
export async function planMigration(
  em: EntityManager,
  id: number,
  input: MigrationInput,
  checkUrl?: CheckUrl,
): Promise<MigrationFigures> {
  return em.transactional(async (tx) => {
    const campaign = await tx.findOne(Campaign, { id });
    if (!campaign) throw notFound('campaign', id);
    const change = await changeOf(tx, campaign, input, checkUrl, findReferenced);
    assertOpen(campaign);
    return surveyMigration(tx, { tenantId: campaign.tenantId, campaignId: id, fromVersion: input.from }, change);
  });
}

/**
 * Begins to move the running executions of version `from` to version `to`, by the workflow `campaignMigration`. Throws
 * as `planMigration`, and 409 while another migration of the campaign is running.
 */
export async function migrateCampaign(
  em: EntityManager,
  author: Author,
  id: number,
  input: MigrationInput,
  checkUrl?: CheckUrl,
): Promise<CampaignMigration> {
  return em.transactional(async (tx) => {
    const { tenantId } = author;
    const campaign = await tx.findOne(Campaign, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!campaign) throw notFound('campaign', id);
    const change = await changeOf(tx, campaign, input, checkUrl, lockReferenced);
    assertOpen(campaign);
    const other = await tx.findOne(CampaignMigration, { campaignId: id, status: 'RUNNING' });
    if (other) throw new AppError('conflict', `Migration ${other.id} of the campaign is still running`);
    const { from, to, map = {} } = input;
    const { total, movable } = await surveyMigration(tx, { tenantId, campaignId: id, fromVersion: from }, change);
    const [next] = await rows<{ id: number }>(tx, sql`select nextval('campaign_migrations_id_seq') as id`);
    const workflow = { tenantId, migrationId: next!.id, campaignId: id };
    const migration = tx.create(CampaignMigration, {
      id: next!.id,
      tenantId,
      campaignId: id,
      fromVersion: from,
      toVersion: to,
      map,
      total,
      movable,
      blocked: [],
      byStep: [],
      workflowId: workflowId('campaignMigration', workflow),
      createdAt: new Date(),
    });
    await tx.flush();
    await appendAudit(tx, author, {
      action: 'campaign.migrated',
      resourceType: 'campaign',
      resourceId: id,
      before: { version: from },
      after: { version: to, migrationId: migration.id },
    });
    await appendJob(tx, 'campaignMigration', workflow);
    return migration;
  });
}

/** Throws 404. */
export async function readMigration(em: EntityManager, id: number): Promise<CampaignMigration> {
  const migration = await em.findOne(CampaignMigration, { id });
  if (!migration) throw notFound('migration', id);
  return migration;
}
