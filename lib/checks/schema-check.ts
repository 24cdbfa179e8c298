import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';
import type { TSchema } from 'typebox';
import { MAX_VIOLATIONS, shortPath, type Violation } from './errors.ts';
import { parseDate } from '../time/instants.ts';
import { NOT_IN_A_LINE } from '../text/one-line.ts';

const addFormats = addFormatsModule as unknown as (ajv: Ajv2020) => void;

/**
 * Ajv would collect all errors of a value. This changes the code that it compiles (option `code.process`) to stop at
 * MAX_VIOLATIONS, because collecting hundreds of thousands would block the event loop.
 */
function stopAtMost(code: string): string {
  const [, name] = /return function (\w+)\(data/.exec(code)!;
  return code.replaceAll('errors++;', `if(++errors>=${MAX_VIOLATIONS}){${name}.errors=vErrors;return false;}`);
}

/** Longer than any RFC 3339 date-time, whose only part without a limit is the fraction of the second. */
const DATE_TIME_MAX = 100;

/**
 * ajv-formats splits a date-time at each space, and would make millions of parts of a long text. Adds `moment`: a date
 * or a date-time.
 */
function setTimeFormats(ajv: Ajv2020): void {
  const { validate, ...format } = ajv.formats['date-time'] as { validate: (text: string) => boolean };
  const isDateTime = (text: string): boolean => text.length <= DATE_TIME_MAX && validate(text);
  ajv.addFormat('date-time', { ...format, validate: isDateTime });
  ajv.addFormat('moment', (text: string) => parseDate(text) !== null || isDateTime(text));
}

function makeAjv(options: object): Ajv2020 {
  const ajv = new Ajv2020({ allErrors: true, strict: false, verbose: true, code: { process: stopAtMost }, ...options });
  addFormats(ajv);
  setTimeFormats(ajv);
  return ajv;
}

const requestAjv = makeAjv({ useDefaults: true });
const responseAjv = makeAjv({ removeAdditional: true });
// What was stored before a pattern was demanded is answered.
responseAjv.removeKeyword('pattern');

/** The pattern of names. NUL is refused everywhere, by `checkContent`. */
export const ONE_LINE = `^[^${NOT_IN_A_LINE}]*$`;
const oneLine = new RegExp(ONE_LINE, 'u');
const NOT_ONE_LINE = {
  code: 'invalid_character',
  message: 'must not contain control characters, line breaks or characters that turn the direction of text',
};

const BLANK = { code: 'invalid_character', message: 'must not be blank' };

/** What is wrong with a text that is not one line; null if it is one. */
export const notOneLine = (value: unknown): Omit<Violation, 'path'> | null =>
  typeof value === 'string' && !oneLine.test(value) ? NOT_ONE_LINE : null;

/** The same for a text that must not be blank either. */
export const notOneWrittenLine = (value: unknown): Omit<Violation, 'path'> | null =>
  notOneLine(value) ?? (typeof value === 'string' && value.trim() === '' ? BLANK : null);

/** The fields of a body that are names and are not one line. */
export const namesNotOneLine = (schema: TSchema | undefined, fields: Record<string, unknown>): string[] =>
  Object.entries(partsOf(schema).properties ?? {}).flatMap(([name, { pattern }]) =>
    pattern === ONE_LINE && Object.hasOwn(fields, name) && notOneLine(fields[name]) ? [name] : [],
  );

const codes: Record<string, string> = {
  required: 'required',
  additionalProperties: 'unknown_field',
  type: 'type',
  enum: 'enum',
  const: 'enum',
  format: 'format',
  pattern: 'format',
  maxLength: 'too_long',
  minLength: 'too_short',
  minimum: 'out_of_range',
  maximum: 'out_of_range',
  exclusiveMinimum: 'out_of_range',
  exclusiveMaximum: 'out_of_range',
  maxItems: 'too_many',
  minItems: 'too_few',
  uniqueItems: 'duplicate',
  maxProperties: 'too_many',
  minProperties: 'too_few',
};

/** What texts of these formats look like. A schema with a pattern says it in `x-form`. */
const FORMS: Record<string, string> = {
  'date-time': 'a date-time with its offset (RFC 3339), such as 2030-01-31T09:30:00Z',
  date: 'a date such as 2030-01-31',
  moment: 'a date such as 2030-01-31, which begins in `timezone`, or a date-time such as 2030-01-31T09:30:00Z',
  uuid: 'a UUID such as 0190d2a4-7b1c-4c5e-9f3a-2b6d8e4f1a90',
};

/** What a text of the wrong form must be; undefined if its schema does not say. */
function formOf({ keyword, params, parentSchema }: ErrorObject): string | undefined {
  if (keyword === 'format') return FORMS[(params as { format: string }).format];
  return keyword === 'pattern' ? (parentSchema?.['x-form'] as string | undefined) : undefined;
}

const escapePointer = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1');

function toViolation(error: ErrorObject): Violation {
  const params = error.params as Record<string, unknown>;
  const code = codes[error.keyword] ?? 'invalid';
  if (error.keyword === 'required') {
    return {
      path: `${error.instancePath}/${escapePointer(String(params['missingProperty']))}`,
      code,
      message: 'is required',
    };
  }
  if (error.keyword === 'additionalProperties') {
    return {
      path: `${error.instancePath}/${escapePointer(String(params['additionalProperty']))}`,
      code,
      message: 'is not a known field',
    };
  }
  if (error.keyword === 'pattern' && params['pattern'] === ONE_LINE)
    return { path: error.instancePath, ...NOT_ONE_LINE };
  const form = formOf(error);
  if (form) return { path: error.instancePath, code, message: `must be ${form}` };
  if (error.keyword === 'type' && Array.isArray(params['type']))
    return { path: error.instancePath, code, message: `must be ${params['type'].join(' or ')}` };
  const allowed = error.keyword === 'enum' ? `: ${(params['allowedValues'] as unknown[]).join(', ')}` : '';
  return { path: error.instancePath, code, message: `${error.message ?? 'is not valid'}${allowed}` };
}

/** Whether it says that a value is not null: a schema that takes null too says so beside what is wrong with the value. */
const isOnlyNotNull = ({ keyword, params }: ErrorObject): boolean =>
  keyword === 'type' && (params as { type: unknown }).type === 'null';

/** Removes duplicates: the branches of an anyOf report the same path many times. */
function violations(errors: ErrorObject[] | null | undefined): Violation[] {
  const seen = new Map<string, Violation>();
  const all = errors ?? [];
  const explained = new Set<string>();
  for (const error of all)
    if (!isOnlyNotNull(error) && error.keyword !== 'anyOf')
      for (
        let path = error.instancePath;
        !explained.has(path);
        path = path.slice(0, Math.max(path.lastIndexOf('/'), 0))
      )
        explained.add(path);
  for (const error of all) {
    if (seen.size === MAX_VIOLATIONS) break;
    if (isOnlyNotNull(error) && explained.has(error.instancePath)) continue;
    const violation = toViolation(error);
    const key = `${violation.path} ${violation.code}`;
    if (!seen.has(key)) seen.set(key, violation);
  }
  const list = [...seen.values()];
  const specific = list.filter((violation) => violation.code !== 'invalid');
  return specific.length > 0 ? specific : list;
}

/**
 * Compiles at the first call: compiling the schemas of all routes takes a second, and no process needs all of them.
 */
function checker(ajv: Ajv2020, schema: TSchema): (value: unknown) => Violation[] {
  let validate: ValidateFunction | undefined;
  return (value) => {
    validate ??= ajv.compile(schema);
    return validate(value) ? [] : violations(validate.errors);
  };
}

/** What is read of schemas beside checking values by them. */
interface SchemaParts {
  properties?: Record<string, { type?: string | string[]; pattern?: string }>;
  required?: string[];
  /** Fields of requests that only the service sets. */
  'x-read-only'?: string[];
}

export const partsOf = (schema: TSchema | undefined): SchemaParts => schema ?? {};

/** Creates the check of a request part, which fills in defaults and returns every violation. */
export function compileRequest(schema: TSchema): (value: unknown) => Violation[] {
  return checker(requestAjv, schema);
}

/**
 * Creates the filter of a response, which removes members that the schema does not name and returns every violation.
 */
export function compileResponse(schema: TSchema): (value: unknown) => Violation[] {
  return checker(responseAjv, schema);
}

/** Deeper than any schema allows, but shallow enough for recursive checks. */
const MAX_DEPTH = 64;

const isText = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

/** The position of a value: its name in the value that contains it. */
interface Place {
  value: object;
  name: string | number;
  within: Place | null;
  depth: number;
  path?: string;
}

/** Builds paths only for violations, because a body can contain many thousands of values. */
function pathOf(place: Place | null): string {
  if (!place?.within) return '';
  return (place.path ??= member(place.within, place.name));
}

const member = (place: Place | null, name: string | number): string =>
  shortPath(`${pathOf(place)}/${escapePointer(String(name))}`);

/**
 * Checks what no schema or database column accepts anywhere: NUL and lone surrogates in texts and names, the name
 * `__proto__`, more than 64 levels of nesting.
 */
export function checkContent(value: unknown): Violation[] {
  const errors: Violation[] = [];
  const left: Place[] = [];
  const refuse = (path: string, code: string, message: string): void => {
    errors.push({ path, code, message });
  };
  const see = (found: unknown, name: string | number, within: Place | null): void => {
    if (typeof found === 'object' && found !== null)
      left.push({ value: found, name, within, depth: within ? within.depth + 1 : 0 });
    else if (typeof found === 'string' && !isText(found))
      refuse(within ? member(within, name) : '', 'invalid_character', 'must not contain NUL or lone surrogates');
  };
  see(value, '', null);
  for (let at = left.pop(); at; at = left.pop()) {
    const fields = at.value as Record<string, unknown>;
    const isList = Array.isArray(fields);
    if (at.depth === MAX_DEPTH) refuse(pathOf(at), 'too_deep', `must not be nested more than ${MAX_DEPTH} levels deep`);
    else if (isList)
      for (let index = 0; index < fields.length && errors.length < MAX_VIOLATIONS; index += 1)
        see(fields[index], index, at);
    else {
      for (const name of Object.keys(fields)) {
        if (isText(name) && name !== '__proto__') see(fields[name], name, at);
        else refuse(member(at, name).replaceAll('\0', ''), 'invalid_character', 'is not a valid field name');
        if (errors.length >= MAX_VIOLATIONS) break;
      }
    }
    if (errors.length >= MAX_VIOLATIONS) break;
  }
  return errors;
}

/**
 * Converts query and path parameters to the types of their schemas: exact numbers and booleans, and lists from
 * repeated names. Leaves everything else as text, which the check then rejects.
 */
export function coerceParameters(schema: TSchema | undefined, given: Record<string, unknown>): Record<string, unknown> {
  const properties = partsOf(schema).properties ?? {};
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const type = Object.hasOwn(properties, name) ? properties[name]?.type : undefined;
      if (type === 'array') return [name, Array.isArray(value) ? value : [value]];
      if (typeof value !== 'string') return [name, value];
      if (type === 'integer' && /^(0|-?[1-9]\d{0,15})$/.test(value)) return [name, Number(value)];
      if (type === 'number' && /^-?\d{1,15}(\.\d{1,15})?$/.test(value)) return [name, Number(value)];
      if (type === 'boolean' && (value === 'true' || value === 'false')) return [name, value === 'true'];
      return [name, value];
    }),
  );
}
