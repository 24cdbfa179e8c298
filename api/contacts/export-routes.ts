import { Type, type Static } from 'typebox';
import { appendAudit } from '../../domain/audit/audit.ts';
import { contactConditions } from '../../domain/contacts/people/contact-filters.ts';
import { customFieldTypes } from '../../domain/contact-values/custom-field-types.ts';
import { contactColumns } from '../../domain/contacts/export/columns.ts';
import { countContacts, readContacts } from '../../domain/contacts/export/read-contacts.ts';
import { tablePages } from '../../domain/export/table.ts';
import { oneOf, strict } from '../route/schemas.ts';
import { assertFits, bomQuery, exportReply, mediaTypesOf } from '../route/export.ts';
import { presentContact } from './presenter.ts';
import { Contact, contactFilters } from './schema.ts';
import { route, type Call, type Reply, type RouteSpec } from '../route/route.ts';

const Query = strict({
  format: Type.Optional(oneOf(['csv', 'json', 'ndjson', 'xlsx'], { default: 'csv' })),
  bom: bomQuery,
  ...contactFilters,
});

async function exportContacts({
  ctx,
  deps,
  em,
  caller,
  query,
}: Call<unknown, Static<typeof Query>, unknown>): Promise<Reply> {
  const { tenantId } = caller;
  const { format = 'csv', bom, ...filters } = query;
  const where = contactConditions(filters);
  await assertFits(format, 'contacts: use csv, or narrow the export with filters', (most) =>
    countContacts(deps.orm, tenantId, where, most),
  );
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
  return exportReply(
    ctx,
    { format, bom },
    {
      name: 'contacts',
      sheet: 'Contacts',
      items: async function* () {
        for await (const page of pages) yield page.map((contact) => presentContact({ contact, ...contact }));
      },
      table: (options) => tablePages(contactColumns(customFields.keys()), pages, options),
    },
  );
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
      'and custom fields are columns `customFields.x`. In csv, text that begins with = + - @, a tab or a carriage return (including `phone`, not `phoneE164`) is prefixed ' +
      'with an apostrophe, so that spreadsheets do not run it as a formula; imports remove the apostrophe. Cells of xlsx have types and need none. xlsx supports at most 200,000 contacts.',
    query: Query,
    responses: {
      200: {
        schema: Type.Array(Contact),
        contentType: mediaTypesOf(['csv', 'ndjson', 'xlsx']),
        description: 'The contacts in the requested format',
      },
    },
    handler: exportContacts,
  }),
];
