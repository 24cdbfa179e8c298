import { Readable } from 'node:stream';
import { stringify } from 'csv-stringify/sync';
import { Type, type Static } from 'typebox';
import { appendAudit } from '../../domain/audit/audit.ts';
import { contactConditions } from '../../domain/contacts/people/contact-filters.ts';
import { customFieldTypes } from '../../domain/contacts/values/custom-field-types.ts';
import { contactColumns, tablePages } from '../../domain/contacts/export/columns.ts';
import { CSV } from '../../domain/contacts/export/csv.ts';
import { countContacts, readContacts, type ExportedContact } from '../../domain/contacts/export/read-contacts.ts';
import { xlsx } from '../../domain/contacts/export/xlsx.ts';
import { assertValid } from '../../domain/common/errors.ts';
import { oneOf, strict } from '../route/schemas.ts';
import { presentContact } from './presenter.ts';
import { Contact, contactFilters } from './schema.ts';
import { route, type Call, type Reply, type RouteSpec } from '../route/route.ts';

const TYPES = {
  csv: 'text/csv; charset=utf-8',
  json: 'application/json; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
} as const;
const OTHERS = Object.values(TYPES)
  .filter((type) => type !== TYPES.json)
  .map((type) => type.split(';')[0]!);
type Format = keyof typeof TYPES;
const FORMATS = Object.keys(TYPES) as Format[];
/** Nobody opens larger workbooks. */
const XLSX_ROWS = 200_000;

const Query = strict({ format: Type.Optional(oneOf(FORMATS, { default: 'csv' })), ...contactFilters });

type Pages = AsyncIterable<ExportedContact[]>;

/** Contacts as in the API: a JSON array, or one line per contact. */
async function* jsonText(pages: Pages, lines: boolean): AsyncGenerator<string> {
  let separator = '';
  if (!lines) yield '[';
  for await (const page of pages) {
    const items = page.map((contact) => JSON.stringify(presentContact(contact, contact.companyName)));
    yield lines ? `${items.join('\n')}\n` : `${separator}${items.join(',')}`;
    separator = ',';
  }
  if (!lines) yield ']';
}

async function* csvText(tables: AsyncIterable<unknown[][]>): AsyncGenerator<string> {
  for await (const table of tables) yield stringify(table, { ...CSV, cast: { boolean: String } });
}

async function exportContacts({
  ctx,
  deps,
  em,
  caller,
  query,
}: Call<unknown, Static<typeof Query>, unknown>): Promise<Reply> {
  const { tenantId } = caller;
  const { format = 'csv', ...filters } = query;
  const where = contactConditions(filters);
  if (format === 'xlsx' && (await countContacts(deps.orm, tenantId, where, XLSX_ROWS)) > XLSX_ROWS) {
    assertValid([
      {
        path: '/format',
        code: 'too_many',
        message: `xlsx supports at most ${XLSX_ROWS} contacts: use csv, or narrow the export with filters`,
      },
    ]);
  }
  const customFields = await em.transactional(async (tx) => {
    await appendAudit(tx, caller, {
      action: 'contact.exported',
      resourceType: 'contact',
      resourceId: null,
      after: { format },
    });
    return customFieldTypes(tx, tenantId);
  });
  const pages = readContacts(deps.orm, tenantId, where);
  const table = () => tablePages(contactColumns(customFields.keys()), pages);
  const bytes = {
    csv: () => csvText(table()),
    json: () => jsonText(pages, false),
    ndjson: () => jsonText(pages, true),
    xlsx: () => xlsx('Contacts', table()),
  }[format]();
  const body = Readable.from(bytes, { objectMode: false });
  // A response that has started cannot become an error any more. The connection is cut, so that nobody mistakes a part
  // for the whole.
  body.on('error', () => ctx.res.destroy());
  const day = new Date().toISOString().slice(0, 10);
  return {
    body,
    headers: {
      'Content-Type': TYPES[format],
      'Content-Disposition': `attachment; filename="contacts-${day}.${format}"`,
    },
  };
}

export const exportRoutes: RouteSpec[] = [
  route({
    method: 'GET',
    path: '/contacts/export',
    operationId: 'exportContacts',
    summary: 'Download contacts as CSV, JSON, NDJSON or XLSX',
    access: 'contacts:read',
    description:
      'Streamed in id order. Headers and keys are API field names. In csv and xlsx, the company is its name, tags are separated by semicolons, ' +
      'custom fields are columns `customFields.x`, and text that begins with = + - @, a tab or a carriage return (including phone numbers) is prefixed with an ' +
      'apostrophe, so that spreadsheets do not run it as a formula; imports remove the apostrophe. xlsx supports at most 200,000 contacts.',
    query: Query,
    responses: {
      200: { schema: Type.Array(Contact), contentType: OTHERS, description: 'The contacts in the requested format' },
    },
    handler: exportContacts,
  }),
];
