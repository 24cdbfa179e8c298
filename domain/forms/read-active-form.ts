import type { Form } from '../../db/entities/forms.ts';
import type { PipelinedTransactions, Statement } from '../../db/pipelined-transactions.ts';

/** Named one by one: a prepared `select *` would fail after a migration that adds a column. */
const columns = {
  id: 'id',
  tenantId: 'tenant_id',
  name: 'name',
  description: 'description',
  fields: 'fields',
  status: 'status',
  successMessage: 'success_message',
  redirectUrl: 'redirect_url',
  submitLabel: 'submit_label',
  enableProgressiveProfiling: 'enable_progressive_profiling',
  enableCaptcha: 'enable_captcha',
  doubleOptIn: 'double_opt_in',
  notifyEmails: 'notify_emails',
  listId: 'list_id',
  progressiveFields: 'progressive_fields',
  allowedOrigins: 'allowed_origins',
  updateExisting: 'update_existing',
  version: 'version',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
} satisfies Record<Extract<keyof Form, string>, string>;

const activeForm: Statement = {
  name: 'active-form',
  text: `
    select ${Object.entries(columns)
      .map(([name, column]) => `${column} as "${name}"`)
      .join(', ')}
    from forms where id = $1 and status = 'ACTIVE'`,
};

/** The ACTIVE form with this id, of any tenant: a pipelined statement, because every visitor of a form runs it. */
export async function readActiveForm(pipelined: PipelinedTransactions, id: number): Promise<Form | null> {
  const [found] = await pipelined.run('engine', [[activeForm, [id]]]);
  return (found![0] as Form | undefined) ?? null;
}
