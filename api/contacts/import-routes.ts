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
import { HEAD_BYTES, type CsvHead } from '../../domain/contacts/import/csv/detect.ts';
import type { CsvInspection } from '../../domain/contacts/import/inspect-csv.ts';
import { assertValid, notFound, type Violation } from '../../domain/common/errors.ts';
import { deleteFile, putFile } from '../../events/file-store.ts';
import { Id, IdParams, listOf, listQuery, nullable, oneOf, strict, Timestamp, Version } from '../route/schemas.ts';
import { accepted, route, type Call, type Prepared, type RouteSpec, type UploadedFile } from '../route/route.ts';

const count = Type.Integer({ minimum: 0 });
const UndoFigures = strict(
  { removed: count, restored: count, kept: count },
  { title: 'ImportUndo', description: 'Progress of the undo' },
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

/** The text parts beside the file; `mapping` is JSON. */
const ImportBody = strict({
  file: Type.Optional(Type.Unsafe<never>({ type: 'string', format: 'binary', description: 'The CSV file' })),
  mapping: Type.Optional(
    Type.String({ maxLength: 100_000, description: 'JSON object of CSV header → field name; null ignores the column' }),
  ),
  mode: Type.Optional(oneOf(['upsert', 'create', 'update'], { default: 'upsert' })),
  listId: Type.Optional(Type.String({ pattern: '^[1-9][0-9]{0,15}$' })),
  encoding: Type.Optional(Type.String({ maxLength: 40 })),
  delimiter: Type.Optional(Type.String({ maxLength: 10 })),
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
  } = job;
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
