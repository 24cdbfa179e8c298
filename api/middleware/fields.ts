import querystring from 'node:querystring';
import type Koa from 'koa';
import type { Request } from 'koa';

/** Fields by name; a repeated field becomes a list. */
export type FieldValues = Record<string, string | string[]>;

// Missing in the types.
const { unescapeBuffer } = querystring as unknown as { unescapeBuffer: (text: string) => Buffer };
/** Unlike `unescape`, throws no exception for invalid escapes. */
const plain = (text: string): string => {
  const spaced = text.replaceAll('+', ' ');
  return spaced.includes('%') ? unescapeBuffer(spaced).toString() : spaced;
};

/**
 * Collects the fields of a form or query string, `a=1&b=2`. Takes linear time; URLSearchParams takes quadratic time in
 * the number of fields.
 */
export class Fields {
  private readonly values = new Map<string, string | string[]>();

  add(name: string, value: string): void {
    const before = this.values.get(name);
    if (before === undefined) this.values.set(name, value);
    else if (Array.isArray(before)) before.push(value);
    else this.values.set(name, [before, value]);
  }

  /** Adds one form-encoded `name=value`. */
  addText(field: string): void {
    const equals = field.indexOf('=');
    if (field !== '')
      this.add(plain(equals < 0 ? field : field.slice(0, equals)), equals < 0 ? '' : plain(field.slice(equals + 1)));
  }

  get(name: string): string | string[] | undefined {
    return this.values.get(name);
  }

  toObject(): FieldValues {
    return Object.fromEntries(this.values);
  }
}

const read = new WeakMap<Request, FieldValues>();

function queryOf(request: Request): FieldValues {
  let query = read.get(request);
  if (!query) {
    const fields = new Fields();
    for (const field of request.querystring.split('&')) fields.addText(field);
    read.set(request, (query = fields.toObject()));
  }
  return query;
}

/** Replaces Koa's `query`, which takes a second for a URL of 16 KB, by one that is parsed once per request. */
export function readQueries(app: Koa): void {
  Object.defineProperty(app.request, 'query', {
    configurable: true,
    get(this: Request) {
      return queryOf(this);
    },
  });
}
