import { Type } from 'typebox';
import { batchContacts, type BatchRow } from '../../domain/contacts/people/batch-contacts.ts';
import { MAX_VIOLATIONS, withinBounds, type Violation } from '../../lib/checks/errors.ts';
import { compileRequest } from '../../lib/checks/schema-check.ts';
import { validPart } from '../../lib/checks/valid-part.ts';
import { mapYielding } from '../../lib/async/turn.ts';
import { Id, nullable, oneOf, strict } from '../route/schemas.ts';
import { ContactBatchRow } from './schema.ts';
import { route, type RouteSpec } from '../route/route.ts';

const Batch = strict({
  contacts: Type.Array(
    Type.Unsafe<unknown>({
      description: 'Fields as in POST /contacts; for an existing contact only `email` is required',
      examples: [{ firstName: 'Ada', lastName: 'Byron', email: 'ada@example.com' }],
    }),
    {
      minItems: 1,
      maxItems: 1000,
    },
  ),
  mode: Type.Optional(
    oneOf(['upsert', 'create'], {
      default: 'upsert',
      description: '`create` rejects addresses of existing contacts (`email_taken`)',
    }),
  ),
});
const Results = strict({
  results: Type.Array(
    strict(
      {
        index: Type.Integer({ minimum: 0 }),
        status: oneOf(['created', 'updated', 'unchanged', 'rejected']),
        id: nullable(Id),
        errors: Type.Array(
          strict({
            path: Type.String({ description: 'JSON Pointer into the row' }),
            code: Type.String(),
            message: Type.String(),
          }),
        ),
      },
      { title: 'BatchResult' },
    ),
  ),
});

const check = compileRequest(ContactBatchRow);
const readOnly = (ContactBatchRow as unknown as { 'x-read-only': string[] })['x-read-only'];

/** Validates each row separately, so that one invalid row does not reject the others. */
function readRow(row: unknown): BatchRow {
  const errors: Violation[] = check(row);
  for (const name of readOnly) {
    if (typeof row === 'object' && row !== null && Object.hasOwn(row, name))
      errors.push({ path: `/${name}`, code: 'read_only', message: 'is set by the service' });
  }
  return { input: validPart(row, errors)?.sound ?? null, violations: errors };
}

export const batchRoutes: RouteSpec[] = [
  route({
    method: 'POST',
    path: '/contacts/batch',
    operationId: 'batchContacts',
    summary: 'Create or update up to 1,000 contacts, matched by email address',
    access: 'contacts:write',
    description:
      'Rows are processed in order, like single requests: if two rows have the same address, the second updates the contact of the first, ' +
      'so the later one wins. A rejected row returns its errors and does not affect the others; the response is always 200. ' +
      `The response lists at most ${MAX_VIOLATIONS.toLocaleString('en')} errors, shared equally among the rows: ten per row for 1,000 rows.`,
    body: Batch,
    responses: { 200: { schema: Results } },
    handler: async ({ em, caller, body }) => {
      const most = Math.floor(MAX_VIOLATIONS / body.contacts.length);
      const results = await batchContacts(em, caller, body.mode ?? 'upsert', await mapYielding(body.contacts, readRow));
      return {
        body: {
          results: results.map((result, index) => ({ index, ...result, errors: withinBounds(result.errors, most) })),
        },
      };
    },
  }),
];
