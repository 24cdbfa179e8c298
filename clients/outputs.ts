import { join } from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { openapi } from '../api/openapi/openapi.ts';
import { routes } from '../api/routes.ts';
import { postmanCollection, type Content, type Document } from './postman.ts';

const HEADER = '// Made by `npm run clients`: do not change it here.\n';

/** The operations that a program calls: those with a JSON, CSV, binary or empty answer. The rest are pages, pictures and redirects. */
function callable({ paths }: Document) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      const answers = Object.entries(operation.responses).filter(([status]) => /^2/.test(status));
      const forPrograms = answers.some(
        ([, { content }]) => !content || Object.keys(content).some((type) => /json|csv|octet-stream/.test(type)),
      );
      return path.startsWith('/api/') && forPrograms ? [{ path, method: method.toUpperCase(), operation }] : [];
    }),
  );
}

function operationTable(document: Document): string {
  const lines = callable(document).map(({ path, method, operation }) => {
    const [type = null] = Object.keys(operation.requestBody?.content ?? {});
    return `  ${operation.operationId}: ['${method}', '${path}', ${type === null ? 'null' : `'${type}'`}],\n`;
  });
  return `${HEADER}/** Method, path and type of the body of each operation. */\nexport const operations = {\n${lines.join('')}} as const;\n`;
}

const onlySchemas = (content: Content | undefined) =>
  content && Object.fromEntries(Object.entries(content).map(([type, { schema }]) => [type, { schema }]));

/** The document without what the client's types do not say: other operations, errors (a ProblemError has them), headers, examples. */
function slim(document: Document) {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const { path, method, operation } of callable(document)) {
    const responses = Object.entries(operation.responses)
      .filter(([status]) => /^2/.test(status))
      .map(([status, { description, content }]) => [status, { description, content: onlySchemas(content) }]);
    const requestBody = operation.requestBody && {
      ...operation.requestBody,
      content: onlySchemas(operation.requestBody.content),
    };
    const parameters = operation.parameters.filter((one) => !('$ref' in one));
    (paths[path] ??= {})[method.toLowerCase()] = {
      ...operation,
      parameters,
      requestBody,
      responses: Object.fromEntries(responses) as Record<string, unknown>,
    };
  }
  return { ...document, paths, components: { schemas: document.components.schemas } };
}

const blob = ts.factory.createTypeReferenceNode('Blob');

async function types(document: Document): Promise<string> {
  const nodes = await openapiTS(structuredClone(slim(document)) as never, {
    defaultNonNullable: false,
    alphabetize: false,
    silent: true,
    transform: (schema) => (schema.format === 'binary' ? blob : undefined),
  });
  return HEADER + astToString(nodes);
}

const folder = join(import.meta.dirname, 'typescript');

/**
 * What TypeScript makes of the client's sources: scripts and declarations, so that the package needs no build. `made`
 * are generated sources, by their paths in `clients/`.
 */
function compiled(made: Record<string, string>): Record<string, string> {
  const read = (path: string): string | undefined =>
    made[join('typescript', path.slice(folder.length + 1))] ?? ts.sys.readFile(path);
  const { config } = ts.readConfigFile(join(folder, 'tsconfig.json'), read) as { config: object };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, folder);
  const host = { ...ts.createCompilerHost(options), readFile: read };
  host.getSourceFile = (path, language) => ts.createSourceFile(path, read(path) ?? '', language);
  host.fileExists = (path) => read(path) !== undefined;
  const outputs: Record<string, string> = {};
  const program = ts.createProgram([join(folder, 'index.ts')], options, host);
  program.emit(undefined, (path, text) => {
    if (!path.endsWith('types.js'))
      outputs[join('typescript', path.slice(folder.length + 1))] = text.startsWith(HEADER) ? text : HEADER + text;
  });
  return outputs;
}

/** Text of everything that `npm run clients` makes, by its path in this folder. */
export async function clientOutputs(): Promise<Record<string, string>> {
  const document = JSON.parse(JSON.stringify(openapi(routes, 'http://localhost:8080'))) as Document;
  const sources = {
    'typescript/operations.ts': operationTable(document),
    'typescript/schema.d.ts': await types(document),
  };
  return {
    ...sources,
    ...compiled(sources),
    'postman/perennial.postman_collection.json': `${JSON.stringify(postmanCollection(document), null, 1)}\n`,
  };
}
