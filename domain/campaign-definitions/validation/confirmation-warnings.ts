import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import type { Definition } from '../definition.ts';
import { stepKind } from '../step-kinds.ts';
import type { Warning } from './warnings.ts';

/** A campaign with the definition that warnings are about. */
interface Defined {
  id: number;
  tenantId: string;
  definition: Definition;
}

/**
 * The warning `before_confirmation`, by campaign: it begins with a form whose people have to confirm their address first,
 * and sends. Until they have, they are `pending`, and marketing mail to them is suppressed. One query for all campaigns of a
 * tenant, if any begins with a form.
 */
export async function confirmationWarnings(
  em: EntityManager,
  campaigns: readonly Defined[],
): Promise<Map<number, Warning[]>> {
  const begun = campaigns.flatMap(({ id, tenantId, definition: { trigger, steps } }) =>
    trigger.type === 'FORM_SUBMITTED' && steps.some(({ type }) => stepKind(type)?.sends)
      ? [{ id, tenantId, formId: trigger.formId }]
      : [],
  );
  if (begun.length === 0) return new Map();
  const forms = await em.transactional((tx) =>
    rows<{ id: number; name: string; listId: number | null }>(
      tx,
      sql`
      select f.id, f.name, f.list_id as "listId" from forms f
      left join segments s on s.tenant_id = f.tenant_id and s.id = f.list_id
      where f.tenant_id = ${begun[0]!.tenantId} and f.id = any(${begun.map(({ formId }) => formId)}::bigint[])
        and (f.double_opt_in or s.double_opt_in)`,
    ),
  );
  return new Map(
    begun.flatMap(({ id, formId }) => {
      const form = forms.find((one) => one.id === formId);
      if (!form) return [];
      const instead =
        form.listId === null
          ? 'give the form a list, and let the trigger be SEGMENT_ENTERED of it'
          : `let the trigger be SEGMENT_ENTERED of its list ${form.listId}`;
      const message = `trigger: who fills in the form ${JSON.stringify(form.name)} has to confirm the address first, and gets no marketing mail before that: ${instead}, which people enter when they have confirmed`;
      return [[id, [{ path: '/trigger', code: 'before_confirmation', message }]]];
    }),
  );
}
