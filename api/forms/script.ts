import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from 'koa';
import { notFound } from '../../lib/checks/errors.ts';
import type { Reply } from '../route/route.ts';
import { readScript, SCRIPT_CACHE, scriptReply, type Script } from '../route/script-reply.ts';

/** A build of the script of forms. Pages name it by its content, so each build that was ever served stays here. */
interface FormScript extends Script {
  name: string;
  /** For the attribute `integrity` (Subresource Integrity). */
  integrity: string;
}

const folder = join(import.meta.dirname, 'bundles');

function readFormScript(name: string): FormScript {
  const script = readScript(join(folder, name));
  return { ...script, name, integrity: `sha384-${createHash('sha384').update(script.code).digest('base64')}` };
}

const scripts = new Map(
  readdirSync(folder)
    .filter((name) => name.endsWith('.js'))
    .map((name) => [name, readFormScript(name)]),
);
const current = scripts.get(readFileSync(join(folder, 'current'), 'utf8').trim())!;

/** The current script under a name that stays: that of a form. */
export const currentScriptReply = (ctx: Context): Reply => scriptReply(ctx, current, SCRIPT_CACHE.current);

/** A script by its name, which stands for its content. Throws 404. */
export function namedScriptReply(ctx: Context, name: string): Reply {
  const script = scripts.get(name);
  if (!script) throw notFound('script', name);
  return scriptReply(ctx, script, SCRIPT_CACHE.pinned);
}

/** The URL of the current script; `apiUrl` is that of the API. */
export const currentScriptUrl = (apiUrl: string): string => `${apiUrl}/forms/assets/${current.name}`;

/** The element that loads the current script. */
export const scriptTag = (apiUrl: string): string =>
  `<script src="${currentScriptUrl(apiUrl)}" integrity="${current.integrity}" crossorigin="anonymous" defer></script>`;
