import type { TSchema } from 'typebox';
import type { Violation } from '../../../lib/checks/errors.ts';
import { compileRequest } from '../../../lib/checks/schema-check.ts';

const checks = new WeakMap<TSchema, (value: unknown) => Violation[]>();

/**
 * The schema violations of a value, with JSON Pointers inside the value; messages name the member. The schema is
 * compiled at its first use. It must not contain defaults, which would be filled into the value.
 */
export function schemaViolations(schema: TSchema, value: unknown): Violation[] {
  let check = checks.get(schema);
  if (!check) checks.set(schema, (check = compileRequest(schema)));
  return check(value).map(({ path, code, message }) => {
    const name = path.slice(1, 200).replaceAll('/', '.');
    return { path, code, message: `${name} ${message}`.trim() };
  });
}
