import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Context } from 'koa';
import { notFound } from '../../domain/common/errors.ts';
import type { Reply } from '../route/route.ts';

/** A build of the script of forms. Pages name it by its content, so each build that was ever served stays here. */
interface FormScript {
  name: string;
  code: Buffer;
  gzipped: Buffer;
  /** For the attribute `integrity` (Subresource Integrity). */
  integrity: string;
}

const folder = join(import.meta.dirname, 'bundles');

function readScript(name: string): FormScript {
  const code = readFileSync(join(folder, name));
  const integrity = `sha384-${createHash('sha384').update(code).digest('base64')}`;
  return { name, code, gzipped: gzipSync(code, { level: 9 }), integrity };
}

const scripts = new Map(
  readdirSync(folder)
    .filter((name) => name.endsWith('.js'))
    .map((name) => [name, readScript(name)]),
);
const current = scripts.get(readFileSync(join(folder, 'current'), 'utf8').trim())!;

const DAY = 86_400;
const CACHE = { name: `public, max-age=${365 * DAY}, immutable`, form: 'public, max-age=300' };

function scriptReply(ctx: Context, { code, gzipped }: FormScript, cache: string): Reply {
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

/** The current script under a name that stays: that of a form. */
export const currentScriptReply = (ctx: Context): Reply => scriptReply(ctx, current, CACHE.form);

/** A script by its name, which stands for its content. Throws 404. */
export function namedScriptReply(ctx: Context, name: string): Reply {
  const script = scripts.get(name);
  if (!script) throw notFound('script', name);
  return scriptReply(ctx, script, CACHE.name);
}

/** The URL of the current script; `apiUrl` is that of the API. */
export const currentScriptUrl = (apiUrl: string): string => `${apiUrl}/forms/assets/${current.name}`;

/** The element that loads the current script. */
export const scriptTag = (apiUrl: string): string =>
  `<script src="${currentScriptUrl(apiUrl)}" integrity="${current.integrity}" crossorigin="anonymous" defer></script>`;
