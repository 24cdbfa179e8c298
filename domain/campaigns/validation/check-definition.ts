import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { customFieldTypes } from '../../contacts/values/custom-field-types.ts';
import { activeUsers } from '../../addresses/active-users.ts';
import type { Violation } from '../../../lib/checks/errors.ts';
import type { Definition } from '../definition/definition.ts';
import { checkPublicUrl, type CheckUrl } from '../../outbound/check-url.ts';
import { inThread } from '../../threads/in-thread.ts';
import { referencedIds, writtenTexts } from './references.ts';
import { validateDefinition } from './validate.ts';

type Table = 'email_templates' | 'channel_templates' | 'segments' | 'forms' | 'campaigns' | 'email_campaigns';

async function idsIn(
  tx: EntityManager,
  table: Table,
  tenantId: string,
  ids: ReadonlySet<number>,
  also = sql`true`,
): Promise<Set<number>> {
  if (ids.size === 0) return new Set();
  const found = await rows<{ id: number }>(
    tx,
    sql`
    select id from ${sql.table(table)} where tenant_id = ${tenantId} and id = any(${[...ids]}::bigint[]) and ${also}`,
  );
  return new Set(found.map((row) => row.id));
}

/**
 * All violations of a definition (of `normaliseDefinition`), including references to missing resources. `checkUrl`
 * says which URLs may be called; by default, public ones.
 */
export async function definitionViolations(
  tx: EntityManager,
  tenantId: string,
  definition: Definition,
  checkUrl: CheckUrl = checkPublicUrl,
): Promise<Violation[]> {
  const named = referencedIds(definition);
  const { addresses, texts } = writtenTexts(definition);
  return validateDefinition(definition, {
    templateIds: await idsIn(tx, 'email_templates', tenantId, named.templateIds, sql`system_key is null`),
    smsTemplateIds: await idsIn(tx, 'channel_templates', tenantId, named.smsTemplateIds, sql`channel = 'sms'`),
    pushTemplateIds: await idsIn(tx, 'channel_templates', tenantId, named.pushTemplateIds, sql`channel = 'push'`),
    messageTemplateIds: await idsIn(tx, 'channel_templates', tenantId, named.messageTemplateIds),
    listIds: await idsIn(tx, 'segments', tenantId, named.listIds, sql`type = 'static'`),
    segmentIds: await idsIn(tx, 'segments', tenantId, named.segmentIds),
    formIds: await idsIn(tx, 'forms', tenantId, named.formIds),
    // Campaigns and email campaigns share one id space; emails can belong to either.
    campaignIds: new Set([
      ...(await idsIn(tx, 'campaigns', tenantId, named.campaignIds)),
      ...(await idsIn(tx, 'email_campaigns', tenantId, named.campaignIds)),
    ]),
    customFields: await customFieldTypes(tx, tenantId),
    userAddresses: new Set((await activeUsers(tx, tenantId, addresses)).keys()),
    liquidMistakes:
      texts.length === 0 ? new Map<string, string>() : await inThread(tenantId, { name: 'parseTexts', args: [texts] }),
    checkUrl,
  });
}
