import { sql, type EntityManager } from '../../../db/orm.ts';
import { customFieldTypes } from '../../contact-values/custom-field-types.ts';
import { activeUsers } from '../../addresses/active-users.ts';
import type { Violation } from '../../../lib/checks/errors.ts';
import type { Definition } from '../definition.ts';
import { checkPublicUrl, type CheckUrl } from '../../outbound/check-url.ts';
import { inThread } from '../../threads/in-thread.ts';
import { findReferenced } from '../../common/references.ts';
import { referencedIds, writtenTexts } from './references.ts';
import { validateDefinition } from './validate.ts';

/**
 * All violations of a definition (of `normaliseDefinition`), including references to missing resources. `checkUrl`
 * says which URLs may be called; by default, public ones. `find`: `lockReferenced` if the definition is to be
 * published, so that nothing of it is deleted meanwhile.
 */
export async function definitionViolations(
  tx: EntityManager,
  tenantId: string,
  definition: Definition,
  checkUrl: CheckUrl = checkPublicUrl,
  find = findReferenced,
): Promise<Violation[]> {
  const named = referencedIds(definition);
  const { addresses, texts } = writtenTexts(definition);
  return validateDefinition(definition, {
    templateIds: await find(tx, 'email_templates', tenantId, named.templateIds, sql`system_key is null`),
    smsTemplateIds: await find(tx, 'channel_templates', tenantId, named.smsTemplateIds, sql`channel = 'sms'`),
    pushTemplateIds: await find(tx, 'channel_templates', tenantId, named.pushTemplateIds, sql`channel = 'push'`),
    messageTemplateIds: await find(tx, 'channel_templates', tenantId, named.messageTemplateIds),
    listIds: await find(tx, 'segments', tenantId, named.listIds, sql`type = 'static'`),
    segmentIds: await find(tx, 'segments', tenantId, named.segmentIds),
    formIds: await find(tx, 'forms', tenantId, named.formIds),
    // Campaigns and email campaigns share one id space; emails can belong to either.
    campaignIds: new Set([
      ...(await find(tx, 'campaigns', tenantId, named.campaignIds)),
      ...(await find(tx, 'email_campaigns', tenantId, named.campaignIds)),
    ]),
    customFields: await customFieldTypes(tx, tenantId),
    userAddresses: new Set((await activeUsers(tx, tenantId, addresses)).keys()),
    liquidMistakes:
      texts.length === 0 ? new Map<string, string>() : await inThread(tenantId, { name: 'parseTexts', args: [texts] }),
    checkUrl,
  });
}
