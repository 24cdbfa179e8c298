import type { TSchema } from 'typebox';
import type { Violation } from '../../common/errors.ts';
import { compileRequest } from '../../common/schema-check.ts';

const checks = new WeakMap<TSchema, (value: unknown) => Violation[]>();

/**
 * What keeps a value from fitting a schema, with JSON Pointers inside the value; the messages name the member. The schema
 * is compiled at its first use; one with defaults in it would have them filled into the value.
 */
export function schemaViolations(schema: TSchema, value: unknown): Violation[] {
  let check = checks.get(schema);
  if (!check) checks.set(schema, (check = compileRequest(schema)));
  return check(value).map(({ path, code, message }) => {
    const name = path.slice(1, 200).replaceAll('/', '.');
    return { path, code, message: `${name} ${message}`.trim() };
  });
}
