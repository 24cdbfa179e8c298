import { setImmediate as endOfTurn, setTimeout as delay } from 'node:timers/promises';
import type { Form } from '../../db/entities/forms.ts';
import type { PipelinedTransactions, Statement } from '../../db/pipelined-transactions.ts';
import { Batcher } from '../../lib/async/batcher.ts';

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

const activeForms: Statement = {
  name: 'active-forms',
  text: `
    select ${Object.entries(columns)
      .map(([name, column]) => `${column} as "${name}"`)
      .join(', ')}
    from forms where id = any($1::bigint[]) and status = 'ACTIVE'`,
};
const MOST_FORMS = 100;
/** While several visitors come at once, the next statement waits for more of them. */
const RUSH_MS = 2;

interface Waiting {
  id: number;
  resolve: (form: Form | null) => void;
  reject: (error: unknown) => void;
}
const readers = new WeakMap<PipelinedTransactions, Batcher<Waiting>>();

/**
 * The ACTIVE form with this id, of any tenant. Every visitor of a form needs it, so visitors who come at once share a
 * statement, and what it returns: do not change it.
 */
export function readActiveForm(pipelined: PipelinedTransactions, id: number): Promise<Readonly<Form> | null> {
  const reader = readers.get(pipelined) ?? createReader(pipelined);
  readers.set(pipelined, reader);
  return new Promise((resolve, reject) => reader.add({ id, resolve, reject }));
}

function createReader(pipelined: PipelinedTransactions): Batcher<Waiting> {
  let isRush = false;
  const handle = async (waiting: Waiting[]): Promise<void> => {
    isRush = waiting.length > 1;
    try {
      const [found] = await pipelined.run('engine', [[activeForms, [[...new Set(waiting.map(({ id }) => id))]]]]);
      const forms = new Map((found as unknown as Form[]).map((form) => [form.id, form]));
      for (const { id, resolve } of waiting) resolve(forms.get(id) ?? null);
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
  };
  return new Batcher({
    gather: () => (isRush ? delay(RUSH_MS) : endOfTurn()),
    maxItems: MOST_FORMS,
    maxConcurrent: 1,
    handle,
  });
}
