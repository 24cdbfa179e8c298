import { rows, sql, type EntityManager } from '../../db/orm.ts';
import { referencedIds } from '../campaigns/references.ts';
import { AppError } from '../errors.ts';
import { dynamicSegments } from './dynamic-segments.ts';

interface User {
  kind: 'campaign' | 'form' | 'threshold' | 'segment';
  id: number;
  name: string;
}

/** Throws `in_use`, naming the users, when a running campaign, a form, a threshold or another segment refers to it. */
export async function assertUnused(tx: EntityManager, tenantId: string, segmentId: number): Promise<void> {
  const users = [
    ...(await campaigns(tx, tenantId, segmentId)), ...(await formsAndThresholds(tx, tenantId, segmentId)),
    ...(await segments(tx, tenantId, segmentId)),
  ];
  if (users.length === 0) return;
  throw new AppError('in_use', `It is used by ${users.map(({ kind, id }) => `${kind} ${id}`).join(', ')}`, {
    errors: users.map(({ kind, id, name }) => ({ path: '', code: 'in_use', message: `${kind} ${id}: ${name}` })),
  });
}

/** Campaigns with a definition that is published, or that executions still run by. */
async function campaigns(tx: EntityManager, tenantId: string, segmentId: number): Promise<User[]> {
  const found = await rows<{ id: number; name: string; definition: object }>(tx, sql`
    select c.id, c.name, v.definition from campaigns c
    join campaign_versions v on v.tenant_id = c.tenant_id and v.campaign_id = c.id
    where c.tenant_id = ${tenantId} and c.status in ('ACTIVE', 'PAUSED') and (v.version = c.published_version or exists (
      select 1 from campaign_executions e
      where e.tenant_id = c.tenant_id and e.campaign_id = c.id and e.status = 'RUNNING' and e.campaign_version = v.version))
    order by c.id`);
  const using = found.filter(({ definition }) => {
    const { segmentIds, listIds } = referencedIds(definition);
    return segmentIds.has(segmentId) || listIds.has(segmentId);
  });
  return [...new Map(using.map(({ id, name }): [number, User] => [id, { kind: 'campaign', id, name }])).values()];
}

async function formsAndThresholds(tx: EntityManager, tenantId: string, segmentId: number): Promise<User[]> {
  return rows<User>(tx, sql`
    select 'form' as kind, id, name from forms where tenant_id = ${tenantId} and list_id = ${segmentId} and status <> 'ARCHIVED'
    union all
    select 'threshold', id, name from score_thresholds where tenant_id = ${tenantId} and action ->> 'listId' = ${String(segmentId)}
    order by 1, 2`);
}

async function segments(tx: EntityManager, tenantId: string, segmentId: number): Promise<User[]> {
  const all = await dynamicSegments(tx, tenantId);
  return all
    .filter((segment) => segment.id !== segmentId && segment.causes.has(`member:${segmentId}`))
    .map(({ id, name }) => ({ kind: 'segment', id, name }));
}
