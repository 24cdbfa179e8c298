import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { saveContentVersion } from './templates.ts';

/** A template of the service itself: users cannot edit it, and each release defines its content. */
export interface SystemTemplate {
  name: string;
  subject: string;
  content: string;
  text: string;
}

/** The id of the tenant's template with that key. Creates it, or updates it to this release's content. */
export async function upsertSystemTemplate(
  tx: EntityManager,
  tenantId: string,
  key: string,
  { name, subject, content, text }: SystemTemplate,
): Promise<number> {
  const find = async (): Promise<number | undefined> => {
    const [found] = await rows<{ id: number }>(
      tx,
      sql`
      select id from email_templates where tenant_id = ${tenantId} and system_key = ${key}
        and (name, subject, content, text, category) = (${name}, ${subject}, ${content}, ${text}, 'transactional')`,
    );
    return found?.id;
  };
  const known = await find();
  if (known !== undefined) return known;
  const [kept] = await rows<{ id: number }>(
    tx,
    sql`
    insert into email_templates as t (tenant_id, system_key, name, subject, content, text, category)
    values (${tenantId}, ${key}, ${name}, ${subject}, ${content}, ${text}, 'transactional')
    on conflict (tenant_id, system_key) do update set name = excluded.name, subject = excluded.subject, content = excluded.content, text = excluded.text,
      category = excluded.category, content_version = t.content_version + 1, version = t.version + 1, updated_at = now()
    where (t.name, t.subject, t.content, t.text, t.category) is distinct from (excluded.name, excluded.subject, excluded.content, excluded.text, excluded.category)
    returning id`,
  );
  // A concurrent transaction did the same.
  if (!kept) return (await find())!;
  // It is no text of a user, so it need not be judged.
  await saveContentVersion(tx, { tenantId, id: kept.id }, null);
  return kept.id;
}
