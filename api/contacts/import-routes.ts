import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { stringify } from 'csv-stringify';
import { Type, type Static } from 'typebox';
import type { EntityManager } from '../../db/orm.ts';
import { ContactImport, IMPORT_STATUSES } from '../../db/entities/contact-imports.ts';
import { CSV } from '../../domain/export/csv.ts';
import {
  cancelImport,
  createImport,
  inspectImport,
  listViolations,
  type ImportRequest,
} from '../../domain/contacts/import/create-import.ts';
import {
  KEPT_REASONS,
  listImports,
  listKeptContacts,
  readRejectedRows,
} from '../../domain/contacts/import/list-imports.ts';
import { startUndo } from '../../domain/contacts/import/undo-import.ts';
import { HEAD_BYTES } from '../../domain/contacts/import/csv/detect.ts';
import type { CsvHead } from '../../domain/contacts/import/csv/encoding.ts';
import type { CsvInspection } from '../../domain/contacts/import/inspect-csv.ts';
import { assertValid, notFound, type Violation } from '../../lib/checks/errors.ts';
import { deleteFile, putFile } from '../../transport/file-store.ts';
import { Id, IdParams, listOf, listQuery, nullable, oneOf, strict, Timestamp, Version } from '../route/schemas.ts';
import { accepted, route, type Call, type Prepared, type RouteSpec, type UploadedFile } from '../route/route.ts';

const BAD_CELL = ['reject', 'skip'] as const;

