import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import type { Definition } from '../definition.ts';
import type { Names } from '../names.ts';
import { referencedIds } from './references.ts';

type Table = 'email_templates' | 'channel_templates' | 'segments' | 'forms' | 'campaigns' | 'email_campaigns';

async function namesIn(
  tx: EntityManager,
  table: Table,
  tenantId: string,
  ids: ReadonlySet<number>,
): Promise<Record<string, string>> {
  if (ids.size === 0) return {};
  const found = await rows<{ id: number; name: string }>(
    tx,
    sql`select id, name from ${sql.table(table)} where tenant_id = ${tenantId} and id = any(${[...ids]}::bigint[])`,
  );
  return Object.fromEntries(found.map(({ id, name }) => [id, name]));
}

/** The current names of what a definition refers to. */
export async function readNames(tx: EntityManager, tenantId: string, definition: Definition): Promise<Names> {
  const ids = referencedIds(definition);
  return {
    templates: await namesIn(tx, 'email_templates', tenantId, ids.templateIds),
    messageTemplates: await namesIn(
      tx,
      'channel_templates',
      tenantId,
      new Set([...ids.smsTemplateIds, ...ids.pushTemplateIds, ...ids.messageTemplateIds]),
    ),
    lists: await namesIn(tx, 'segments', tenantId, ids.listIds),
    segments: await namesIn(tx, 'segments', tenantId, ids.segmentIds),
    forms: await namesIn(tx, 'forms', tenantId, ids.formIds),
    // They share one id space.
    campaigns: {
      ...(await namesIn(tx, 'campaigns', tenantId, ids.campaignIds)),
      ...(await namesIn(tx, 'email_campaigns', tenantId, ids.campaignIds)),
    },
  };
}
