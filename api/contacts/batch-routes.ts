import { Type, type Static } from 'typebox';
import { batchContacts, type BatchRow } from '../../domain/contacts/people/batch-contacts.ts';
import { MOST_VIOLATIONS, withinBounds, type Violation } from '../../domain/common/errors.ts';
import { compileRequest } from '../../domain/common/schema-check.ts';
import { validPart } from '../../domain/common/valid-part.ts';
import { inTurns } from '../../domain/common/turn.ts';
import { Id, nullable, oneOf, strict } from '../route/schemas.ts';
import { ContactBatchRow } from './schema.ts';
import { route, type RouteSpec } from '../route/route.ts';

type Row = Static<typeof ContactBatchRow>;

const Batch = strict({
  contacts: Type.Array(
    Type.Unsafe<unknown>({
      description: 'As of POST /contacts; a contact that exists needs its email only',
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
      description: 'create refuses addresses that exist (`email_taken`)',
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

/** Each row by itself, so that one that is wrong does not refuse the others. */
function readRow(row: unknown): BatchRow {
  const errors: Violation[] = check(row);
  for (const name of readOnly) {
    if (typeof row === 'object' && row !== null && Object.hasOwn(row, name))
      errors.push({ path: `/${name}`, code: 'read_only', message: 'is set by the service' });
  }
  return { input: (validPart(row, errors)?.sound ?? null) as Row | null, violations: errors };
}

export const batchRoutes: RouteSpec[] = [
  route({
    method: 'POST',
    path: '/contacts/batch',
    operationId: 'batchContacts',
    summary: 'Create or change up to 1,000 contacts by their addresses',
    access: 'contacts:write',
    description:
      'Rows are taken in their order, as single writes would be: of two rows with one address the second changes what the first has made, ' +
      'so the later one wins. A row that is refused says why and leaves the others alone; the answer is 200 whatever became of them. ' +
      `All rows together tell of at most ${MOST_VIOLATIONS.toLocaleString('en')} errors, each of an equal share: ten, where there are a thousand rows.`,
    body: Batch,
    responses: { 200: { schema: Results } },
    handler: async ({ em, caller, body }) => {
      const most = Math.floor(MOST_VIOLATIONS / body.contacts.length);
      const results = await batchContacts(em, caller, body.mode ?? 'upsert', await inTurns(body.contacts, readRow));
      return {
        body: {
          results: results.map((result, index) => ({ index, ...result, errors: withinBounds(result.errors, most) })),
        },
      };
    },
  }),
];