const count = Type.Integer({ minimum: 0 });
const UndoFigures = strict(
  { removed: count, restored: count, kept: count },
  { title: 'ImportUndo', description: 'Progress of the undo' },
);
const ImportWarning = strict(
  {
    code: Type.String({
      description:
        '`encoding_judged`, `no_header`, `column_not_used`, `column_second` (counts only where a better column for the address or telephone is empty), `consent_not_imported` (a column that may say who does not want mail), `date_order`, `status_of_another_row` (of a repeated address) or, with `onBadCell: skip`, `cell_skipped`',
    }),
    column: nullable(Type.String({ description: "The column's header; null for the file as a whole" })),
    message: Type.String(),
    count: Type.Optional(Type.Integer({ minimum: 1, description: 'In how many rows' })),
    rows: Type.Optional(
      Type.Array(Type.Integer({ minimum: 1 }), { description: 'The numbers of the first of these rows' }),
    ),
  },
  { title: 'ImportWarning' },
);
const ImportAnswer = strict({
  id: Id,
  fileName: Type.String(),
  status: oneOf(IMPORT_STATUSES),
  totalRows: nullable(count),
  processedRows: count,
  created: count,
  updated: count,
  unchanged: count,
  duplicates: count,
  rejected: count,
  ignoredColumns: Type.Array(Type.String()),
  encoding: Type.String({ description: 'The encoding in which the file is read, as WHATWG names it' }),
  delimiter: Type.String(),
  mapping: Type.Record(Type.String(), Type.String(), {
    description: 'The columns that are imported: header → field. Can be given as `mapping` for a file like this',
  }),
  dryRun: Type.Boolean(),
  onBadCell: oneOf(BAD_CELL),
  warnings: Type.Array(ImportWarning, { description: 'What may not be meant, though the file is imported' }),
  startedAt: nullable(Timestamp),
  finishedAt: nullable(Timestamp),
  error: nullable(Type.String()),
  undo: nullable(UndoFigures),
  workflowId: nullable(Type.String()),
  tenantId: Type.String(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  version: Version,
});

const IMPORT_DESCRIPTION = [
  'Reads exports as other programs write them, without a `mapping` in most cases.',
  '**Columns**: the header of a column may be the name of its field in any spelling (`firstName`, `first_name`, `First Name`), the name of a custom field, or what mailing services, CRMs, address books and spreadsheets call the field in common languages (`Email Address`, `Nachname`, `Prénom`, `メールアドレス`). Only an email column is required. Others are ignored, and listed in `ignoredColumns`. A file of addresses alone needs no header.',
  '**Status**: a column `status` takes `active`, `pending`, `archived`, `unsubscribed`, `bounced` and `complained`, and the words of other programs for them (`cleaned`, `Subscribed`). Columns such as `Email Opt Out`, `Unsubscribed` or `UNSUB_TIME` opt the address out, which suppresses it, with mode `update` also without a contact. An import never makes a contact active again. Of several columns about consent, and of several rows of an address that are not rejected, the strictest counts. A column that is not imported although its name speaks of consent is a warning.',
  '**Cells**: an empty cell leaves the value unchanged. Tags are separated by `,` or `;`; a tag with a separator in it is quoted. Tabs and line breaks in a name become spaces. Dates of custom fields may be written as spreadsheets do (`31.12.2025`, `12/31/2025`), if the column has dates from which the order is clear; booleans as `yes`, `Y`, `x`, `on`, `1`, `TRUE`. When somebody signed up elsewhere is no field of a contact (`createdAt` is when it was made here): define a custom field of type `date` for it, by which segments can choose (`withinLastDays`). Of several columns with addresses or telephone numbers, the first that is not empty counts. Within a file, the last row of an address counts, except for its status.',
  'If every row is rejected, the import is FAILED and `error` tells why.',
].join('\n\n');

/** The text parts beside the file; `mapping` is JSON. */
const ImportBody = strict({
  file: Type.Optional(
    Type.Unsafe<never>({
      type: 'string',
      format: 'binary',
      description: 'The CSV file',
      examples: ['email,firstName,lastName\nada@example.com,Ada,Byron\n'],
    }),
  ),
  mapping: Type.Optional(
    Type.String({
      maxLength: 100_000,
      description:
        'JSON object of CSV header → field name; null ignores the column. Besides the fields of a contact: `optedOut` and `bounced` (yes, or when) and `subscribed` (yes or no), which set the status',
    }),
  ),
  mode: Type.Optional(oneOf(['upsert', 'create', 'update'], { default: 'upsert' })),
  listId: Type.Optional(Type.String({ pattern: '^[1-9][0-9]{0,15}$' })),
  encoding: Type.Optional(
    Type.String({
      maxLength: 40,
      description:
        'Such as `windows-1250` or `shift_jis`; otherwise judged by the text. The answer tells which was taken',
    }),
  ),
  delimiter: Type.Optional(Type.String({ maxLength: 10, description: 'One character, or `tab`; otherwise detected' })),
  onBadCell: Type.Optional(
    oneOf([...BAD_CELL], {
      default: 'reject',
      description:
        'What happens to a row with a wrong cell: `skip` imports it without the cell and warns, unless the cell is the email or about consent',
    }),
  ),
  runTriggers: Type.Optional(
    oneOf(['true', 'false'], { default: 'false', description: 'Whether the new contacts trigger campaigns' }),
  ),
  dryRun: Type.Optional(oneOf(['true', 'false'], { default: 'false' })),
});

function presentImport(job: ContactImport) {
  const {
    id,
    fileName,
    status,
    processedRows,
    created,
    updated,
    unchanged,
    duplicates,
    rejected,
    ignoredColumns,
    tenantId,
    createdAt,
    updatedAt,
    version,
    options,
  } = job;
  const { format, plan } = options.inspection as CsvInspection;
  return {
    id,
    fileName,
    status,
    totalRows: job.totalRows ?? null,
    processedRows,
    created,
    updated,
    unchanged,
    duplicates,
    rejected,
    ignoredColumns: ignoredColumns ?? [],
    encoding: format.encoding,
    delimiter: format.delimiter,
    mapping: Object.fromEntries(plan.columns.map(({ header, field }) => [header, field])),
    dryRun: options.dryRun,
    onBadCell: options.onBadCell ?? 'reject',
    warnings: job.warnings.map((warning) => ({ ...warning, rows: warning.rows && [...warning.rows] })),
    startedAt: job.startedAt ?? null,
    finishedAt: job.finishedAt ?? null,
    error: job.error ?? null,
    undo: job.undo ?? null,
    workflowId: job.workflowId ?? null,
    tenantId,
    createdAt,
    updatedAt,
    version,
  };
}

type Mapping = Record<string, string | null>;

/** Parses a mapping, or returns its violation. */
function readMapping(text: string): { mapping: Mapping } | { violation: Violation } {
  let mapping: unknown;
  try {
    mapping = JSON.parse(text);
  } catch {
    return { violation: { path: '/mapping', code: 'format', message: 'must be valid JSON' } };
  }
  const plain = typeof mapping === 'object' && mapping !== null && !Array.isArray(mapping);
  if (plain && Object.values(mapping as object).every((field) => field === null || typeof field === 'string'))
    return { mapping: mapping as Mapping };
  return { violation: { path: '/mapping', code: 'type', message: 'must be an object of CSV header → field name' } };
}

/** The violations of the parts, without those of the file's content. */
async function partViolations(
  tx: EntityManager,
  { mapping, listId }: { mapping?: string; listId?: string },
  files: readonly UploadedFile[],
): Promise<Violation[]> {
  const read = mapping === undefined ? null : readMapping(mapping);
  return [
    ...(files.length === 1 && files[0]!.field === 'file'
      ? []
      : [{ path: '/file', code: 'required', message: 'is required: send the CSV as the part named file' }]),
    ...(read && 'violation' in read ? [read.violation] : []),
    ...(listId === undefined ? [] : await listViolations(tx, Number(listId))),
  ];
}

function readRequest(body: Static<typeof ImportBody>): ImportRequest {
  const read = body.mapping === undefined ? null : readMapping(body.mapping);
  const mapping = read && 'mapping' in read ? read.mapping : undefined;
  return {
    mode: body.mode ?? 'upsert',
    runTriggers: body.runTriggers === 'true',
    dryRun: body.dryRun === 'true',
    onBadCell: body.onBadCell ?? 'reject',
    ...(mapping ? { mapping } : {}),
    ...(body.listId ? { listId: Number(body.listId) } : {}),
    ...(body.encoding ? { encoding: body.encoding } : {}),
    ...(body.delimiter ? { delimiter: body.delimiter } : {}),
  };
}

const readHead = async (file: UploadedFile): Promise<CsvHead> => ({
  bytes: await buffer(file.read(HEAD_BYTES)),
  complete: file.size <= HEAD_BYTES,
});

/** A stored file, with its inspection. */
interface KeptFile {
  fileName: string;
  objectKey: string;
  request: ImportRequest;
  inspection: CsvInspection;
}

async function keepFile({
  em,
  deps,
  principal,
  body,
  files,
}: Call<unknown, unknown, Static<typeof ImportBody>>): Promise<Prepared<KeptFile>> {
  const file = files.find((upload) => upload.field === 'file');
  assertValid(await partViolations(em, body, files));
  const request = readRequest(body);
  const inspection = await inspectImport(em, principal.tenantId, await readHead(file!), request);
  const objectKey = randomUUID();
  // The store may be what failed, so do not wait for it; files that remain there expire after a week.
  const discard = (): void =>
    void deleteFile(deps.nats, objectKey).catch((failure: unknown) =>
      deps.log.warn({ err: failure as Error }, 'could not delete the uploaded file of a rejected import'),
    );
  try {
    await putFile(deps.nats, objectKey, file!.read());
  } catch (error) {
    discard();
    throw error;
  }
  return { value: { fileName: file!.name || 'import.csv', objectKey, request, inspection }, discard };
}

/** The lines of the errors file: the errors, then the original row; several errors of a row share one line. */
async function* errorLines(
  { deps, principal }: Pick<Call<unknown, unknown, unknown>, 'deps' | 'principal'>,
  job: ContactImport,
): AsyncGenerator<(string | number)[]> {
  const { plan } = (job.options as { inspection: { plan: { headers: string[] } } }).inspection;
  yield ['row', 'column', 'code', 'message', ...plan.headers];
  for await (const { row, errors, cells } of readRejectedRows(deps.orm, principal.tenantId, job.id)) {
    const all = (key: 'column' | 'code' | 'message') => errors.map((error) => error[key] ?? '').join('; ');
    yield [row, all('column'), all('code'), all('message'), ...cells];
  }
}

const Kept = strict({
  contactId: Id,
  email: Type.String(),
  reason: oneOf(KEPT_REASONS, {
    description:
      'Why the undo left the contact as it is. `changed_since` also if a later import has changed it: when all later ones are undone, so is this one, and the contact is no longer listed',
  }),
});

async function findImport(call: Pick<Call<{ id: number }, unknown, unknown>, 'em' | 'params'>): Promise<ContactImport> {
  const job = await call.em.findOne(ContactImport, { id: call.params.id });
  if (!job) throw notFound('import', call.params.id);
  return job;
}

export const importRoutes: RouteSpec[] = [
  route({
    method: 'POST',
    path: '/contacts/import',
    operationId: 'importContacts',
    summary: 'Import contacts from a CSV file',
    description: IMPORT_DESCRIPTION,
    access: 'contacts:write',
    body: ImportBody,
    bodyTypes: ['multipart'],
    files: {
      rules: ({ deps: { env } }) => ({
        limitOf: () => env.IMPORT_MAX_BYTES,
        bytes: env.IMPORT_MAX_BYTES,
        perPart: false,
      }),
      limits: 'a file of up to `IMPORT_MAX_BYTES` (default 1 GiB)',
    },
    responses: { 202: { schema: ImportAnswer } },
    errors: ['unsupported_file', 'limit_reached'],
    check: ({ tx, body, files }) => partViolations(tx, body, files),
    prepare: keepFile,
    handler: async ({ em, caller }, { fileName, objectKey, request, inspection }) => {
      const job = await createImport(em, caller, { fileName, objectKey }, request, inspection);
      return accepted(`/contacts/imports/${job.id}`, presentImport(job));
    },
  }),
  route({
    method: 'GET',
    path: '/contacts/imports',
    operationId: 'listImports',
    summary: 'List imports',
    description: 'Dry runs and undone imports too.',
    access: 'contacts:read',
    query: listQuery(['id', 'createdAt'], { status: Type.Optional(oneOf(IMPORT_STATUSES)) }),
    responses: { 200: { schema: listOf(ImportAnswer) } },
    handler: async ({ em, query }) => ({ body: await listImports(em, query, (found) => found.map(presentImport)) }),
  }),
  route({
    method: 'GET',
    path: '/contacts/imports/{id}',
    operationId: 'getImport',
    summary: 'Get an import and its progress',
    description:
      'Always `created + updated + unchanged + duplicates + rejected = processedRows`. `ignoredColumns` are those that match no field. While it is being undone, `undo` tells the progress.',
    access: 'contacts:read',
    params: IdParams,
    responses: { 200: { schema: ImportAnswer } },
    handler: async (call) => ({ body: presentImport(await findImport(call)) }),
  }),
  route({
    method: 'GET',
    path: '/contacts/imports/{id}/errors',
    operationId: 'getImportErrors',
    summary: 'Download the rejected rows as CSV',
    description:
      'One line per rejected row: `row,column,code,message`, where several errors are separated by `; `, then the cells as they came.',
    access: 'contacts:read',
    params: IdParams,
    responses: { 200: { contentType: 'text/csv', description: 'row, column, code, message, then the original cells' } },
    handler: async (call) => {
      const job = await findImport(call);
      const csv = Readable.from(errorLines(call, job)).pipe(stringify(CSV));
      return {
        body: csv,
        headers: {
          'Content-Type': 'text/csv; charset=utf-8',
          'Content-Disposition': `attachment; filename="import-${job.id}-errors.csv"`,
        },
      };
    },
  }),
  route({
    method: 'POST',
    path: '/contacts/imports/{id}/cancel',
    operationId: 'cancelImport',
    summary: 'Cancel an import; rows already imported stay',
    description: 'What is not imported yet is left out. 409 `conflict` if the import has ended.',
    access: 'contacts:write',
    params: IdParams,
    responses: { 200: { schema: ImportAnswer } },
    errors: ['conflict'],
    handler: async ({ em, caller, params }) => ({ body: presentImport(await cancelImport(em, caller, params.id)) }),
  }),
  route({
    method: 'POST',
    path: '/contacts/imports/{id}/undo',
    operationId: 'undoImport',
    access: 'contacts:write',
    params: IdParams,
    summary: 'Undo an import: remove what it created and restore what it changed, unless changed since',
    description:
      'Runs in the background until `status` is UNDONE; `GET /contacts/imports/{id}/kept` lists whom it left alone. 409 `conflict` while the import is running, after a dry run, and if it is undone or being undone.',
    responses: { 202: { schema: ImportAnswer } },
    errors: ['conflict', 'limit_reached'],
    handler: async ({ em, caller, params }) =>
      accepted(`/contacts/imports/${params.id}`, presentImport(await startUndo(em, caller, params.id))),
  }),
  route({
    method: 'GET',
    path: '/contacts/imports/{id}/kept',
    operationId: 'listImportKept',
    summary: 'List contacts that the undo of an import left as they are',
    description: 'Each with the reason. Who is on this list is unchanged by the undo.',
    access: 'contacts:read',
    params: IdParams,
    query: listQuery(['id'], {}),
    responses: { 200: { schema: listOf(Kept) } },
    handler: async (call) => {
      await findImport(call);
      return { body: await listKeptContacts(call.em, call.params.id, call.query) };
    },
  }),
];
