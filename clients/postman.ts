/** By media type. */
export type Content = Record<string, { schema?: unknown; example?: unknown }>;

/** As much of an OpenAPI document as the clients are made from. */
export interface Document {
  info: { title: string; description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { parameters: Record<string, Parameter>; schemas: object };
}
interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  security: object[];
  parameters: (Parameter | { $ref: string })[];
  requestBody?: { content: Content };
  responses: Record<string, { description: string; content?: Content }>;
}
interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description?: string;
  example?: unknown;
  schema?: { default?: unknown; examples?: unknown[]; enum?: unknown[] };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? ''));
const exampleOf = ({ example, schema }: Parameter): string =>
  textOf(example ?? schema?.default ?? schema?.examples?.[0] ?? schema?.enum?.[0]);
const described = ({ description }: Parameter) => (description ? { description } : {});

function body([type, { example }]: [string, { example?: unknown }]) {
  if (type === 'application/json')
    return { mode: 'raw', raw: JSON.stringify(example, null, 2), options: { raw: { language: 'json' } } };
  const fields = Object.entries((example ?? {}) as Record<string, unknown>);
  if (type !== 'multipart/form-data')
    return {
      mode: 'urlencoded',
      urlencoded: fields.map(([key, value]) => ({ key, value: textOf(value), type: 'text' })),
    };
  return {
    mode: 'formdata',
    formdata: [
      { key: 'file', type: 'file', src: null },
      ...fields.filter(([key]) => key !== 'file').map(([key, value]) => ({ key, value: textOf(value), type: 'text' })),
    ],
  };
}

function request(path: string, method: string, operation: Operation, parameters: Parameter[]) {
  const [content] = Object.entries(operation.requestBody?.content ?? {});
  const of = (place: Parameter['in']) => parameters.filter((parameter) => parameter.in === place);
  const query = of('query').map((parameter) => ({
    key: parameter.name,
    value: exampleOf(parameter),
    disabled: !parameter.required,
    ...described(parameter),
  }));
  const shown = query
    .filter(({ disabled }) => !disabled)
    .map(({ key, value }) => `${key}=${encodeURIComponent(value)}`);
  const route = path.replaceAll(/\{(\w+)\}/g, ':$1');
  return {
    method: method.toUpperCase(),
    ...(operation.security.length === 0 ? { auth: { type: 'noauth' } } : {}),
    header: [
      { key: 'Accept', value: 'application/json, */*;q=0.1' },
      ...(content?.[0] === 'application/json' ? [{ key: 'Content-Type', value: 'application/json' }] : []),
      ...of('header').map((parameter) => ({
        key: parameter.name,
        value: exampleOf(parameter),
        disabled: true,
        ...described(parameter),
      })),
    ],
    ...(content ? { body: body(content) } : {}),
    url: {
      raw: `{{baseUrl}}${route}${shown.length > 0 ? `?${shown.join('&')}` : ''}`,
      host: ['{{baseUrl}}'],
      path: route.slice(1).split('/'),
      ...(query.length > 0 ? { query } : {}),
      ...(of('path').length > 0
        ? {
            variable: of('path').map((parameter) => ({
              key: parameter.name,
              value: exampleOf(parameter),
              ...described(parameter),
            })),
          }
        : {}),
    },
    description: [operation.summary, operation.description].filter(Boolean).join('. '),
  };
}

/** Keeps the token of a login, so that the other requests have one. */
const keepToken = [
  {
    listen: 'test',
    script: {
      type: 'text/javascript',
      exec: ["if (pm.response.code === 200) pm.collectionVariables.set('token', pm.response.json().accessToken);"],
    },
  },
];

/** A Postman collection (v2.1.0) of the document: a folder for each area, the variables `baseUrl` and `token`. */
export function postmanCollection({ info, tags, paths, components }: Document) {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const item = ({ path, method, operation }: (typeof operations)[number]) => {
    const parameters = operation.parameters.map((one) =>
      '$ref' in one ? components.parameters[one.$ref.split('/').at(-1)!]! : one,
    );
    return {
      name: operation.summary,
      ...(operation.operationId === 'login' ? { event: keepToken } : {}),
      request: request(path, method, operation, parameters),
      response: [],
    };
  };
  return {
    info: {
      name: info.title,
      description: info.description,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{token}}', type: 'string' }] },
    variable: [
      { key: 'baseUrl', value: 'http://localhost:8080' },
      { key: 'token', value: '' },
    ],
    item: tags.map(({ name, description }) => ({
      name,
      description,
      item: operations.filter(({ operation }) => operation.tags[0] === name).map(item),
    })),
  };
}
