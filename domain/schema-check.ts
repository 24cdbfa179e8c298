import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';
import type { TSchema } from 'typebox';
import type { Violation } from './errors.ts';

const addFormats = addFormatsModule as unknown as (ajv: Ajv2020) => void;

function makeAjv(options: object): Ajv2020 {
  const ajv = new Ajv2020({ allErrors: true, strict: false, ...options });
  addFormats(ajv);
  return ajv;
}

const requestAjv = makeAjv({ useDefaults: true });
const responseAjv = makeAjv({ removeAdditional: true });

const codes: Record<string, string> = {
  required: 'required', additionalProperties: 'unknown_field', type: 'type', enum: 'enum', const: 'enum', format: 'format',
  pattern: 'format', maxLength: 'too_long', minLength: 'too_short', minimum: 'out_of_range', maximum: 'out_of_range',
  exclusiveMinimum: 'out_of_range', exclusiveMaximum: 'out_of_range', maxItems: 'too_many', minItems: 'too_few',
  uniqueItems: 'duplicate', maxProperties: 'too_many', minProperties: 'too_few',
};

const escapePointer = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1');

function toViolation(error: ErrorObject): Violation {
  const params = error.params as Record<string, unknown>;
  const code = codes[error.keyword] ?? 'invalid';
  if (error.keyword === 'required') {
    return { path: `${error.instancePath}/${escapePointer(String(params['missingProperty']))}`, code, message: 'is required' };
  }
  if (error.keyword === 'additionalProperties') {
    return { path: `${error.instancePath}/${escapePointer(String(params['additionalProperty']))}`, code, message: 'is not a known field' };
  }
  const allowed = error.keyword === 'enum' ? `: ${(params['allowedValues'] as unknown[]).join(', ')}` : '';
  return { path: error.instancePath, code, message: `${error.message ?? 'is not valid'}${allowed}` };
}

/** More than anybody reads. What has this many has no end: to tell of all would hold everyone else up. */
export const MOST_VIOLATIONS = 10_000;

/** Every violation once: the branches of an anyOf say the same place many times. */
function violations(errors: ErrorObject[] | null | undefined): Violation[] {
  const seen = new Map<string, Violation>();
  for (const error of errors ?? []) {
    if (seen.size === MOST_VIOLATIONS) break;
    const violation = toViolation(error);
    const key = `${violation.path} ${violation.code}`;
    if (!seen.has(key)) seen.set(key, violation);
  }
  const list = [...seen.values()];
  const specific = list.filter((violation) => violation.code !== 'invalid');
  return specific.length > 0 ? specific : list;
}

function checker(validate: ValidateFunction): (value: unknown) => Violation[] {
  return (value) => (validate(value) ? [] : violations(validate.errors));
}

/** Compiles a check of a request part: fills defaults in, answers every violation. */
export function compileRequest(schema: TSchema): (value: unknown) => Violation[] {
  return checker(requestAjv.compile(schema));
}

/** Compiles the filter of a response: removes what the schema does not name, answers what does not fit. */
export function compileResponse(schema: TSchema): (value: unknown) => Violation[] {
  return checker(responseAjv.compile(schema));
}

/** Deeper nesting than any schema of ours describes, and far from what a recursive check can hold. */
const MAX_DEPTH = 64;

const isText = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

/**
 * What no schema and no database column takes, wherever it stands: NUL and lone surrogates in text and in names, the
 * name `__proto__`, nesting over 64 levels.
 */
export function checkContent(value: unknown): Violation[] {
  const errors: Violation[] = [];
  const left: { value: object; path: string; depth: number }[] = [];
  // A path costs more than the look at a number does, and a body holds millions of them.
  const see = (found: unknown, pathTo: () => string, depth: number): void => {
    if (errors.length >= MOST_VIOLATIONS) return;
    if (typeof found === 'object' && found !== null) left.push({ value: found, path: pathTo(), depth });
    else if (typeof found === 'string' && !isText(found)) errors.push({ path: pathTo(), code: 'invalid_character', message: 'must not contain NUL or lone surrogates' });
  };
  see(value, () => '', 0);
  for (let at = left.pop(); at && errors.length < MOST_VIOLATIONS; at = left.pop()) {
    const { value: fields, path, depth } = at;
    if (depth === MAX_DEPTH) {
      errors.push({ path, code: 'too_deep', message: `must not be nested more than ${MAX_DEPTH} levels deep` });
    } else if (Array.isArray(fields)) {
      fields.forEach((inner, index) => see(inner, () => `${path}/${index}`, depth + 1));
    } else {
      for (const [name, inner] of Object.entries(fields)) {
        const pathTo = (): string => `${path}/${escapePointer(name)}`;
        if (isText(name) && name !== '__proto__') see(inner, pathTo, depth + 1);
        else if (errors.length < MOST_VIOLATIONS) errors.push({ path: pathTo().replaceAll('\0', ''), code: 'invalid_character', message: 'is not a name for a field' });
      }
    }
  }
  return errors;
}

/**
 * Query and path parameters as their schemas want them: numbers and booleans from their exact text, lists from
 * repeated names. What does not read stays text, for the check to refuse.
 */
export function coerceParameters(schema: TSchema | undefined, given: Record<string, unknown>): Record<string, unknown> {
  const properties = (schema as { properties?: Record<string, { type?: string | string[] }> } | undefined)?.properties ?? {};
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
