import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { Context } from 'koa';
import type { Reply } from './route.ts';

/** A script for pages of any site. */
export interface Script {
  code: Buffer;
  gzipped: Buffer;
}

export function readScript(file: string): Script {
  const code = readFileSync(file);
  return { code, gzipped: gzipSync(code, { level: 9 }) };
}

/** The script with values, by the names under which it has them. What a browser reads as the end of a script is escaped. */
export function scriptFor({ code }: Script, values: Record<string, unknown>): Script {
  const names = Object.keys(values);
  const texts = Object.values(values).map((value) => JSON.stringify(value).replaceAll('<', '\\u003c'));
  const whole = Buffer.concat([
    Buffer.from(`(function(${names.join()}){`),
    code,
    Buffer.from(`})(${texts.join()});\n`),
  ]);
  return { code: whole, gzipped: gzipSync(whole) };
}

const DAY = 86_400;
/** For a name that stands for its content, and for one whose content changes with the service. */
export const SCRIPT_CACHE = { pinned: `public, max-age=${365 * DAY}, immutable`, current: 'public, max-age=300' };

export function scriptReply(ctx: Context, { code, gzipped }: Script, cache: string): Reply {
  ctx.vary('Accept-Encoding');
  const isGzip = ctx.acceptsEncodings('gzip', 'identity') === 'gzip';
  return {
    body: isGzip ? gzipped : code,
    headers: {
      'Content-Type': 'text/javascript; charset=utf-8',
      'Cache-Control': cache,
      // Scripts with `integrity` are loaded by CORS.
      'Access-Control-Allow-Origin': '*',
      'Cross-Origin-Resource-Policy': 'cross-origin',
      ...(isGzip ? { 'Content-Encoding': 'gzip' } : {}),
    },
  };
}
